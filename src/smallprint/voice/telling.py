"""A reply of the assistant in, what is told of it out: at most three sentences, what is left for "more", and a card."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from smallprint.shelf.answers import QuoteSaid
from smallprint.shelf.gathering import PolicySaid
from smallprint.shelf.replies import Compared, Reply
from smallprint.voice.speech import for_ear, listed

MOST_SENTENCES = 3
MOST_NAMES = 5
# What is kept for "more" travels with every request.
MOST_UNTOLD = 8
HEAR_MORE = "Do you want to hear more?"
ON_THE_CARD = "The rest is on the card in your Alexa app."
# Alexa takes 8,000 characters, title and text together.
LONGEST_CARD, LONGEST_TITLE = 7_500, 200
_END = re.compile(r"(?<=[.!?])\s+")
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


@dataclass(frozen=True, slots=True)
class Card:
    """What the companion app shows."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Told:
    """What is said now, and what of it was left for later; `more` where the assistant itself has more to tell."""

    sentences: tuple[str, ...]
    untold: tuple[str, ...] = ()
    more: bool = False
    card: Card | None = None


def told(reply: Reply) -> Told:
    """Put a reply into a few sentences."""
    head, body = _head(reply), _body(reply)
    if head and body and head[-1].endswith(":"):  # one sentence, to the ear
        head, body = head[:-1], [f"{head[-1]} {body[0]}", *body[1:]]
    now = portioned((*head, *body), more=reply.more)
    return Told(now.sentences, now.untold, reply.more, card_of(reply))


def portioned(sentences: Sequence[str], *, more: bool) -> Told:
    """Say what there is; where it is too much, the first of it, and ask whether to go on."""
    if len(sentences) <= MOST_SENTENCES and not more:
        return Told(tuple(sentences))
    now = sentences[: MOST_SENTENCES - 1]
    return Told((*now, HEAR_MORE), tuple(sentences[len(now) :])[:MOST_UNTOLD], more)


def card_of(reply: Reply) -> Card | None:
    """Put the policies' own words on a card, each with where it stands; None where no policy speaks."""
    quotes = (*reply.answer.quotes, *reply.answer.rest) if reply.answer else ()
    parts = [_quotation(one) for one in quotes] or [_saying(one) for one in reply.policies]
    if not parts:
        return None
    title = reply.policy.name if reply.policy else "Smallprint"
    line = reply.answer.line if reply.answer else " ".join(reply.lines)
    source = f"\n\n{reply.answer.url}\nVersion {reply.answer.version_id}" if reply.answer else ""
    text = line
    for part in parts:
        if len(text) + len(part) + len(source) + 2 > LONGEST_CARD:
            break
        text = f"{text}\n\n{part}"
    return Card(title[:LONGEST_TITLE], f"{text}{source}"[:LONGEST_CARD])


def _head(reply: Reply) -> list[str]:
    """Say the assistant's own words."""
    if reply.answer is not None and reply.kind == "answer":
        return [for_ear(_named(reply.answer.line, reply.policy.name if reply.policy else ""))]
    said = [for_ear(one) for line in reply.lines for one in _END.split(line)]
    if reply.kind == "which" and reply.options:
        options = [f"the {_ORDINALS[place]} is {label}" for place, label in enumerate(reply.options[: len(_ORDINALS)])]
        return [*said[:2], for_ear(_capital(listed(options)))]
    return said[:1] if reply.policies else said[:MOST_SENTENCES]


def _body(reply: Reply) -> list[str]:
    """Say the policies' words; of many policies their names, since the words are on the card."""
    if reply.answer is not None:
        return [for_ear(_led(one)) for one in _best_first(reply.answer.quotes)] if reply.kind == "answer" else []
    names = list(dict.fromkeys(one.name for one in reply.policies))
    if reply.kind == "policies" and names:
        few = listed(names[:MOST_NAMES])
        begun = "" if reply.lines and reply.lines[0].endswith(":") else "They are " if len(names) > 1 else "It is "
        return [for_ear(f"{begun}{few}"), for_ear(ON_THE_CARD)]
    if reply.kind == "comparison":
        return [for_ear(_column(one)) for one in reply.compared]
    return [for_ear(one.text) for one in reply.policies]


def _column(one: Compared) -> str:
    return f"{one.name} says: {one.said.text}" if one.said else f"{one.name}: {one.line}"


def _named(line: str, name: str) -> str:
    """Say whose policy it is: who listens sees no page, and may have been understood to mean another."""
    if not name:
        return line
    for written, said in (
        ("the policy", f"{name}’s policy"), ("The policy", f"{name}’s policy"), ("it says", f"{name} says"),
        ("It also says", f"{name} also says"),
    ):  # fmt: skip
        if written in line:
            return line.replace(written, said, 1)
    return f"{name}: {line}"


def _best_first(quotes: Sequence[QuoteSaid]) -> list[QuoteSaid]:
    """Put first what the line rests on, then what bears on the question most: a page shows all, a voice one by one."""
    return sorted(quotes, key=lambda one: (not one.earns, -one.probability))


def _led(quote: QuoteSaid) -> str:
    """Say what leads into an item of a list before the item."""
    if quote.before and quote.before.rstrip().endswith(":"):
        return f"{quote.before} {quote.text}"
    return quote.text


def _quotation(quote: QuoteSaid) -> str:
    where = " › ".join(quote.headings)
    place = f"passage {quote.segment}, characters {quote.start} to {quote.end}"
    return f"“{' '.join(_led(quote).split())}”\n({f'{where}; ' if where else ''}{place})"


def _saying(one: PolicySaid) -> str:
    return f"{one.name} ({one.domain}): “{' '.join(one.text.split())}”\n{one.url}, version {one.version_id}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
