"""Passages of a policy as evidence: word for word, with their places, when and where they were seen, and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from smallprint.errors import NoSuchSegment
from smallprint.library.captures import captures
from smallprint.library.file import Library
from smallprint.library.reading import PolicyEntry, VersionEntry, page, segments, text
from smallprint.records import BlockKind, Segment


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One passage, word for word. `fragment` leads to it on the policy's page; `lead_in` introduces a list's item."""

    ordinal: int
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
    library: Library,
    entry: PolicyEntry,
    version: VersionEntry | None = None,
    ordinals: Iterable[int] | None = None,
    *,
    successor: VersionEntry | None = None,
) -> EvidenceSheet:
    """Make an evidence sheet of a version, by default the current one, with the segments chosen, by default all.

    A version that was replaced is given with its `successor`, which was seen when it was.
    """
    version = version or entry.current
    with library.reading():
        words = text(library, version.version_id)
        found = segments(library, version.version_id)
        hashes: dict[str, str] = {}
        times = captures(library, entry.policy_id, (successor or version).version_id)
        for page_id in {version.page_id, *(one.page_id for one in times)}:
            hashes[page_id] = hashlib.sha256(page(library, page_id)).hexdigest()
    return EvidenceSheet(
        policy_id=entry.policy_id,
        version=version,
        address=entry.url,
        page_sha256=hashes[version.page_id],
        text_sha256=hashlib.sha256(words.encode()).hexdigest(),
        characters=len(words),
        successor=successor,
        seen=tuple(Seen(one.captured_at, one.asked_url, one.source, hashes[one.page_id]) for one in times),
        exhibits=tuple(_exhibit(words, one) for one in _chosen(found, ordinals, version.version_id)),
    )


def fragment(ordinal: int) -> str:
    """Give the part of an address that leads to a segment of a policy's page."""
    return f"#s{ordinal}"


def _chosen(found: tuple[Segment, ...], ordinals: Iterable[int] | None, version_id: str) -> list[Segment]:
    if ordinals is None:
        return list(found)
    by_ordinal = {segment.ordinal: segment for segment in found}
    wanted = sorted(set(ordinals))
    for ordinal in wanted:
        if ordinal not in by_ordinal:
            raise NoSuchSegment(f"{version_id} has no passage {ordinal}; its passages are 0 to {len(found) - 1}")
    return [by_ordinal[ordinal] for ordinal in wanted]


def _exhibit(words: str, segment: Segment) -> Exhibit:
    lead = segment.lead_in
    return Exhibit(
        segment.ordinal, fragment(segment.ordinal), segment.kind, segment.headings, segment.start, segment.end,
        words[segment.start : segment.end], words[lead.start : lead.end] if lead else None,
    )  # fmt: skip
