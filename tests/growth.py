"""Tell linear work from quadratic, by ratios of CPU within one run that a busy machine does not disturb."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

ROUNDS = 12


def cpu_seconds(work: Callable[..., object], *args: object) -> float:
    """Return the CPU that this thread spends on the work; the collector, which walks what other tests left, is off."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        begun = time.thread_time()
        work(*args)
        return time.thread_time() - begun
    finally:
        if was_on:
            gc.enable()


def grows_linearly(step: Callable[[str], object], make: Callable[[int], str], largest: int) -> bool:
    """Return whether four times the text takes about four times as long; what is quadratic takes sixteen times.

    A neighbour on the machine may slow down a measurement, but not each of so many in the same direction: the two
    lengths are compared round by round, since what slows a round slows both, and as the quickest of all rounds.
    """
    step(make(100))
    for size in (largest // 16, largest // 4, largest):  # what is quadratic is found out while it is still quick
        short, long = make(size // 4), make(size)
        quickest_short = quickest_long = float("inf")
        for _ in range(ROUNDS):
            seconds_short, seconds_long = cpu_seconds(step, short), cpu_seconds(step, long)
            quickest_short, quickest_long = min(quickest_short, seconds_short), min(quickest_long, seconds_long)
            # The constant drowns the noise of what takes no time.
            if seconds_long <= 8 * seconds_short + 0.03 or quickest_long <= 8 * quickest_short + 0.03:
                break
        else:
            return False
    return True
