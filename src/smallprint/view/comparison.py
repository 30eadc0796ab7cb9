"""Two to four policies side by side: what each says, denies or is silent about, in its own words, and its measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from smallprint.annotate.annotating import student
from smallprint.annotate.mentions import Name, names
from smallprint.annotate.practices import COLUMNS, Labeller, holding
from smallprint.errors import NoSuchPolicy
from smallprint.library.annotations import read_annotations
from smallprint.library.companies import KnownSector, company, sector
from smallprint.library.file import Library
from smallprint.library.reading import PolicyEntry, VersionEntry, segments, text
from smallprint.records import Company
from smallprint.taxonomy import Label, plain_name
from smallprint.view.labels import TELLING
from smallprint.view.quotes import Quote, said

FEWEST, MOST = 2, 4
# "Silent" is what the policy does not say, as far as the annotations tell; it is no denial. "Unknown" is a policy that
# was not annotated yet.
State = Literal["says", "denies", "both", "silent", "unknown"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What one policy says on one matter: the sentence that affirms it, the one that denies it, and how likely."""

    state: State
    probability: float | None = None
    affirmed: Quote | None = None
    denied: Quote | None = None
    segments: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One matter, a category or a value under one, and a cell for each policy."""

    label: Label
    name: str
    cells: tuple[Cell, ...]

    @property
    def is_category(self) -> bool:
        """Whether it is a category, under which rows of values follow."""
        return self.label.attribute is None


@dataclass(frozen=True, slots=True)
class Column:
    """One of the policies, with its measures; None for what is not known."""

    entry: PolicyEntry
    version: VersionEntry
    company: Company | None
    sector: KnownSector
    annotated: bool
    grade: float | None
    vagueness: float | None


@dataclass(frozen=True, slots=True)
class MentionRow:
    """Something that one of the policies names, and how often each does."""

    name: Name
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Policies side by side, in the order in which they were asked for; under each category come its values."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    mentions: tuple[MentionRow, ...]


def compare(library: Library, entries: Sequence[PolicyEntry], labeller: Labeller | None = None) -> Comparison:
    """Put the current versions of two to four policies side by side; `labeller` chooses which sentences are quoted."""
    if not FEWEST <= len(entries) <= MOST:
        raise NoSuchPolicy(f"name {FEWEST} to {MOST} policies to compare, not {len(entries)}")
    if len({entry.policy_id for entry in entries}) < len(entries):
        raise NoSuchPolicy("a policy cannot be compared with itself; name different ones, or see 'smallprint diff'")
    labeller = labeller or student()
    read = [_read(library, entry, labeller) for entry in entries]
    present = [label for label in TELLING if any(label in cells for _, cells, _ in read)]
    return Comparison(
        tuple(column for column, _, _ in read),
        tuple(
            Row(label, plain_name(label), tuple(cells.get(label, _nothing(column)) for column, cells, _ in read))
            for label in present
        ),
        tuple(
            MentionRow(name, tuple(counts[name.id] for _, _, counts in read))
            for name in names()
            if any(counts[name.id] for _, _, counts in read)
        ),
    )


def _read(library: Library, entry: PolicyEntry, labeller: Labeller) -> tuple[Column, dict[Label, Cell], Counter[str]]:
    version_id = entry.current_version
    found = read_annotations(library, version_id)
    column = Column(
        entry, entry.current, company(library, entry.domain), sector(library, version_id),
        found.practices is not None,
        found.readability.grade if found.readability else None,
        found.vagueness.score if found.vagueness else None,
    )  # fmt: skip
    cells: dict[Label, Cell] = {}
    if found.practices is not None:
        holds = holding(found.practices).sum(axis=0)
        quoted = said(text(library, version_id), segments(library, version_id), found.practices, TELLING, labeller)
        times = dict(zip(COLUMNS, holds.tolist(), strict=True))
        for label, one in quoted.items():
            likely = max(quote.probability for quote in (one.affirmed, one.denied) if quote)
            state: State = "both" if one.affirmed and one.denied else "says" if one.affirmed else "denies"
            cells[label] = Cell(state, likely, one.affirmed, one.denied, times[label])
    return column, cells, Counter(mention.name for mention in found.mentions or ())


def _nothing(column: Column) -> Cell:
    return Cell("silent" if column.annotated else "unknown")
