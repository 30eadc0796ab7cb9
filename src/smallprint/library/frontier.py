"""The crawler's frontier, kept in the library: what is still to be visited, and what never needs to be again."""

from __future__ import annotations

import time
from collections.abc import Iterable

from smallprint.library.file import Library
from smallprint.records import FrontierItem


class StoredFrontier:
    """A frontier that outlives the process."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def add(self, items: Iterable[FrontierItem]) -> int:
        """Remember addresses not seen before, and return how many were new."""
        query = "INSERT OR IGNORE INTO frontier (url, home) VALUES (?, ?)"
        return self.library.db.executemany(query, ((item.url, item.home) for item in items)).rowcount

    def due(self, limit: int, *, after: int = 0) -> list[FrontierItem]:
        """Return the next addresses numbered above `after`, by rising number: none that is done or not due yet."""
        query = (
            "SELECT url, home, attempts, etag, last_modified, place AS number FROM frontier "
            "WHERE outcome IS NULL AND not_before <= ? AND place > ? ORDER BY place LIMIT ?"
        )
        return list(self.library.db.records(FrontierItem, query, time.time(), after, limit))

    def done(self, url: str, outcome: str, *, etag: str | None = None, last_modified: str | None = None) -> None:
        """Note that an address needs no further visit."""
        self.library.db.execute(
            "UPDATE frontier SET outcome = ?, etag = ?, last_modified = ? WHERE url = ?",
            (outcome, etag, last_modified, url),
        )

    def retry(self, url: str, not_before: float) -> None:
        """Note that a visit failed and may be tried again after that time (seconds since 1970)."""
        self.library.db.execute(
            "UPDATE frontier SET attempts = attempts + 1, not_before = ? WHERE url = ?", (not_before, url)
        )

    def again(self) -> int:
        """Put every address that was visited back in line, to be asked whether it changed."""
        with self.library.transaction() as db:
            return db.execute(
                "UPDATE frontier SET outcome = NULL, attempts = 0, not_before = 0 WHERE outcome IS NOT NULL"
            ).rowcount

    def counts(self) -> tuple[int, int]:
        """Count what is still to be visited and what was."""
        ((due, done),) = self.library.db.execute("SELECT count(*) - count(outcome), count(outcome) FROM frontier")
        return due, done
