"""A few processes for many who wait: jobs stand in a line of bounded length, and the same job asked twice is done once.

Whoever no longer waits lets go of its job, and a job that nobody waits for is ended: given up means ended.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from smallprint.errors import TooBusy
from smallprint.processes.worker import UNLIMITED, Limits, Worker

Result = TypeVar("Result")
# What cleaning and annotating take, imported once in the process that forks the workers.
PRELOAD = ("smallprint.pipeline.preloaded",)


@dataclass(slots=True, eq=False)
class _Job:
    function: Callable[..., Any]
    arguments: Sequence[Any]
    limits: Limits
    key: Hashable | None
    waiters: int = 1
    worker: Worker | None = None
    future: Future[Any] = field(default_factory=Future)


class Pending(Generic[Result]):
    """A job that somebody waits for."""

    def __init__(self, job: _Job, let_go: Callable[[_Job], None]) -> None:
        self._job = job
        self._let_go: Callable[[_Job], None] | None = let_go

    def result(self) -> Result:
        """Wait for the result; raise what the job raises."""
        try:
            result: Result = self._job.future.result()
        except BaseException:
            self.cancel()
            raise
        return result

    async def finished(self) -> Result:
        """Wait for the result in an event loop; a task that is cancelled lets go of the job."""
        try:
            result: Result = await asyncio.shield(asyncio.wrap_future(self._job.future))
        except BaseException:
            self.cancel()
            raise
        return result

    def cancel(self) -> None:
        """Let go of the job; it is ended if nobody else waits for it."""
        let_go, self._let_go = self._let_go, None
        if let_go is not None:
            let_go(self._job)


class Jobs:
    """So many processes, each started when it is first needed; any number of threads may share them.

    `waiting` is how many jobs may stand in line behind those that are being done, None for any number.
    """

    def __init__(
        self, processes: int, *, waiting: int | None = None, preload: Sequence[str] = PRELOAD, niceness: int = 0
    ) -> None:
        self._most = None if waiting is None else processes + waiting
        self._preload, self._niceness = preload, niceness
        self._processes = processes
        self._threads = self._new_threads()
        self._lock = threading.Lock()
        self._jobs: set[_Job] = set()
        self._by_key: dict[Hashable, _Job] = {}
        self._idle: list[Worker] = []
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def under_way(self) -> int:
        """Count the jobs that are being done or stand in line."""
        return len(self._jobs)

    def submit(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        limits: Limits = UNLIMITED,
        key: Hashable | None = None,
    ) -> Pending[Result]:
        """Have a function of a module called with these arguments; TooBusy at once where the line is full.

        Jobs of the same `key` are the same job: who asks for one that is under way waits for it with the others.
        """
        with self._lock:
            job = self._by_key.get(key) if key is not None else None
            if job is not None:
                job.waiters += 1
                return Pending(job, self._let_go)
            if self._is_closed or (self._most is not None and len(self._jobs) >= self._most):
                raise TooBusy("too much is being read at the moment; try again in a little while")
            job = _Job(function, arguments, limits, key)
            self._jobs.add(job)
            if key is not None:
                self._by_key[key] = job
        self._threads.submit(self._do, job)
        return Pending(job, self._let_go)

    def warm_up(self) -> None:
        """Start a process now, so that the first job need not wait for it."""
        self.submit(_nothing)

    def pids(self) -> list[int]:
        """List the ids of the processes there are."""
        with self._lock:
            busy = [job.worker for job in self._jobs if job.worker is not None]
            return sorted(worker.pid for worker in (*self._idle, *busy))

    def open(self) -> None:
        """Take jobs again after `close`, as a server does that is started a second time in one process."""
        with self._lock:
            if self._is_closed:
                self._threads, self._is_closed = self._new_threads(), False

    def close(self) -> None:
        """End all jobs and processes."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
            for job in list(self._jobs):
                self._end(job)
        for worker in idle:
            worker.close()
        self._threads.shutdown()

    def _new_threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._processes, thread_name_prefix="smallprint-jobs")

    def _do(self, job: _Job) -> None:
        with self._lock:
            if job not in self._jobs:  # nobody waits for it any more
                return
            worker = self._idle.pop() if self._idle else None
        try:
            worker = worker or Worker(self._preload, self._niceness)
            with self._lock:
                job.worker = worker
                is_wanted = job in self._jobs
            result, error = worker.run(job.function, job.arguments, job.limits) if is_wanted else None, None
        except BaseException as raised:  # noqa: BLE001 - handed to those who wait
            result, error = None, raised
        self._done(job, worker)
        with self._lock:
            if job.future.done():  # given up meanwhile
                return
            if error is None:
                job.future.set_result(result)
            else:
                job.future.set_exception(error)

    def _done(self, job: _Job, worker: Worker | None) -> None:
        """Take a job off the list before anybody hears of its end; keep its worker, if it can do another."""
        with self._lock:
            self._forget(job)
            job.worker = None
            is_kept = worker is not None and worker.is_usable and not self._is_closed
            if is_kept and worker is not None:
                self._idle.append(worker)
        if worker is not None and not is_kept:
            worker.close()

    def _let_go(self, job: _Job) -> None:
        with self._lock:
            job.waiters -= 1
            if not job.waiters and job in self._jobs:
                self._end(job)

    def _end(self, job: _Job) -> None:
        self._forget(job)
        if job.worker is not None:
            job.worker.kill()
        if not job.future.done():
            job.future.set_exception(TooBusy("this was given up before it was done; try again in a little while"))

    def _forget(self, job: _Job) -> None:
        self._jobs.discard(job)
        if job.key is not None and self._by_key.get(job.key) is job:
            del self._by_key[job.key]


def _nothing() -> None:
    """Do nothing, in a process that is there then."""
