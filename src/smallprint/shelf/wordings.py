"""The assistant's own words: greetings, offers, and how policies of one name are told apart."""

from __future__ import annotations

from collections.abc import Iterable

from smallprint.ask.deciding import State
from smallprint.ask.dialogue import Does
from smallprint.ask.wording import first_line
from smallprint.library.directory import Listed, proper
from smallprint.shelf.replies import Reply
from smallprint.shelf.suggestions import OF_LIBRARY, OF_POLICY, suggestions

LONGEST_PLACE = 60
WHOSE = "Whose policy do you mean? Name a company or a domain, or ask about all of them."
UNKNOWN = "I need to know whose policy is meant: name a company or a domain that is in the library."
FOREIGN = first_line(State.FOREIGN, "what", ()).text
NOTHING_MORE = "There is nothing yet that I could say more about."
ALL = "That is all in the policy that bears on it."
FURTHER = "It also says:"
HELP = (
    "Ask what a policy says, such as “Does Example sell my data?”, and go on from there: “and my location?”, “why?”, "
    "“who else?”, “more”.",
    "Or ask about all policies: “Which medical sites do not share data with advertisers?”, “Compare what one and "
    "another keep”, “Which policies are vaguest about retention?”",
    "Say “start over” to forget what was said, and “bye” to end.",
)


def plain(does: Does, *, spoken_of: bool, asked: bool) -> Reply | None:
    """Give the reply to what needs no looking up; None where something has to be looked up."""
    next_questions = OF_POLICY if spoken_of else OF_LIBRARY
    replies: dict[Does, Reply] = {
        "thanks": Reply("note", ("You are welcome.",), suggestions=next_questions),
        "bye": Reply("bye", ("Goodbye.",), ends=True),
        "help": Reply("help", HELP, suggestions=OF_LIBRARY),
        "restart": Reply("note", ("All forgotten. What do you want to know?",), suggestions=OF_LIBRARY),
        "nothing": Reply("note", ("I did not hear a question.",), suggestions=OF_LIBRARY),
        "decline": Reply(
            "note",
            ("All right. Say in other words what you want to know." if asked else "All right.",),
            suggestions=suggestions("") if spoken_of else OF_LIBRARY,
        ),
    }
    return replies.get(does)


def offer(name: str, address: str, *, may_fetch: bool) -> Reply:
    """Say that a policy is not in the library, and what can be done about it."""
    if not may_fetch:
        how = f"add it with 'smallprint add {address or 'ADDRESS'}'"
        return Reply(
            "note", (f"The policy of {name} is not in the library. To ask it, {how}.",), suggestions=OF_LIBRARY
        )
    if address:
        return Reply("offer", (f"{name} is not in the library. Shall I fetch it?",), options=("yes", "no"))
    return Reply(
        "note",
        (f"The policy of {name} is not in the library. Give the address of its policy, and I can fetch it.",),
        suggestions=OF_LIBRARY,
    )


def _place(one: Listed) -> str:
    """Give where a policy stands, without what every address has."""
    place = one.url.partition("://")[2].removeprefix("www.").rstrip("/") or one.policy_id
    return place if len(place) <= LONGEST_PLACE else f"{place[: LONGEST_PLACE - 1]}…"


def told_apart(one: Listed, others: Iterable[Listed]) -> str:
    """Name a policy so that it can be told from others: by its company and domain, or by its address and title."""
    same = [other for other in others if other.domain == one.domain]
    name = proper(one.company) or one.title or one.domain
    if len(same) > 1:
        return f"{one.title or name} ({_place(one)})"
    return f"{name} ({one.domain})"
