"""What to do next in a conversation: where it stands and what was said in, one act out. Nothing is looked up here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from smallprint.ask.conversation import Conversation
from smallprint.ask.fragments import complete, is_whole
from smallprint.ask.library_questions import Kind, kind_of
from smallprint.ask.slots import AROUND
from smallprint.ask.turns import Turn, meant, read_turn
from smallprint.records import Span
from smallprint.text import words

Does = Literal[
    "ask", "library", "of one", "take up", "more", "fetch", "decline", "thanks", "bye", "help", "restart", "nothing"
]
_POSSESSIVE = re.compile(r"^(?:'s|’s)\b")
_THEIRS = re.compile(r"\b(?P<aux>does|is|has|was)\s+$", re.IGNORECASE)
_OF = re.compile(r"\s(?:at|on|for|in|from|of|by|about)\s+$", re.IGNORECASE)
_AUX = {"does": "do", "is": "are", "has": "have", "was": "were"}


@dataclass(frozen=True, slots=True)
class Act:
    """What is to be done: `question` is whole, without names; `policy_id` is set where one of several was chosen."""

    does: Does
    question: str = ""
    policy_id: str = ""
    kind: Kind | None = None


def next_act(text: str, conversation: Conversation, names: Sequence[Span] = ()) -> Act:
    """Say what is to be done about what somebody says; `names` are the places of the policies' names in it."""
    if len(names) > 1 and kind_of(text, len(names)) == "compare":
        return Act("library", text, kind="compare")
    only_a_name = bool(names) and not set(words(_without(text, names))) - AROUND
    turn = read_turn(text, conversation, len(names), is_only_a_name=only_a_name)
    if turn.means == "choice":
        return _chosen(turn, conversation)
    if turn.means == "yes":
        return _agreed(conversation)
    if turn.means == "no":
        return Act("decline")
    if turn.means in {"more", "thanks", "bye", "help", "restart", "nothing"}:
        return Act(turn.means)
    if turn.means == "name" or (turn.means == "repair" and only_a_name):
        return Act("take up", conversation.question)
    if turn.means == "repair":
        return _asked(_repaired(turn.text, conversation, text, names), conversation)
    return _asked(turn, conversation, text, names)


def unnamed(text: str, names: Sequence[Span]) -> str:
    """Put a question about a company to its policy: "does Kitegram sell my data?" as "do you sell my data?"."""
    for place in sorted(names, key=lambda one: -one.start):
        before, after = text[: place.start], text[place.end :]
        if _OF.search(before) and not _POSSESSIVE.match(after):
            text = f"{_OF.sub(' ', before).rstrip()}{after}"
            continue
        found = _THEIRS.search(before)
        if found and not _POSSESSIVE.match(after):
            said = _AUX[found["aux"].lower()]
            said = said.capitalize() if found["aux"][0].isupper() else said
            before = f"{before[: found.start()]}{said} "
        text = f"{before}your{_POSSESSIVE.sub('', after)}" if _POSSESSIVE.match(after) else f"{before}you{after}"
    return text.strip()


def _chosen(turn: Turn, conversation: Conversation) -> Act:
    assert conversation.pending is not None
    assert turn.choice is not None
    option = conversation.pending.options[turn.choice]
    question = option.question or conversation.pending.question
    return Act("ask" if question else "take up", question, option.policy_id or conversation.policy_id)


def _agreed(conversation: Conversation) -> Act:
    """Take "yes" for what was offered last: to fetch, the first of two things, or to hear more."""
    pending = conversation.pending
    if pending is None:
        return Act("more")
    if pending.waits == "fetch":
        return Act("fetch", pending.question)
    return _chosen(Turn("choice", choice=0), conversation) if pending.options else Act("decline")


def _repaired(rest: str, conversation: Conversation, text: str, names: Sequence[Span]) -> Turn:
    """Read what was meant instead; what is no whole question is put into the one before."""
    own = meant(rest, conversation, len(names))
    if own.means == "question" and not names and conversation.question and not is_whole(rest):
        return Turn("fragment", rest)
    if names:  # places are in the whole text, so that the part that was meant is cut from there
        return Turn(own.means, unnamed(text, names)[-len(rest) :] if own.means != "library" else rest, kind=own.kind)
    return own


def _asked(turn: Turn, conversation: Conversation, text: str = "", names: Sequence[Span] = ()) -> Act:
    if turn.means == "library":
        return Act("library", turn.text, kind=turn.kind)
    if turn.means == "of one":
        return Act("of one", turn.text, kind=turn.kind)
    if turn.means == "fragment":
        return Act("ask", complete(_plain(turn.text, text, names), conversation.question))
    return Act("ask", _plain(turn.text, text, names))


def _plain(asked: str, text: str, names: Sequence[Span]) -> str:
    return unnamed(text, names) if names and asked == text else asked


def _without(text: str, names: Sequence[Span]) -> str:
    for place in sorted(names, key=lambda one: -one.start):
        text = f"{text[: place.start]} {_POSSESSIVE.sub('', text[place.end :])}"
    return text
