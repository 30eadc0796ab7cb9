"""What it costs to check texts against their hashes and to look whether the index is behind, as shares of a page.

Run: python benchmarks/integrity.py LIBRARY [--rounds 40]

The same pages of results are served with and without, in turns, in one process; what counts are the ratios.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from starlette.testclient import TestClient

from smallprint.evaluate.libraries import queries
from smallprint.index.engine import Engine
from smallprint.library import Library, packing, reading
from smallprint.pipeline.indexing import UP_TO_DATE, Lag, lag_of
from smallprint.search import results
from smallprint.settings import Settings
from smallprint.web.app import application

# A page may get so much dearer.
MOST = 0.03


def unpack_unchecked(blob: bytes, text_id: str, characters: int, what: str) -> str:
    """Read a text as it would be read if nobody compared it with its hash."""
    return packing.decompress(blob, what, 4 * characters).decode()


def no_lag(library: Library, engine: Engine) -> Lag:
    """Take an index for up to date without a look."""
    return UP_TO_DATE


WAYS = {
    "both": (packing.unpack_text, lag_of),
    "no hashes": (unpack_unchecked, lag_of),
    "neither": (unpack_unchecked, no_lag),
}


def main() -> None:
    """Print how much dearer a page of results is with both."""
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1]) if "--rounds" in sys.argv else 40
    path = Path(sys.argv[1])
    asked = [f"/search?{urlencode({'q': text})}" for text in queries()]
    site = application(Settings(library=path, serve_rate=0, serve_seconds=0))
    with TestClient(site, base_url="http://localhost") as client:
        spent: dict[str, list[float]] = {name: [] for name in WAYS}
        for number in range(-1, rounds):  # one to warm up
            for address in asked:
                # Side by side and in changing order, so that whatever else the machine does hits all alike.
                for name in random.Random(f"{number} {address}").sample(list(WAYS), len(WAYS)):
                    seconds = _timed(client, address, *WAYS[name])
                    if number >= 0:
                        spent[name].append(1000 * seconds)
    print(f"{len(asked)} pages of results over {path}, {rounds} times each; CPU milliseconds a page, median")
    for name, each in spent.items():
        print(f"  {name:<10} {median(each):8.3f}")
    hashes, both = (_dearer(spent["both"], spent[name]) for name in ("no hashes", "neither"))
    print(f"Hashes make a page {hashes:.1%} dearer, hashes and the look at the index {both:.1%}; at most {MOST:.0%}.")
    sys.exit(both > MOST)


def _dearer(more: list[float], less: list[float]) -> float:
    """Return the median difference of pages made side by side, as a share of the median page."""
    return median(a - b for a, b in zip(more, less, strict=True)) / median(less)


def _timed(client: TestClient, address: str, unpack: Callable[..., str], lag: Callable[..., Lag]) -> float:
    """Return the CPU time of a page that reads its texts, and looks at the index, in the ways given."""
    reading.unpack_text, results.lag_of = unpack, lag  # type: ignore[attr-defined]  # outside of what is timed
    began = time.process_time()
    response = client.get(address)
    seconds = time.process_time() - began
    assert response.status_code == 200
    return seconds


if __name__ == "__main__":
    main()
