"""Copies and near-duplicates over the whole library: found by bands, decided exactly, whatever the order of ingest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from smallprint.clean.duplicates import groups
from smallprint.library.directory import POPULARITY
from smallprint.library.file import Connection, Library
from smallprint.library.packing import unpack_text
from smallprint.text import jaccard, shingles, word_hashes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A text's shingles take some 30 KB; families of templates are compared member by member, so keep a family at hand.
CACHED_TEXTS = 2000
BATCH = 500
# Better known first, then later seen, then by name.
RANKED = f"""
    SELECT p.policy_id, v.text_id, {POPULARITY} AS popularity,
        (SELECT max(captured_at) FROM captures c
         WHERE c.policy_id = p.policy_id AND c.version_id = p.current_version) AS seen
    FROM policies p JOIN versions v ON v.version_id = p.current_version
    LEFT JOIN popularity ON popularity.domain = p.domain
    ORDER BY popularity DESC, seen DESC, p.policy_id
    """  # noqa: S608 - put together from our own words


@dataclass(frozen=True, slots=True)
class Settled:
    """What settling came to."""

    copies: int
    groups: int
    folded: int


def settle(library: Library, threshold: float, tick: Callable[[int, int], None] = lambda done, total: None) -> Settled:
    """Bring copies and near-duplicate groups up to date; `tick` is told how many texts of how many were compared."""
    if library.fact("near_duplicate") != repr(threshold):
        with library.transaction() as db:
            db.execute("DELETE FROM alike")
            db.execute("UPDATE banded SET compared = 0")
            library.note("near_duplicate", repr(threshold))
    shingled = lru_cache(maxsize=CACHED_TEXTS)(lambda text_id: _shingles(library.db, text_id))
    total = library.db.value("SELECT count(*) FROM banded WHERE compared = 0")
    done = 0
    new = "SELECT text_id, shingles FROM banded WHERE compared = 0 LIMIT ?"
    while batch := library.db.execute(new, (BATCH,)).fetchall():
        with library.transaction() as db:
            for text_id, size in batch:
                pairs = _alike(db, text_id, size, threshold, shingled)
                db.executemany("INSERT OR REPLACE INTO alike VALUES (?, ?, ?)", pairs)
                db.execute("UPDATE banded SET compared = 1 WHERE text_id = ?", (text_id,))
        done += len(batch)
        tick(done, total)
    with library.transaction() as db:
        return regroup(db)


def regroup(db: Connection) -> Settled:
    """Settle which policies are copies and which are folded, from the texts compared so far; inside a transaction."""
    ranked = [(row["policy_id"], row["text_id"]) for row in db.execute(RANKED)]
    first: dict[str, str] = {}  # each text's best policy
    copies = [(first[text], policy) for policy, text in ranked if first.setdefault(text, policy) != policy]
    alike = db.execute("SELECT one, other FROM alike")
    pairs = [(first[one], first[other]) for one, other in alike if one in first and other in first]
    rank = {policy: place for place, (policy, _) in enumerate(ranked)}
    ordered = [sorted(group, key=rank.__getitem__) for group in groups(pairs)]
    folds = [(group[0], member) for group in ordered for member in group[1:]]
    db.execute(
        "UPDATE policies SET copy_of = NULL, folded_under = NULL WHERE copy_of IS NOT NULL OR folded_under IS NOT NULL"
    )
    db.executemany("UPDATE policies SET copy_of = ? WHERE policy_id = ?", copies)
    db.executemany("UPDATE policies SET folded_under = ? WHERE policy_id = ?", folds)
    return Settled(len(copies), len(ordered), len(folds))


def _alike(
    db: Connection, text_id: str, size: int, threshold: float, shingled: Callable[[str], NDArray[np.uint64]]
) -> list[tuple[str, str, float]]:
    """Return the texts like this one among those of other policies, as rows of pairs."""
    candidates = db.execute(
        "SELECT DISTINCT b.text_id FROM bands a JOIN bands b USING (hash) JOIN banded s ON s.text_id = b.text_id "
        "WHERE a.text_id = :text AND b.text_id != :text AND s.shingles BETWEEN :least AND :most "
        "AND NOT EXISTS (SELECT 1 FROM alike WHERE one = min(:text, b.text_id) AND other = max(:text, b.text_id))",
        {"text": text_id, "least": int(size * threshold), "most": int(size / threshold) + 1 if threshold else 1 << 60},
    ).fetchall()
    # Two texts may be but versions of one policy.
    policies = "SELECT count(DISTINCT policy_id) FROM versions WHERE text_id IN (?, ?) AND successor IS NULL"
    others = [other for (other,) in candidates if db.value(policies, text_id, other) != 1]
    pairs = [(*sorted((text_id, other)), jaccard(shingled(text_id), shingled(other))) for other in others]
    return [pair for pair in pairs if pair[2] >= threshold]


def _shingles(db: Connection, text_id: str) -> NDArray[np.uint64]:
    ((content, characters),) = db.execute("SELECT content, characters FROM texts WHERE text_id = ?", (text_id,))
    return shingles(word_hashes(unpack_text(content, text_id, characters, f"the stored text {text_id}")))
