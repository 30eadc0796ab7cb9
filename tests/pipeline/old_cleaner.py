"""A library as an older cleaner would have left it: on every other page it took menus and footers for the policy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from smallprint.clean.cleaning import clean, guarded, read
from smallprint.clean.duplicates import bands
from smallprint.clean.segments import compose
from smallprint.library import Library
from smallprint.library.likeness import settle
from smallprint.library.packing import CLEANER, Packed, name, pack, pack_page
from smallprint.library.writing import save
from smallprint.records import Capture, Page, Rejection
from smallprint.settings import Settings
from smallprint.text import shingles, word_hashes

OLD = CLEANER - 1


def old_clean(page: Page, settings: Settings) -> Packed | Rejection:
    """Clean a page as the older cleaner did."""
    result = guarded(lambda: clean(page, settings), page)
    if isinstance(result, Rejection):
        return replace(result, page=replace(pack_page(page), cleaner=OLD))
    return replace(pack(_with_furniture(result) if int(name(page.content), 16) % 2 else result), cleaner=OLD)


def fill(library: Library, pages: Iterable[Page | Rejection], settings: Settings) -> None:
    """Store pages in a library as the older cleaner read them."""
    results = [page if isinstance(page, Rejection) else old_clean(page, settings) for page in pages]
    with library.transaction() as db:
        save(db, results, rejected_bytes=settings.rejected_bytes)
    settle(library, settings.near_duplicate)


def old_library(path: Path, pages: Iterable[Page | Rejection], settings: Settings) -> Path:
    """Make a library of pages as the older cleaner read them."""
    with Library(path, create=True) as library:
        fill(library, pages, settings)
    return path


def _with_furniture(capture: Capture) -> Capture:
    reading = read(capture.page)
    assert not isinstance(reading, str)
    text, segments = compose(reading.blocks)
    likeness = shingles(word_hashes("\n".join(block.text for block in reading.blocks)))
    return replace(capture, text=text, segments=segments, shingles=len(likeness), bands=bands(likeness))
