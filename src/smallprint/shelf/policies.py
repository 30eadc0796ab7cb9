"""A policy in, all that is known of it in one record out: versions, dates, sector, company, measures, duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from smallprint.library import Library, reading
from smallprint.library.annotations import Annotations, read_annotations
from smallprint.library.companies import KnownSector, company, sector
from smallprint.library.popularity import popularity
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.records import Company, Popularity
from smallprint.sectors import sector as named
from smallprint.view.revisions import choose


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
    vagueness: float | None
    sentences: int | None
    candidate_sentences: int | None
    vague_sentences: int | None


@dataclass(frozen=True, slots=True)
class PolicyRecord:
    """A policy with all its versions, the earliest first. Sector and measures are those of the version `shown`.

    `copy_of` names the policy with the same text that is kept in its place; `folded_under` the better known one that it
    is a near-duplicate of; `near_duplicates` those that are folded under it.
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

    @property
    def version(self) -> VersionEntry:
        """The version shown."""
        return next(one for one in self.versions if one.version_id == self.shown)


def version_of(library: Library, entry: PolicyEntry, wanted: str | None) -> VersionEntry:
    """Find a version by its id, by the beginning of it or of its hash, or by a date; the current one by default."""
    return choose(library, entry, wanted) if wanted else entry.current


def policy_record(library: Library, entry: PolicyEntry, version: VersionEntry | None = None) -> PolicyRecord:
    """Say what is known of a policy, as of a version."""
    version = version or entry.current
    return PolicyRecord(
        policy_id=entry.policy_id,
        url=entry.url,
        domain=entry.domain,
        title=version.title,
        current_version=entry.current_version,
        shown=version.version_id,
        copy_of=entry.copy_of,
        folded_under=entry.folded_under,
        near_duplicates=reading.duplicates(library, entry.policy_id),
        versions=entry.versions,
        sector=policy_sector(sector(library, version.version_id)),
        company=company(library, entry.domain),
        popularity=popularity(library, entry.domain),
        measures=_measures(version, read_annotations(library, version.version_id)),
    )


def policy_sector(known: KnownSector) -> PolicySector:
    """Call a sector by its name as well."""
    return PolicySector(known.sector, named(known.sector).name, known.source, known.probability)


def _measures(version: VersionEntry, said: Annotations) -> Measures:
    grade = said.readability.grade if said.readability else None
    vague = said.vagueness
    if vague is None:
        return Measures(version.words, grade, None, None, None, None)
    return Measures(version.words, grade, vague.score, vague.sentences, vague.candidates, vague.vague)
