"""What the library holds, as records: its counts, its policies with their versions, its rejections."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from smallprint import limits
from smallprint.domains import policy_id as id_of
from smallprint.errors import BadAddress, DamagedText, NoSuchPolicy
from smallprint.library.captures import outdated_count
from smallprint.library.file import Library
from smallprint.library.packing import CLEANER, damage, unpack_page, unpack_segment, unpack_text
from smallprint.library.rejected import KeptRejections, kept_rejections
from smallprint.records import Place, Reason, Rejection, Segment


@dataclass(frozen=True, slots=True)
class Status:
    """The counts of a library. `policies` are those kept, copies not among them.

    `outdated` versions were read by an older cleaner. What was replaced by reading a page again is not counted.
    """

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
        return next(version for version in self.versions if version.version_id == self.current_version)


def status(library: Library) -> Status:
    """Count what is in the library."""
    one = library.db.execute(
        "SELECT count(*) AS policies, count(DISTINCT domain) AS domains, count(folded_under) AS folded, "
        "count(DISTINCT folded_under) AS leaders, coalesce(sum(v.words), 0) AS words, "
        "coalesce(sum(EXISTS (SELECT 1 FROM popularity o WHERE o.domain = p.domain)), 0) AS known "
        "FROM policies p JOIN versions v ON v.version_id = p.current_version WHERE copy_of IS NULL"
    ).fetchone()
    return Status(
        policies=one["policies"],
        domains=one["domains"],
        versions=_count(
            library, "versions v JOIN policies p USING (policy_id) WHERE p.copy_of IS NULL AND v.successor IS NULL"
        ),
        captures=_count(library, "captures"),
        words=one["words"],
        near_duplicate_groups=one["leaders"],
        folded=one["folded"],
        rejections=rejection_counts(library),
        with_popularity=one["known"],
        popularity_domains=_count(library, "popularity"),
        frontier_due=_count(library, "frontier WHERE outcome IS NULL"),
        frontier_done=_count(library, "frontier WHERE outcome IS NOT NULL"),
        unfinished=tuple(
            row["name"] for row in library.db.execute("SELECT name FROM ingests WHERE finished = 0 ORDER BY name")
        ),
        outdated=outdated_count(library, CLEANER),
        kept_rejections=kept_rejections(library),
    )


def rejection_counts(library: Library) -> dict[str, int]:
    """Count rejections by reason, in the order of the reasons; exact copies are among them."""
    counts = dict(library.db.execute("SELECT reason, count(*) FROM rejections GROUP BY reason").fetchall())
    counts[str(Reason.COPY)] = _count(library, "policies WHERE copy_of IS NOT NULL")
    return {str(reason): counts[str(reason)] for reason in Reason if counts.get(str(reason))}


def rejections(library: Library, reason: Reason | None = None, limit: int | None = None) -> Iterator[Rejection]:
    """Go through the rejections, all or those with one reason, by source and address."""
    found = library.db.execute(
        "SELECT source, url, captured_at, reason, detail FROM rejections WHERE :reason IS NULL OR reason = :reason "
        "UNION ALL "
        "SELECT min(c.source), min(c.asked_url), max(c.captured_at), :copy, 'same text as ' || p.copy_of "
        "FROM policies p JOIN captures c ON c.policy_id = p.policy_id AND c.version_id = p.current_version "
        "WHERE p.copy_of IS NOT NULL AND (:reason IS NULL OR :reason = :copy) GROUP BY p.policy_id "
        "ORDER BY 1, 2, 3 LIMIT :limit",
        {"reason": reason and str(reason), "copy": str(Reason.COPY), "limit": -1 if limit is None else limit},
    )
    for row in found:
        yield Rejection(row["url"], Reason(row["reason"]), row["detail"], row["source"], row["captured_at"])


def find_policy(library: Library, wanted: str) -> PolicyEntry:
    """Find the one policy meant by an id, an address or a domain."""
    ids = known_by(library, wanted)
    if not ids:
        raise NoSuchPolicy(f"no policy is known by {wanted[:200]!r}; give an id, an address or a domain")
    if len(ids) > 1:
        shown = ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
        raise NoSuchPolicy(f"{len(ids)} policies are known by {wanted!r}: {shown}; give one of these ids")
    return _policy(library, ids[0])


def known_by(library: Library, wanted: str) -> tuple[str, ...]:
    """Return the ids of the policies that an id, an address, a domain or the beginning of an id may mean."""
    if len(wanted) > limits.MAX_STORED_ADDRESS or _has_surrogates(wanted):  # neither can be stored or looked for
        return ()
    ids = [row["policy_id"] for row in library.db.execute(
        "SELECT policy_id FROM policies WHERE policy_id IN (?, ?) "
        "UNION SELECT policy_id FROM versions WHERE version_id = ?",
        (wanted, _as_id(wanted), wanted),
    )]  # fmt: skip
    if not ids and wanted:
        ids = [row["policy_id"] for row in library.db.execute(
            "SELECT policy_id FROM policies WHERE domain = ? OR policy_id LIKE ? || '%' ESCAPE '\\' ORDER BY policy_id",
            (wanted.lower(), wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")),
        )]  # fmt: skip
    return tuple(ids)


def _has_surrogates(name: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in name)


def policies(library: Library) -> Iterator[str]:
    """Go through the ids of all policies kept, copies left out."""
    for row in library.db.execute("SELECT policy_id FROM policies WHERE copy_of IS NULL ORDER BY policy_id"):
        yield row["policy_id"]


def policies_of(library: Library, domain: str) -> tuple[str, ...]:
    """Give the ids of the policies that a registrable domain has, copies left out."""
    rows = library.db.execute(
        "SELECT policy_id FROM policies WHERE domain = ? AND copy_of IS NULL ORDER BY policy_id", (domain,)
    )
    return tuple(row["policy_id"] for row in rows)


def text(library: Library, version_id: str) -> str:
    """Return a version's policy text; DamagedText where it is not what was stored."""
    return _text(library, version_id, "text_id")


def page_text(library: Library, version_id: str) -> str:
    """Return the text of the whole page a version was on; DamagedText where it is not what was stored."""
    return _text(library, version_id, "page_text_id")


def segment_count(library: Library, version_id: str) -> int:
    """Return how many segments a version has."""
    row = library.db.execute("SELECT count(*) FROM segments WHERE version_id = ?", (version_id,)).fetchone()
    return int(row[0])


def segments(library: Library, version_id: str) -> tuple[Segment, ...]:
    """Return a version's segments in order; DamagedText where they cannot be read."""
    rows = library.db.execute(
        'SELECT ordinal, kind, start, "end", headings, lead_in, sentences FROM segments '
        "WHERE version_id = ? ORDER BY ordinal",
        (version_id,),
    )
    try:
        return tuple(unpack_segment(*row) for row in rows)
    except (ValueError, TypeError):
        raise DamagedText(damage(f"the list of passages of {version_id}")) from None


def places(library: Library, version_id: str) -> list[Place]:
    """Say where a version's segments are, in order."""
    cursor = library.db.cursor()
    cursor.row_factory = None  # plain tuples: lists of results ask for thousands of them
    cursor.execute(
        'SELECT ordinal, kind, start, "end" FROM segments WHERE version_id = ? ORDER BY ordinal', (version_id,)
    )
    return list(map(Place._make, cursor))


def page(library: Library, page_id: str) -> bytes:
    """Return a page as it arrived; DamagedText where it is not what was stored."""
    row = library.db.execute("SELECT content, bytes FROM pages WHERE page_id = ?", (page_id,)).fetchone()
    if row is None:
        raise NoSuchPolicy(f"no page {page_id!r} is in the library")
    return unpack_page(row["content"], page_id, row["bytes"], f"the stored page {page_id}")


def duplicates(library: Library, policy_id: str) -> tuple[str, ...]:
    """Give the policies folded under one."""
    rows = library.db.execute("SELECT policy_id FROM policies WHERE folded_under = ? ORDER BY policy_id", (policy_id,))
    return tuple(row["policy_id"] for row in rows)


def _policy(library: Library, policy_id: str) -> PolicyEntry:
    with library.reading():  # the current version is to be among the versions, whatever others write meanwhile
        row = library.db.execute("SELECT * FROM policies WHERE policy_id = ?", (policy_id,)).fetchone()
        found = library.db.execute(
            "SELECT v.*, min(c.captured_at) AS first_seen, max(c.captured_at) AS last_seen FROM versions v "
            "JOIN captures c USING (version_id) WHERE v.policy_id = ? "
            "GROUP BY v.version_id ORDER BY first_seen, version_id",
            (policy_id,),
        ).fetchall()
    if row is None:
        raise NoSuchPolicy(f"no policy is known by {policy_id!r}; it was removed a moment ago")
    return PolicyEntry(
        row["policy_id"], row["url"], row["domain"], row["current_version"], row["copy_of"], row["folded_under"],
        tuple(_version(version) for version in found),
    )  # fmt: skip


def _version(row: sqlite3.Row) -> VersionEntry:
    return VersionEntry(
        row["version_id"], row["text_id"], row["page_id"], row["title"], row["p_policy"], row["effective_on"],
        row["updated_on"], row["words"], row["first_seen"], row["last_seen"],
    )  # fmt: skip


def _text(library: Library, version_id: str, column: str) -> str:
    row = library.db.execute(
        f"SELECT v.{column}, t.content, t.characters FROM versions v LEFT JOIN texts t ON t.text_id = v.{column} "  # noqa: S608 - our own names
        "WHERE v.version_id = ?",
        (version_id,),
    ).fetchone()
    if row is None:
        raise NoSuchPolicy(f"no version {version_id!r} is in the library")
    return unpack_text(row["content"], row[0], row["characters"], f"the stored text of {version_id}")


def _as_id(wanted: str) -> str:
    try:
        return id_of(wanted if "://" in wanted else f"https://{wanted}")
    except BadAddress:
        return wanted


def _count(library: Library, what: str) -> int:
    return int(library.db.execute(f"SELECT count(*) FROM {what}").fetchone()[0])  # noqa: S608 - our own names
