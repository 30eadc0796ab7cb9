"""Work that may outlast the request that began it: whoever asks again gets what was made in the meantime."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

# Answers are made by the processor alone: more at once would each be slower.
WORKERS = 2
# What nobody came back for is forgotten, the oldest first.
MOST_KEPT = 64

_T = TypeVar("_T")


class Works(Generic[_T]):
    """Pieces of work by a key, such as a session's id; a new one takes the place of the one before."""

    def __init__(self, workers: int = WORKERS, most: int = MOST_KEPT) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="smallprint-voice")
        self._most = most
        self._lock = threading.Lock()
        self._begun: OrderedDict[str, Future[_T]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._begun)

    def begin(self, key: str, work: Callable[[], _T]) -> None:
        """Begin a piece of work; what is begun is finished, but what waits for its turn may be dropped."""
        future = self._executor.submit(work)
        with self._lock:
            dropped = [self._begun.pop(key, None)]
            self._begun[key] = future
            while len(self._begun) > self._most:
                dropped.append(self._begun.popitem(last=False)[1])
        for one in dropped:
            if one is not None:
                one.cancel()

    def has(self, key: str) -> bool:
        """Tell whether something was begun that nobody has taken yet."""
        with self._lock:
            return key in self._begun

    def take(self, key: str, seconds: float) -> _T | None:
        """Wait for what was begun; None if it takes longer, and it can be waited for again. Its errors are raised."""
        with self._lock:
            future = self._begun[key]
        try:
            made = future.result(timeout=max(0.0, seconds))
        except TimeoutError:
            if not future.done():
                return None
            self._forget(key, future)
            raise
        except BaseException:
            self._forget(key, future)
            raise
        self._forget(key, future)
        return made

    def close(self) -> None:
        """Let go of everything; what is being made is not waited for."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _forget(self, key: str, future: Future[_T]) -> None:
        with self._lock:
            if self._begun.get(key) is future:
                del self._begun[key]
