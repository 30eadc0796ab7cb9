"""Every command and every surface, run once under the tracer."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

from smallprint import sample

from .cases import CASES, Case
from .places import Place, Row, row
from .sessions import LINGER, PATIENCE, chat_rows, mcp_rows, program, serve_rows, training_rows, voice_rows
from .strace import read_events, traced

# Commands that stay, and those that are being run beside them.
AT_ONCE = 4
STAYING = """
import sys, time
from smallprint.cli.app import main
try:
    main(sys.argv[2:])
finally:
    time.sleep(float(sys.argv[1]))
"""


class _Site(BaseHTTPRequestHandler):
    """A site on loopback with a policy at every address but that of robots.txt."""

    def do_GET(self) -> None:
        is_robots = self.path == "/robots.txt"
        content = b"User-agent: *\nAllow: /\n" if is_robots else next(sample.pages()).content
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if is_robots else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:  # or the thread would keep the tests from ending
            server.shutdown()
            thread.join()


def trace_all(place: Place) -> list[Row]:
    """Trace every command and surface."""
    with _site() as site:
        names = _names(place, site)
        rows = [_trace(case, place, names) for case in CASES if case.builds]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            sessions = (serve_rows, voice_rows, mcp_rows, chat_rows, training_rows)
            talks = [pool.submit(session, place) for session in sessions]
            reads = [pool.submit(_trace, case, place, names) for case in CASES if not (case.builds or case.follows)]
            rows += [read.result() for read in reads]
            rows += [each for talk in talks for each in talk.result()]
        return [*rows, *(_trace(case, place, names) for case in CASES if case.follows)]


def _names(place: Place, site: str) -> dict[str, str]:
    pages = place.root / "pages.jsonl"
    rows = [{"id": str(number), "url": page.url, "html": page.content.decode(), "label": "policy"}
            for number, page in enumerate(islice(sample.pages(), 3))]  # fmt: skip
    rows.append({"id": "other", "url": None, "text": "The match ended two to one. " * 30, "label": "other"})
    pages.write_text("".join(f"{json.dumps(each)}\n" for each in rows), encoding="utf-8")
    return {
        "site": site, "outputs": str(place.outputs), "small": str(place.small_library), "pages": str(pages),
        "popularity": str(sample.POPULARITY), "companies": str(sample.COMPANIES),
    }  # fmt: skip


def _trace(case: Case, place: Place, names: dict[str, str]) -> Row:
    log = place.logs / case.command.replace(" ", "-")
    words = [word.format(**names) for word in case.words]
    command = [sys.executable, "-c", STAYING, str(LINGER), *words] if case.lingers else program(*words)
    done = subprocess.run(
        traced(command, log), env=place.environment(), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, f"'smallprint {' '.join(words)}' ended with {done.returncode}: {done.stderr}"
    return row(case.command, read_events(log), place)
