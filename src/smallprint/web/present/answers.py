"""An answer or a reply in, what pages show of it out: sentences, where each leads, and the form for feedback on it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import cast
from urllib.parse import urlencode

from markupsafe import Markup

from smallprint import limits
from smallprint.addresses import ASK, fragment, policy_path, short
from smallprint.errors import BadFeedback
from smallprint.records import Citation, Quote, Span
from smallprint.shelf.records import MOST_PLACES, Answer, Conversation, Feedback, Place, Reply, Spoken, Verdict
from smallprint.web.present.marks import Mark, marked

# What people want to know most: a practice, a period, a choice, a kind of information.
QUESTIONS = (
    "Do you sell my data?",
    "How long do you keep my information?",
    "Can I delete my account?",
    "Do you track where I am?",
)
# Replies that say what policies say.
JUDGED = frozenset({"answer", "policies", "comparison", "vague", "surprising"})
_PLACE = re.compile(r"(\S{1,600}):([0-9]{1,9})-([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """The answer of a stored policy as a page shows it; `inside` that policy's own page, links only lead down to it.

    `pair` are two places that say opposite things, and not among `quotes` and `rest` again; `passages` are whole.
    """

    answer: Answer
    pair: tuple[Quote, ...]
    quotes: tuple[Quote, ...]
    rest: tuple[Quote, ...]
    passages: tuple[Quote, ...]
    inside: bool

    def address(self, quote: Quote) -> str:
        """Return where a sentence can be read on: the policy's page, with what is quoted marked and the way back."""
        if self.inside:
            return fragment(quote.segment)
        answer = self.answer
        assert answer.policy_id is not None
        assert answer.version_id is not None
        quotes = (*self.pair, *self.quotes, *([quote] if quote in self.rest else []))
        back = [("question", answer.question)] if len(answer.question) <= limits.MAX_FORM_QUESTION else []
        places = [("at", f"{quoted.start}-{quoted.end}") for quoted in quotes]
        return policy_path(
            answer.policy_id, fields=[("version", short(answer.version_id)), *back, *places], ordinal=quote.segment
        )


def show_answer(answer: Answer, *, inside: bool = False) -> ShownAnswer:
    """Lay out an answer."""
    opposed = [_quote_at(answer, place) for place in answer.conflict or ()]
    pair = sorted((quote for quote in opposed if quote), key=lambda quote: quote.start)
    if len(pair) < len(opposed):  # both are shown, in the policy's order, or none
        pair = []
    apart = {(quote.start, quote.end) for quote in pair}
    quotes, rest = (
        [quote for quote in quotes if (quote.start, quote.end) not in apart] for quotes in (answer.quotes, answer.rest)
    )
    passages = tuple(_quote_of(passage, passage.start, passage.end) for passage in answer.summary)
    return ShownAnswer(answer, _once(pair), _once(quotes), _once(rest), passages, inside)


def _once(quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """Leave out what a sentence refers to where that was said just above."""
    return tuple(
        replace(quote, lead_in=None) if last and quote.lead_in in {last.text, last.lead_in} else quote
        for last, quote in zip((None, *quotes), quotes, strict=False)
    )


def _quote_at(answer: Answer, place: Span) -> Quote | None:
    """Find a place among the sentences quoted, or else in the passages: it may have been left out for length."""
    for quote in (*answer.quotes, *answer.rest):
        if (quote.start, quote.end) == (place.start, place.end):
            return quote
    for passage in answer.summary:
        if passage.start <= place.start and place.end <= passage.end:
            return _quote_of(passage, place.start, place.end)
    return None


def _quote_of(passage: Citation, start: int, end: int) -> Quote:
    return Quote(
        policy_id=passage.policy_id, version_id=passage.version_id, segment=passage.segment, start=start, end=end,
        text=passage.text[start - passage.start : end - passage.start], headings=passage.headings,
        permalink=passage.permalink, probability=0.0,
    )  # fmt: skip


def mark_answer(quote: Quote) -> Markup:
    """Return a sentence with the part that answers marked."""
    part = quote.answer
    marks = [Mark(part.start - quote.start, part.end - quote.start, "telling")] if part else []
    return marked(quote.text, 0, len(quote.text), marks)


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said and the reply to it.

    `whole` is the question that was put to the policy, where it is another than what was said; `address` is where the
    question can be asked again; `feedback` what a form for feedback on it carries.
    """

    asked: str
    reply: Reply
    answer: ShownAnswer | None
    whole: str
    address: str
    feedback: dict[str, str] | None


def turn(asked: str, reply: Reply, now: Conversation) -> Turn:
    """Lay out a reply; `now` is where the conversation stands after it."""
    # What is asked back is the reply, not what was found so far.
    answer = reply.answer if reply.kind == "answer" else None
    question = answer.question if answer else now.question if reply.kind in {"policies", "comparison"} else asked
    return Turn(
        asked,
        reply,
        show_answer(answer) if answer else None,
        question if answer and question.casefold() != asked.casefold() else "",
        again(question, reply.policy.policy_id if reply.policy else ""),
        feedback_on_reply(reply, question),
    )


def again(question: str, policy_id: str = "") -> str:
    """Return the address of a question; none for one that is too long for an address."""
    if len(question) > limits.MAX_FORM_QUESTION:
        return ""
    return f"{ASK}?{urlencode([('q', question), *([('policy', policy_id)] if policy_id else [])])}"


def carried(now: Conversation) -> str:
    """Write a conversation for the form that goes on with it; of one that is too long the oldest is left out first."""
    for kept in (now, replace(now, past=now.past[-1:]), replace(now, past=(), pending=None)):
        text = json.dumps(kept.to_json(), ensure_ascii=False, separators=(",", ":"))
        if len(text) <= limits.MAX_CONVERSATION:
            return text
    return json.dumps(Conversation(policy_id=now.policy_id).to_json())


def feedback_on(answer: Answer) -> dict[str, str]:
    """Return the fields of a form for feedback on the answer of a stored policy."""
    return _feedback(answer, answer.question, answer.state, answer.line, answer.quotes)


def feedback_on_reply(reply: Reply, question: str) -> dict[str, str] | None:
    """Return the fields of a form for feedback on a reply; None where it says nothing of any policy."""
    if reply.kind not in JUDGED:
        return None
    if reply.answer is not None:
        return feedback_on(reply.answer)
    return _feedback(reply.policy, question, reply.kind, reply.lines[0], reply.policies)


def read_feedback(fields: Mapping[str, str]) -> Feedback:
    """Read a form; whether it is of an answer of the library is told when it is kept."""
    places = [_PLACE.fullmatch(place) for place in fields.get("places", "").split(maxsplit=MOST_PLACES)]
    if not all(places):
        raise BadFeedback("the place of a sentence cannot be read; use the buttons under an answer")
    question, state, line, note = (fields.get(name, "") for name in ("question", "state", "line", "note"))
    return Feedback(
        datetime.now(tz=UTC).isoformat(timespec="seconds"), cast("Verdict", fields.get("verdict", "")),
        fields.get("policy") or None, fields.get("version") or None, question, state, line,
        tuple(Place(match[1], int(match[2]), int(match[3])) for match in places if match), note,
    )  # fmt: skip


def _feedback(
    policy: Answer | Spoken | None, question: str, state: str, line: str, citations: Sequence[Citation]
) -> dict[str, str]:
    """Return the fields of a form; places are written such as "VERSION:120-184", with blanks between."""
    policy_id, version_id = (policy.policy_id or "", policy.version_id or "") if policy else ("", "")
    places = " ".join(f"{cited.version_id}:{cited.start}-{cited.end}" for cited in citations[:MOST_PLACES])
    about = {"policy": policy_id, "version": version_id, "question": question}
    return {**about, "state": str(state), "line": line, "places": places}
