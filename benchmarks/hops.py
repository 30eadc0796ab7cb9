"""Modules, edges between packages and SQL statements of one warm request of each kind, through the pages' real routes.

Run: python benchmarks/hops.py [--json]

An edge is a distinct pair of packages, caller's and callee's; a package is the first folder under `smallprint`, and the
modules at its root count as one. "Of modules" counts distinct pairs of modules in different packages. What the server
gives to its worker processes runs in this one, so that it is seen.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from smallprint.processes.jobs import Jobs, Pending
from smallprint.settings import Settings
from smallprint.web.app import application

ROOT = "smallprint"
POLICY = "tidemarkbank.example"
QUESTION = "Do you share my data?"
REQUESTS: dict[str, Callable[[TestClient], Any]] = {
    "results": lambda client: client.get("/search?q=location+data"),
    "question": lambda client: client.get(f"/policies/{POLICY}/ask", params={"question": QUESTION}),
    "turn": lambda client: client.get("/ask", params={"q": QUESTION, "policy": POLICY}),
    "library question": lambda client: client.get("/ask", params={"q": "Which companies sell my data?"}),
}


class InlineJobs(Jobs):
    """Jobs that are done at once, where they are given."""

    def submit(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Pending[Any]:
        """Call the function here and now."""
        job = type("Done", (), {"future": Future()})()
        try:
            job.future.set_result(function(*arguments))
        except Exception as error:  # noqa: BLE001 - raised where the result is awaited
            job.future.set_exception(error)
        return Pending(job, lambda job: None)


class Trace:
    """What runs while it is on: modules of the package, edges between its rooms, statements of SQL."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.edges: set[tuple[str, str]] = set()
        self.module_edges: set[tuple[str, str]] = set()
        self.statements: list[str] = []
        self.is_on = False

    def call(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call into a module of the package, and which room it came from."""
        if event != "call" or not self.is_on:
            return
        callee = _module(frame)
        if not callee:
            return
        self.modules.add(callee)
        caller_frame = frame.f_back
        while caller_frame and not _module(caller_frame):
            caller_frame = caller_frame.f_back
        if caller_frame and _room(_module(caller_frame)) != _room(callee):
            self.edges.add((_room(_module(caller_frame)), _room(callee)))
            self.module_edges.add((_module(caller_frame), callee))

    def sql(self, statement: str) -> None:
        """Note a statement."""
        if self.is_on:
            self.statements.append(statement)

    @contextmanager
    def on(self) -> Iterator[None]:
        """Trace what runs inside."""
        self.modules, self.edges, self.module_edges, self.statements = set(), set(), set(), []
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False


def main() -> None:
    """Measure one warm request of each kind on the sample's library."""
    trace = Trace()
    connect = sqlite3.connect

    def traced_connect(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **named)
        connection.set_trace_callback(trace.sql)
        return connection

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "sample.db"
        subprocess.run(
            [sys.executable, "-m", ROOT, "ingest", "--sample", "--library", str(library)],
            check=True, capture_output=True,
        )  # fmt: skip
        sqlite3.connect = traced_connect  # type: ignore[assignment]
        threading.setprofile(trace.call)
        sys.setprofile(trace.call)
        with TestClient(_app(library), base_url="http://127.0.0.1") as client:
            for name, ask in REQUESTS.items():
                for _ in range(2):  # the first one loads models and fills caches
                    with trace.on():
                        response = ask(client)
                    assert response.status_code == 200, (name, response.status_code)
                assert trace.statements, f"no SQL of the request {name!r} was seen, so nothing is counted"
                rows.append({
                    "request": name, "modules": len(trace.modules), "edges": len(trace.edges),
                    "module_edges": len(trace.module_edges), "sql": len(trace.statements),
                })  # fmt: skip
                if "--verbose" in sys.argv:
                    parts = (*sorted(trace.edges), *sorted(trace.module_edges), *trace.statements)
                    print(name, *parts, sep="\n    ", file=sys.stderr)
        sys.setprofile(None)
        threading.setprofile(None)
    if "--json" in sys.argv:
        print(json.dumps(rows))
    else:
        print(f"{'request':<18}{'modules':>8}{'edges':>8}{'of modules':>12}{'SQL':>6}")
        for row in rows:
            print(f"{row['request']:<18}{row['modules']:>8}{row['edges']:>8}{row['module_edges']:>12}{row['sql']:>6}")


def _app(library: Path) -> FastAPI:
    # Without a deadline, so that a busy machine counts the same.
    return application(Settings(library=library, serve_seconds=0), jobs=InlineJobs(1))


def _module(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name if name == ROOT or name.startswith(f"{ROOT}.") else ""


def _room(module: str) -> str:
    """Return the first folder under the package; modules at its root are one room."""
    parts = module.split(".")
    is_package = len(parts) == 2 and hasattr(sys.modules[module], "__path__")
    return parts[1] if len(parts) > 2 or is_package else ""


if __name__ == "__main__":
    main()
