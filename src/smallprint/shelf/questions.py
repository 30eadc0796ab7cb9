"""Questions on a library as jobs: what answering needs is opened in the process that answers, and kept there.

A question costs seconds where a policy is asked for the first time, and holds the interpreter; a server stays free of
it, and can end it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from smallprint.ask.answering import SUMMARY
from smallprint.ask.conversation import Conversation
from smallprint.ask.desk import Desk
from smallprint.errors import SmallprintError
from smallprint.library.pool import Pool
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.pipeline.adding import Outcome
from smallprint.pipeline.engines import Engines
from smallprint.processes.clients import Receive, finished
from smallprint.processes.jobs import Jobs, Pending
from smallprint.processes.worker import Limits
from smallprint.shelf.answers import PolicyAnswer, stored_answer
from smallprint.shelf.assistant import Assistant
from smallprint.shelf.replies import Reply

Turn = tuple[Conversation, Reply]
Fetch = Callable[[str], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class ToFetch:
    """The assistant was told to fetch an address: have it fetched, and ask again with what came of it."""

    address: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of an address that was to be fetched: a policy or none, or the error that it ended in."""

    address: str
    outcome: Outcome | SmallprintError


class Questions:
    """A library that can be asked; threads and event loops may share it. The same question at once is one job.

    `fetch` adds the policy at an address to the library; without it nothing is ever fetched.
    """

    def __init__(self, jobs: Jobs, library: Path, limits: Limits, fetch: Fetch | None = None) -> None:
        self._jobs = jobs
        self._library = library
        self._limits = limits
        self._fetch = fetch

    def answer(
        self, entry: PolicyEntry, version: VersionEntry, question: str, passages: int = SUMMARY
    ) -> Pending[PolicyAnswer]:
        """Ask a stored policy."""
        key = ("answer", version.version_id, question, passages)
        return self._jobs.submit(
            _answer, self._library, entry, version, question, passages, limits=self._limits, key=key
        )

    def reply(self, conversation: Conversation, text: str) -> Pending[Turn]:
        """Go on with a conversation, without fetching anything."""
        key = ("reply", conversation, text)
        return self._jobs.submit(_reply, self._library, conversation, text, limits=self._limits, key=key)

    async def turn(self, conversation: Conversation, text: str, receive: Receive) -> Turn:
        """Go on with a conversation for the client of a request; an address it agrees to is fetched."""
        if self._fetch is None:
            return await finished(self.reply(conversation, text), receive)
        fetched: Fetched | None = None
        while True:
            result = await finished(
                self._jobs.submit(_fetching_reply, self._library, conversation, text, fetched, limits=self._limits),
                receive,
            )
            if not isinstance(result, ToFetch):
                return result
            try:
                fetched = Fetched(result.address, await self._fetch(result.address))
            except SmallprintError as error:
                fetched = Fetched(result.address, error)


# What follows runs in the process of a job.


class _FetchWanted(Exception):
    """An address is to be fetched, which this process does not do."""


class _Fetch:
    """The assistant's way to fetch a policy: it hears of what was fetched for it, and stops where nothing was."""

    def __init__(self) -> None:
        self.fetched: Fetched | None = None

    def __call__(self, address: str) -> Outcome:
        if self.fetched is None or self.fetched.address != address:
            raise _FetchWanted(address)
        if isinstance(self.fetched.outcome, SmallprintError):
            raise self.fetched.outcome
        return self.fetched.outcome


class _Opened:
    """A library with all that answering from it takes."""

    def __init__(self, path: Path) -> None:
        self.pool, engines = Pool(path, size=1), Engines(path)
        self.desk, self.fetch = Desk(), _Fetch()
        self.assistant = Assistant(self.desk, engines.engine)
        self.fetching_assistant = Assistant(self.desk, engines.engine, self.fetch)


@lru_cache(1)
def _opened(path: Path) -> _Opened:
    return _Opened(path)


def _answer(path: Path, entry: PolicyEntry, version: VersionEntry, question: str, passages: int) -> PolicyAnswer:
    opened = _opened(path)
    with opened.pool.library() as library:
        return stored_answer(opened.desk, library, entry, version, question, passages)


def _reply(path: Path, conversation: Conversation, text: str) -> Turn:
    opened = _opened(path)
    with opened.pool.library() as library:
        return opened.assistant.reply(library, conversation, text)


def _fetching_reply(path: Path, conversation: Conversation, text: str, fetched: Fetched | None) -> Turn | ToFetch:
    opened = _opened(path)
    opened.fetch.fetched = fetched
    try:
        with opened.pool.library() as library:
            return opened.fetching_assistant.reply(library, conversation, text)
    except _FetchWanted as wanted:
        return ToFetch(str(wanted))
