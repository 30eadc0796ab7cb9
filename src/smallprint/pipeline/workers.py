"""Pages cleaned in order, here or in a pool of processes; a page that kills its worker is turned away, not the run."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from smallprint.clean.cleaning import clean, guarded
from smallprint.library.packing import Packed, pack
from smallprint.records import Page, Reason, Rejection
from smallprint.settings import Settings

Cleaned = Packed | Rejection
Batch = Sequence[Page | Rejection]
# Batches under way for each worker: enough to keep it busy, few enough that memory stays flat.
AHEAD = 4
# A batch may take so many times what a single page may.
PATIENCE = 2
_settings = Settings()


def worker_count(settings: Settings) -> int:
    """Say how many processes clean pages."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on every system
    return settings.workers or (len(allowed(0)) if allowed else os.cpu_count() or 1)


def cleaned(batches: Iterable[Batch], settings: Settings) -> Generator[list[Cleaned], None, None]:
    """Clean batches of pages, and give the results in the order of the batches."""
    workers = worker_count(settings)
    if workers == 1:
        for batch in batches:
            yield clean_batch(batch, settings)
        return
    with _Pool(workers, settings) as pool:
        waiting: deque[tuple[Batch, Future[list[Cleaned]]]] = deque()
        for batch in batches:
            waiting.append((batch, pool.submit(batch)))
            if len(waiting) >= AHEAD * workers:
                yield pool.result(*waiting.popleft())
        while waiting:
            yield pool.result(*waiting.popleft())


def clean_batch(batch: Batch, settings: Settings) -> list[Cleaned]:
    """Clean the pages of a batch one by one; rejections pass through."""
    return [item if isinstance(item, Rejection) else _clean_page(item, settings) for item in batch]


def _clean_page(page: Page, settings: Settings) -> Cleaned:
    with _time_limit(settings.page_seconds):
        result = guarded(lambda: clean(page, settings), page)
    return result if isinstance(result, Rejection) else pack(result)


class _Pool:
    """A pool that is made anew when a page takes a worker down with it."""

    def __init__(self, workers: int, settings: Settings) -> None:
        self.workers = workers
        self.settings = settings
        self.executor = self._made(workers)

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.executor.shutdown(wait=False, cancel_futures=True)

    def submit(self, batch: Batch) -> Future[list[Cleaned]]:
        try:
            return self.executor.submit(_work, batch)
        except BrokenProcessPool:
            self.executor = self._made(self.workers)
            return self.executor.submit(_work, batch)

    def result(self, batch: Batch, future: Future[list[Cleaned]]) -> list[Cleaned]:
        try:
            return future.result()
        except BrokenProcessPool:
            return [self._alone(item) for item in batch]

    def _alone(self, item: Page | Rejection) -> Cleaned:
        """Clean one page in a process of its own, so that only the page that kills it is blamed."""
        if isinstance(item, Rejection):
            return item
        with self._made(1) as executor:
            try:
                return executor.submit(_work, [item]).result()[0]
            except BrokenProcessPool:
                detail = "the page made the cleaner crash"
                return Rejection(item.url, Reason.UNREADABLE, detail, item.source, item.fetched_at)

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


def _work(batch: Batch) -> list[Cleaned]:
    """Clean a batch; a page stuck where no alarm can reach it takes the process down, and is found out when alone."""
    if not _settings.page_seconds:
        return clean_batch(batch, _settings)
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(PATIENCE * _settings.page_seconds, exit=True, file=nowhere)
        try:
            return clean_batch(batch, _settings)
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
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
