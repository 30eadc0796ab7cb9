"""Policies as indexes and lists of results want them: what is known of each, and a stamp of whatever is indexed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from smallprint.library.directory import CURRENT, POPULARITY, SECTOR
from smallprint.library.file import Library

_SUMMARY = f"""
    p.policy_id, p.current_version AS version_id, p.url, p.domain, v.title,
    coalesce((SELECT max(captured_at) FROM captures k
              WHERE k.policy_id = p.policy_id AND k.version_id = p.current_version), '') AS seen,
    {SECTOR} AS sector, m.grade, m.vague * 1.0 / m.sentences AS vagueness,
    c.country, replace(c.size, ' ', '') AS employees,
    coalesce(p.folded_under, p.policy_id) AS "group",
    p.folded_under IS NOT NULL OR EXISTS (SELECT 1 FROM policies o WHERE o.folded_under = p.policy_id) AS is_grouped
    """  # noqa: S608 - put together from our own words
_INDEXED = f"""
    v.p_policy, {POPULARITY} AS popularity,
    (SELECT group_concat(a.kind || a.model_version, ' ') FROM annotations a
     WHERE a.version_id = p.current_version AND a.kind != 'sentences') AS annotated
    """  # noqa: S608 - put together from our own words


@dataclass(frozen=True, slots=True)
class PolicySummary:
    """What a list of results says of a policy; country and employees ("51-200") are those of a list of companies."""

    policy_id: str
    version_id: str
    url: str
    domain: str
    title: str
    seen: str
    sector: str
    grade: float | None
    vagueness: float | None
    country: str | None
    employees: str | None
    group: str
    is_grouped: bool


@dataclass(frozen=True, slots=True)
class Findable(PolicySummary):
    """What is indexed of a policy but its texts, names and labels."""

    p_policy: float
    popularity: float
    stamp: str


def findable(library: Library) -> Iterator[Findable]:
    """Yield all policies kept, copies left out, by their ids."""
    for row in library.db.execute(
        f"SELECT {_SUMMARY}, {_INDEXED} FROM {CURRENT} WHERE p.copy_of IS NULL ORDER BY p.policy_id"  # noqa: S608 - our own words
    ):
        stamp = hashlib.blake2b("\t".join(str(part) for part in row).encode(), digest_size=12).hexdigest()
        values = dict(row) | {"is_grouped": bool(row["is_grouped"]), "stamp": stamp}
        del values["annotated"]  # which only the stamp needs
        yield Findable(**values)


def policy_count(library: Library) -> int:
    """Return how many policies are kept, copies left out."""
    return int(library.db.value("SELECT count(*) FROM policies WHERE copy_of IS NULL"))


def summaries(library: Library, policy_ids: Iterable[str]) -> dict[str, PolicySummary]:
    """Return what lists of results say of policies, by id; those that are not in the library are left out."""
    query = f"SELECT {_SUMMARY} FROM {CURRENT} WHERE p.policy_id IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own words
    rows = library.db.records(PolicySummary, query, json.dumps(list(policy_ids)))
    return {summary.policy_id: summary for summary in rows}


def names_in(library: Library, version_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the ids of the technologies, bodies and regulations that versions name, by version."""
    return _by_version(library, "SELECT version_id, name FROM mentioned", version_ids)


def labels_of(library: Library, version_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the labels that hold for at least one segment of a version, by version."""
    return _by_version(library, "SELECT version_id, label FROM practised", version_ids)


def _by_version(library: Library, select: str, version_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    values: dict[str, tuple[str, ...]] = dict.fromkeys(version_ids, ())
    query = f"{select} WHERE version_id IN (SELECT value FROM json_each(?)) ORDER BY 1, 2"  # noqa: S608 - our own words
    for version_id, value in library.db.execute(query, (json.dumps(list(values)),)):
        values[version_id] += (value,)
    return values
