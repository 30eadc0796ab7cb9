"""What tools answer, as records: every sentence of a policy comes with its version, its place and its address."""

from __future__ import annotations

from dataclasses import dataclass

from smallprint.records import BlockKind
from smallprint.view.comparison import State


@dataclass(frozen=True, slots=True)
class Citation:
    """Words of a policy: their version, their place in its text (half-open, in characters), and their address."""

    policy_id: str
    version_id: str
    text: str
    start: int
    end: int
    segment: int
    permalink: str


@dataclass(frozen=True, slots=True)
class Found:
    """A policy found, the first rank is 1; `passages` are those that match best, none where the text is damaged."""

    rank: int
    policy_id: str
    version_id: str
    title: str
    url: str
    domain: str
    sector: str
    seen: str
    grade: float | None
    vague: float | None
    permalink: str
    passages: tuple[Citation, ...]
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class SearchFound:
    """A page of results; `total` counts all policies that match, `notes` say what of the query was left out."""

    total: int
    page: int
    notes: tuple[str, ...]
    policies: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class PassageRead:
    """A passage of a policy in full, with the headings above it."""

    kind: BlockKind
    headings: tuple[str, ...]
    words: Citation


@dataclass(frozen=True, slots=True)
class PolicyRead:
    """A part of a policy, passage by passage; `next_passage` is where to read on, if there is more."""

    policy_id: str
    version_id: str
    title: str
    url: str
    seen: str
    versions: tuple[str, ...]
    characters: int
    passages: tuple[PassageRead, ...]
    next_passage: int | None


@dataclass(frozen=True, slots=True)
class Column:
    """One of the policies compared."""

    policy_id: str
    version_id: str
    title: str
    url: str
    permalink: str
    words: int
    grade: float | None
    vague: float | None


@dataclass(frozen=True, slots=True)
class Stance:
    """What a policy says on a matter, in its own words; "silent" is no denial."""

    policy_id: str
    state: State
    probability: float | None
    says: Citation | None
    denies: Citation | None


@dataclass(frozen=True, slots=True)
class Matter:
    """A matter by its plain name, and what each policy says on it."""

    name: str
    is_category: bool
    stances: tuple[Stance, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """Policies side by side."""

    policies: tuple[Column, ...]
    matters: tuple[Matter, ...]
