"""Passages of a policy as evidence: word for word, with their places, when and where they were seen, and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from smallprint.addresses import fragment
from smallprint.ask.ranking.units import sentence_at
from smallprint.errors import NoSuchSegment
from smallprint.library.file import Library
from smallprint.library.reading import PolicyEntry, VersionEntry, captures, page, segments, text
from smallprint.records import BlockKind, Segment
from smallprint.view.revisions import CitedVersion


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One passage, word for word. `fragment` leads to it on the policy's page; `lead_in` introduces a list's item."""

    segment: int
    fragment: str
    kind: BlockKind
    headings: tuple[str, ...]
    start: int
    end: int
    quote: str
    lead_in: str | None


@dataclass(frozen=True, slots=True)
class Seen:
    """One time the version was seen, and the SHA-256 of the page as it arrived then."""

    captured_at: str
    address: str
    source: str
    page_sha256: str


@dataclass(frozen=True, slots=True)
class EvidenceSheet:
    """Passages of one version with all that is needed to check them.

    `page_sha256` is of the page that the version was read from, byte by byte as it arrived; `text_sha256` of the
    version's text in UTF-8, into which the places point. `successor` is how the same page reads today, where a newer
    cleaner replaced the version.
    """

    policy_id: str
    version: VersionEntry
    address: str
    page_sha256: str
    text_sha256: str
    characters: int
    successor: VersionEntry | None
    seen: tuple[Seen, ...]
    exhibits: tuple[Exhibit, ...]


def evidence(
    library: Library, entry: PolicyEntry, cited: CitedVersion | None = None, ordinals: Iterable[int] | None = None
) -> EvidenceSheet:
    """Make an evidence sheet of a version, by default the current one, with the segments chosen, by default all."""
    cited = cited or CitedVersion(entry.current)
    version = cited.version
    with library.reading():
        words = text(library, version.version_id)
        passages = {segment.ordinal: segment for segment in segments(library, version.version_id)}
        # A version that was replaced was seen when its successor was.
        times = captures(library, entry.policy_id, cited.replaced_by or version.version_id)
        page_ids = {version.page_id, *(capture.page_id for capture in times)}
        hashes = {page_id: hashlib.sha256(page(library, page_id)).hexdigest() for page_id in page_ids}
    chosen = sorted(passages if ordinals is None else set(ordinals))
    if unknown := sorted(set(chosen) - passages.keys()):
        known = f"its passages are 0 to {len(passages) - 1}"
        raise NoSuchSegment(f"{version.version_id} has no passage {unknown[0]}; {known}")
    return EvidenceSheet(
        policy_id=entry.policy_id,
        version=version,
        address=entry.url,
        page_sha256=hashes[version.page_id],
        text_sha256=hashlib.sha256(words.encode()).hexdigest(),
        characters=len(words),
        successor=cited.successor,
        seen=tuple(Seen(at.captured_at, at.asked_url, at.source, hashes[at.page_id]) for at in times),
        exhibits=tuple(_exhibit(words, passages[ordinal]) for ordinal in chosen),
    )


def _exhibit(text: str, segment: Segment) -> Exhibit:
    at = sentence_at(text, segment, segment)
    place = fragment(at.segment)
    return Exhibit(at.segment, place, segment.kind, at.headings, at.start, at.end, at.text, at.lead_in or None)
