"""A server to attack: started on a copy of the sample, watched while it is attacked, stopped at the end."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from smallprint.library import Library, reading

HOST = "127.0.0.1"
SAMPLE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its port, its process, its library and what it has written to standard error."""

    port: int
    process: subprocess.Popen[str]
    library: Path
    errors: Path


@dataclass(slots=True)
class MemoryWatch:
    """The greatest resident memory that a process and its children had together, in bytes."""

    process: int
    peak: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Sample until stopped."""
        while not self._stop.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, sum(map(resident, family(self.process))))

    def stop(self) -> None:
        """End the sampling."""
        self._stop.set()


def smallprint(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the product to its end."""
    return subprocess.run(
        [sys.executable, "-m", "smallprint", *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, **variables},
    )  # fmt: skip


@contextmanager
def sample_library() -> Iterator[Path]:
    """Make the sample's library, annotated and indexed, in a folder that goes afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="smallprint-attack-"))
    try:
        path = folder / "sample.db"
        built = smallprint("ingest", "--sample", "--library", str(path))
        if built.returncode:
            raise SystemExit(built.stderr)
        yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def serving(library: Path, *options: str, **variables: str) -> Iterator[Server]:
    """Serve a library on a free port of loopback; `variables` are settings as the environment names them."""
    errors = library.with_suffix(".errors")
    with errors.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "smallprint", "serve", "--json", "--port", "0", "--library", str(library), *options],
            stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, **variables},
        )  # fmt: skip
        assert process.stdout is not None
        try:
            first = process.stdout.readline()
            if not first:
                raise SystemExit(f"the server did not start: {errors.read_text(encoding='utf-8')}")
            port = int(re.search(r":(\d+)/", json.loads(first)["address"])[1])  # type: ignore[index]
            yield Server(port, process, library, errors)
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def innocent_policy(server: Server) -> str:
    """Return the policy that the innocent client reads, which no attack damages."""
    with Library(server.library) as library:
        return next(iter(reading.policies(library)))


@contextmanager
def watching_memory(server: Server) -> Iterator[MemoryWatch]:
    """Watch the memory of a server and its pool."""
    watch = MemoryWatch(server.process.pid)
    thread = threading.Thread(target=watch.run, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.stop()
        thread.join()


def family(process: int) -> list[int]:
    """List a process and all that descend from it."""
    processes = [process]
    for member in processes:
        try:
            threads = list(Path(f"/proc/{member}/task").iterdir())  # a child belongs to the thread that started it
            children = " ".join((thread / "children").read_text(encoding="ascii") for thread in threads).split()
        except OSError:
            continue
        processes.extend(map(int, children))
    return processes


def resident(process: int) -> int:
    """Return the memory of a process in bytes, pages shared with others counted in part (PSS)."""
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    return 1024 * sum(int(size) for size in re.findall(r"^Pss:\s+(\d+)", rollup, re.MULTILINE))
