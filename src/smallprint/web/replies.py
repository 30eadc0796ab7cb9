"""A reply of the assistant in, what a page shows of it out: each sentence leads to where it is marked in its policy."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from smallprint import limits
from smallprint.ask.conversation import Conversation
from smallprint.ask.deciding import State
from smallprint.shelf.gathering import PolicySaid
from smallprint.shelf.replies import Compared, Reply, Spoken
from smallprint.view.permalinks import policy_path, short
from smallprint.view.unusual import SILENCE
from smallprint.web.quotations import Shown, shown
from smallprint.web.verdicts import About, about_reply

PATH = "/ask"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A policy's sentence in a reply: whose it is, its words and what leads into them, and where it is marked."""

    name: str
    domain: str
    home: str
    ordinal: int
    before: str | None
    text: str
    contrary: str | None
    cite: str
    address: str


@dataclass(frozen=True, slots=True)
class Column:
    """What one of several policies says that are compared: the line it got, and its sentence if there is one."""

    name: str
    line: str
    sentence: Sentence | None


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said and what it was answered with. `notes` are the assistant's lines after the first.

    `whole` is the question that was put to the policy, where it is another than what was said; `address` is where the
    question can be asked again. `caveat` tells that silence is no denial.
    """

    asked: str
    kind: str
    line: str
    notes: tuple[str, ...]
    policy: Spoken | None
    whole: str
    answer: Shown | None
    sentences: tuple[Sentence, ...]
    columns: tuple[Column, ...]
    caveat: str
    address: str
    about: About | None


def turn(asked: str, reply: Reply, now: Conversation) -> Turn:
    """Lay out a reply; `now` is where the conversation stands after it."""
    sentences = tuple(map(_sentence, reply.policies))
    first, *others = reply.lines
    is_comparison = reply.kind == "comparison"
    # What is asked back is the reply, not what was found so far.
    answer = reply.answer if reply.kind == "answer" else None
    question = answer.question if answer else now.question if reply.kind in {"policies", "comparison"} else asked
    return Turn(
        asked,
        reply.kind,
        first,
        tuple(line for line in others if line != SILENCE),
        reply.policy,
        question if answer and question.casefold() != asked.casefold() else "",
        shown(answer) if answer else None,
        () if is_comparison else sentences,
        tuple(map(_column, reply.compared)),
        SILENCE if SILENCE in others or (answer and answer.state is State.SILENT) else "",
        again(question, reply.policy.policy_id if reply.policy else ""),
        about_reply(reply, question),
    )


def again(question: str, policy_id: str = "") -> str:
    """Give the address of a question; none for one that is too long for an address."""
    if len(question) > limits.MAX_FORM_QUESTION:
        return ""
    return f"{PATH}?{urlencode([('q', question), *([('policy', policy_id)] if policy_id else [])])}"


def carried(now: Conversation) -> str:
    """Write a conversation for the form that goes on with it; of one that is too long the oldest is left out first."""
    for kept in (now, replace(now, past=now.past[-1:]), replace(now, past=(), pending=None)):
        text = json.dumps(kept.to_json(), ensure_ascii=False, separators=(",", ":"))
        if len(text) <= limits.MAX_CONVERSATION:
            return text
    return json.dumps(Conversation(policy_id=now.policy_id).to_json())


def _sentence(one: PolicySaid) -> Sentence:
    fields = [("version", short(one.version_id)), ("at", f"{one.start}-{one.end}")]
    return Sentence(
        one.name, one.domain, policy_path(one.policy_id), one.segment, one.before, one.text, one.contrary,
        one.permalink, policy_path(one.policy_id, fields=fields, ordinal=one.segment),
    )  # fmt: skip


def _column(one: Compared) -> Column:
    return Column(one.name, one.line, _sentence(one.said) if one.said else None)
