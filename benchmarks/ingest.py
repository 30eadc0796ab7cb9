"""Speed of the clean stage, as ratios within one run: against bare extraction, and two workers against one.

Run: SMALLPRINT_DATA_DIR=… python benchmarks/ingest.py [--json]
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from smallprint.clean.cleaning import clean
from smallprint.datasets.corpus import rows
from smallprint.library import Library
from smallprint.pipeline.ingest import ingest_pages
from smallprint.records import Page
from smallprint.settings import Settings, load

ROUNDS = 5
PAGES = 400


def main() -> None:
    """Print both ratios."""
    data = load().data_dir
    pages = raw_pages(data)
    cost = clean_cost(pages)
    gain = worker_gain(pages)
    result = {"pages": len(pages), **cost, **gain}
    if "--json" in sys.argv:
        print(json.dumps(result, indent=2))
        return
    print(f"{len(pages)} raw HTML pages, median of {ROUNDS} rounds taken in turns")
    print(f"  clean stage / resiliparse extraction, CPU: {cost['clean_over_extraction']:.2f}x (at most 4)")
    print(f"  two workers / one, whole ingest:           {gain['two_workers_over_one']:.2f}x (at least 1.7)")


def raw_pages(data: Path) -> list[Page]:
    """Draw pages at random from all raw HTML at hand: legal pages, news and blogs, and old policies."""
    pages = []
    for name in ("ota_pages_html", "other_pages_html", "opp115_pages_html"):
        for number, row in enumerate(rows(data / "corpus" / f"{name}.jsonl.zst")):
            url = row["url"] or f"urn:smallprint:{name}:{number}"
            pages.append(Page(url, row["html"].encode("utf-8", "replace"), "html", "bench", "2026", charset="utf-8"))
    return random.Random(1).sample(pages, PAGES)


def clean_cost(pages: list[Page]) -> dict[str, float]:
    """Compare the CPU of the whole clean stage with that of resiliparse's main-content extraction."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from resiliparse.extract.html2text import extract_plain_text
        from resiliparse.parse.html import HTMLTree
    settings = Settings()

    def extract() -> None:
        for page in pages:
            extract_plain_text(HTMLTree.parse_from_bytes(page.content, "utf-8"), main_content=True)

    def whole() -> None:
        for page in pages:
            clean(page, settings)

    whole()  # loads what is loaded once
    rounds = [(cpu(whole), cpu(extract)) for _ in range(ROUNDS)]
    return {"clean_over_extraction": statistics.median(a / b for a, b in rounds)}


def worker_gain(pages: list[Page]) -> dict[str, float]:
    """Compare the time of a whole ingest with one worker and with two."""
    many = [
        Page(f"https://copy{copy}.example/{number}/privacy", page.content, "html", "bench", "2026", charset="utf-8")
        for copy in range(6)
        for number, page in enumerate(pages)
    ]

    def ingest(workers: int) -> float:
        with tempfile.TemporaryDirectory() as folder, Library(Path(folder) / "bench.db", create=True) as library:
            began = time.perf_counter()
            ingest_pages(library, iter(many), Settings(workers=workers))
            return time.perf_counter() - began

    ratios = [ingest(1) / ingest(2) for _ in range(3)]
    return {"two_workers_over_one": statistics.median(ratios)}


def cpu(work: Callable[[], None]) -> float:
    """Measure the CPU time of some work in this process."""
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()
