from __future__ import annotations

import time

import pytest

from smallprint.errors import OutOfTime
from smallprint.pipeline.workers import time_limit


def test_what_takes_too_long_is_interrupted():
    with pytest.raises(OutOfTime), time_limit(0.05):
        time.sleep(60)


def test_who_catches_the_errors_of_files_does_not_catch_the_interruption():
    """A model that was being loaded when the time was up was said to be broken, and the run ended."""

    def load() -> None:
        try:
            time.sleep(60)
        except (OSError, ValueError):
            pytest.fail("the interruption was taken for a file that cannot be read")

    with pytest.raises(OutOfTime), time_limit(0.05):
        load()


def test_what_is_done_in_time_is_not_interrupted_afterwards():
    with time_limit(0.2):
        pass
    time.sleep(0.3)
