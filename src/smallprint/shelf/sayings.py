"""What was said of a version, with the policy's own words: practices, mentions, vague words, and labels by segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smallprint.annotate.annotating import Annotator, Kind
from smallprint.annotate.practices import practices
from smallprint.annotate.readability import Readability
from smallprint.library import Library, reading
from smallprint.library.annotations import Annotations, read_annotations
from smallprint.library.companies import KnownSector, company, sector
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.records import BlockKind, Company, MentionGroup, Segment, Span
from smallprint.shelf.policies import PolicySector, policy_sector
from smallprint.taxonomy import plain_name
from smallprint.view.labels import Held, held


@dataclass(frozen=True, slots=True)
class Quoted:
    """A segment word for word."""

    ordinal: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class PracticeSaid:
    """A label that holds, in OPP-115's words and in plain ones, and the segments that say so, the likeliest first.

    `attribute` and `value` are None for a category; `probability` is that of the likeliest segment.
    """

    category: str
    attribute: str | None
    value: str | None
    name: str
    probability: float
    segments: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class MentionSaid:
    """A technology, body or regulation that is named, by our id, with its place and the words there."""

    group: MentionGroup
    name: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class VagueWordSaid:
    """A vague word with its place, and how probable it is that readers find it so."""

    start: int
    end: int
    probability: float
    text: str


@dataclass(frozen=True, slots=True)
class VaguenessSaid:
    """How vague a version is: `vague` of its `sentences` are; `candidates` have a cue word; `score` is the share."""

    score: float | None
    sentences: int
    candidates: int
    vague: int
    words: tuple[VagueWordSaid, ...]


@dataclass(frozen=True, slots=True)
class Sayings:
    """All that was said of a version, and by which model, kind by kind; None for what was not annotated."""

    sector: PolicySector
    company: Company | None
    readability: Readability | None
    vagueness: VaguenessSaid | None
    mentions: tuple[MentionSaid, ...]
    practices: tuple[PracticeSaid, ...]
    made_by: dict[Kind, Annotator]


@dataclass(frozen=True, slots=True)
class LabelHeld:
    """A label that holds for a segment, and how likely it is."""

    category: str
    attribute: str | None
    value: str | None
    name: str
    probability: float


@dataclass(frozen=True, slots=True)
class SegmentSaid:
    """A segment word for word, with its place, the headings above it, its sentences, and the labels that hold for it.

    `lead_in` is where the words are that introduce a list's item. All places are in the version's text.
    """

    ordinal: int
    kind: BlockKind
    start: int
    end: int
    text: str
    headings: tuple[str, ...]
    lead_in: Span | None
    sentences: tuple[Span, ...]
    labels: tuple[LabelHeld, ...]


def sayings(library: Library, entry: PolicyEntry, version: VersionEntry) -> Sayings:
    """Read what was said of a version."""
    return quoted_sayings(
        reading.text(library, version.version_id),
        reading.segments(library, version.version_id),
        read_annotations(library, version.version_id),
        sector(library, version.version_id),
        company(library, entry.domain),
    )


def quoted_sayings(
    text: str, segments: Sequence[Segment], said: Annotations, known: KnownSector, company: Company | None
) -> Sayings:
    """Put the policy's own words to what was said of it."""
    vague = said.vagueness
    return Sayings(
        sector=policy_sector(known),
        company=company,
        readability=said.readability,
        vagueness=None
        if vague is None
        else VaguenessSaid(
            vague.score, vague.sentences, vague.candidates, vague.vague,
            tuple(VagueWordSaid(w.start, w.end, w.probability, text[w.start : w.end]) for w in vague.words),
        ),
        mentions=tuple(
            MentionSaid(one.group, one.name, one.start, one.end, text[one.start : one.end])
            for one in said.mentions or ()
        ),
        practices=_practices(text, segments, said),
        made_by=said.made_by,
    )  # fmt: skip


def segments_said(library: Library, version: VersionEntry) -> tuple[SegmentSaid, ...]:
    """Read a version's segments with their labels; none has any where practices were not annotated."""
    text = reading.text(library, version.version_id)
    found = reading.segments(library, version.version_id)
    said = read_annotations(library, version.version_id).practices
    labels: list[tuple[Held, ...]] = [()] * len(found) if said is None else held(said)
    return tuple(
        SegmentSaid(
            one.ordinal, one.kind, one.start, one.end, text[one.start : one.end], one.headings, one.lead_in,
            one.sentences, tuple(LabelHeld(*label.label, label.name, label.probability) for label in own),
        )
        for one, own in zip(found, labels, strict=True)
    )  # fmt: skip


def _practices(text: str, segments: Sequence[Segment], said: Annotations) -> tuple[PracticeSaid, ...]:
    if said.practices is None:
        return ()
    quotes = {one.ordinal: Quoted(one.ordinal, one.start, one.end, text[one.start : one.end]) for one in segments}
    return tuple(
        PracticeSaid(*one.label, plain_name(one.label), one.probability, tuple(quotes[n] for n in one.segments))
        for one in practices(said.practices, segments)
    )
