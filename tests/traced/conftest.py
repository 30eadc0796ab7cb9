"""Leave out the tests that need strace unless they are asked for: `make test-traced`."""

from __future__ import annotations

NEED_STRACE = {"test_strace.py", "test_traces.py", "test_namespace.py"}


def pytest_ignore_collect(collection_path, config):
    is_left_out = collection_path.name in NEED_STRACE and "traced" not in config.getoption("markexpr")
    return True if is_left_out else None
