"""Sources made of the sample's pages, and the command run by itself."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path

import zstandard

from smallprint import sample
from smallprint.records import Page


def rows(count: int, start: int = 0) -> Iterator[dict[str, str]]:
    """Give the sample's pages over and over, each under a host of its own."""
    pages: Iterator[Page] = cycle(sample.pages())
    for number, page in enumerate(islice(pages, start, start + count), start):
        yield {
            "url": page.url.replace("https://", f"https://h{number}.", 1),
            "html": page.content.decode(),
            "fetched_at": page.fetched_at,
        }


def write_jsonl(path: Path, found: Iterable[dict[str, str]]) -> Path:
    content = "".join(json.dumps(row) + "\n" for row in found).encode()
    path.write_bytes(zstandard.compress(content) if path.suffix == ".zst" else content)
    return path


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    """Start the command in a session of its own, so that it can be killed with all its workers."""
    # A shell starts what it puts into the background with Ctrl-C ignored, and that is handed down.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{heard}; from smallprint.cli.app import main; main()", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def position(path: Path) -> tuple[int, bool]:
    """Say how far the sources of a library were read, and whether one was read to its end."""
    if not path.exists():
        return 0, False
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as db:
            found = db.execute("SELECT coalesce(sum(position), 0), coalesce(max(finished), 0) FROM ingests").fetchone()
    except sqlite3.OperationalError:  # not made yet
        return 0, False
    return found[0], bool(found[1])
