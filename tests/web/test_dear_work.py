"""What is dear is ended when it is given up, is done once for all who ask, and keeps nobody else waiting."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from smallprint.errors import ClientGone
from smallprint.processes.jobs import Jobs, finished
from smallprint.server import fetching
from smallprint.settings import Settings
from smallprint.view.glance import pasted
from smallprint.web.app import PRELOAD
from worker_stand_ins import ENDLESS, NOTES, watched_glance

PROSE = "We collect your name and share it with our partners. You can ask us to delete your data at any time. " * 20


@pytest.fixture
def begun(monkeypatch, tmp_path):
    """Let texts be read until a file "go" is there, or for ever; give the file in which each reading is noted."""
    monkeypatch.setattr(fetching, "glance", watched_glance)
    path = tmp_path / "begun"
    path.touch()
    return path


@pytest.fixture
def text(tmp_path):
    """Give a text that is read until a file "go" is there."""
    return f"{PROSE} {NOTES}{tmp_path}"


@pytest.fixture
def endless_text(tmp_path):
    """Give a text that is read for ever."""
    return f"{PROSE} {ENDLESS} {NOTES}{tmp_path}"


@pytest.fixture
def go(tmp_path):
    """Give a function that lets readings end."""
    return (tmp_path / "go").touch


@pytest.fixture
def site(serve, annotated_sample):
    """Give a function that serves the sample with processes of its own, and gives them and a client."""
    with_jobs: list[Jobs] = []

    def started(waiting=8, **settings):
        jobs = Jobs(1, waiting=waiting, preload=PRELOAD)
        with_jobs.append(jobs)
        return jobs, serve(annotated_sample, jobs=jobs, serve_rate=0, **settings)

    yield started
    for jobs in with_jobs:
        jobs.close()


def in_thread(work: Callable[[], object]) -> tuple[threading.Thread, list]:
    results: list = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    return thread, results


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


def count(path: Path) -> int:
    return len(path.read_text().split())


def test_a_text_that_is_read_for_ever_keeps_no_cheap_request_waiting(site, begun, bank_path, endless_text):
    jobs, client = site(serve_seconds=0)
    pasting, _ = in_thread(lambda: client.post("/read", data={"given": endless_text}))
    until(lambda: count(begun))
    for cheap in ("/", "/about", "/search?q=location", bank_path):
        assert client.get(cheap).status_code == 200
    assert pasting.is_alive()
    jobs.close()
    pasting.join()


def test_what_is_given_up_is_ended(site, begun, go, text, endless_text):
    jobs, client = site(serve_seconds=5)
    go()
    assert client.post("/read", data={"given": endless_text}).status_code == 503
    until(lambda: jobs.under_way() == 0)
    assert jobs.pids() == []
    # On a busy machine a new process may need more than five seconds to begin; it is given up, and asked again.
    until(lambda: client.post("/read", data={"given": text}).status_code == 303)


def test_a_text_that_many_paste_at_once_is_read_once(site, begun, go, text):
    jobs, client = site(serve_seconds=0)
    same = [in_thread(lambda: client.post("/read", data={"given": text}).status_code) for _ in range(6)]
    until(lambda: [job.waiters for job in jobs._jobs] == [6])
    go()
    for thread, _ in same:
        thread.join()
    assert [results for _, results in same] == [[303]] * 6
    assert count(begun) == 1


def test_a_full_line_is_told_at_once(site, begun, text, endless_text):
    jobs, client = site(serve_seconds=0, waiting=0)
    pasting, _ = in_thread(lambda: client.post("/read", data={"given": endless_text}))
    until(lambda: count(begun))
    answer = client.post("/read", data={"given": text})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "The server is busy" in answer.text
    jobs.close()
    pasting.join()


def test_who_leaves_ends_what_nobody_else_waits_for(begun, endless_text):
    """A client that closes its connection, as an ASGI server tells it."""

    async def left() -> dict[str, str]:
        while not count(begun):
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def asked(jobs: Jobs) -> None:
        with pytest.raises(ClientGone):
            await finished(jobs.submit(fetching.glance, pasted(endless_text), Settings()), left)

    with Jobs(1) as jobs:
        asyncio.run(asked(jobs))
        until(lambda: not jobs.pids())
