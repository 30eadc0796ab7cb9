"""What is read for whoever asks: pasted texts, and a few public pages at once, within the time a page may take."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial

import anyio
from starlette.datastructures import State
from starlette.requests import Request

from smallprint import limits
from smallprint.errors import BadAddress, TooBusy, TooLargeJob, TooSlow
from smallprint.processes.jobs import Jobs, finished
from smallprint.processes.worker import Limits
from smallprint.records import Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.shelf.records import Glance, Outcome, fetch_page, glance
from smallprint.sources.guard import discreet, safe_url

# Of the time a page may take: robots.txt and the page itself each get a part, and reading needs the rest.
PART = 0.3
FETCHING = ("crawl_timeout", "crawl_page_seconds", "crawl_max_wait")
READING = ("page_seconds", "annotate_seconds")


def written(address: str) -> str:
    """Return an address in full; BadAddress where nothing would be fetched from it."""
    if len(address) > limits.MAX_ADDRESS:
        raise BadAddress(f"an address may have {limits.MAX_ADDRESS:,} characters; this one has {len(address):,}")
    return str(safe_url(address if "://" in address else f"https://{address}"))


def careful(settings: Settings) -> Settings:
    """Settle for one try within the time that a page may take, and never visit a private address for a stranger."""
    usual = replace(
        settings, candidates="any", crawl_private=False, crawl_retries=0,
        page_memory=settings.serve_memory, annotate_memory=settings.serve_memory,
    )  # fmt: skip
    if not settings.serve_seconds:
        return usual
    limit = PART * settings.serve_seconds
    fetching = {name: min(getattr(settings, name), limit) for name in FETCHING}
    reading = {name: max(1, min(getattr(settings, name), int(limit))) for name in READING}
    return replace(usual, **fetching, **reading)


class Fetcher:
    """Fetches pages, and keeps their policies: so many at once, since each takes a thread that other pages need."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._settings = careful(state.settings)
        self._room = anyio.CapacityLimiter(limits.MAX_FETCHES)

    async def page(self, address: str) -> Page | Rejection:
        """Fetch a page; BadAddress where it may not be."""
        self._check()
        return await anyio.to_thread.run_sync(
            fetch_page, address, self._settings, discreet(self._state.network), limiter=self._room
        )

    async def keep(self, address: str) -> Outcome:
        """Add the policy at an address to the library; a page that was just fetched is not fetched again."""
        self._check()
        state, address = self._state, written(address)
        page = state.recent.get(address)
        shelf = state.shelf.with_settings(self._settings)
        keep = partial(shelf.keep, address, page=page, network=discreet(state.network), jobs=state.jobs)
        return await anyio.to_thread.run_sync(keep, limiter=self._room)

    def _check(self) -> None:
        if not self._room.available_tokens:
            raise TooBusy("too many pages are being fetched right now; try again shortly")


class Glances:
    """Reads pages as jobs, each within the time and memory that a server gives to one.

    A text that is pasted twice at once is read once, and a reading that nobody waits for is ended.
    """

    def __init__(self, jobs: Jobs, settings: Settings, allowed: Limits) -> None:
        self._jobs = jobs
        self._settings = settings
        self._limits = allowed

    async def read(self, request: Request, page: Page) -> Glance | Rejection:
        """Read a page; one that takes too much is turned away, and says so."""
        key = ("glance", page.url, hashlib.sha256(page.content).digest())
        try:
            pending = self._jobs.submit(glance, page, self._settings, limits=self._limits, key=key)
            return await finished(pending, request.receive)
        except TooLargeJob:
            detail = "reading it takes more memory than this server allows for one text"
        except TooSlow:
            detail = "reading it takes longer than this server allows for one text"
        return Rejection(page.url, Reason.TOO_LARGE, detail, page.source, page.fetched_at)
