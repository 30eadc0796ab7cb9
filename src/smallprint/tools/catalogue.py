"""The tools themselves: plain values in, records with citations out."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from smallprint import limits
from smallprint.ask.conversation import Conversation
from smallprint.library import reading
from smallprint.library.pool import Pool
from smallprint.pipeline.engines import Engines
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import Limits
from smallprint.search import results
from smallprint.settings import Settings
from smallprint.shelf.asking import request_of
from smallprint.shelf.policies import version_of
from smallprint.shelf.questions import Questions
from smallprint.shelf.replies import Reply
from smallprint.tools.answers import (
    Citation,
    Column,
    Compared,
    Found,
    Matter,
    PassageRead,
    PolicyRead,
    SearchFound,
    Stance,
)
from smallprint.view import comparison
from smallprint.view.permalinks import passage_path
from smallprint.view.quotes import Quote

PolicyName = Annotated[str, Field(description="A policy's id, its address, or its domain.")]
VersionName = Annotated[
    str, Field(description="A version's id, the beginning of it, or a date such as 2021-06; empty for the current one.")
]


class Tools:
    """The tools over one library, for any number of threads."""

    def __init__(self, settings: Settings) -> None:
        self._match = settings.search_match
        self._pool = Pool(settings.library)
        self._engines = Engines(settings.library)
        # A process of its own, so that a question can be given up; it starts with the first.
        limits_ = Limits(settings.serve_seconds, settings.serve_memory)
        self._questions = Questions(Jobs(1, preload=("smallprint.shelf.preloaded",)), settings.library, limits_)

    def search(
        self,
        query: Annotated[
            str, Field(description='Words, "phrases", -exclusions, title: url: site:; empty for all.')
        ] = "",
        sector: Annotated[list[str], Field(description="Only these sectors.")] = [],  # noqa: B006 - never changed
        practice: Annotated[list[str], Field(description="Only with one of these practices of OPP-115.")] = [],  # noqa: B006 - never changed
        names: Annotated[list[str], Field(description="Only what names this technology, body or regulation.")] = [],  # noqa: B006 - never changed
        page: Annotated[int, Field(ge=1, le=100, description="Which page of ten.")] = 1,
    ) -> SearchFound:
        """Search the library's privacy policies. Gives ten a page with the passages that match, each citable."""
        filters: dict[str, Any] = {"sector": sector, "practice": practice, "names": names, "page": page}
        with self._pool.library() as library:
            request = request_of(query, filters, self._match)
            found = results.search(library, self._engines.engine(request.index), request, with_facets=False)
        return SearchFound(found.total, page, tuple(found.notes), tuple(_found(hit) for hit in found.hits))

    def read(
        self,
        policy: PolicyName,
        version: VersionName = "",
        first_passage: Annotated[int, Field(ge=0, description="The passage to begin with, to read on.")] = 0,
    ) -> PolicyRead:
        """Read a policy's own text, passage by passage. Long policies come in parts: read on at `next_passage`."""
        with self._pool.library() as library:
            entry = reading.find_policy(library, policy)
            at = version_of(library, entry, version or None)
            text, segments = reading.text(library, at.version_id), reading.segments(library, at.version_id)
        passages: list[PassageRead] = []
        length, further = 0, None
        for one in (one for one in segments if one.ordinal >= first_passage):
            if passages and length + one.end - one.start > limits.MAX_TOOL_CHARACTERS:
                further = one.ordinal
                break
            words = _citation(entry.policy_id, at.version_id, text[one.start : one.end], one.start, one.ordinal)
            passages.append(PassageRead(one.kind, one.headings, words))
            length += one.end - one.start
        return PolicyRead(
            entry.policy_id, at.version_id, at.title, entry.url, at.last_seen or "",
            tuple(known.version_id for known in entry.versions), len(text), tuple(passages), further,
        )  # fmt: skip

    def ask(
        self,
        question: Annotated[str, Field(description="What you want to know, in a sentence.")],
        policy: Annotated[
            str,
            Field(description="The policy to ask: its id, address or domain; empty to ask about the whole library."),
        ] = "",
        version: VersionName = "",
    ) -> Reply:
        """Ask a policy, or the whole library, a question.

        The answer is sentences of the policies, word for word, each with its place; nothing is made up. The state says
        whether the policy answers, is silent, contradicts itself, or whether it is unsure. Without a policy, name a
        company in the question ("Does Kitegram sell my data?"), or ask which policies do or do not do something.
        """
        if not policy:
            return self._questions.reply(Conversation(), question).result()[1]
        with self._pool.library() as library:
            entry = reading.find_policy(library, policy)
            at = version_of(library, entry, version or None)
        answer = self._questions.answer(entry, at, question).result()
        return Reply("answer", (answer.line,), answer=answer, more=bool(answer.rest))

    def compare(
        self,
        policies: Annotated[
            list[str], Field(min_length=2, max_length=4, description="Two to four policies, by id, address or domain.")
        ],
        everything: Annotated[bool, Field(description="Also give details on which they do not differ.")] = False,
    ) -> Compared:
        """Put two to four policies side by side: what each says, denies or is silent about, in its own words."""
        with self._pool.library() as library:
            found = comparison.compare(library, [reading.find_policy(library, one) for one in policies])
        return Compared(
            tuple(_column(one) for one in found.columns),
            tuple(
                Matter(row.name, row.is_category, tuple(map(_stance, found.columns, row.cells)))
                for row in found.rows
                if everything or row.is_category or len({cell.state for cell in row.cells}) > 1
            ),
        )


def _citation(policy_id: str, version_id: str, text: str, start: int, segment: int) -> Citation:
    permalink = passage_path(policy_id, version_id, segment)
    return Citation(policy_id, version_id, text, start, start + len(text), segment, permalink)


def _found(hit: results.Result) -> Found:
    own = hit.policy
    passages = tuple(
        _citation(own.policy_id, own.version_id, hit.text[one.start : one.end], one.start, one.ordinal)
        for one in hit.snippets
    )
    return Found(
        hit.rank, own.policy_id, own.version_id, own.title, own.url, own.domain, own.sector, own.seen, own.grade,
        own.vague, passage_path(own.policy_id, own.version_id), passages, hit.is_damaged,
    )  # fmt: skip


def _column(one: comparison.Column) -> Column:
    policy_id, at = one.entry.policy_id, one.version
    permalink = passage_path(policy_id, at.version_id)
    return Column(policy_id, at.version_id, at.title, one.entry.url, permalink, at.words, one.grade, one.vagueness)


def _stance(column: comparison.Column, cell: comparison.Cell) -> Stance:
    def cited(quote: Quote | None) -> Citation | None:
        if quote is None:
            return None
        return _citation(column.entry.policy_id, column.version.version_id, quote.text, quote.start, quote.ordinal)

    return Stance(column.entry.policy_id, cell.state, cell.probability, cited(cell.affirmed), cited(cell.denied))
