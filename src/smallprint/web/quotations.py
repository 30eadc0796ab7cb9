"""An answer in, what a page shows of it out: sentences with the part that answers marked, and where each leads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from smallprint import limits
from smallprint.ask.deciding import State
from smallprint.records import Span
from smallprint.shelf.answers import PolicyAnswer, QuoteSaid
from smallprint.view.evidence import fragment
from smallprint.view.permalinks import policy_path, short
from smallprint.web.marks import Mark, marked
from smallprint.web.palette import HUES, Hue

# What people want to know most: a practice, a period, a choice, a kind of information.
QUESTIONS = (
    "Do you sell my data?",
    "How long do you keep my information?",
    "Can I delete my account?",
    "Do you track where I am?",
)
_BY_NAME = {one.plain: one for one in HUES}


@dataclass(frozen=True, slots=True)
class Quotation:
    """A sentence or a passage, word for word; `before` is what its words refer to, `address` where it can be read on.

    `cite` is the passage's address for good; `earns` tells that the line above rests on it.
    """

    ordinal: int
    headings: tuple[str, ...]
    before: str | None
    words: Markup
    hue: Hue | None
    cite: str
    address: str
    earns: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer as a page shows it: `pair` are two places that say opposite things, and not among `quotes` again."""

    state: State
    line: str
    notes: tuple[str, ...]
    confidence: float
    pair: tuple[Quotation, ...]
    quotes: tuple[Quotation, ...]
    rest: tuple[Quotation, ...]
    summary: tuple[Quotation, ...]


def shown(answer: PolicyAnswer, *, inside: bool = False) -> Shown:
    """Lay out the answer of a stored policy; `inside` its own page, where links need only lead down to the text."""
    pair = _pair(answer)
    apart = {(one.start, one.end) for one in pair}
    quotes, rest = (
        tuple(one for one in some if (one.start, one.end) not in apart) for some in (answer.quotes, answer.rest)
    )
    leading = (*pair, *quotes)

    def address(ordinal: int, also: tuple[QuoteSaid, ...] = ()) -> str:
        return fragment(ordinal) if inside else quoting(answer, (*leading, *also), ordinal)

    def quoted(some: Sequence[QuoteSaid]) -> tuple[Quotation, ...]:
        return tuple(
            Quotation(
                one.segment,
                one.headings,
                # What one refers to need not be said where it was said just above.
                None if last and one.before in {last.text, last.before} else one.before,
                words(one),
                _BY_NAME.get(one.practice or ""),
                one.permalink or "",
                address(one.segment, () if one in leading else (one,)),
                one.earns,
            )
            for last, one in zip((None, *some), some, strict=False)
        )

    return Shown(
        answer.state,
        answer.line,
        answer.notes,
        answer.confidence,
        quoted(pair),
        quoted(quotes),
        quoted(rest),
        tuple(
            Quotation(
                one.ordinal, one.headings, None, escape(one.text), None, one.permalink or "", address(one.ordinal)
            )
            for one in answer.summary
        ),
    )


def words(one: QuoteSaid) -> Markup:
    """Write a sentence with the part that answers marked."""
    marks = [Mark(one.answer.start - one.start, one.answer.end - one.start, "telling")] if one.answer else []
    return marked(one.text, 0, len(one.text), marks)


def quoting(answer: PolicyAnswer, quotes: Iterable[QuoteSaid], ordinal: int) -> str:
    """Give the address of a passage on the policy's page, with quoted places marked and the way back to the answer."""
    assert answer.policy_id is not None
    assert answer.version_id is not None
    places = [("at", f"{one.start}-{one.end}") for one in quotes]
    back = [("question", answer.question)] if len(answer.question) <= limits.MAX_FORM_QUESTION else []
    fields = [("version", short(answer.version_id)), *back, *places]
    return policy_path(answer.policy_id, fields=fields, ordinal=ordinal)


def _pair(answer: PolicyAnswer) -> tuple[QuoteSaid, ...]:
    """Give the sentences that speak against each other, in the policy's order; none unless both are at hand."""
    found = [_quote_at(answer, place) for place in answer.conflict or ()]
    pair = sorted((one for one in found if one), key=lambda one: one.start)
    return tuple(pair) if len(pair) == len(found) else ()


def _quote_at(answer: PolicyAnswer, place: Span) -> QuoteSaid | None:
    """Find a place among the sentences quoted, or else in the passages: it may have been left out for length."""
    for one in (*answer.quotes, *answer.rest):
        if (one.start, one.end) == (place.start, place.end):
            return one
    for passage in answer.summary:
        if passage.start <= place.start and place.end <= passage.end:
            text = passage.text[place.start - passage.start : place.end - passage.start]
            return QuoteSaid(
                text, place.start, place.end, passage.ordinal, passage.headings, None, 0.0, None, None, None,
                passage.permalink,
            )  # fmt: skip
    return None
