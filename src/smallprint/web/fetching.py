"""What pages fetch for whoever asks: a few public pages at once, within the time a page may take, if it is allowed."""

from __future__ import annotations

from dataclasses import replace

import anyio
from starlette.datastructures import State

from smallprint import limits
from smallprint.errors import BadAddress, TooBusy
from smallprint.pipeline.adding import Outcome, fetch_page
from smallprint.pipeline.keeping import keep
from smallprint.records import Page, Rejection
from smallprint.settings import Settings
from smallprint.sources.guard import discreet, safe_url

# Of the time a page may take: robots.txt and the page itself each get a part, and reading needs the rest.
PART = 0.3


def written(given: str) -> str:
    """Give an address in full; BadAddress where nothing would be fetched from it."""
    if len(given) > limits.MAX_ADDRESS:
        raise BadAddress(f"an address may have {limits.MAX_ADDRESS:,} characters; this one has {len(given):,}")
    return str(safe_url(given if "://" in given else f"https://{given}"))


def careful(settings: Settings) -> Settings:
    """Settle for one try within the time that a page may take, and never visit a private address for a stranger."""
    limit = PART * settings.serve_seconds
    return replace(
        settings,
        candidates="any",
        crawl_private=False,
        crawl_retries=0,
        crawl_timeout=min(settings.crawl_timeout, limit) if limit else settings.crawl_timeout,
        crawl_page_seconds=min(settings.crawl_page_seconds, limit) if limit else settings.crawl_page_seconds,
        crawl_max_wait=min(settings.crawl_max_wait, limit) if limit else settings.crawl_max_wait,
        page_seconds=max(1, min(settings.page_seconds, int(limit))) if limit else settings.page_seconds,
        page_memory=settings.serve_memory,
        annotate_seconds=max(1, min(settings.annotate_seconds, int(limit))) if limit else settings.annotate_seconds,
        annotate_memory=settings.serve_memory,
    )


class Fetcher:
    """Fetches pages, and keeps their policies. Who comes when enough are being fetched is told to come back.

    Each waits for another site in a thread, of which pages that cost little need some as well.
    """

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
        return await anyio.to_thread.run_sync(
            keep, address, self._settings, state.engines, discreet(state.network), page, state.jobs, limiter=self._room
        )

    def _check(self) -> None:
        if not self._room.available_tokens:
            raise TooBusy("too many pages are being fetched at the moment; try again in a little while")
