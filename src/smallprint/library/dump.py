"""What a library holds, as lines that are the same for two libraries that hold the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from smallprint.library.file import BACKUP, MARK, REVISION, Library
from smallprint.library.packing import decompress

# Every table and what is said of its rows. Left out is what tells when or where we worked, not what came of it: times
# of day, the order in which addresses were found, how often we wrote, and fingerprints of files, which change when a
# file is copied.
TABLES = {
    "facts": "key value",
    "pages": "page_id kind charset bytes content",
    "texts": "text_id characters content",
    "policies": "policy_id url domain current_version copy_of folded_under",
    "versions": "version_id policy_id text_id page_text_id page_id title p_policy effective_on updated_on words "
    "cleaner successor turned_away_by turned_away_for",
    "captures": "policy_id captured_at version_id page_id asked_url source given_title",
    "segments": "version_id ordinal kind start end headings lead_in sentences",
    "rejections": "source url captured_at reason detail page_id final_url given_title kept_bytes cleaner",
    "bands": "hash text_id",
    "banded": "text_id shingles compared",
    "alike": "one other jaccard",
    "ingests": "name position finished",
    "frontier": "url home attempts outcome etag last_modified",
    "popularity": "domain pagerank value estimated",
    "companies": "domain name industry sector founded size country staff",
    "annotations": "version_id kind model model_version content",
    "measures": "version_id grade sentences candidates vague sector sector_probability",
    "mentioned": "version_id name places",
    "practised": "version_id label segments probability",
    "set_aside": "version_id reason detail annotators",
    "feedback": "verdict policy_id version_id question state line places note",
}
AS_SHOWN = {"captured_at": "substr(captured_at, 1, 10)"}


def logical_dump(library: Library) -> Iterator[str]:
    """Give every row of every table as a line, in a fixed order; a page or a text stands as the hash of its content."""
    for table, names in TABLES.items():
        columns = ", ".join(AS_SHOWN.get(name, f'"{name}"') for name in names.split())
        # By what is shown, blobs aside: their ids name the content, and the same content may be compressed differently.
        order = ", ".join(str(place) for place, name in enumerate(names.split(), 1) if name != "content")
        for row in library.db.execute(f"SELECT {columns} FROM {table} ORDER BY {order}"):  # noqa: S608 - our own names
            if table == "facts" and row[0] in {REVISION, MARK, BACKUP}:
                continue
            yield f"{table} {json.dumps([_shown(value) for value in row], ensure_ascii=False)}"


def digest(library: Library) -> str:
    """Give the SHA-256 of a library's dump."""
    found = hashlib.sha256()
    for line in logical_dump(library):
        found.update(line.encode() + b"\n")
    return found.hexdigest()


def _shown(value: Any) -> Any:
    if not isinstance(value, bytes):
        return value
    return hashlib.sha256(decompress(value, "a stored text, page or annotation")).hexdigest()
