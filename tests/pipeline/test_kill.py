"""A run that is killed at any moment goes on and ends with what an unbroken run has."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from smallprint.library import Library
from smallprint.library.dump import logical_dump

from .making import position, rows, started, write_jsonl

PAGES = 200
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_jsonl(tmp_path_factory.mktemp("kill") / "pages.jsonl.zst", rows(PAGES))


@pytest.fixture(scope="module")
def unbroken(source):
    path = source.with_name("unbroken.db")
    run = started("ingest", source, "--library", path, "--workers", "1")
    assert run.communicate(timeout=60)[1] == ""
    assert run.returncode == 0
    return dump_of(path)


def dump_of(path: Path) -> list[str]:
    with Library(path) as library:
        assert library.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert library.db.execute("PRAGMA foreign_key_check").fetchall() == []
        return list(logical_dump(library))


def killed_after(run, path: Path, reached) -> bool:
    """Kill a run with all its workers as soon as it got so far; False if it ended before."""
    while not reached(position(path)):
        if run.poll() is not None:
            return False
        time.sleep(0.002)
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.communicate(timeout=10)
    return run.returncode == -signal.SIGKILL


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_goes_on_and_ends_like_an_unbroken_one(source, unbroken, tmp_path, workers):
    path = tmp_path / "library.db"
    command = ("ingest", source, "--library", path, "--workers", str(workers))
    chance = random.Random(workers)
    # At the very start, at some commits, and while near-duplicates are settled.
    moments = [lambda at: path.exists()]
    moments += [lambda at, least=least: at[0] >= least for least in sorted(chance.sample(range(1, PAGES - 40), 3))]
    moments += [lambda at: at[1]]
    kills, reached = 0, [0]
    for moment in moments:
        kills += killed_after(started(*command), path, moment)
        reached.append(position(path)[0])
    last = started(*command)
    assert last.communicate(timeout=60)[1] == ""
    assert last.returncode == 0
    assert kills >= 4
    assert reached == sorted(reached)  # nothing that was stored is ever lost
    assert dump_of(path) == unbroken


def test_workers_end_with_a_run_that_is_killed_alone(source, tmp_path):
    path = tmp_path / "library.db"
    run = started("ingest", source, "--library", path, "--workers", "2")
    while position(path)[0] == 0:
        assert run.poll() is None
        time.sleep(0.01)
    assert len(session(run.pid)) >= 3
    run.kill()
    run.wait(timeout=10)
    deadline = time.monotonic() + 20
    while session(run.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = session(run.pid)
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.communicate(timeout=10)
    assert left == []


def session(leader: int) -> list[int]:
    """List the processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(after_name[3]) == leader and after_name[0] != "Z":
                    found.append(int(entry.name))
    return found
