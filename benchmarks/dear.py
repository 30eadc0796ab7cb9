"""How long cheap requests wait beside dear ones, compared with alone; and the memory of a server with its processes.

Run: python benchmarks/dear.py LIBRARY [--seconds 10]   (the ratio says most where nothing else is at work)

Cheap are a page, a static file and a search. Dear are long texts pasted by four clients without a pause, each another
one, so that both processes of the server are always at work and some texts wait.
"""

from __future__ import annotations

import http.client
import itertools
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).parent / "attack"))
from server import family, resident

CHEAP = ("/", "/about", "/search?q=location")
PROSE = "We collect your name and share it with our partners. You can ask us to delete your data at any time. "
LETTERS, CLIENTS, LEAST = 300_000, 4, 100


def main() -> None:
    """Print the waits alone and beside, their ratio, and the memory."""
    library = Path(sys.argv[1])
    seconds = float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 10.0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = os.environ | {"SMALLPRINT_SERVE_RATE": "0", "SMALLPRINT_PASTE_MINUTES": "0"}
    command = [sys.executable, "-m", "smallprint", "serve", "--library", str(library), "--port", str(port)]
    server = subprocess.Popen(command, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ready(port)
        paste(port, "0")  # the processes are started and warm
        alone = waits(port, seconds)
        stop, done = threading.Event(), itertools.count()
        clients = [threading.Thread(target=pasting, args=(port, stop, done)) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        beside = waits(port, seconds)
        memory = sum(map(resident, family(server.pid))) / 1e6
        stop.set()
        for client in clients:
            client.join()
    finally:
        server.terminate()
        server.wait()
    for name, seconds_taken in (("alone", alone), ("beside", beside)):
        middle, last = statistics.median(seconds_taken), statistics.quantiles(seconds_taken, n=100)[98]
        print(f"{name:<7} {len(seconds_taken):5} requests, median {1000 * middle:6.1f} ms, p99 {1000 * last:6.1f} ms")
    ratio = statistics.median(beside) / statistics.median(alone)
    print(f"ratio of medians {ratio:.1f}; {next(done)} texts read meanwhile; server and processes {memory:.0f} MB")


def waits(port: int, seconds: float) -> list[float]:
    """Return how long each cheap request took, one after the other."""
    seconds_taken, until = [], time.monotonic() + seconds
    paths = itertools.cycle(CHEAP)
    while time.monotonic() < until or len(seconds_taken) < LEAST:
        began = time.perf_counter()
        ask(port, "GET", next(paths))
        seconds_taken.append(time.perf_counter() - began)
    return seconds_taken


def pasting(port: int, stop: threading.Event, done: itertools.count[int]) -> None:
    """Paste texts, each another one, until told to stop."""
    while not stop.is_set():
        paste(port, f"{threading.get_ident()} {time.monotonic()}")
        next(done)


def paste(port: int, mark: str) -> None:
    """Have a text read that nobody has pasted before."""
    body = urlencode({"given": f"{PROSE * (LETTERS // len(PROSE))} {mark}"})
    ask(port, "POST", "/read", body, {"Content-Type": "application/x-www-form-urlencoded"})


def ask(port: int, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None) -> None:
    """Ask for something and read the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request(method, path, body, headers or {})
        connection.getresponse().read()
    finally:
        connection.close()


def ready(port: int) -> None:
    """Wait until the server answers."""
    for _ in range(300):
        try:
            ask(port, "GET", "/about")
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the server did not start")


if __name__ == "__main__":
    main()
