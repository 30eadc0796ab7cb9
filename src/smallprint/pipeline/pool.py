"""Batches of things worked on in order, here or in processes; only the thing that kills its worker is blamed."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Generic, TypeVar

from smallprint.settings import Settings

Thing = TypeVar("Thing")
Result = TypeVar("Result")
# Batches under way for each worker: enough to keep it busy, few enough that memory stays flat.
AHEAD = 4
# A batch may take so many times what a single thing may.
PATIENCE = 2
_settings = Settings()


@dataclass(frozen=True, slots=True)
class Task(Generic[Thing, Result]):
    """What is done with one thing, and what is said of one that made its process crash. Functions of modules only."""

    work: Callable[[Thing, Settings], Result]
    blame: Callable[[Thing], Result]
    seconds: Callable[[Settings], int]


def worker_count(settings: Settings) -> int:
    """Say how many processes work."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on every system
    return settings.workers or (len(allowed(0)) if allowed else os.cpu_count() or 1)


def pooled(
    batches: Iterable[Sequence[Thing]], task: Task[Thing, Result], settings: Settings
) -> Generator[list[Result], None, None]:
    """Work on batches, and give the results in their order."""
    workers = worker_count(settings)
    if workers == 1:
        for batch in batches:
            yield [task.work(thing, settings) for thing in batch]
        return
    with _Pool(workers, task, settings) as pool:
        waiting: deque[tuple[Sequence[Thing], Future[list[Result]]]] = deque()
        for batch in batches:
            waiting.append((batch, pool.submit(batch)))
            if len(waiting) >= AHEAD * workers:
                yield pool.result(*waiting.popleft())
        while waiting:
            yield pool.result(*waiting.popleft())


class _Pool(Generic[Thing, Result]):
    """A pool that is made anew when a thing takes a worker down with it."""

    def __init__(self, workers: int, task: Task[Thing, Result], settings: Settings) -> None:
        self.workers = workers
        self.task = task
        self.settings = settings
        self.executor = self._made(workers)

    def __enter__(self) -> _Pool[Thing, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.executor.shutdown(wait=False, cancel_futures=True)

    def submit(self, batch: Sequence[Thing]) -> Future[list[Result]]:
        try:
            return self.executor.submit(_work, self.task, batch)
        except BrokenProcessPool:
            self.executor = self._made(self.workers)
            return self.executor.submit(_work, self.task, batch)

    def result(self, batch: Sequence[Thing], future: Future[list[Result]]) -> list[Result]:
        try:
            return future.result()
        except BrokenProcessPool:
            return [self._alone(thing) for thing in batch]

    def _alone(self, thing: Thing) -> Result:
        """Work on one thing in a process of its own, so that only the one that kills it is blamed."""
        with self._made(1) as executor:
            try:
                result: Result = executor.submit(_work, self.task, [thing]).result()[0]
                return result
            except BrokenProcessPool:
                return self.task.blame(thing)

    def _made(self, workers: int) -> ProcessPoolExecutor:
        # A fork server shares what it has imported, and starts from a process without threads.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["smallprint.pipeline.preloaded"])
        return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(self.settings,))


def _begin(settings: Settings) -> None:
    global _settings  # noqa: PLW0603 - a worker process serves one run
    _settings = settings
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the run in good order
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the run is killed: a worker waits for work for ever, whoever is there to give it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(task: Task[Any, Any], batch: Sequence[Any]) -> list[Any]:
    """Work on a batch; what is stuck where no alarm can reach it takes the process down, and is found out alone."""
    seconds = task.seconds(_settings)
    if not seconds:
        return [task.work(thing, _settings) for thing in batch]
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(PATIENCE * seconds, exit=True, file=nowhere)
        try:
            return [task.work(thing, _settings) for thing in batch]
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Interrupt what takes too long, where the process may set an alarm (its main thread)."""
    if not seconds:
        yield
        return
    try:
        before = signal.signal(signal.SIGALRM, _out_of_time)
    except ValueError:
        yield
        return
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _out_of_time(number: int, frame: FrameType | None) -> None:
    raise TimeoutError("it took too long")
