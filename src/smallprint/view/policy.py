"""One policy: what is known of it, its annotations with the policy's own words, and all that a page about it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from smallprint.annotate.kinds import Annotator
from smallprint.annotate.links import PolicyLink
from smallprint.annotate.practices import practices
from smallprint.annotate.readability import Readability
from smallprint.annotate.registry import Annotations
from smallprint.annotate.vagueness import VagueWord
from smallprint.library import Library, reading
from smallprint.library.annotations import read_annotations
from smallprint.library.directory import KnownSector, company, popularity, sector
from smallprint.library.reading import CaptureEntry, PolicyEntry, VersionEntry
from smallprint.library.statistics import LibraryRates
from smallprint.records import BlockKind, Company, Mention, NamedDocument, Popularity, Segment, Span
from smallprint.sectors import sector as sector_named
from smallprint.taxonomy import plain_name
from smallprint.view.labels import LabelHeld, labels_that_hold
from smallprint.view.unusual import Unusual, measures, unusual


@dataclass(frozen=True, slots=True)
class PolicySector:
    """A policy's sector by id and name, and who says so; the probability is the classifier's, 1 for a company list."""

    sector: str
    name: str
    source: Literal["company list", "classifier", "nobody"]
    probability: float


@dataclass(frozen=True, slots=True)
class Measures:
    """What was measured of a version; None where it was not annotated, or has no sentences.

    `grade` is the Flesch-Kincaid reading grade; `vagueness` the share of sentences that are vague, 0 to 1.
    """

    words: int
    grade: float | None
    vagueness: float | None = None
    sentences: int | None = None
    candidate_sentences: int | None = None
    vague_sentences: int | None = None


@dataclass(frozen=True, slots=True)
class PolicyRecord:
    """A policy with all its versions, the earliest first. Sector and measures are those of the version `shown`.

    `copy_of` names the policy with the same text that is kept in its place; `folded_under` the better known one that it
    is a near-duplicate of; `near_duplicates` those that are folded under it. `links` are those of its text, `documents`
    the other legal documents on its page.
    """

    policy_id: str
    url: str
    domain: str
    title: str
    current_version: str
    shown: str
    copy_of: str | None
    folded_under: str | None
    near_duplicates: tuple[str, ...]
    versions: tuple[VersionEntry, ...]
    sector: PolicySector
    company: Company | None
    popularity: Popularity
    measures: Measures
    links: tuple[PolicyLink, ...]
    documents: tuple[NamedDocument, ...]

    @property
    def version(self) -> VersionEntry:
        """The version shown."""
        return next(version for version in self.versions if version.version_id == self.shown)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A segment word for word."""

    segment: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class PracticeSaid(LabelHeld):
    """A label that holds, in OPP-115's words and in plain ones, and the segments that say so, the likeliest first.

    `attribute` and `value` are None for a category; `probability` is that of the likeliest segment.
    """

    segments: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class MentionSaid(Mention):
    """A technology, body or regulation that is named, by our id, with its place and the words there."""

    text: str


@dataclass(frozen=True, slots=True)
class VagueWordSaid(VagueWord):
    """A vague word with its place, and how probable it is that readers find it so."""

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
    """All annotations of a version, and which model made each kind; None for what was not annotated."""

    sector: PolicySector
    company: Company | None
    readability: Readability | None
    vagueness: VaguenessSaid | None
    mentions: tuple[MentionSaid, ...]
    practices: tuple[PracticeSaid, ...]
    links: tuple[PolicyLink, ...]
    made_by: dict[str, Annotator]


@dataclass(frozen=True, slots=True)
class SegmentSaid:
    """A segment word for word, with its place, the headings above it, its sentences, and the labels that hold for it.

    `lead_in` is where the words are that introduce a list's item. All places are in the version's text.
    """

    segment: int
    kind: BlockKind
    start: int
    end: int
    text: str
    headings: tuple[str, ...]
    lead_in: Span | None
    sentences: tuple[Span, ...]
    labels: tuple[LabelHeld, ...]

    @property
    def categories(self) -> tuple[LabelHeld, ...]:
        """Those of its labels that are categories, without the values under them."""
        return tuple(label for label in self.labels if label.is_category)


@dataclass(frozen=True, slots=True)
class PolicyView(PolicyRecord):
    """A policy with all that a page about it shows; `unusual` is None where it is not set against others.

    `duplicates` are the other policies of its group of near-duplicates, the best known first.
    """

    entry: PolicyEntry
    text: str
    segments: tuple[SegmentSaid, ...]
    annotations: Annotations
    unusual: Unusual | None
    duplicates: tuple[str, ...]
    captures: tuple[CaptureEntry, ...]

    @property
    def is_current(self) -> bool:
        """Whether it is the version seen last."""
        return self.shown == self.current_version


def policy_record(
    library: Library, entry: PolicyEntry, version: VersionEntry | None = None, annotations: Annotations | None = None
) -> PolicyRecord:
    """Return what is known of a policy, as of a version; by default of the current one."""
    version = version or entry.current
    annotations = annotations or read_annotations(library, version.version_id)
    vagueness = annotations.vagueness
    counts = (vagueness.sentences, vagueness.candidates, vagueness.vague) if vagueness else ()
    return PolicyRecord(
        **_fields_of(entry),
        title=version.title,
        shown=version.version_id,
        near_duplicates=reading.duplicates(library, entry.policy_id),
        sector=_policy_sector(sector(library, version.version_id)),
        company=company(library, entry.domain),
        popularity=popularity(library, entry.domain),
        measures=Measures(version.words, *measures(annotations), *counts),
        links=annotations.links or (),
        documents=reading.documents(library, version.version_id),
    )


def sayings(library: Library, entry: PolicyEntry, version: VersionEntry) -> Sayings:
    """Return the annotations of a version."""
    known = sector(library, version.version_id)
    return quoted_sayings(*read_version(library, version.version_id), known, company(library, entry.domain))


def quoted_sayings(
    text: str, segments: Sequence[Segment], annotations: Annotations, known: KnownSector, company: Company | None
) -> Sayings:
    """Return annotations with the policy's own words."""
    mentions = (MentionSaid(**asdict(name), text=text[name.start : name.end]) for name in annotations.mentions or ())
    vagueness = annotations.vagueness
    if vagueness:
        words = tuple(VagueWordSaid(**asdict(word), text=text[word.start : word.end]) for word in vagueness.words)
        counts = vagueness.sentences, vagueness.candidates, vagueness.vague
    quotes = {at.ordinal: Quoted(at.ordinal, at.start, at.end, text[at.start : at.end]) for at in segments}
    return Sayings(
        sector=_policy_sector(known),
        company=company,
        readability=annotations.readability,
        vagueness=VaguenessSaid(vagueness.score, *counts, words) if vagueness else None,
        mentions=tuple(mentions),
        practices=tuple(
            PracticeSaid(*own.label, plain_name(own.label), own.probability, tuple(quotes[n] for n in own.segments))
            for own in (() if annotations.practices is None else practices(annotations.practices, segments))
        ),
        links=annotations.links or (),
        made_by=annotations.made_by,
    )


def segments_said(text: str, segments: Sequence[Segment], annotations: Annotations) -> tuple[SegmentSaid, ...]:
    """Return a version's segments with their labels; none has any where practices were not annotated."""
    labels = [()] * len(segments) if annotations.practices is None else labels_that_hold(annotations.practices)
    return tuple(
        SegmentSaid(
            at.ordinal, at.kind, at.start, at.end, text[at.start : at.end], at.headings, at.lead_in, at.sentences, own
        )
        for at, own in zip(segments, labels, strict=True)
    )


def policy_view(
    library: Library, entry: PolicyEntry, version: VersionEntry | None = None, rates: LibraryRates | None = None
) -> PolicyView:
    """Return a version of a policy, by default the current one; without rates it is not set against others."""
    version = version or entry.current
    with library.reading():
        text, segments, annotations = read_version(library, version.version_id)
        record = policy_record(library, entry, version, annotations)
        leader = entry.folded_under or entry.policy_id
        group = (leader, *reading.duplicates(library, leader))
        return PolicyView(
            **_fields_of(record),
            entry=entry,
            text=text,
            segments=segments_said(text, segments, annotations),
            annotations=annotations,
            unusual=(
                unusual(annotations, segments, record.sector.sector, rates) if rates and annotations.made_by else None
            ),
            duplicates=tuple(policy_id for policy_id in group if policy_id != entry.policy_id),
            captures=reading.captures(library, entry.policy_id),
        )


def read_version(library: Library, version_id: str) -> tuple[str, tuple[Segment, ...], Annotations]:
    """Return a version's text, its segments, and what is known of it."""
    segments = reading.segments(library, version_id)
    return reading.text(library, version_id), segments, read_annotations(library, version_id)


def _fields_of(record: PolicyEntry | PolicyRecord) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _policy_sector(known: KnownSector) -> PolicySector:
    return PolicySector(known.sector, sector_named(known.sector).name, known.source, known.probability)
