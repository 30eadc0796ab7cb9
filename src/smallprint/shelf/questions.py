"""Questions as jobs, on a library or on a page outside of it: a library is opened in the process that answers.

A question costs seconds where a policy is asked for the first time, and holds the interpreter; a server stays free of
it, and can end it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from smallprint.ask.answer.answering import SUMMARY, Answer, Ranked, answer, ranked
from smallprint.ask.dialogue.conversation import Conversation
from smallprint.assistant.desk import Result, ask_page, checked, known_ranker, known_size
from smallprint.assistant.replies import Reply
from smallprint.errors import SmallprintError
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.pipeline.ingest import Outcome, page_of
from smallprint.processes.jobs import Jobs, Pending, Receive, finished
from smallprint.processes.worker import Limits
from smallprint.records import Rejection
from smallprint.settings import Settings
from smallprint.shelf.shelf import Shelf
from smallprint.view.glance import Glance, glance, pasted

Turn = tuple[Conversation, Reply]
Fetch = Callable[[str], Awaitable[Outcome]]
# What came of addresses that were to be fetched: a policy or none, or the error that it ended in.
Fetched = dict[str, Outcome | SmallprintError]


@dataclass(eq=False)
class Questions:
    """A library that can be asked; threads and event loops may share it. The same question at once is one job.

    `fetch` adds the policy at an address to the library; without it nothing is ever fetched.
    """

    jobs: Jobs
    library: Path
    limits: Limits
    fetch: Fetch | None = None

    def answer(
        self, entry: PolicyEntry, version: VersionEntry, question: str, passages: int = SUMMARY
    ) -> Pending[Answer]:
        """Ask a stored policy."""
        where = entry.policy_id, version.version_id
        key = ("answer", version.version_id, question, passages)
        return self.jobs.submit(_answer, self.library, *where, question, passages, limits=self.limits, key=key)

    def reply(self, conversation: Conversation, text: str) -> Pending[Turn]:
        """Go on with a conversation, without fetching anything."""
        key = ("reply", conversation, text)
        return self.jobs.submit(_reply, self.library, conversation, text, limits=self.limits, key=key)

    async def turn(self, conversation: Conversation, text: str, receive: Receive) -> Turn:
        """Go on with a conversation for the client of a request; an address it agrees to is fetched."""
        if self.fetch is None:
            return await finished(self.reply(conversation, text), receive)
        fetched: Fetched = {}
        while True:
            asked = (self.library, conversation, text, fetched)
            result = await finished(self.jobs.submit(_fetching_reply, *asked, limits=self.limits), receive)
            if not isinstance(result, str):
                return result
            try:
                fetched = {result: await self.fetch(result)}
            except SmallprintError as error:
                fetched = {result: error}


def ask_unstored(name: str, question: str, settings: Settings, *, passages: int = SUMMARY) -> Answer:
    """Answer a question on the page at an address or in a file, which stays outside of any library."""
    return _of_page(partial(answer, summary=known_size(passages)), name, settings, question)


def rank_unstored(name: str, question: str, ranker: str, settings: Settings) -> tuple[Ranked, ...]:
    """Rank the sentences of the page at an address or in a file."""
    return _of_page(partial(ranked, ranker=known_ranker(ranker)), name, settings, question)


def _of_page(work: Callable[..., Result], name: str, settings: Settings, question: str) -> Result:
    """Do what a hostile page could make endless in a process that can be ended."""
    checked(question)  # before anything is fetched
    # The models read the page as well, so it has the time of an annotation, not of cleaning alone.
    limits = Limits(settings.annotate_seconds, settings.annotate_memory)
    with Jobs(1) as jobs:
        page = page_of(name, settings)
        pending: Pending[Result] = jobs.submit(ask_page, work, name, page, settings, question, limits=limits)
        return pending.result()


def read_text(text: str, settings: Settings) -> Glance | Rejection:
    """Read a pasted policy: its measures, practices and names; nothing is stored."""
    return glance(pasted(text), settings)


# What follows runs in the process of a job.


class _FetchWanted(Exception):
    """An address is to be fetched, which this process does not do."""


@lru_cache(1)
def _shelf(path: Path) -> Shelf:
    return Shelf(Settings(library=path), lazy=True)


def _answer(path: Path, policy_id: str, version_id: str, question: str, passages: int) -> Answer:
    return _shelf(path).ask(policy_id, question, version_id, passages=passages)


def _reply(path: Path, conversation: Conversation, text: str) -> Turn:
    return _shelf(path).reply(text, conversation)


def _fetching_reply(path: Path, conversation: Conversation, text: str, fetched: Fetched) -> Turn | str:
    """Return the turn, or the address that the assistant was told to fetch: ask again with what came of it."""

    def fetch(address: str) -> Outcome:
        if address not in fetched:
            raise _FetchWanted(address)
        outcome = fetched[address]
        if isinstance(outcome, SmallprintError):
            raise outcome
        return outcome

    try:
        return _shelf(path).reply(text, conversation, fetch)
    except _FetchWanted as wanted:
        return str(wanted)
