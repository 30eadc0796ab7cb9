"""A few processes for many who wait: jobs stand in a line of bounded length, and one nobody waits for is ended."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Hashable, MutableMapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from smallprint.errors import ClientGone, TooBusy
from smallprint.processes.worker import UNLIMITED, Limits, Worker

Result = TypeVar("Result")
# What an ASGI server calls `receive`.
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
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
            return result
        finally:
            self.cancel()

    async def finished(self) -> Result:
        """Wait for the result in an event loop; a task that is cancelled lets go of the job."""
        try:
            result: Result = await asyncio.shield(asyncio.wrap_future(self._job.future))
            return result
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Let go of the job; it is ended if nobody else waits for it."""
        let_go, self._let_go = self._let_go, None
        if let_go is not None:
            let_go(self._job)


async def finished(pending: Pending[Result], receive: Receive) -> Result:
    """Wait for a job's result; ClientGone when the client of a request, whose body must have been read, leaves."""
    waiting = asyncio.ensure_future(pending.finished())
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({waiting, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            return waiting.result()
        raise ClientGone("nobody is waiting for the answer any more")
    finally:
        waiting.cancel()
        leaving.cancel()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Jobs:
    """So many processes, started when first needed, for any threads; `waiting` jobs may stand in line, None for any."""

    def __init__(
        self, processes: int, *, waiting: int | None = None, preload: Sequence[str] = PRELOAD, niceness: int = 0
    ) -> None:
        self._most = None if waiting is None else processes + waiting
        self._preload, self._niceness = preload, niceness
        self._processes = processes
        self._lock = threading.Lock()
        self._jobs: set[_Job] = set()
        self._by_key: dict[Hashable, _Job] = {}
        self._idle: list[Worker] = []
        self._is_closed = True
        self.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def under_way(self) -> int:
        """Count the jobs that are being done or stand in line."""
        return len(self._jobs)

    def submit(
        self, function: Callable[..., Result], *arguments: Any, limits: Limits = UNLIMITED, key: Hashable | None = None
    ) -> Pending[Result]:
        """Call a function of a module in a process, once for all jobs of a `key`; TooBusy where the line is full."""
        with self._lock:
            job = self._by_key.get(key) if key is not None else None
            if job is not None:
                job.waiters += 1
                return Pending(job, self._let_go)
            if self._is_closed or (self._most is not None and len(self._jobs) >= self._most):
                raise TooBusy("the server is busy; try again shortly")
            job = _Job(function, arguments, limits, key)
            self._jobs.add(job)
            if key is not None:
                self._by_key[key] = job
        self._threads.submit(self._do, job)
        return Pending(job, self._let_go)

    def warm_up(self) -> None:
        """Start a process now, so that the first job need not wait for it."""
        self.submit(os.getpid)

    def pids(self) -> list[int]:
        """List the ids of the processes there are."""
        with self._lock:
            busy = [job.worker for job in self._jobs if job.worker is not None]
            return sorted(worker.pid for worker in (*self._idle, *busy))

    def open(self) -> None:
        """Take jobs again after `close`, as a server does that is started a second time in one process."""
        with self._lock:
            if self._is_closed:
                self._threads = ThreadPoolExecutor(self._processes, thread_name_prefix="smallprint-jobs")
                self._is_closed = False

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
        with self._lock:  # off the list before anybody hears of its end
            self._forget(job)
            job.worker = None
            if worker is not None and worker.is_usable and not self._is_closed:
                self._idle.append(worker)
                worker = None
        if worker is not None:
            worker.close()
        with self._lock:
            if job.future.done():  # given up meanwhile
                return
            if error is None:
                job.future.set_result(result)
            else:
                job.future.set_exception(error)

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
            job.future.set_exception(TooBusy("this was stopped before it was done; try again shortly"))

    def _forget(self, job: _Job) -> None:
        self._jobs.discard(job)
        if job.key is not None and self._by_key.get(job.key) is job:
            del self._by_key[job.key]
