"""Jobs end when they are given up, stand in a bounded line, and are done once however often they are asked for."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from smallprint.errors import BadSource, JobFailed, TooBusy, TooLargeJob, TooSlow
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import Limits

sys.path.insert(0, str(Path(__file__).parent))  # where workers find it, too
import small_jobs as work

PATIENCE = 20.0  # until a test is given up; nothing is measured by it


@pytest.fixture
def jobs():
    with Jobs(1) as some:
        yield some


def until(condition):
    """Wait for something that must come."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.005)
    return found


def lines(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_job_is_done_in_another_process_which_is_used_again(jobs):
    assert jobs.submit(work.add, 1, 2).result() == 3
    first = jobs.submit(work.pid).result()
    assert first != os.getpid()
    assert jobs.submit(work.pid).result() == first
    assert jobs.pids() == [first]
    assert jobs.under_way() == 0


def test_an_event_loop_can_wait(jobs):
    async def both():
        return await asyncio.gather(jobs.submit(work.add, 1, 2).finished(), jobs.submit(work.add, 3, 4).finished())

    assert asyncio.run(both()) == [3, 7]


def test_errors_of_ours_come_back_as_they_are_and_others_without_their_words(jobs):
    with pytest.raises(BadSource, match="no such page"):
        jobs.submit(work.fail, "no such page").result()
    with pytest.raises(JobFailed) as failed:
        jobs.submit(work.fail, "").result()
    assert "ZeroDivisionError at small_jobs.py:" in str(failed.value)
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize("job", ["begin_and_wait", "loop_in_c"])
def test_a_job_that_takes_too_long_is_ended_and_its_process_replaced(jobs, tmp_path, job):
    begun = tmp_path / "begun"
    arguments = (begun, tmp_path / "never")[: 2 if job == "begin_and_wait" else 1]
    with pytest.raises(TooSlow, match=r"longer than 0\.5 seconds"):
        jobs.submit(getattr(work, job), *arguments, limits=Limits(seconds=0.5)).result()
    (pid,) = map(int, lines(begun)) if begun.exists() else (0,)
    assert not pid or is_gone(pid)
    assert jobs.submit(work.pid).result() != pid


def test_a_job_that_takes_too_much_memory_is_refused_it(jobs):
    limits = Limits(memory=100_000_000)
    assert jobs.submit(work.hog, 50, limits=limits).result() == 50_000_000
    with pytest.raises(TooLargeJob, match="more memory than the 100 MB"):
        jobs.submit(work.hog, 200, limits=limits).result()
    assert jobs.submit(work.hog, 200).result() == 200_000_000


def test_a_process_that_keeps_much_memory_is_replaced(jobs):
    limits = Limits(memory=100_000_000)
    first = jobs.submit(work.keep, 60, limits=limits).result()
    assert jobs.submit(work.keep, 60, limits=limits).result() == first
    assert jobs.submit(work.pid).result() != first
    assert is_gone(first)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV])
def test_a_process_that_dies_fails_its_own_job_alone(jobs, how):
    with pytest.raises(JobFailed, match=how.name):
        jobs.submit(work.die, how).result()
    assert jobs.submit(work.add, 1, 2).result() == 3


def test_the_line_is_bounded(tmp_path):
    go = tmp_path / "go"
    with Jobs(1, waiting=1) as jobs:
        running = jobs.submit(work.begin_and_wait, tmp_path / "begun", go)
        waiting = jobs.submit(work.add, 1, 2)
        with pytest.raises(TooBusy):
            jobs.submit(work.add, 1, 2)
        assert jobs.under_way() == 2
        waiting.cancel()  # which makes room
        other = jobs.submit(work.add, 3, 4)
        go.touch()
        assert (running.result(), other.result()) == ("done", 7)


def test_the_same_job_is_done_once_for_all_who_ask(jobs, tmp_path):
    begun, go = tmp_path / "begun", tmp_path / "go"
    asked = [jobs.submit(work.begin_and_wait, begun, go, key="the same") for _ in range(5)]
    asked[0].cancel()  # the others still wait
    go.touch()
    assert [one.result() for one in asked[1:]] == ["done"] * 4
    assert len(lines(begun)) == 1
    assert jobs.submit(work.begin_and_wait, begun, go, key="the same").result() == "done"
    assert len(lines(begun)) == 2  # what is done is not remembered


def test_a_job_that_nobody_waits_for_is_ended(jobs, tmp_path):
    begun = tmp_path / "begun"
    asked = [jobs.submit(work.begin_and_wait, begun, tmp_path / "never", key="the same") for _ in range(2)]
    (pid,) = map(int, until(lambda: lines(begun)))
    asked[0].cancel()
    asked[0].cancel()  # to let go twice is to let go once
    assert not is_gone(pid)
    asked[1].cancel()
    until(lambda: is_gone(pid))
    assert jobs.submit(work.add, 1, 2).result() == 3


def test_a_task_that_is_cancelled_lets_go(jobs, tmp_path):
    begun = tmp_path / "begun"

    async def given_up():
        task = asyncio.ensure_future(jobs.submit(work.begin_and_wait, begun, tmp_path / "never").finished())
        while not lines(begun):  # the file is there before its words are
            await asyncio.sleep(0.005)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(given_up())
    (pid,) = map(int, lines(begun))
    until(lambda: is_gone(pid))


def test_closing_ends_what_is_being_done(tmp_path):
    begun = tmp_path / "begun"
    jobs = Jobs(1)
    running = jobs.submit(work.begin_and_wait, begun, tmp_path / "never")
    waiting = jobs.submit(work.add, 1, 2)
    (pid,) = map(int, until(lambda: lines(begun)))
    jobs.close()
    assert is_gone(pid)
    for one in (running, waiting):
        with pytest.raises(TooBusy, match="stopped before it was done"):
            one.result()
    with pytest.raises(TooBusy):
        jobs.submit(work.add, 1, 2)


def test_jobs_are_taken_again_after_a_second_start():
    jobs = Jobs(1)
    assert jobs.submit(work.add, 1, 2).result() == 3
    jobs.close()
    with pytest.raises(TooBusy):
        jobs.submit(work.add, 1, 2)
    jobs.open()
    assert jobs.submit(work.add, 2, 2).result() == 4
    jobs.close()
    assert jobs.pids() == []


def test_a_worker_has_nothing_of_its_parents_open(jobs, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener, (tmp_path / "library.db").open("w"):
        held = jobs.submit(work.descriptors).result()
        mine = str(Path(f"/proc/self/fd/{listener.fileno()}").readlink())
    assert held
    assert mine not in held
    assert not [one for one in held if "library.db" in one]
    assert jobs.submit(work.interrupts).result() is False


def test_descriptors_do_not_grow_with_processes(jobs):
    def replaced():
        with pytest.raises(JobFailed):
            jobs.submit(work.die, signal.SIGKILL).result()

    replaced()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        replaced()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_threads_share_the_processes(tmp_path):
    results = []
    with Jobs(2) as jobs:
        threads = [
            threading.Thread(target=lambda n=n: results.append(jobs.submit(work.add, n, n).result())) for n in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(jobs.pids()) <= 2
    assert sorted(results) == [2 * n for n in range(20)]


ORPHAN = """
import sys
from pathlib import Path
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import Limits
sys.path.insert(0, sys.argv[1])
import small_jobs as work
if __name__ == "__main__":
    jobs = Jobs(1, preload=())
    jobs.submit(work.loop_in_c if sys.argv[3] == "c" else work.begin_and_wait, Path(sys.argv[2]),
                *([] if sys.argv[3] == "c" else [Path("/never")]), limits=Limits(seconds=1)).result()
"""


@pytest.mark.parametrize("how", ["c", "python"])
def test_workers_end_with_a_parent_that_is_killed(tmp_path, how):
    begun, script = tmp_path / "begun", tmp_path / "orphan.py"
    script.write_text(ORPHAN)
    limit = "limits=Limits(seconds=1)"
    assert limit in ORPHAN
    script.write_text(ORPHAN.replace(limit, limit if how == "c" else "limits=Limits(seconds=600)"))
    parent = subprocess.Popen([sys.executable, script, Path(work.__file__).parent, begun, how], start_new_session=True)
    (pid,) = map(int, until(lambda: lines(begun)))
    parent.kill()
    parent.wait()
    until(lambda: is_gone(pid))
