"""What endpoints answer, read from the library's own records; their docstrings are the API's descriptions of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import AliasPath, BaseModel, Field

from smallprint.shelf import records


class Problem(BaseModel):
    """What went wrong (RFC 9457): the status, a headline for it, and what to do."""

    status: int
    title: str
    detail: str


class FoundSnippet(BaseModel):
    """A passage of a policy; `start` and `end` are places in its text, `marks` the query's words in the passage."""

    start: int
    end: int
    segment: int
    text: str
    marks: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class FoundPolicy(records.PolicySummary):
    """A policy found, the first rank is 1.

    `score` is that of the ranking asked for; `seen` the last time it was seen with these words; `vagueness` the share
    of its sentences that are vague. `group` is the policy it is folded under, or its own id; `near_duplicates` counts
    the others of its group that match. Where `damaged`, the stored text does not match its hash, and no snippet is
    given. `explanation` is there if asked for: score = P(policy) · relevance · popularity.
    """

    rank: int
    score: float
    near_duplicates: int
    snippets: list[FoundSnippet]
    damaged: bool
    explanation: records.Explanation | None = None


class FacetValue(BaseModel):
    """A value to narrow by, with the number of matches that have it, and the share of all policies with it that match.

    `under` is the value that it is a detail of. A facet's own choice does not lower its counts.
    """

    value: str
    name: str
    under: str | None
    count: int
    share: float
    chosen: bool


class MeasureBars(BaseModel):
    """The matches by steps of a measure, from `low`; the last bar has all that is beyond."""

    low: float
    step: float
    counts: list[int]


class WayOut(BaseModel):
    """Where nothing is found: what to remove, the query without it, and how many policies that finds."""

    remove: str
    query: str
    count: int


class SearchAnswer(BaseModel):
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
    ways_out: list[WayOut]
    next: str | None = None


class NamedFacet(BaseModel):
    """A facet by the parameter it is chosen with, and its values, the most frequent first."""

    key: str
    name: str
    values: list[FacetValue]


class NamedScale(BaseModel):
    """A measure by the parameter it is chosen with, the limits chosen, and its matches by steps."""

    key: str
    name: str
    at_least: float | None
    at_most: float | None
    low: float
    step: float
    counts: list[int]


class FacetsAnswer(BaseModel):
    """What a result can be narrowed by, with counts. `behind` is by how many policies the index lags the library."""

    query: str
    total: int
    behind: int
    facets: list[NamedFacet]
    scales: list[NamedScale]


class TextAnswer(BaseModel):
    """A version's text; all places that this API gives are half-open ranges of its characters (Unicode code points).

    `replaced_by` is the version that the same page reads as today, where a newer cleaner read it differently.
    """

    policy_id: str
    version_id: str
    characters: int
    text: str
    replaced_by: str | None


class SegmentsAnswer(BaseModel):
    """A version's segments in order; `replaced_by` as with its text."""

    policy_id: str
    version_id: str
    segments: tuple[records.SegmentSaid, ...]
    replaced_by: str | None


@dataclass(frozen=True, slots=True)
class AnnotationsAnswer(records.Sayings):
    """All that was said of a version, and by which model, kind by kind; None for what was not annotated."""

    policy_id: str
    version_id: str


class DiffAnswer(BaseModel):
    """What changed from one version of a policy to another, in the order of reading.

    `recleaned` warns that different versions of Smallprint read the two, so that some changes may not be the policy's.
    """

    policy_id: str
    url: str
    old: records.VersionEntry
    new: records.VersionEntry
    recleaned: bool
    summary: records.Summary
    paragraphs: tuple[records.Paragraph, ...]


class ComparedName(BaseModel):
    """Something that one of the policies names, by our id, and how often each does."""

    id: str = Field(validation_alias=AliasPath("name", "id"))
    group: str = Field(validation_alias=AliasPath("name", "group"))
    name: str = Field(validation_alias=AliasPath("name", "plain"))
    counts: tuple[int, ...]


class ComparisonAnswer(BaseModel):
    """Policies side by side, in the order in which they were asked for; cells and counts are in the same order."""

    policies: tuple[records.PolicyRecord, ...] = Field(validation_alias="columns")
    rows: tuple[records.Row, ...]
    mentions: list[ComparedName]


class RejectedPage(BaseModel):
    """A page that was rejected, the reason, and when and from where it came."""

    url: str
    reason: str
    detail: str
    source: str
    fetched_at: str


class RejectionsAnswer(BaseModel):
    """How many pages were rejected, by reason, and the first of them, by source and address."""

    counts: dict[str, int]
    pages: list[RejectedPage]


class TurnAnswered(BaseModel):
    """The assistant's reply, and where the conversation stands, to be given back with the next turn."""

    reply: records.Reply
    conversation: dict[str, Any]
