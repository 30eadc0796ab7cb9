"""What the library holds, as records: its counts, its policies with their versions, its rejections."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import groupby
from operator import itemgetter
from typing import Literal, TypeVar

from smallprint import limits
from smallprint.domains import policy_id as id_of
from smallprint.errors import BadAddress, DamagedText, NoSuchPolicy, NoSuchVersion
from smallprint.library.file import Library
from smallprint.library.packing import CLEANER, JUDGED_AGAIN, damage, unpack_page, unpack_segment, unpack_text
from smallprint.records import Place, Reason, Rejection, Segment

# Versions that an older cleaner read, but for those that the present one would turn away.
OUTDATED = "successor IS NULL AND max(cleaner, coalesce(turned_away_by, 0)) < ?"
_THESE = "(SELECT value FROM json_each(?))"
_ENTRY = "v.version_id, v.text_id, v.page_id, title, p_policy, effective_on, updated_on, words, v.language"
_TextColumn = Literal["text_id", "page_text_id"]
_Content = TypeVar("_Content")


@dataclass(frozen=True, slots=True)
class KeptRejections:
    """How many rejections could be judged again: those kept with their pages, in so many bytes, and those without."""

    with_page: int
    bytes: int
    without_page: int


@dataclass(frozen=True, slots=True)
class Status:
    """The counts of a library, without copies and replaced versions; `outdated` ones were read by an older cleaner."""

    policies: int
    domains: int
    versions: int
    captures: int
    words: int
    near_duplicate_groups: int
    folded: int
    rejections: dict[str, int]
    with_popularity: int
    popularity_domains: int
    frontier_due: int
    frontier_done: int
    unfinished: tuple[str, ...]
    outdated: int
    kept_rejections: KeptRejections


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """One version of a policy, without its text."""

    version_id: str
    text_id: str
    page_id: str
    title: str
    p_policy: float
    effective_on: str | None
    updated_on: str | None
    words: int
    first_seen: str
    last_seen: str
    language: str = "en"


@dataclass(frozen=True, slots=True)
class PolicyEntry:
    """One policy with all its versions, the earliest first."""

    policy_id: str
    url: str
    domain: str
    current_version: str
    copy_of: str | None
    folded_under: str | None
    versions: tuple[VersionEntry, ...]

    @property
    def current(self) -> VersionEntry:
        """The version seen last."""
        return self.version(self.current_version)

    def version(self, version_id: str) -> VersionEntry:
        """Return a version that the library names; DamagedText where there is no such one."""
        for version in self.versions:
            if version.version_id == version_id:
                return version
        raise DamagedText(damage(f"the list of versions of {self.policy_id}"))


@dataclass(frozen=True, slots=True)
class CaptureEntry:
    """One time a policy was seen: which version, what page arrived and in what language, where it was asked for."""

    version_id: str
    captured_at: str
    asked_url: str
    source: str
    page_id: str
    language: str = "en"


def status(library: Library) -> Status:
    """Count what is in the library."""
    kept_rejections = library.db.execute(
        "SELECT count(page_id), coalesce(sum(kept_bytes), 0), count(*) - count(page_id) FROM rejections "  # noqa: S608 - our own words
        f"WHERE reason IN {_THESE}",
        (json.dumps(list(JUDGED_AGAIN)),),
    ).fetchone()
    counts = library.db.execute(
        f"""
        SELECT count(*) AS policies, count(DISTINCT domain) AS domains, count(folded_under) AS folded,
            count(DISTINCT folded_under) AS near_duplicate_groups, coalesce(sum(v.words), 0) AS words,
            coalesce(sum(EXISTS (SELECT 1 FROM popularity o WHERE o.domain = p.domain)), 0) AS with_popularity,
            (SELECT count(*) FROM versions w JOIN policies q USING (policy_id)
             WHERE q.copy_of IS NULL AND w.successor IS NULL) AS versions,
            (SELECT count(*) FROM captures) AS captures,
            (SELECT count(*) FROM popularity) AS popularity_domains,
            (SELECT count(*) FROM frontier WHERE outcome IS NULL) AS frontier_due,
            (SELECT count(*) FROM frontier WHERE outcome IS NOT NULL) AS frontier_done,
            (SELECT count(*) FROM versions WHERE {OUTDATED}) AS outdated
        FROM policies p JOIN versions v ON v.version_id = p.current_version WHERE copy_of IS NULL
        """,  # noqa: S608 - our own words
        (CLEANER,),
    ).fetchone()
    return Status(
        **counts,
        rejections=rejection_counts(library),
        unfinished=tuple(library.db.column("SELECT name FROM ingests WHERE finished = 0 ORDER BY name")),
        kept_rejections=KeptRejections(*kept_rejections),
    )


def rejection_counts(library: Library) -> dict[str, int]:
    """Count rejections by reason, in the order of the reasons; exact copies are among them."""
    counts = dict(library.db.execute("SELECT reason, count(*) FROM rejections GROUP BY reason").fetchall())
    counts[str(Reason.COPY)] = library.db.value("SELECT count(*) FROM policies WHERE copy_of IS NOT NULL")
    return {str(reason): counts[str(reason)] for reason in Reason if counts.get(str(reason))}


def rejections(library: Library, reason: Reason | None = None, limit: int | None = None) -> Iterator[Rejection]:
    """Yield the rejections, all or those with one reason, by source and address."""
    rows = library.db.execute(
        "SELECT source, url, captured_at, reason, detail FROM rejections WHERE :reason IS NULL OR reason = :reason "
        "UNION ALL "
        "SELECT min(c.source), min(c.asked_url), max(c.captured_at), :copy, 'same text as ' || p.copy_of "
        "FROM policies p JOIN captures c ON c.policy_id = p.policy_id AND c.version_id = p.current_version "
        "WHERE p.copy_of IS NOT NULL AND (:reason IS NULL OR :reason = :copy) GROUP BY p.policy_id "
        "ORDER BY 1, 2, 3 LIMIT :limit",
        {"reason": reason and str(reason), "copy": str(Reason.COPY), "limit": -1 if limit is None else limit},
    )
    for source, url, captured_at, why, detail in rows:
        yield Rejection(url, Reason(why), detail, source, captured_at)


def find_policy(library: Library, wanted: str) -> PolicyEntry:
    """Return the one policy meant by an id, an address or a domain."""
    if entry := _policy(library, wanted):
        return entry
    ids = known_by(library, wanted)
    if not ids:
        raise NoSuchPolicy(f"the library has no policy {wanted[:200]!r}; give an id, an address or a domain")
    if len(ids) > 1:
        names = ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
        raise NoSuchPolicy(f"{len(ids)} policies are known by {wanted!r}: {names}; give one of these ids")
    if entry := _policy(library, ids[0]):
        return entry
    raise NoSuchPolicy(f"the library has no policy {ids[0]!r}; it was removed a moment ago")


def _policy(library: Library, policy_id: str) -> PolicyEntry | None:
    """Return the policy with an id, if there is one.

    One statement reads it with its versions, so that the current one is among them, whatever others write meanwhile.
    """
    if not _can_be_stored(policy_id):
        return None
    rows = library.db.execute(
        "SELECT p.policy_id, p.url, p.domain, p.current_version, p.copy_of, p.folded_under, "  # noqa: S608 - our own words
        f"{_ENTRY}, min(c.captured_at) AS first_seen, max(c.captured_at) AS last_seen FROM policies p "
        "LEFT JOIN (versions v JOIN captures c ON c.version_id = v.version_id) ON v.policy_id = p.policy_id "
        "WHERE p.policy_id = ? GROUP BY v.version_id ORDER BY first_seen, v.version_id",
        (policy_id,),
    ).fetchall()
    if not rows:
        return None
    columns = [field.name for field in fields(VersionEntry)]
    versions = (VersionEntry(**{name: row[name] for name in columns}) for row in rows if row["version_id"])
    policy = {name: rows[0][name] for name in rows[0].keys()[:6]}
    return PolicyEntry(**policy, versions=tuple(versions))


def known_by(library: Library, wanted: str) -> tuple[str, ...]:
    """Return the ids of the policies that an id, an address, a domain or the beginning of an id may mean."""
    if not _can_be_stored(wanted):
        return ()
    meant_id = wanted
    with suppress(BadAddress):
        meant_id = id_of(wanted if "://" in wanted else f"https://{wanted}")
    matches = library.db.execute(
        "SELECT policy_id, copy_of FROM policies WHERE policy_id IN "
        "(SELECT ? UNION SELECT ? UNION SELECT policy_id FROM versions WHERE version_id = ?) ORDER BY policy_id",
        (wanted, meant_id, wanted),
    ).fetchall()
    if not matches and wanted:
        matches = library.db.execute(
            "SELECT policy_id, copy_of FROM policies WHERE domain = ? OR policy_id LIKE ? || '%' ESCAPE '\\' "
            "ORDER BY policy_id",
            (wanted.lower(), wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")),
        ).fetchall()
    # An exact copy that was turned away makes no name ambiguous.
    originals = tuple(policy_id for policy_id, copy_of in matches if copy_of is None)
    return originals or tuple(policy_id for policy_id, _ in matches)


def _can_be_stored(name: str) -> bool:
    """Return whether a name can be stored and looked for: not what is too long or has lone surrogates."""
    return len(name) <= limits.MAX_STORED_ADDRESS and not any("\ud800" <= letter <= "\udfff" for letter in name)


def policies(library: Library) -> list[str]:
    """Return the ids of all policies kept, copies left out."""
    return library.db.column("SELECT policy_id FROM policies WHERE copy_of IS NULL ORDER BY policy_id")


def policies_of(library: Library, domain: str, *, copies: bool = False) -> tuple[str, ...]:
    """Return the ids of the policies that a registrable domain has, with or without exact copies of others."""
    query = "SELECT policy_id FROM policies WHERE domain = ? AND (copy_of IS NULL OR ?) ORDER BY policy_id"
    return tuple(library.db.column(query, domain, copies))


def text(library: Library, version_id: str, column: _TextColumn = "text_id") -> str:
    """Return a version's policy text; DamagedText where it is not what was stored."""
    contents = texts(library, [version_id], column)
    if version_id not in contents:
        raise NoSuchPolicy(f"no version {version_id!r} is in the library")
    return _undamaged(contents[version_id], f"the stored text of {version_id}")


def page_text(library: Library, version_id: str) -> str:
    """Return the text of the whole page a version was on; DamagedText where it is not what was stored."""
    return text(library, version_id, "page_text_id")


def texts(library: Library, version_ids: Iterable[str], column: _TextColumn = "text_id") -> dict[str, str | None]:
    """Return the policy texts of versions, by version; None for one that is not what was stored."""
    rows = library.db.execute(
        f"SELECT v.version_id, t.content, v.{column}, t.characters FROM versions v "  # noqa: S608 - our own words
        f"LEFT JOIN texts t ON t.text_id = v.{column} WHERE v.version_id IN {_THESE}",
        (json.dumps(list(version_ids)),),
    )
    contents: dict[str, str | None] = {}
    for version_id, content, text_id, characters in rows:
        contents[version_id] = None
        with suppress(DamagedText):
            contents[version_id] = unpack_text(content, text_id, characters, f"the stored text of {version_id}")
    return contents


def segment_count(library: Library, version_id: str) -> int:
    """Return how many segments a version has."""
    return int(library.db.value("SELECT count(*) FROM segments WHERE version_id = ?", version_id))


def segments(library: Library, version_id: str) -> tuple[Segment, ...]:
    """Return a version's segments in order; DamagedText where they cannot be read."""
    own = segments_of(library, [version_id]).get(version_id, ())
    return _undamaged(own, f"the list of passages of {version_id}")


def segments_of(library: Library, version_ids: Iterable[str]) -> dict[str, tuple[Segment, ...] | None]:
    """Return the segments of versions by one look-up: None for those that cannot be read."""
    rows = library.db.execute(
        'SELECT version_id, ordinal, kind, start, "end", headings, lead_in, sentences FROM segments '  # noqa: S608 - our own words
        f"WHERE version_id IN {_THESE} ORDER BY version_id, ordinal",
        (json.dumps(list(version_ids)),),
    )
    by_version: dict[str, tuple[Segment, ...] | None] = {}
    for version_id, own in groupby(rows, key=itemgetter(0)):
        try:
            by_version[version_id] = tuple(unpack_segment(*row[1:]) for row in list(own))
        except (ValueError, TypeError):
            by_version[version_id] = None
    return by_version


def places(library: Library, version_ids: Iterable[str]) -> dict[str, list[Place]]:
    """Return where the segments of versions are, in order, by version."""
    cursor = library.db.cursor()
    cursor.row_factory = None  # plain tuples: lists of results ask for thousands of them
    by_version: dict[str, list[Place]] = {version_id: [] for version_id in version_ids}
    cursor.execute(
        'SELECT version_id, ordinal, kind, start, "end" FROM segments '  # noqa: S608 - our own words
        f"WHERE version_id IN {_THESE} ORDER BY version_id, ordinal",
        (json.dumps(list(by_version)),),
    )
    for version_id, *place in cursor:
        by_version[version_id].append(Place._make(place))
    return by_version


def page(library: Library, page_id: str) -> bytes:
    """Return a page as it arrived; DamagedText where it is not what was stored."""
    row = library.db.row("SELECT content, bytes FROM pages WHERE page_id = ?", page_id)
    if row is None:
        raise NoSuchPolicy(f"no page {page_id!r} is in the library")
    return unpack_page(row["content"], page_id, row["bytes"], f"the stored page {page_id}")


def captures(library: Library, policy_id: str, version_id: str | None = None) -> tuple[CaptureEntry, ...]:
    """Return a policy's captures, all or those of one version, the earliest first."""
    query = (
        "SELECT version_id, captured_at, asked_url, source, page_id, language FROM captures "
        "WHERE policy_id = ? AND version_id = coalesce(?, version_id) ORDER BY captured_at, version_id"
    )
    return tuple(library.db.records(CaptureEntry, query, policy_id, version_id))


def cleaner(library: Library, version_id: str) -> int:
    """Return which cleaner read a version: where two differ, what changed may be our reading and not the policy."""
    number = library.db.value("SELECT cleaner FROM versions WHERE version_id = ?", version_id)
    if number is None:
        raise NoSuchVersion(f"no version {version_id!r} is in the library")
    return int(number)


def successors(library: Library, policy_id: str) -> dict[str, str]:
    """Return what each replaced version of a policy leads to today; successors are followed to the last."""
    query = "SELECT version_id, successor FROM versions WHERE policy_id = ? AND successor IS NOT NULL"
    steps: dict[str, str] = dict(library.db.execute(query, (policy_id,)).fetchall())
    last = dict(sorted(steps.items()))
    for version_id in last:
        while last[version_id] in steps:
            last[version_id] = steps[last[version_id]]
    return last


def replaced_version(library: Library, version_id: str, successor: VersionEntry) -> VersionEntry:
    """Return a replaced version as it was; it was seen when its successor was."""
    query = f"SELECT {_ENTRY}, ? AS first_seen, ? AS last_seen FROM versions v WHERE version_id = ?"  # noqa: S608 - our own words
    version = library.db.record(VersionEntry, query, successor.first_seen, successor.last_seen, version_id)
    if version is None:
        raise NoSuchVersion(f"no version {version_id!r} is in the library")
    return version


def duplicates(library: Library, policy_id: str) -> tuple[str, ...]:
    """Return the policies folded under one."""
    query = "SELECT policy_id FROM policies WHERE folded_under = ? ORDER BY policy_id"
    return tuple(library.db.column(query, policy_id))


def _undamaged(content: _Content | None, what: str) -> _Content:
    if content is None:
        raise DamagedText(damage(what))
    return content
