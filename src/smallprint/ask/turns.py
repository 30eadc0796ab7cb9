"""What somebody means by what they say next, given where a conversation stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from smallprint.ask.conversation import Conversation, Option
from smallprint.ask.fragments import is_fragment
from smallprint.ask.library_questions import Kind, kind_of, of_one
from smallprint.text import words

Means = Literal[
    "question", "library", "of one", "fragment", "name", "more", "yes", "no", "choice", "repair", "thanks", "bye",
    "help", "restart", "nothing",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Turn:
    """What is meant: `text` is what is asked, without "no, I meant"; `choice` the number of an option, from 0."""

    means: Means
    text: str = ""
    choice: int | None = None
    kind: Kind | None = None


def _said(*ways: str) -> re.Pattern[str]:
    return re.compile(rf"^\W*(?:{'|'.join(ways)})\W*$", re.IGNORECASE)


_THANKS = _said(
    r"(?:great|ok|okay|good|perfect)?\W*(?:thanks?|thank you|thx|cheers|ta)(?: (?:a lot|very much|so much|you))?"
)
_BYE = _said(
    r"(?:good)?bye(?: bye)?", r"quit", r"exit", r"see you", r"that(?:'s| is) (?:all|it)(?:,? thanks?)?",
    r"i(?:'m| am) done", r"no thanks?(?: you)?", r"nothing(?: else)?(?:,? thanks?)?", r"stop", r"cancel", r"end",
)  # fmt: skip
_HELP = _said(
    r"help(?: me)?", r"what can (?:you do|i ask|i say)", r"how does (?:this|it) work", r"what do you do", r"\?+"
)
_RESTART = _said(
    r"(?:let(?:'s| us) )?(?:start|begin) (?:over|again|anew|afresh)", r"restart", r"reset",
    r"new (?:conversation|question|policy)", r"forget (?:it|that|everything|all that|about it)", r"never ?mind",
)  # fmt: skip
_YES = _said(
    r"y", r"yes(?:,? please)?(?: do)?", r"yeah", r"yep", r"yup", r"sure", r"ok(?:ay)?", r"please(?: do)?", r"go ahead",
    r"do (?:it|that|so)", r"right", r"of course",
)  # fmt: skip
_NO = _said(r"n", r"no", r"nope", r"nah", r"not really", r"neither", r"none(?: of (?:them|these|those))?", r"don't")
_MORE = _said(
    r"(?:tell|show|give) me (?:some )?more", r"(?:and )?more(?: please)?", r"go on", r"continue", r"what else", r"next",
    r"(?:is there )?anything (?:else|more)", r"read (?:on|more)", r"say more", r"and then",
    r"(?:show|list) (?:the )?rest",
)  # fmt: skip
_WRONG = _said(
    r"(?:no\W+)?(?:that(?:'s| is|s)? )?not what i (?:meant|asked|wanted)(?: to know)?", r"wrong(?: (?:one|question))?"
)
_REPAIR = re.compile(
    r"^\W*(?:(?:no|nope|sorry|actually|wait|oh|hm+)\b[\s,.;:!-]*)*"
    r"(?:(?:that(?:'s| is) not what i (?:meant|asked)|not that)[\s,.;:-]*)?"
    r"(?:(?:i|what i) (?:actually |really )?(?:meant|mean|was asking|wanted|asked)(?: (?:to ask|to know|is|was))?"
    r"(?: about)?|i said|rather|make that)\b[\s,.;:-]*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_CORRECTION = re.compile(r"^\W*(?:no|nope|sorry|actually|wait)\b[\s,.;:!-]+(?P<rest>\S.*)$", re.IGNORECASE | re.DOTALL)
_ORDINALS = (
    _said(r"(?:the )?(?:first|former|1st|one|1|a)(?: one)?(?: please)?"),
    _said(r"(?:the )?(?:second|latter|2nd|two|2|b)(?: one)?(?: please)?"),
    _said(r"(?:the )?(?:third|3rd|three|3)(?: one)?(?: please)?"),
    _said(r"(?:the )?(?:fourth|4th|four|4)(?: one)?(?: please)?"),
    _said(r"(?:the )?(?:fifth|last|5th|five|5)(?: one)?(?: please)?"),
)
_FILLERS = frozenset("the one of a an i mean meant please how they it your my what with whom with and or to".split())


def read_turn(text: str, conversation: Conversation, named: int = 0, *, is_only_a_name: bool = False) -> Turn:
    """Say what is meant; `named` is how many policies are named in it, `is_only_a_name` if nothing else is said."""
    if not words(text):
        return Turn("help" if "?" in text else "nothing")
    plain = _plain(text, conversation)
    if plain is not None:
        return plain
    if is_only_a_name:
        return Turn("name", text)
    repaired = _REPAIR.match(text) or _CORRECTION.match(text)
    if repaired and words(repaired["rest"]):
        return Turn("repair", repaired["rest"].strip())
    if repaired:
        return Turn("no")
    return meant(text, conversation, named)


def meant(text: str, conversation: Conversation, named: int) -> Turn:
    """Say which kind of question it is."""
    kind = kind_of(text, named, spoken_of=bool(conversation.policy_id))
    if kind is not None:
        return Turn("library", text, kind=kind)
    alone = of_one(text)
    if alone is not None and (conversation.policy_id or named):
        return Turn("of one", text, kind=alone)
    if conversation.question and is_fragment(text):
        return Turn("fragment", text)
    return Turn("question", text)


def _plain(text: str, conversation: Conversation) -> Turn | None:
    """Read what is said by itself; whether "no" declines or corrects is told by what follows it."""
    if conversation.pending is not None:
        chosen = choice_of(text, conversation.pending.options)
        if chosen is not None:
            return Turn("choice", text, chosen)
    kinds: tuple[tuple[Means, re.Pattern[str]], ...] = (
        ("thanks", _THANKS), ("bye", _BYE), ("help", _HELP), ("restart", _RESTART), ("yes", _YES), ("no", _NO),
        ("no", _WRONG), ("more", _MORE),
    )  # fmt: skip
    if any(pattern.match(text) for pattern in _ORDINALS):
        return Turn("nothing")  # nothing was there to be chosen from
    return next((Turn(means, text) for means, pattern in kinds if pattern.match(text)), None)


def choice_of(text: str, options: tuple[Option, ...]) -> int | None:
    """Say which option is chosen: by its number, or by words that no other option has; None where it is not plain."""
    for place, pattern in enumerate(_ORDINALS[: len(options)]):
        if pattern.match(text):
            return place
    said = set(words(text)) - _FILLERS
    every = [set(words(f"{option.label} {option.policy_id.replace('.', ' ')}")) - _FILLERS for option in options]
    if not said or len(said) > 6:
        return None
    fits = [len(said & own) for own in every]
    best = max(fits, default=0)
    # More than half of what was said must be the option's own, or it is a new question.
    if best and fits.count(best) == 1 and 2 * best > len(said):
        return fits.index(best)
    return None
