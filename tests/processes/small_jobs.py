"""Jobs for the tests; each tells what it does by files, so that work is counted and not timed."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

from smallprint.errors import BadSource


def add(a: int, b: int) -> int:
    return a + b


def pid() -> int:
    return os.getpid()


def note(path: Path, word: str) -> None:
    """Write a line to a file in one go."""
    with path.open("a") as file:
        file.write(f"{word}\n")


def begin_and_wait(begun: Path, until: Path) -> str:
    """Note the process's id, and wait until a file is there."""
    note(begun, str(os.getpid()))
    while not until.exists():
        time.sleep(0.005)
    return "done"


def loop_in_c(begun: Path) -> None:
    """Never end, and never let the interpreter do anything else."""
    note(begun, str(os.getpid()))
    re.match(r"(?:a|a)*b", "a" * 200)


def hog(megabytes: int) -> int:
    return len(bytearray(megabytes * 1_000_000))


kept: list[bytearray] = []


def keep(megabytes: int) -> int:
    """Take memory and never give it back."""
    kept.append(bytearray(megabytes * 1_000_000))
    return os.getpid()


def die(how: signal.Signals) -> None:
    os.kill(os.getpid(), how)


def fail(error: str) -> None:
    raise BadSource(error) if error else ZeroDivisionError("a secret of the page")


def descriptors() -> list[str]:
    """Name what this process has open."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(descriptor.readlink()))
        except OSError:
            continue  # the folder's own
    return found


def interrupts() -> bool:
    return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
