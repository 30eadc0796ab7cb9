"""Unlabelled passages of real policies, as the clean stage cuts them, for students to learn from their teacher on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from smallprint.annotate.practices import passage
from smallprint.clean.cleaning import clean, guarded
from smallprint.evaluate import corpus
from smallprint.records import Page, Rejection
from smallprint.settings import Settings

LONGEST = 3000


def unlabelled(data: Path, pages: int, seed: int) -> list[str]:
    """Give the distinct passages of so many pages drawn from DMOZ, none of a site that is evaluated on."""
    rows = list(corpus.trainable_rows(data))
    chosen = random.Random(seed).sample(rows, min(pages, len(rows)))  # noqa: S311 - not for secrets
    with ProcessPoolExecutor() as pool:
        found = {text for texts in pool.map(_passages, chosen, chunksize=20) for text in texts}
    return sorted(found)


def _passages(row: dict[str, Any]) -> list[str]:
    return list(_read(row))


def _read(row: dict[str, Any]) -> Iterator[str]:
    page = Page(row["url"], row["text"].encode(), "text", "dmoz", row["date"], charset="utf-8")
    made = guarded(lambda: clean(page, Settings()), page)
    if isinstance(made, Rejection):
        return
    for segment in made.segments:
        text = passage(made.text, segment)
        if text and len(text) <= LONGEST:
            yield " ".join(text.split())
