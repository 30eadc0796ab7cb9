"""Single policies, named by address or file, added to a library, with what became of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from smallprint.domains import normal_url
from smallprint.library import Library
from smallprint.library.packing import Packed
from smallprint.library.writing import save
from smallprint.pipeline.workers import clean_batch
from smallprint.processes.jobs import Jobs
from smallprint.records import FrontierItem, Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.sources.crawler import crawl_pages
from smallprint.sources.folders import read_page
from smallprint.sources.guard import Network
from smallprint.sources.streams import file_status


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one thing that was to be added: a policy's id, or the reason it was turned away."""

    what: str
    policy_id: str | None
    reason: str | None
    detail: str


class _Once:
    """A frontier of a single address, forgotten when it was visited."""

    def __init__(self, url: str) -> None:
        self.items = [FrontierItem(url, number=1)]

    def add(self, items: object) -> int:
        return 0

    def due(self, limit: int, *, after: int = 0) -> list[FrontierItem]:
        return [item for item in self.items if item.number > after]

    def done(self, url: str, outcome: str, *, etag: str | None = None, last_modified: str | None = None) -> None:
        return

    def retry(self, url: str, not_before: float) -> None:
        return


def add(library: Library, what: list[str], settings: Settings, network: Network | None = None) -> list[Outcome]:
    """Fetch or read each, clean it, and store what is a policy; an address or a file that is none stops it all."""
    for name in what:
        _check(name)
    with library.writing(), Jobs(1) as jobs:
        return [add_page(library, name, page_of(name, settings, network), settings, jobs) for name in what]


def add_page(library: Library, name: str, page: Page | Rejection, settings: Settings, jobs: Jobs) -> Outcome:
    """Clean a page that is at hand, and store it if it is a policy; `name` is what it was asked for by."""
    (result,) = clean_batch([page], settings, jobs)
    with library.transaction() as db:
        save(db, [result], rejected_bytes=settings.rejected_bytes)
    return _outcome(name, result)


def _check(name: str) -> None:
    if _is_address(name):
        normal_url(name)
    else:
        file_status(Path(name).expanduser())


def _is_address(name: str) -> bool:
    return name.startswith(("http://", "https://"))


def page_of(name: str, settings: Settings, network: Network | None = None) -> Page | Rejection:
    """Give the page at an address, or in a file."""
    if not _is_address(name):
        return read_page(Path(name).expanduser(), "added", max_bytes=settings.max_page_bytes)
    return fetch_page(name, settings, network)


def fetch_page(address: str, settings: Settings, network: Network | None = None) -> Page | Rejection:
    """Fetch one page, as politely as many are; BadAddress where it is no web address."""
    url = normal_url(address)
    for fetched in crawl_pages(_Once(url), settings, network=network):
        if fetched is not None and fetched.result is not None:
            return fetched.result
    return Rejection(url, Reason.NOT_FETCHED, "nothing came back", "added", "")


def _outcome(name: str, result: Packed | Rejection) -> Outcome:
    if isinstance(result, Rejection):
        return Outcome(name, None, str(result.reason), result.detail)
    return Outcome(name, result.policy_id, None, result.title)
