"""Policies as the index wants them: the facts of each, and a stamp that changes with whatever is indexed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from smallprint.annotate.sector import UNKNOWN
from smallprint.errors import NoSuchPolicy
from smallprint.library.file import Library
from smallprint.library.popularity import VALUE

_STATE = f"""
    SELECT p.policy_id, p.url, p.domain, p.current_version AS version_id, v.title, v.p_policy,
        {VALUE} AS popularity, coalesce(p.folded_under, p.policy_id) AS folded,
        p.folded_under IS NOT NULL OR EXISTS (SELECT 1 FROM policies o WHERE o.folded_under = p.policy_id) AS grouped,
        coalesce(c.sector, m.sector, '{UNKNOWN}') AS sector, m.grade, m.sentences, m.vague,
        (SELECT max(captured_at) FROM captures k
         WHERE k.policy_id = p.policy_id AND k.version_id = p.current_version) AS seen,
        (SELECT group_concat(a.kind || a.model_version, ' ') FROM annotations a
         WHERE a.version_id = p.current_version AND a.kind != 'sentences') AS annotated
    FROM policies p JOIN versions v ON v.version_id = p.current_version
    LEFT JOIN popularity ON popularity.domain = p.domain LEFT JOIN companies c ON c.domain = p.domain
    LEFT JOIN measures m ON m.version_id = p.current_version
    WHERE p.copy_of IS NULL ORDER BY p.policy_id
    """  # noqa: S608 - put together from our own words
_SHOWN = f"""
    SELECT p.policy_id, p.url, p.domain, p.current_version AS version_id, v.title, m.grade, m.sentences, m.vague,
        coalesce(c.sector, m.sector, '{UNKNOWN}') AS sector, coalesce(p.folded_under, p.policy_id) AS leader,
        p.folded_under IS NOT NULL OR EXISTS (SELECT 1 FROM policies o WHERE o.folded_under = p.policy_id) AS grouped,
        (SELECT max(captured_at) FROM captures k
         WHERE k.policy_id = p.policy_id AND k.version_id = p.current_version) AS seen
    FROM policies p JOIN versions v ON v.version_id = p.current_version
    LEFT JOIN companies c ON c.domain = p.domain LEFT JOIN measures m ON m.version_id = p.current_version
    WHERE p.policy_id = ?
    """  # noqa: S608 - put together from our own words


@dataclass(frozen=True, slots=True)
class Findable:
    """What is indexed of a policy but its texts, names and labels. `vague` is a share of sentences."""

    policy_id: str
    version_id: str
    url: str
    domain: str
    title: str
    p_policy: float
    popularity: float
    group: str
    grouped: bool
    sector: str
    grade: float | None
    vague: float | None
    seen: str
    stamp: str


def findable(library: Library) -> Iterator[Findable]:
    """Go through all policies kept, copies left out."""
    for row in library.db.execute(_STATE):
        stamp = hashlib.blake2b("\t".join(str(part) for part in row).encode(), digest_size=12).hexdigest()
        yield Findable(
            row["policy_id"], row["version_id"], row["url"], row["domain"], row["title"], row["p_policy"],
            row["popularity"], row["folded"], bool(row["grouped"]), row["sector"], row["grade"],
            row["vague"] / row["sentences"] if row["sentences"] else None, row["seen"], stamp,
        )  # fmt: skip


def named(library: Library, version_id: str) -> tuple[str, ...]:
    """Give the ids of what a version names."""
    rows = library.db.execute("SELECT name FROM mentioned WHERE version_id = ? ORDER BY name", (version_id,))
    return tuple(row["name"] for row in rows)


def labelled(library: Library, version_id: str) -> tuple[str, ...]:
    """Give the labels that hold for at least one segment of a version."""
    rows = library.db.execute("SELECT label FROM practised WHERE version_id = ? ORDER BY label", (version_id,))
    return tuple(row["label"] for row in rows)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a list of results says of a policy beside its own words. `vague` is a share of sentences."""

    policy_id: str
    version_id: str
    url: str
    domain: str
    title: str
    seen: str
    sector: str
    grade: float | None
    vague: float | None
    group: str
    is_grouped: bool


def shown(library: Library, policy_id: str) -> Shown:
    """Give what a list of results says of a policy."""
    row = library.db.execute(_SHOWN, (policy_id,)).fetchone()
    if row is None:
        raise NoSuchPolicy(f"no policy is known by {policy_id!r}; bring the index up to date with 'smallprint index'")
    return Shown(
        row["policy_id"], row["version_id"], row["url"], row["domain"], row["title"], row["seen"], row["sector"],
        row["grade"], row["vague"] / row["sentences"] if row["sentences"] else None, row["leader"],
        bool(row["grouped"]),
    )  # fmt: skip


def shown_if_there(library: Library, policy_id: str) -> Shown | None:
    """Return what a list of results says of a policy; None if it was removed, and the index does not know yet."""
    try:
        return shown(library, policy_id)
    except NoSuchPolicy:
        return None
