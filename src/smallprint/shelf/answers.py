"""A question on a policy in, the answer with the policy's own sentences out; the policy may be stored or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from smallprint import limits
from smallprint.ask.answering import SUMMARY, Answer, Quote, Ranked, answer, ranked
from smallprint.ask.deciding import State
from smallprint.ask.desk import Desk
from smallprint.ask.rankers import COMBINED, RANKERS
from smallprint.clean.cleaning import clean, guarded
from smallprint.errors import BadQuery, BadSource
from smallprint.library import Library, reading
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.records import Capture, Page, Rejection, Segment, Span
from smallprint.settings import Settings
from smallprint.view.permalinks import passage_path

MOST_PASSAGES = 10


@dataclass(frozen=True, slots=True)
class QuoteSaid:
    """A sentence of the policy, word for word, with its place and what stands above it.

    `answer` is the part of it that answers. `refers_to` is the sentence before, where this one opens with "they" or
    "this", or what leads into a list of which it is an item; `before` its words. `probability` is that it bears on the
    question. `permalink` is the passage's path on the site. `earns` tells that the answer's line rests on it.
    """

    text: str
    start: int
    end: int
    segment: int
    headings: tuple[str, ...]
    practice: str | None
    probability: float
    answer: Span | None
    refers_to: Span | None
    before: str | None
    permalink: str | None
    earns: bool = False


@dataclass(frozen=True, slots=True)
class PassageSaid:
    """A passage of the policy, word for word."""

    ordinal: int
    start: int
    end: int
    headings: tuple[str, ...]
    text: str
    permalink: str | None


@dataclass(frozen=True, slots=True)
class PolicyAnswer:
    """What a policy says on a question: the state and a plain line, then sentences in the policy's order.

    `rest` are further sentences, `conflict` two places that say opposite things, `summary` the passages that bear on
    the question most. `read_as` is the question as it was read, `notes` say what was changed for that. A policy that
    is not stored has no ids.
    """

    policy_id: str | None
    version_id: str | None
    url: str
    title: str
    question: str
    read_as: str
    notes: tuple[str, ...]
    state: State
    line: str
    confidence: float
    quotes: tuple[QuoteSaid, ...]
    rest: tuple[QuoteSaid, ...]
    conflict: tuple[Span, Span] | None
    summary: tuple[PassageSaid, ...]


def stored_answer(
    desk: Desk, library: Library, entry: PolicyEntry, version: VersionEntry, question: str, passages: int = SUMMARY
) -> PolicyAnswer:
    """Ask a stored policy."""
    evidence, most = desk.stored(library, version.version_id), _passages(passages)
    found = answer(checked(question), evidence, desk.kit, most, _company(entry.domain))
    text, segments = reading.text(library, version.version_id), reading.segments(library, version.version_id)
    whose = _Whose(entry.policy_id, version.version_id, entry.url, version.title)
    return _said(found, whose, text, segments)


def given_answer(desk: Desk, policy: Capture, question: str, passages: int = SUMMARY) -> PolicyAnswer:
    """Ask a policy that is not stored."""
    evidence, most = desk.given(policy.text, policy.segments), _passages(passages)
    found = answer(checked(question), evidence, desk.kit, most, _company(policy.domain))
    return _said(found, _Whose(None, None, policy.url, policy.title), policy.text, policy.segments)


def stored_ranking(desk: Desk, library: Library, version_id: str, question: str, ranker: str) -> tuple[Ranked, ...]:
    """Rank a stored policy's sentences by one ranker alone."""
    return ranked(checked(question), desk.stored(library, version_id), known_ranker(ranker), desk.kit)


def given_ranking(desk: Desk, policy: Capture, question: str, ranker: str) -> tuple[Ranked, ...]:
    """Rank the sentences of a policy that is not stored."""
    return ranked(checked(question), desk.given(policy.text, policy.segments), known_ranker(ranker), desk.kit)


def page_answer(name: str, page: Page | Rejection, settings: Settings, question: str, passages: int) -> PolicyAnswer:
    """Ask a page that was fetched or read; as one job, it can be given up."""
    return given_answer(Desk(), _capture(name, page, settings), question, passages)


def page_ranking(
    name: str, page: Page | Rejection, settings: Settings, question: str, ranker: str
) -> tuple[Ranked, ...]:
    """Rank the sentences of a page that was fetched or read, as one job."""
    return given_ranking(Desk(), _capture(name, page, settings), question, ranker)


def _capture(name: str, page: Page | Rejection, settings: Settings) -> Capture:
    """Clean a page, whatever it is: who asks wants an answer of this very page."""
    found = page if isinstance(page, Rejection) else guarded(lambda: clean(page, _any(settings)), page)
    if isinstance(found, Rejection):
        raise BadSource(f"{name} cannot be asked: {found.reason} ({found.detail})")
    return found


def _company(domain: str) -> str:
    """Give the name in a domain: that of "pulsewell.example" is "pulsewell"."""
    return domain.partition(".")[0]


def known_ranker(name: str) -> str:
    """Give a ranker's name, or say which there are."""
    if name not in RANKERS:
        raise BadQuery(f"there is no ranker {name!r}; choose from {', '.join(RANKERS)} ('{COMBINED}' is the default)")
    return name


def checked(question: str) -> str:
    """Give a question back, unless it is beyond all measure."""
    if len(question) > limits.MAX_QUESTION:
        raise BadQuery(
            f"a question may have {limits.MAX_QUESTION:,} characters and this has {len(question):,}; ask in a sentence"
        )
    return question


@dataclass(frozen=True, slots=True)
class _Whose:
    policy_id: str | None
    version_id: str | None
    url: str
    title: str

    def link(self, ordinal: int) -> str | None:
        if self.policy_id is None or self.version_id is None:
            return None
        return passage_path(self.policy_id, self.version_id, ordinal)


def _any(settings: Settings) -> Settings:
    return replace(settings, policy_threshold=0.0, min_words=1)


def _passages(wanted: int) -> int:
    if not 0 <= wanted <= MOST_PASSAGES:
        raise BadQuery(f"a summary has 0 to {MOST_PASSAGES} passages, not {wanted}")
    return wanted


def _said(found: Answer, whose: _Whose, text: str, segments: Sequence[Segment]) -> PolicyAnswer:
    by_ordinal = {one.ordinal: one for one in segments}
    passages = [by_ordinal[ordinal] for ordinal in found.summary]
    return PolicyAnswer(
        whose.policy_id,
        whose.version_id,
        whose.url,
        whose.title,
        found.question,
        found.read_as,
        found.notes,
        found.state,
        found.line,
        round(found.confidence, 3),
        tuple(_quote(one, whose, text, by_ordinal[one.passage]) for one in found.quotes),
        tuple(_quote(one, whose, text, by_ordinal[one.passage]) for one in found.rest),
        found.conflict,
        tuple(
            PassageSaid(
                one.ordinal, one.start, one.end, one.headings, text[one.start : one.end], whose.link(one.ordinal)
            )
            for one in passages
        ),
    )


def _quote(one: Quote, whose: _Whose, text: str, segment: Segment) -> QuoteSaid:
    refers_to = segment.lead_in or one.refers_to
    return QuoteSaid(
        one.text,
        one.place.start,
        one.place.end,
        one.passage,
        one.headings,
        one.practice,
        round(one.probability, 3),
        one.span,
        refers_to,
        text[refers_to.start : refers_to.end] if refers_to else None,
        whose.link(one.passage),
        one.earns,
    )
