"""A process that does one job at a time and can be ended at any moment: a function and its arguments in, a result out.

A thread cannot be ended, and an alarm reaches only Python in the main thread: a pattern that backtracks hears neither.
"""

from __future__ import annotations

import faulthandler
import importlib
import multiprocessing
import os
import pickle
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from smallprint.errors import JobFailed, SmallprintError, TooLargeJob, TooSlow

MEGABYTE = 1_000_000
# Seconds after its deadline at which a process ends by itself, where nobody is left to end it.
ORPHANED = 5.0
_starting = threading.Lock()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may take: seconds, and bytes of memory beyond what its process holds already; 0 for no limit."""

    seconds: float = 0.0
    memory: int = 0


UNLIMITED = Limits()


class Worker:
    """The process, seen from where jobs come from; one thread at a time may give it a job, any may end it."""

    def __init__(self, preload: Sequence[str] = (), niceness: int = 0) -> None:
        # A fork server shares what it has imported, has no threads, and none of this process's descriptors.
        context = multiprocessing.get_context("forkserver")
        with _starting, _without_main():
            context.set_forkserver_preload(list(preload))
            self._connection, other_end = context.Pipe()
            self._process = context.Process(target=_serve, args=(other_end, preload, niceness), daemon=True)
            self._process.start()
            other_end.close()  # under the lock: a process that another thread forks must not hold it open
        self.pid = int(self._process.pid or 0)
        self.is_usable = True

    def run(self, function: Callable[..., Any], arguments: Sequence[Any], limits: Limits) -> Any:
        """Return what a function of a module returns, or raise what it raises; all of it is pickled.

        Past its time the process is killed (TooSlow). It may also die of the job (JobFailed), or keep too much memory
        after it; `is_usable` tells whether it can be given another.
        """
        call = pickle.dumps((function, tuple(arguments)))  # apart, so that what cannot be sent harms nothing
        try:
            self._connection.send((call, limits))
            if not self._connection.poll(limits.seconds or None):
                self.close()
                raise TooSlow(f"this took longer than {limits.seconds:g} seconds and was ended")
            result, error, self.is_usable = self._connection.recv()
        except (EOFError, OSError):
            cause = self.close()
            raise JobFailed(f"the process that did this has died ({cause}); try again, or with less") from None
        if error is not None:
            raise error
        return result

    def kill(self) -> None:
        """End the process now; whoever waits for its job is told that it has died."""
        self.is_usable = False
        with suppress(ValueError):  # it is gone already
            self._process.kill()

    def close(self) -> str:
        """End the process, wait until it is gone, and return what of."""
        self.kill()
        with _starting, suppress(ValueError):  # who starts one looks after those that have ended, too
            self._process.join()
            code = self._process.exitcode or 0
            self._process.close()
            self._connection.close()
            return signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return "closed before"


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the program that is running: else each process would run it again, and a script may well start others."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _serve(connection: Connection, preload: Sequence[str], niceness: int) -> None:
    """Do jobs until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent ends the run
    os.nice(niceness)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for name in preload:  # there already, unless the fork server was started for others; no job is charged for it
        importlib.import_module(name)
    at_start = _data_bytes()
    with Path(os.devnull).open("w") as nowhere:
        while True:
            try:
                call, limits = connection.recv()
            except EOFError:
                return
            if limits.seconds:
                faulthandler.dump_traceback_later(limits.seconds + ORPHANED, exit=True, file=nowhere)
            result, error = _outcome(call, limits)
            faulthandler.cancel_dump_traceback_later()
            # A process that has kept as much memory is replaced: little is given back to the system.
            connection.send((result, error, not limits.memory or _data_bytes() - at_start <= limits.memory))
            del result


def _outcome(call: bytes, limits: Limits) -> tuple[Any, Exception | None]:
    try:
        with memory_limit(limits.memory):
            function, arguments = pickle.loads(call)  # noqa: S301 - from our own process
            result = function(*arguments)
    except MemoryError:
        return None, TooLargeJob(
            f"this takes more memory than the {limits.memory // MEGABYTE:,} MB it may; try with less"
        )
    except SmallprintError as error:
        return None, error
    except Exception as error:  # noqa: BLE001 - the border of the process: told on the other side, without its words
        place = extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return None, JobFailed(f"this failed unexpectedly ({type(error).__name__} at {where})")
    return result, None


@contextmanager
def memory_limit(more: int) -> Iterator[None]:
    """Let what runs inside take so much memory beyond what the process holds; the system refuses what goes beyond."""
    in_use = _data_bytes()
    if not more or not in_use:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (in_use + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _data_bytes() -> int:
    """Return what RLIMIT_DATA counts, the private writable memory; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_bytes().split()[5]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def _end_with_parent() -> None:
    """End this process when its parent is killed, whatever it is doing; what holds the interpreter ends by its time."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
