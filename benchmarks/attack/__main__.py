"""Attack a server in the ways that once broke it, and print what held, how long others waited, and the memory it took.

Run: python benchmarks/attack [--quick] [--only NAME]   (loopback alone; some minutes, or one with --quick)

Every attack is bounded in count and time. The exit code is 0 if all of them held. An innocent client asks for pages
and a search all the while; on an idle machine it should wait at most 250 ms at p99, and the server with its pool should
stay under 1 GB. Times are printed and not judged: machines differ.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import connections
import crawl
import dear_work
import forgeries
import index_lag
import oversize
import strangers
from bystander import bystander
from outcome import Outcome
from server import Server, innocent_policy, sample_library, serving, watching_memory

ATTACKS: dict[str, Callable[..., Outcome]] = {
    "2 forgeries": forgeries.attack,
    "3 dear work": dear_work.attack,
    "3 crawl": crawl.attack,
    "4 oversize": oversize.attack,
    "5 connections": connections.attack,
    "6 index lag": index_lag.attack,
    "7 strangers": strangers.attack,
}
MEGABYTE = 1_000_000


def main() -> int:
    """Run the attacks one after the other against one server."""
    quick = "--quick" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    broken = 0
    print(f"{'attack':<16}{'tried':>7}{'held':>7}{'p99 wait':>11}{'worst wait':>12}{'failed':>8}{'peak memory':>13}")
    with sample_library() as library, serving(library, SMALLPRINT_SERVE_SECONDS="10") as server:
        for name, attack in ATTACKS.items():
            if only in name:
                broken += _run(name, attack, server, quick=quick)
    return 1 if broken else 0


def _run(name: str, attack: Callable[..., Outcome], server: Server, *, quick: bool) -> int:
    with bystander(server.port, _innocent_paths(server)) as client, watching_memory(server) as memory:
        began = time.monotonic()
        outcome = attack(server, quick=quick)
        waits = client.since(began)
    print(
        f"{name:<16}{outcome.tried:>7}{outcome.held:>7}{1000 * waits.p99:>8.0f} ms{1000 * waits.worst:>9.0f} ms"
        f"{waits.failed:>8}{memory.peak / MEGABYTE:>10.0f} MB",
        flush=True,
    )
    for line in outcome.broken[:10]:
        print(f"    {line}", flush=True)
    return len(outcome.broken)


def _innocent_paths(server: Server) -> list[str]:
    return [
        "/",
        "/search?q=location",
        "/about",
        f"/policies/{innocent_policy(server)}",
        "/api/v1/search?q=cookies&facets=0",
    ]


if __name__ == "__main__":
    sys.exit(main())
