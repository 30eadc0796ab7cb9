"""What pages fetch for whoever asks: one public page at a time, within the time a page may take, if it is allowed."""

from __future__ import annotations

from dataclasses import replace

from starlette.datastructures import State

from smallprint import limits
from smallprint.errors import BadAddress
from smallprint.pipeline.adding import Outcome
from smallprint.pipeline.keeping import keep
from smallprint.settings import Settings
from smallprint.shelf.assistant import Fetch
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
    )


def fetch_of(state: State) -> Fetch | None:
    """Give the assistant of a site its way to fetch and keep a policy; none where the settings do not allow it."""
    settings: Settings = state.settings
    if not settings.serve_fetch:
        return None

    def fetched(given: str) -> Outcome:
        address = written(given)
        return keep(address, careful(settings), state.engines, discreet(state.network), state.recent.get(address))

    return fetched
