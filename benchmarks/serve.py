"""Requests a second that `smallprint serve` answers while 99 in 100 take less than 100 ms, and the memory it takes.

Run: python benchmarks/serve.py LIBRARY [--seconds 10]   (needs wrk, and nothing else at work on the machine)

Whole pages of results are asked for, with facets and ten snippets: PrivaSeer's 17 queries and 100 others that stand in
policies, one after the other, by more and more connections at once. Beside them the same searches of the API without
facets, and a page that asks nothing of the index.
"""

from __future__ import annotations

import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from urllib.parse import quote_plus

from smallprint.evaluate.libraries import queries
from smallprint.index.words import words
from smallprint.library import Library, reading
from smallprint.library.findable import findable

CONNECTIONS = (1, 2, 4, 8)
MOST_P99 = 100.0
SCRIPT = """
local paths = {%s}
local place = 0
request = function()
  place = place %% #paths + 1
  return wrk.format("GET", paths[place])
end
"""


def main() -> None:
    """Print requests a second and the 99th percentile by connections, and the memory."""
    library = Path(sys.argv[1])
    seconds = int(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 10
    asked = [quote_plus(text) for text in texts(library)]
    pages = {
        "results": [f"/search?q={text}" for text in asked],
        "api": [f"/api/v1/search?q={text}&facets=0" for text in asked],
        "about": ["/about"],
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = os.environ | {"SMALLPRINT_SERVE_RATE": "1000000"}
    command = [sys.executable, "-m", "smallprint", "serve", "--library", str(library), "--port", str(port)]
    server = subprocess.Popen(command, env=settings, stdout=subprocess.DEVNULL)
    try:
        ready(port)
        for name, paths in pages.items():
            best = 0.0
            for connections in CONNECTIONS:
                rate, p99, failed = measured(port, paths, connections, seconds)
                best = max(best, rate if p99 < MOST_P99 and not failed else 0.0)
                print(
                    f"{name:<8} {connections:3} connections: {rate:7.1f} a second, p99 {p99:7.1f} ms, {failed} failed"
                )
            print(f"{name:<8} at p99 < {MOST_P99:.0f} ms: {best:.1f} requests a second", flush=True)
        print(f"memory: {memory(server.pid):.0f} MB")
    finally:
        server.terminate()


def texts(library: Path) -> list[str]:
    """Return the paper's queries and others of one to three words that stand side by side in policies."""
    luck, texts = random.Random(3), list(queries())
    with Library(library) as opened:
        versions = [policy.version_id for policy in findable(opened)]
        while len(texts) < len(queries()) + 100:
            near = words(reading.text(opened, luck.choice(versions)))
            start = luck.randrange(max(1, len(near) - 3))
            texts.append(" ".join(near[start : start + luck.randrange(1, 4)]))
    return texts


def ready(port: int) -> None:
    """Wait until the server answers."""
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/about").read()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the server did not start")


def measured(port: int, paths: list[str], connections: int, seconds: int) -> tuple[float, float, int]:
    """Let wrk ask, and give requests a second, the 99th percentile in milliseconds, and how many failed."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT % ", ".join(json.dumps(path) for path in paths))
        script.flush()
        output = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "--latency", "-s", script.name,
             f"http://127.0.0.1:{port}/"],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])  # type: ignore[index]
    amount, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()  # type: ignore[union-attr]
    failed = sum(int(count) for count in re.findall(r"(?:Non-2xx or 3xx responses|timeout):?\s+(\d+)", output))
    return rate, float(amount) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[unit], failed


def memory(process: int) -> float:
    """Return the greatest memory that a process has had, in megabytes."""
    told = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s+(\d+)", told)[1]) / 1024  # type: ignore[index]


if __name__ == "__main__":
    main()
