"""All that a page about one policy needs, in one record: text, passages with their labels, measures, versions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from smallprint.annotate.annotating import Annotator, Kind
from smallprint.annotate.vagueness import VagueWord
from smallprint.library.annotations import Annotations, read_annotations
from smallprint.library.captures import CaptureEntry, captures
from smallprint.library.companies import KnownSector, company, sector
from smallprint.library.file import Library
from smallprint.library.popularity import popularity
from smallprint.library.rates import Distribution, LibraryRates
from smallprint.library.reading import PolicyEntry, VersionEntry, duplicates, segments, text
from smallprint.records import Company, Mention, Popularity, Segment
from smallprint.taxonomy import POLARITY
from smallprint.view.labels import Held, held
from smallprint.view.unusual import Unusual, unusual


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of the table of contents: where it leads, and how deep it stands (0 is outermost)."""

    text: str
    ordinal: int
    depth: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A segment with its words, the categories, values and polarities that hold for it, and the marks within it."""

    segment: Segment
    text: str
    categories: tuple[Held, ...]
    values: tuple[Held, ...]
    polarity: tuple[Held, ...]
    mentions: tuple[Mention, ...]
    vague_words: tuple[VagueWord, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A measure, and the share of policies that have less of it: in the library and in the sector, of so many each."""

    value: float
    below_in_library: float | None
    library: int
    below_in_sector: float | None
    sector: int


@dataclass(frozen=True, slots=True)
class PolicyView:
    """A policy as one of its versions has it. `grade`, `vagueness` and `unusual` are None where nothing is known."""

    entry: PolicyEntry
    version: VersionEntry
    text: str
    contents: tuple[Heading, ...]
    passages: tuple[Passage, ...]
    mentions: tuple[Mention, ...]
    vague_words: tuple[VagueWord, ...]
    sector: KnownSector
    company: Company | None
    popularity: Popularity
    grade: Placed | None
    vagueness: Placed | None
    unusual: Unusual | None
    duplicates: tuple[str, ...]
    captures: tuple[CaptureEntry, ...]
    made_by: dict[Kind, Annotator]

    @property
    def is_current(self) -> bool:
        """Whether it is the version seen last."""
        return self.version.version_id == self.entry.current_version


def policy_view(
    library: Library, entry: PolicyEntry, version: VersionEntry | None = None, rates: LibraryRates | None = None
) -> PolicyView:
    """Lay out a version of a policy, by default the current one; without rates it is not set against others."""
    with library.reading():
        return _policy_view(library, entry, version or entry.current, rates)


def _policy_view(library: Library, entry: PolicyEntry, version: VersionEntry, rates: LibraryRates | None) -> PolicyView:
    words, found = text(library, version.version_id), segments(library, version.version_id)
    said, known = read_annotations(library, version.version_id), sector(library, version.version_id)
    grade = said.readability.grade if said.readability else None
    vagueness = said.vagueness.score if said.vagueness else None
    own = rates.sectors.get(known.sector) if rates else None
    return PolicyView(
        entry=entry,
        version=version,
        text=words,
        contents=contents(words, found),
        passages=_passages(words, found, said),
        mentions=said.mentions or (),
        vague_words=said.vagueness.words if said.vagueness else (),
        sector=known,
        company=company(library, entry.domain),
        popularity=popularity(library, entry.domain),
        grade=_placed(grade, rates.whole.grade if rates else None, own.grade if own else None),
        vagueness=_placed(vagueness, rates.whole.vagueness if rates else None, own.vagueness if own else None),
        unusual=unusual(said, found, known.sector, rates) if rates and said.made_by else None,
        duplicates=duplicates(library, entry.policy_id),
        captures=captures(library, entry.policy_id),
        made_by=said.made_by,
    )


def contents(words: str, found: Sequence[Segment]) -> tuple[Heading, ...]:
    """Give the headings of a policy as a table of contents."""
    return tuple(
        Heading(" ".join(words[segment.start : segment.end].split()), segment.ordinal, len(segment.headings))
        for segment in found
        if segment.kind == "heading"
    )


def _passages(words: str, found: Sequence[Segment], said: Annotations) -> tuple[Passage, ...]:
    labels = held(said.practices) if said.practices is not None else [()] * len(found)
    named = sorted(said.mentions or (), key=lambda mark: mark.start)
    vague = sorted(said.vagueness.words if said.vagueness else (), key=lambda mark: mark.start)
    return tuple(
        Passage(
            segment=segment,
            text=words[segment.start : segment.end],
            categories=tuple(one for one in holding if one.label.attribute is None),
            values=tuple(one for one in holding if one.label.attribute and one.label not in POLARITY),
            polarity=tuple(one for one in holding if one.label in POLARITY),
            mentions=_within(named, segment),
            vague_words=_within(vague, segment),
        )
        for segment, holding in zip(found, labels, strict=True)
    )


_Mark = TypeVar("_Mark", Mention, VagueWord)


def _within(marks: Sequence[_Mark], segment: Segment) -> tuple[_Mark, ...]:
    """Give the marks that begin in a segment."""
    first = bisect_left(marks, segment.start, key=lambda mark: mark.start)
    last = bisect_left(marks, segment.end, lo=first, key=lambda mark: mark.start)
    return tuple(marks[first:last])


def _placed(value: float | None, whole: Distribution | None, own: Distribution | None) -> Placed | None:
    if value is None:
        return None
    return Placed(
        value,
        whole.share_below(value) if whole else None,
        whole.n if whole else 0,
        own.share_below(value) if own else None,
        own.n if own else 0,
    )
