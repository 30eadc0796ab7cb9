from __future__ import annotations

import threading

import anyio
import pytest
from starlette.datastructures import State

from smallprint import limits
from smallprint.errors import TooBusy
from smallprint.records import Reason, Rejection
from smallprint.server import fetching
from smallprint.server.fetching import Fetcher
from smallprint.settings import Settings


def test_so_many_pages_are_fetched_at_once_and_one_more_is_told_to_come_back(monkeypatch):
    go, nothing = threading.Event(), Rejection("https://a.example/", Reason.NOT_FETCHED, "", "added", "")
    begun = threading.Semaphore(0)

    def wait_for_go(*_):
        begun.release()
        go.wait()
        return nothing

    monkeypatch.setattr(fetching, "fetch_page", wait_for_go)
    pages = []

    async def fetch_many():
        fetcher = Fetcher(State({"settings": Settings(), "network": None}))

        async def fetch_one():
            pages.append(await fetcher.page("https://a.example/"))

        async with anyio.create_task_group() as tasks:
            for _ in range(limits.MAX_FETCHES):
                tasks.start_soon(fetch_one)
            for _ in range(limits.MAX_FETCHES):
                await anyio.to_thread.run_sync(begun.acquire)
            with pytest.raises(TooBusy, match="too many pages are being fetched"):
                await fetcher.page("https://a.example/")
            go.set()

    anyio.run(fetch_many)
    assert pages == [nothing] * limits.MAX_FETCHES
