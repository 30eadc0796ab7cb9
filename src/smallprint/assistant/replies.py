"""What the assistant says, in one record that a terminal, a page, a program and a voice can each show; and its words.

Its own words are greetings, offers, what may be asked next, and how policies of one name are told apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from smallprint.ask.answer.answering import Answer, Source
from smallprint.ask.answer.first_line import plain_line
from smallprint.ask.dialogue.acts import Does
from smallprint.ask.dialogue.fragments import thing_of
from smallprint.assistant.names import plain_name
from smallprint.card import Verdict
from smallprint.library.directory import Listed, proper
from smallprint.records import Citation, Sentence
from smallprint.text import words

ReplyKind = Literal[
    "answer", "policies", "comparison", "vague", "surprising", "clarify", "which", "offer", "fetched", "note", "help",
    "bye",
]  # fmt: skip
MOST_SUGGESTED = 3
_NEXT = (
    "Do you share {thing} with advertisers?",
    "How long do you keep {thing}?",
    "Can I delete {thing}?",
    "Do you sell {thing}?",
    "How do you protect {thing}?",
)
OF_LIBRARY = ("Which policies do not share data with advertisers?", "Which policies are vaguest about retention?")
OF_POLICY = ("What is it vague about?", "Is there anything surprising in it?")
LONGEST_PLACE = 60
FOREIGN = plain_line(Verdict.FOREIGN)
HELP = (
    "Ask what a policy says, such as “Does Example sell my data?”, and go on from there: “and my location?”, “why?”, "
    "“who else?”, “more”.",
    "Or ask about all policies: “Which medical sites do not share data with advertisers?”, “Compare what one and "
    "another keep”, “Which policies are vaguest about retention?”",
    "Say “start over” to forget what was said, and “bye” to end.",
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """The policy that a reply is about, by id, name and domain."""

    policy_id: str
    version_id: str
    name: str
    domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCitation(Citation):
    """A policy's sentence with whose it is: the name it is spoken of by, its domain and its address."""

    name: str
    domain: str
    url: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What one of several policies says that were asked the same: the line it got, and its best sentence if any."""

    name: str
    line: str
    quote: NamedCitation | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply. `lines` are the assistant's own words; what policies say stands in `answer` and `policies` alone.

    `compared` has every policy of a comparison, in the order they were named, those that are silent too. `options` are
    what may be chosen, `suggestions` what may be asked next. `more` tells whether there is more to be
    told, `ends` whether the conversation is over.
    """

    kind: ReplyKind
    lines: tuple[str, ...]
    policy: Spoken | None = None
    answer: Answer | None = None
    policies: tuple[NamedCitation, ...] = ()
    compared: tuple[Compared, ...] = ()
    options: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    more: bool = False
    ends: bool = False


def named(policy: Listed, sentence: Sentence | Citation) -> NamedCitation:
    """Return a sentence of a stored policy as a citation."""
    own = Source(policy.policy_id, policy.version_id).quote(sentence)
    return NamedCitation(**own, name=plain_name(policy), domain=policy.domain, url=policy.url)


def note(line: str, suggestions: tuple[str, ...] = OF_LIBRARY) -> Reply:
    """Return a reply of one line, with what may be asked next."""
    return Reply("note", (line,), suggestions=suggestions)


def plain_reply(does: Does, *, spoken_of: bool, asked: bool) -> Reply | None:
    """Return the reply to what needs no looking up; None where something has to be looked up."""
    replies: dict[Does, Reply] = {
        "thanks": note("You are welcome.", OF_POLICY if spoken_of else OF_LIBRARY),
        "bye": Reply("bye", ("Goodbye.",), ends=True),
        "help": Reply("help", HELP, suggestions=OF_LIBRARY),
        "restart": note("All forgotten. What do you want to know?"),
        "nothing": note("I did not hear a question."),
        "decline": note(
            "All right. Say in other words what you want to know." if asked else "All right.",
            suggestions("") if spoken_of else OF_LIBRARY,
        ),
    }
    return replies.get(does)


def offer(name: str, address: str, *, may_fetch: bool) -> Reply:
    """Say that a policy is not in the library, and what can be done about it."""
    if may_fetch and address:
        return Reply("offer", (f"{name} is not in the library. Shall I fetch it?",), options=("yes", "no"))
    how = "Give the address of its policy, and I can fetch it."
    if not may_fetch:
        how = f"To ask it, add it with 'smallprint add {address or 'ADDRESS'}'."
    return note(f"The policy of {name} is not in the library. {how}")


def told_apart(policy: Listed, others: Iterable[Listed]) -> str:
    """Name a policy so that it can be told from others: by its company and domain, or by its address and title."""
    name = proper(policy.company) or policy.title or policy.domain
    if sum(other.domain == policy.domain for other in others) <= 1:
        return f"{name} ({policy.domain})"
    place = policy.url.partition("://")[2].removeprefix("www.").rstrip("/") or policy.policy_id
    place = place if len(place) <= LONGEST_PLACE else f"{place[: LONGEST_PLACE - 1]}…"
    return f"{policy.title or name} ({place})"


def suggestions(question: str, last: str = OF_POLICY[0]) -> tuple[str, ...]:
    """Return questions that go on from one; none that was just asked in nearly the same words. `last` closes them."""
    asked = set(words(question))
    thing = thing_of(question)
    thing = "my data" if thing.lower().startswith("cookie") else thing  # which nobody keeps or sells
    further = [way.format(thing=thing) for way in _NEXT]
    return (*[other for other in further if len(set(words(other)) - asked) > 1][: MOST_SUGGESTED - 1], last)
