"""The tools: plain values in, records out, with the version, place and address of every sentence of a policy."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated, Any, TypeVar

from pydantic import Field

from smallprint import limits
from smallprint.addresses import passage_path
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import Limits
from smallprint.records import BlockKind, Citation, Rejection
from smallprint.shelf import Shelf, records
from smallprint.shelf.questions import Questions
from smallprint.shelf.records import KEYED, EvidenceSheet, Reply, Statistics

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class PolicyHit(records.PolicySummary):
    """A result, the first rank is 1; `passages` are those that match best, none where the text is damaged."""

    rank: int
    permalink: str
    passages: tuple[Citation, ...]
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of results; `total` counts all policies that match, `notes` tell what of the query was left out."""

    total: int
    page: int
    notes: tuple[str, ...]
    policies: tuple[PolicyHit, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a policy in full, with the headings above it."""

    kind: BlockKind
    headings: tuple[str, ...]
    words: Citation


@dataclass(frozen=True, slots=True)
class PolicyPart:
    """A part of a policy, passage by passage; `next_passage` is where to read on, if there is more."""

    policy_id: str
    version_id: str
    title: str
    url: str
    seen: str
    versions: tuple[str, ...]
    characters: int
    passages: tuple[Passage, ...]
    next_passage: int | None


@dataclass(frozen=True, slots=True)
class Turn:
    """A reply, and the conversation to pass on with what is said next."""

    reply: Reply
    conversation: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Policies side by side; in each row, their cells are in the same order."""

    policies: tuple[records.PolicyRecord, ...]
    rows: tuple[records.Row, ...]


@dataclass(frozen=True, slots=True)
class ChangedParagraph:
    """A paragraph that changed: [-removed words-] and {+added words+} stand in marks, the others stayed."""

    kind: BlockKind
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed between two versions; `next_paragraph` is where to read on, if there is more.

    `recleaned` warns that different versions of Smallprint read the two, so that some changes may not be the policy's.
    """

    policy_id: str
    url: str
    old: records.VersionEntry
    new: records.VersionEntry
    recleaned: bool
    summary: records.Summary
    paragraphs: tuple[ChangedParagraph, ...]
    next_paragraph: int | None


@dataclass(frozen=True, slots=True)
class RejectedPages:
    """Pages that were not kept as policies, and why; `counts` are of all of them, by reason."""

    counts: dict[str, int]
    pages: tuple[Rejection, ...]


PolicyName = Annotated[str, Field(description="A policy's id, its address, or its domain.")]
VersionName = Annotated[
    str, Field(description="A version's id, the beginning of it, or a date such as 2021-06; empty for the current one.")
]
Start = Annotated[int, Field(ge=0, description="The passage or paragraph to begin with, to read on.")]


def with_filters(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool that takes `filters` an input for every field of the index that results are narrowed by."""
    signature = inspect.signature(tool, eval_str=True)
    own = list(signature.parameters.values())[:-1]
    for field in KEYED:
        is_range = field.kind == "range"
        described = Field(description=f"{field.description}{f'; such as {field.example}' if is_range else ''}.")
        kind = Annotated[str, described] if is_range else Annotated[list[str], described]
        default: Any = "" if is_range else []
        own.append(inspect.Parameter(field.key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind))
    tool.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined] # read by inspect
    return tool


class Tools:
    """The tools over one library, for any number of threads. They only read."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        # A process of its own, so that a question can be given up; it starts with the first.
        most = Limits(shelf.settings.serve_seconds, shelf.settings.serve_memory)
        self._questions = Questions(Jobs(1, preload=("smallprint.shelf.preloaded",)), shelf.path, most)

    def all(self) -> tuple[Callable[..., Any], ...]:
        """Return the tools, in the order in which a model sees them."""
        return (
            self.search, self.read, self.ask, self.converse, self.compare, self.diff, self.evidence, self.rejections,
            self.statistics,
        )  # fmt: skip

    @with_filters
    def search(
        self,
        query: Annotated[
            str, Field(description='Words, "phrases", -exclusions, title: url: site:; empty for all.')
        ] = "",
        page: Annotated[int, Field(ge=1, le=100, description="Which page of ten.")] = 1,
        **filters: Any,
    ) -> SearchPage:
        """Search the library's privacy policies. Returns ten a page, with the matching passages to cite."""
        results = self._shelf.search(query, page=page, **filters)
        return SearchPage(results.total, page, tuple(results.notes), tuple(_hit(hit) for hit in results.hits))

    def read(self, policy: PolicyName, version: VersionName = "", first_passage: Start = 0) -> PolicyPart:
        """Read a policy's own text, passage by passage. Long policies come in parts: read on at `next_passage`."""
        entry, cited = self._shelf.cited(policy, version)
        at, segments = cited.version, self._shelf.segments(policy, version)
        part, further = _part(segments, first_passage, lambda segment: segment.end - segment.start)
        cite = partial(_citation, entry.policy_id, at.version_id)
        passages = tuple(
            Passage(segment.kind, segment.headings, cite(segment.text, segment.start, segment.segment))
            for segment in part
        )
        return PolicyPart(
            entry.policy_id, at.version_id, at.title, entry.url, at.last_seen or "",
            tuple(known.version_id for known in entry.versions), len(self._shelf.text(policy, version)),
            passages, further,
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
            return self.converse(question).reply
        entry, cited = self._shelf.cited(policy, version)
        answer = self._questions.answer(entry, cited.successor or cited.version, question).result()
        return Reply("answer", (answer.line,), answer=answer, more=bool(answer.rest))

    def converse(
        self,
        text: Annotated[str, Field(description="What to say next: a question or a follow-up such as 'and cookies?'.")],
        conversation: Annotated[
            dict[str, Any] | None, Field(description="The conversation that the last reply came with; none to begin.")
        ] = None,
    ) -> Turn:
        """Hold a conversation about the policies: pass the returned `conversation` on with every follow-up."""
        after, reply = self._questions.reply(records.from_json(conversation), text).result()
        return Turn(reply, after.to_json())

    def compare(
        self,
        policies: Annotated[
            list[str], Field(min_length=2, max_length=4, description="Two to four policies, by id, address or domain.")
        ],
        everything: Annotated[bool, Field(description="Also give details on which they do not differ.")] = False,
    ) -> SideBySide:
        """Put two to four policies side by side: what each says, denies or is silent about, in its own words."""
        comparison = self._shelf.compare(policies)
        telling = (
            row
            for row in comparison.rows
            if everything or row.is_category or len({cell.state for cell in row.cells}) > 1
        )
        return SideBySide(comparison.columns, tuple(telling))

    def diff(
        self,
        policy: PolicyName,
        old: Annotated[str, Field(description="The older version, by id or date; empty for the one before.")] = "",
        new: Annotated[str, Field(description="The newer version, by id or date; empty for the current one.")] = "",
        first_paragraph: Start = 0,
    ) -> Changes:
        """Show what changed between two versions of a policy. Many changes come in parts: see `next_paragraph`."""
        revision = self._shelf.diff(policy, old, new)
        changed = [
            ChangedParagraph(paragraph.kind, paragraph.headings, _with_marks(paragraph, revision.new_text))
            for paragraph in revision.paragraphs
            if not paragraph.is_same
        ]
        part, further = _part(changed, first_paragraph, lambda paragraph: len(paragraph.text))
        return Changes(
            revision.policy_id, revision.url, revision.old, revision.new, revision.recleaned, revision.summary,
            tuple(part), further,
        )  # fmt: skip

    def evidence(
        self,
        policy: PolicyName,
        passages: Annotated[list[int], Field(min_length=1, max_length=100, description="The passages, by number.")],
        version: VersionName = "",
    ) -> EvidenceSheet:
        """Return passages as evidence: word for word, when and where they were seen, and hashes of text and page."""
        return self._shelf.evidence(policy, passages, version)

    def rejections(
        self,
        reason: Annotated[str, Field(description="Only those with this reason, such as 'not a policy'.")] = "",
        most: Annotated[int, Field(ge=1, le=1_000, description="List at most this many.")] = 20,
    ) -> RejectedPages:
        """List pages that were not kept as policies, and why."""
        return RejectedPages(self._shelf.rejection_counts(), tuple(self._shelf.rejections(reason or None, most)))

    def statistics(self) -> Statistics:
        """Count over the whole library: sectors, reading grade, vagueness, mentions and practices."""
        return self._shelf.statistics()


def _part(parts: Sequence[Part], first: int, length: Callable[[Part], int]) -> tuple[list[Part], int | None]:
    """Return as many parts from `first` on as a model reads at once, at least one, and where the rest begins."""
    taken: list[Part] = []
    characters = 0
    for number, part in enumerate(parts[first:], first):
        characters += length(part)
        if taken and characters > limits.MAX_TOOL_CHARACTERS:
            return taken, number
        taken.append(part)
    return taken, None


def _citation(policy_id: str, version_id: str, text: str, start: int, segment: int) -> Citation:
    return Citation(
        policy_id=policy_id, version_id=version_id, segment=segment, start=start, end=start + len(text), text=text,
        permalink=passage_path(policy_id, version_id, segment),
    )  # fmt: skip


def _hit(hit: records.Result) -> PolicyHit:
    own = hit.policy
    passages = tuple(
        _citation(own.policy_id, own.version_id, hit.text[snippet.start : snippet.end], snippet.start, snippet.segment)
        for snippet in hit.snippets
    )
    permalink = passage_path(own.policy_id, own.version_id)
    return PolicyHit(**asdict(own), rank=hit.rank, permalink=permalink, passages=passages, damaged=hit.is_damaged)


def _with_marks(paragraph: records.Paragraph, new: str) -> str:
    parts = []
    for piece in (piece for change in paragraph.changes for piece in change.pieces):
        if piece.kind == "removed":
            parts.append(f"[-{piece.removed}-]")
        elif piece.kind == "added":
            parts.append(f"{{+{piece.added}+}}")
        elif piece.new:
            parts.append(new[piece.new.start : piece.new.end])
    return " ".join("".join(parts).split())
