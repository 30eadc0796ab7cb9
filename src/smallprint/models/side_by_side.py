"""Texts worked on side by side: a model's session lets other threads run while it computes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
MOST_THREADS = 4


def each(make: Callable[[Given], Made], of: Sequence[Given]) -> list[Made]:
    """Make something of each, in order, on all cores up to four."""
    return [make(one) for one in of] if len(of) < 2 else list(_pool(os.getpid()).map(make, of))


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """Give the threads of this process: a forked one has none of its parent's."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ThreadPoolExecutor(min(MOST_THREADS, cores), thread_name_prefix="smallprint-model")
