"""What it costs to check texts against their hashes and to look whether the index is behind, as shares of a page.

Run: python benchmarks/integrity.py LIBRARY [--rounds 40]

The same pages of results are served with and without, in turns, in one process; what counts are the ratios.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from unittest import mock
from urllib.parse import urlencode

from starlette.testclient import TestClient

from smallprint.evaluate.ranking import queries
from smallprint.library import packing
from smallprint.pipeline.lag import UP_TO_DATE
from smallprint.settings import Settings
from smallprint.web.app import application

# A page may get so much dearer.
MOST = 0.03


def main() -> None:
    """Print how much dearer a page of results is with both."""
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 40
    path = Path(sys.argv[1])
    asked = [f"/search?{urlencode({'q': text})}" for text in queries()]
    site = application(Settings(library=path, serve_rate=0, serve_seconds=0))
    with TestClient(site, base_url="http://localhost") as client:

        def pages() -> None:
            for address in asked:
                assert client.get(address).status_code == 200

        ways: dict[str, Callable[[], None]] = {
            "both": pages,
            "no hashes": _without(pages, hashes=True),
            "neither": _without(pages, hashes=True, lag=True),
        }
        spent = {name: float("inf") for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                began = time.process_time()
                way()
                # The least of all rounds is what the work itself takes; the rest is what else the machine did.
                spent[name] = min(spent[name], time.process_time() - began)
    print(f"{len(asked)} pages of results over {path}; CPU milliseconds a page, the least of {rounds} rounds")
    for name, seconds in spent.items():
        print(f"  {name:<10} {1000 * seconds / len(asked):8.3f}")
    hashes, both = (spent["both"] / spent[name] - 1 for name in ("no hashes", "neither"))
    print(f"Hashes make a page {hashes:.1%} dearer, hashes and the look at the index {both:.1%}; at most {MOST:.0%}.")
    sys.exit(both > MOST)


def _without(way: Callable[[], None], *, hashes: bool = False, lag: bool = False) -> Callable[[], None]:
    """Make pages as they would be made without."""

    def plain(blob: bytes, text_id: str, characters: int, what: str) -> str:
        return packing.decompress(blob, what, 4 * characters).decode()

    def made() -> None:
        with ExitStack() as stack:
            if hashes:
                stack.enter_context(mock.patch("smallprint.library.reading.unpack_text", plain))
            if lag:
                stack.enter_context(mock.patch("smallprint.search.results.lag_of", return_value=UP_TO_DATE))
            way()

    return made


if __name__ == "__main__":
    main()
