"""Batches of things worked on in order, in processes; only the thing that is too dear or kills its worker is blamed."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import FrameType
from typing import Any, Generic, TypeVar

from smallprint.errors import JobFailed, SmallprintError, TooSlow
from smallprint.processes.jobs import Jobs, Pending
from smallprint.processes.worker import Limits
from smallprint.settings import Settings

Thing = TypeVar("Thing")
Result = TypeVar("Result")
# Batches under way for each worker: enough to keep it busy, few enough that memory stays flat.
AHEAD = 4
# A batch may take this many times as long as a single thing: most things take a hundredth of their time.
PATIENCE = 2


@dataclass(frozen=True, slots=True)
class Task(Generic[Thing, Result]):
    """What is done with one thing, and what is said of one that ended its process. Functions of modules only.

    `seconds` is how long one may take, `memory` how many bytes a batch may; 0 for no limit.
    """

    work: Callable[[Thing, Settings], Result]
    blame: Callable[[Thing, SmallprintError], Result]
    seconds: Callable[[Settings], float]
    memory: Callable[[Settings], int]


def worker_count(settings: Settings) -> int:
    """Return how many processes work."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on every system
    return settings.workers or (len(allowed(0)) if allowed else os.cpu_count() or 1)


def pooled(
    batches: Iterable[Sequence[Thing]], task: Task[Thing, Result], settings: Settings, jobs: Jobs | None = None
) -> Generator[list[Result], None, None]:
    """Work on batches and yield the results in their order, in processes of `jobs` or in some of its own."""
    workers = worker_count(settings)
    ahead = AHEAD * workers if workers > 1 else 1
    with nullcontext(jobs) if jobs else Jobs(workers) as pool:
        waiting: deque[tuple[Sequence[Thing], Pending[list[Result]]]] = deque()
        for batch in batches:
            waiting.append((batch, _submitted(pool, task, batch, settings)))
            if len(waiting) >= ahead:
                yield _results(pool, task, *waiting.popleft(), settings)
        while waiting:
            yield _results(pool, task, *waiting.popleft(), settings)


def _submitted(
    jobs: Jobs, task: Task[Thing, Result], batch: Sequence[Thing], settings: Settings
) -> Pending[list[Result]]:
    limits = Limits(PATIENCE * task.seconds(settings), task.memory(settings))
    return jobs.submit(_work, task, batch, settings, limits=limits)


def _results(
    jobs: Jobs, task: Task[Thing, Result], batch: Sequence[Thing], pending: Pending[list[Result]], settings: Settings
) -> list[Result]:
    """Wait for a batch; of one that failed each thing is worked on by itself, so that only the guilty one is blamed."""
    try:
        return pending.result()
    except (TooSlow, JobFailed):
        return [_alone(jobs, task, thing, settings) for thing in batch]


def _alone(jobs: Jobs, task: Task[Thing, Result], thing: Thing, settings: Settings) -> Result:
    try:
        return _submitted(jobs, task, [thing], settings).result()[0]
    except (TooSlow, JobFailed) as error:
        return task.blame(thing, error)


def _work(task: Task[Any, Any], batch: Sequence[Any], settings: Settings) -> list[Any]:
    return [task.work(thing, settings) for thing in batch]


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what takes too long, where the process may set an alarm (its main thread)."""
    if not seconds:
        yield
        return
    try:
        before = signal.signal(signal.SIGALRM, _out_of_time)
    except ValueError:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _out_of_time(number: int, frame: FrameType | None) -> None:
    raise TimeoutError("it took too long")
