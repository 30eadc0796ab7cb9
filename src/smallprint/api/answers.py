"""What endpoints answer, as records; their docstrings are the descriptions that the API gives of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from smallprint.index.engine import Explanation
from smallprint.library.statistics import Statistics
from smallprint.shelf.replies import Reply
from smallprint.shelf.sayings import Sayings, SegmentSaid


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong (RFC 9457): the status, a headline for it, and what to do."""

    status: int
    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class FoundSnippet:
    """A passage of a policy; `start` and `end` are places in its text, `marks` the query's words in the passage."""

    start: int
    end: int
    segment: int
    text: str
    marks: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class FoundPolicy:
    """A policy found, the first rank is 1.

    `score` is that of the ranking asked for; `seen` the last time it was seen with these words; `vague` the share of
    its sentences that are vague. `group` is the policy it is folded under, or its own id; `near_duplicates` counts the
    others of its group that match. Where `damaged`, the stored text does not match its hash, and no snippet is given.
    `explanation` is there if asked for: score = P(policy) · relevance · popularity.
    """

    rank: int
    score: float
    policy_id: str
    version_id: str
    url: str
    domain: str
    title: str
    seen: str
    sector: str
    grade: float | None
    vague: float | None
    group: str
    is_grouped: bool
    near_duplicates: int
    snippets: list[FoundSnippet]
    damaged: bool
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value to narrow by, with the number of matches that have it, and the share of all policies with it that match.

    `under` is the value that it is a detail of. A facet's own choice does not lower its counts.
    """

    value: str
    name: str
    under: str | None
    count: int
    share: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class MeasureBars:
    """The matches by steps of a measure, from `low`; the last bar has all that is beyond."""

    low: float
    step: float
    counts: list[int]


@dataclass(frozen=True, slots=True)
class LetGo:
    """Where nothing is found: what to let go of, the query without it, and how many policies that finds."""

    let_go_of: str
    query: str
    count: int


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """A page of results.

    `query` is the search as an address has it; `total` counts all matches, `groups` near-duplicates once, and that is
    what pages go by. `next` is the address of the next page. `notes` say what of the query was left out, and whether
    the index is `behind` the library, and by how many policies.
    """

    query: str
    total: int
    groups: int
    seconds: float
    notes: list[str]
    behind: int
    hits: list[FoundPolicy]
    facets: dict[str, list[FacetValue]]
    scales: dict[str, MeasureBars]
    ways_out: list[LetGo]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class NamedFacet:
    """A facet by the parameter it is chosen with, and its values, the most frequent first."""

    key: str
    name: str
    values: list[FacetValue]


@dataclass(frozen=True, slots=True)
class NamedScale:
    """A measure by the parameter it is chosen with, the limits chosen, and its matches by steps."""

    key: str
    name: str
    at_least: float | None
    at_most: float | None
    low: float
    step: float
    counts: list[int]


@dataclass(frozen=True, slots=True)
class FacetsAnswer:
    """What a result can be narrowed by, with counts. `behind` is by how many policies the index lags the library."""

    query: str
    total: int
    behind: int
    facets: list[NamedFacet]
    scales: list[NamedScale]


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """A version's text; all places that this API gives are half-open ranges of its characters (Unicode code points).

    `replaced_by` is the version that the same page reads as today, where a newer cleaner read it differently.
    """

    policy_id: str
    version_id: str
    characters: int
    text: str
    replaced_by: str | None


@dataclass(frozen=True, slots=True)
class SegmentsAnswer:
    """A version's segments in order; `replaced_by` as with its text."""

    policy_id: str
    version_id: str
    segments: tuple[SegmentSaid, ...]
    replaced_by: str | None


@dataclass(frozen=True, slots=True)
class AnnotationsAnswer(Sayings):
    """All that was said of a version, and by which model, kind by kind; None for what was not annotated."""

    policy_id: str
    version_id: str


@dataclass(frozen=True, slots=True)
class StatisticsAnswer(Statistics):
    """The whole library in figures, current versions only; mentions and practices count policies, by name and by label.

    The bars of `grade` are whole grades, those of shares and probabilities twentieths.
    """

    practices: dict[str, int]  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class TurnAnswered:
    """The assistant's reply, and where the conversation stands, to be given back with the next turn."""

    reply: Reply
    conversation: dict[str, Any]
