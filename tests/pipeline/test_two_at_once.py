from __future__ import annotations

import signal
import time

import pytest

from smallprint.library import Library
from smallprint.library.dump import logical_dump

from .making import position, rows, started, write_jsonl

pytestmark = pytest.mark.slow


def busy(path) -> str:
    message = f"another command is writing to {path}; run this again when it has ended (reading works meanwhile)"
    return f"smallprint: {message}\n"


def dump_of(path) -> list[str]:
    with Library(path) as library:
        assert library.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return list(logical_dump(library))


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    one = write_jsonl(folder / "one.jsonl.zst", rows(120))
    return one, write_jsonl(folder / "other.jsonl.zst", rows(40, start=120))


@pytest.fixture(scope="module")
def one_after_the_other(sources):
    path = sources[0].with_name("one-after-the-other.db")
    run = started("ingest", *reversed(sources), "--library", path, "--workers", "1")
    assert run.communicate(timeout=60)[1] == ""
    return dump_of(path)


def test_the_second_leaves_with_one_line_and_may_come_again(sources, one_after_the_other, tmp_path):
    path = tmp_path / "library.db"
    first = started("ingest", sources[0], "--library", path, "--workers", "1")
    while position(path)[0] == 0:
        assert first.poll() is None
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)  # so that it is at work however fast it is
    second = started("ingest", sources[1], "--library", path, "--workers", "1")
    assert second.communicate(timeout=60) == ("", busy(path))
    assert second.returncode == 1
    first.send_signal(signal.SIGCONT)
    assert first.communicate(timeout=60)[1] == ""
    assert first.returncode == 0
    again = started("ingest", sources[1], "--library", path, "--workers", "1")
    assert again.communicate(timeout=60)[1] == ""
    assert again.returncode == 0
    assert dump_of(path) == one_after_the_other


def test_of_two_that_make_a_library_one_works(sources, tmp_path):
    path = tmp_path / "library.db"
    runs = [started("ingest", sources[0], "--library", path, "--workers", "1") for _ in range(2)]
    said = [run.communicate(timeout=60) for run in runs]
    codes = [run.returncode for run in runs]
    assert sorted(codes) == [0, 1]
    assert said[codes.index(1)] == ("", busy(path))
    assert said[codes.index(0)][1] == ""
    with Library(path) as library:
        assert library.db.execute("SELECT position, finished FROM ingests").fetchall()[0][:] == (120, 1)


def test_reading_works_while_another_writes(sources, tmp_path):
    path = tmp_path / "library.db"
    writer = started("ingest", sources[0], "--library", path, "--workers", "1")
    while position(path)[0] == 0:
        assert writer.poll() is None
        time.sleep(0.01)
    reader = started("status", "--library", path, "--json")
    assert reader.communicate(timeout=60)[1] == ""
    assert reader.returncode == 0
    assert writer.communicate(timeout=60)[1] == ""
