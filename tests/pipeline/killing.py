"""Kill a command at seeded moments of its work, let it go on, and compare what it leaves with an unbroken run.

A moment is an amount of CPU time of the command and its workers, counted from the end of its imports, so that the kills
spread over the work itself and fall on the same places on a slow or busy machine.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from smallprint.index.opening import WHICH, open_engine
from smallprint.library import Library
from smallprint.library.dump import logical_dump
from smallprint.settings import Settings

Contents = list[str]
TICKS = os.sysconf("SC_CLK_TCK")
# Whatever any of the commands imports, so that no kill is spent on imports; a line on standard output tells that the
# work begins.
_READY = """
import signal, smallprint.annotate.registry, smallprint.index.embedded, smallprint.pipeline.ingest, rich.progress
from smallprint.cli.app import main
signal.signal(signal.SIGINT, signal.default_int_handler)
print(flush=True)
main()
"""


@dataclass(frozen=True, slots=True)
class Kills:
    """What killing came to: how many runs were killed, and in how many different states they left the folder."""

    kills: int
    states: int


@dataclass(frozen=True, slots=True)
class Target:
    """A command to be killed.

    `before` is a folder with what the command starts from; it is copied for every run. `arguments` makes the command's
    arguments for a copy, `resume` those of the command that goes on after a kill, by default the same one, and
    `contents` reads what must be the same in the end.
    """

    before: Path
    arguments: Callable[[Path], Sequence[str | Path]]
    contents: Callable[[Path], Contents]
    resume: Callable[[Path], Sequence[str | Path]] | None = None


def kill_and_resume(target: Target, folder: Path, kills: int, seed: int) -> Kills:
    """Kill the command so many times, each in a fresh copy; assert that each copy ends like an unbroken run."""
    whole = _copy(target.before, folder / "unbroken")
    seconds = _run(target.arguments(whole))
    expected = target.contents(whole)
    assert expected != target.contents(_copy(target.before, folder / "untouched")), "the command changes nothing"
    chance = random.Random(seed)
    done, states, tries = 0, set(), 0
    while done < kills:
        tries += 1
        assert tries <= 3 * kills, f"only {done} of {tries - 1} runs could be killed before their end"
        copy = _copy(target.before, folder / f"copy {tries}")
        if _run(target.arguments(copy), kill_after=chance.random() * seconds) is None:
            done += 1
            states.add("\n".join(target.contents(copy)))
            assert _run((target.resume or target.arguments)(copy)) is not None
        assert target.contents(copy) == expected, f"seed {seed}, try {tries}"
        shutil.rmtree(copy)
    return Kills(done, len(states))


def library_contents(path: Path) -> Contents:
    """Read all that a library and its indexes hold; what is not there yet holds nothing."""
    if not path.is_file():
        return []
    with Library(path) as library:
        assert library.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert library.db.execute("PRAGMA foreign_key_check").fetchall() == []
        lines = list(logical_dump(library))
    for which in WHICH:
        stamps = dict(open_engine(Settings(library=path), which, create=True).stamps())
        lines += [f"index {which} {policy_id} {stamp}" for policy_id, stamp in stamps.items()]
    return lines


def _run(arguments: Sequence[str | Path], *, kill_after: float | None = None) -> float | None:
    """Run the command to its end and return its CPU time, or kill it with its workers and return None."""
    command = [sys.executable, "-c", _READY, *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        start = used = _cpu_seconds(run.pid)
        while run.poll() is None:
            used = max(used, _cpu_seconds(run.pid))
            if kill_after is not None and used - start >= kill_after:
                with suppress(ProcessLookupError):
                    os.killpg(run.pid, signal.SIGKILL)
                run.wait(timeout=30)
                break
            time.sleep(0.004)
        errors = run.stderr.read()
    if run.returncode == -signal.SIGKILL:
        return None
    assert (run.returncode, errors) == (0, ""), errors
    return used - start


def _cpu_seconds(leader: int) -> float:
    """Return the CPU time of all living processes of a session."""
    ticks = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError):
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(after_name[3]) == leader:
                    ticks += int(after_name[11]) + int(after_name[12])
    return ticks / TICKS


def _copy(before: Path, to: Path) -> Path:
    shutil.copytree(before, to)
    return to
