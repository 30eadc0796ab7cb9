"""What to do next in a conversation: where it stands and what was said in, one act out. Nothing is looked up here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from smallprint.ask.dialogue.conversation import Conversation, Option
from smallprint.ask.dialogue.fragments import complete, is_fragment, is_whole, phrases
from smallprint.ask.english.companies import AROUND
from smallprint.ask.english.lexicon import pattern
from smallprint.records import Span
from smallprint.text import words

Does = Literal[
    "ask", "library", "of one", "take up", "more", "fetch", "decline", "thanks", "bye", "help", "restart", "nothing"
]
Kind = Literal["list", "compare", "vaguest", "surprising"]
_ORDINALS = tuple(
    phrases(rf"(?:the )?(?:{number})(?: one)?(?: please)?")
    for number in "first|former|1st|one|1|a second|latter|2nd|two|2|b third|3rd|three|3 fourth|4th|four|4 "
    "fifth|last|5th|five|5".split()
)
_YES = phrases(
    r"y|yes(?:,? please)?(?: do)?|yeah|yep|yup|sure|ok(?:ay)?|please(?: do)?|go ahead|do (?:it|that|so)|right|of course"
)
# What is said by itself; whether "no" declines or corrects is told by what follows it.
_PLAIN: dict[Does, re.Pattern[str]] = {
    "thanks": phrases(
        r"(?:great|ok|okay|good|perfect)?\W*(?:thanks?|thank you|thx|cheers|ta)(?: (?:a lot|very much|so much|you))?"
    ),
    "bye": phrases(
        r"(?:good)?bye(?: bye)?|quit|exit|see you|that(?:'s| is) (?:all|it)(?:,? thanks?)?|i(?:'m| am) done|"
        r"no thanks?(?: you)?|nothing(?: else)?(?:,? thanks?)?|stop|cancel|end"
    ),
    "help": phrases(r"help(?: me)?|what can (?:you do|i ask|i say)|how does (?:this|it) work|what do you do|\?+"),
    "restart": phrases(
        r"(?:let(?:'s| us) )?(?:start|begin) (?:over|again|anew|afresh)|restart|reset|"
        r"new (?:conversation|question|policy)|forget (?:it|that|everything|all that|about it)|never ?mind"
    ),
    "decline": phrases(
        r"n|no|nope|nah|not really|neither|none(?: of (?:them|these|those))?|don't|wrong(?: (?:one|question))?|"
        r"(?:no\W+)?(?:that(?:'s| is|s)? )?not what i (?:meant|asked|wanted)(?: to know)?"
    ),
    "more": phrases(
        r"(?:tell|show|give) me (?:some )?more|(?:and )?more(?: please)?|go on|continue|what else|next|say more|"
        r"(?:is there )?anything (?:else|more)|read (?:on|more)|and then|(?:show|list) (?:the )?rest"
    ),
}
_REPAIR = pattern(
    r"(?s)^\W*(?:(?:no|nope|sorry|actually|wait|oh|hm+)\b[\s,.;:!-]*)*"
    r"(?:(?:that(?:'s| is) not what i (?:meant|asked)|not that)[\s,.;:-]*)?"
    r"(?:(?:i|what i) (?:actually |really )?(?:meant|mean|was asking|wanted|asked)(?: (?:to ask|to know|is|was))?"
    r"(?: about)?|i said|rather|make that)\b[\s,.;:-]*(?P<rest>.*)$"
)
_CORRECTION = pattern(r"(?s)^\W*(?:no|nope|sorry|actually|wait)\b[\s,.;:!-]+(?P<rest>\S.*)$")
_FILLERS = frozenset("the one of a an i mean meant please how they it your my what with whom with and or to".split())
_MANY = (
    r"(?:privacy\s+)?(?:polic(?:y|ies)|sites?|websites?|web\s+sites|apps?|applications?|compan(?:y|ies)|services?|"
    r"firms?|businesses|providers?|organi[sz]ations?|shops?|stores?|banks?|schools?|colleges|universit(?:y|ies)|"
    r"hospitals?|clinics?|charit(?:y|ies)|games?|insurers?|hotels?|restaurants?|newspapers?|councils?|messengers?|ones)"
)
OPENS = pattern(
    rf"(?s)^\W*(?:(?:so|and|ok|okay|please|tell me|can you|could you|find(?: me)?|show(?: me)?|list|name|give me|"
    rf"i (?:want|need|am looking for|would like)|is there|are there|do you know)\b[\s,]*)*"
    rf"(?:which|what|who among|any|some|all|an?|the|those|every|how many)?\s*(?P<of>(?:[\w-]+\s+){{0,3}}?){_MANY}\s+"
    rf"(?P<rest>(?!(?:do|does|did|can|could|will|would|are|have|may) (?:you|they|it|i|we|he|she)\b)\w.*)$"
)
# "who keeps data indefinitely?", of nobody in particular; of a policy spoken of, what others do with data is asked.
WHO = pattern(
    r"(?s)^\W*(?:(?:and|so|ok|okay|tell me)\s+)?who(?: else)?\s+"
    r"(?P<rest>(?:(?:does not|doesn't|never|won't|will not)\s+)?"
    r"(?P<deed>keep|sell|share|collect|use|track|delete|encrypt|store|retain|let|allow|honou?r|give|pass|tell)s?\b.*)$"
)
_OF_OTHERS = frozenset("use share collect track give pass store tell".split())
_VAGUE = pattern(r"\b(?:vague(?:st|r|ly)?|vagueness|unclear|evasive|least clear|woolly|fuzzy|imprecise)\b")
CLEAR = pattern(r"\b(?:clearest|plainest|least vague|most precise)\b")
_SURPRISING = pattern(
    r"\b(?:surpris\w+|unusual\w*|out of the ordinary|odd|strange|unexpected|stands? out|special about|"
    r"different from other)\b"
)
_COMPARE = pattern(r"\b(?:compare|comparison|differences?|differ|versus|vs\.?|side by side)\b|\bbetter than\b|\bor\b")
_GETTING = pattern(r"(?:else )?(?:gets?|receives?|sees?|has|have|buys?|knows?|can (?:see|get))\b")
_POSSESSIVE = re.compile(r"^(?:'s|’s)\b")
_THEIRS = pattern(r"\b(?:does|is|has|was)\s+$")
_PLURAL = {"does": "do", "is": "are", "has": "have", "was": "were"}
_OF = pattern(r"\s(?:at|on|for|in|from|of|by|about)\s+$")


@dataclass(frozen=True, slots=True)
class Act:
    """What is to be done: `question` is whole, without names; `policy_id` is set where one of several was chosen."""

    does: Does
    question: str = ""
    policy_id: str = ""
    kind: Kind | None = None


def next_act(text: str, conversation: Conversation, names: Sequence[Span] = ()) -> Act:
    """Return what is to be done about what somebody says; `names` are the places of the policies' names in it."""
    if len(names) > 1 and kind_of(text, len(names)) == "compare":
        return Act("library", text, kind="compare")
    if not words(text):
        return Act("help" if "?" in text else "nothing")
    option = choice_of(text, conversation.pending.options) if conversation.pending else None
    if option is not None:
        return _chosen(option, conversation)
    if any(ordinal.match(text) for ordinal in _ORDINALS):
        return Act("nothing")  # nothing was there to be chosen from
    if _YES.match(text):
        return _agreed(conversation)
    plain = next((does for does, ways in _PLAIN.items() if ways.match(text)), None)
    if plain is not None:
        return Act(plain)
    if names and AROUND.issuperset(words(_without(text, names))):
        return Act("take up", conversation.question)
    repair = _REPAIR.match(text) or _CORRECTION.match(text)
    if repair is None:
        return _asked(text, unnamed(text, names) if names else text, conversation, len(names))
    rest = repair["rest"].strip()
    if not words(rest):
        return Act("decline")
    # Places are in the whole text, so that the part that was meant is cut from there.
    question = unnamed(text, names)[-len(rest) :] if names else rest
    return _asked(rest, question, conversation, len(names), is_repair=True)


def choice_of(text: str, options: tuple[Option, ...]) -> int | None:
    """Return which option is chosen, by its number or by words that no other has; None where it is not plain."""
    for place, ordinal in enumerate(_ORDINALS[: len(options)]):
        if ordinal.match(text):
            return place
    tokens = set(words(text)) - _FILLERS
    if not tokens or len(tokens) > 6:
        return None
    fits = [len(tokens & set(words(f"{option.label} {option.policy_id.replace('.', ' ')}"))) for option in options]
    best = max(fits, default=0)
    # More than half of what was said must be the option's own, or it is a new question.
    return fits.index(best) if best and fits.count(best) == 1 and 2 * best > len(tokens) else None


def unnamed(text: str, names: Sequence[Span]) -> str:
    """Put a question about a company to its policy: "does Kitegram sell my data?" as "do you sell my data?"."""
    for place in sorted(names, key=lambda place: -place.start):
        before, after = text[: place.start], text[place.end :]
        if _POSSESSIVE.match(after):
            text = f"{before}your{_POSSESSIVE.sub('', after)}"
        elif _OF.search(before):
            text = f"{_OF.sub(' ', before).rstrip()}{after}"
        else:
            text = f"{_THEIRS.sub(_plural, before)}you{after}"
    return text.strip()


def _plural(verb: re.Match[str]) -> str:
    plural = _PLURAL[verb[0].strip().lower()]
    return f"{plural.capitalize() if verb[0][0].isupper() else plural} "


def _without(text: str, names: Sequence[Span]) -> str:
    for place in sorted(names, key=lambda place: -place.start):
        text = f"{text[: place.start]} {_POSSESSIVE.sub('', text[place.end :])}"
    return text


def _chosen(place: int, conversation: Conversation) -> Act:
    assert conversation.pending is not None
    option = conversation.pending.options[place]
    question = option.question or conversation.pending.question
    return Act("ask" if question else "take up", question, option.policy_id or conversation.policy_id)


def _agreed(conversation: Conversation) -> Act:
    """Take "yes" for what was offered last: to fetch, the first of two things, or to hear more."""
    pending = conversation.pending
    if pending is None:
        return Act("more")
    if pending.waits == "fetch":
        return Act("fetch", pending.question)
    return _chosen(0, conversation) if pending.options else Act("decline")


def _asked(text: str, question: str, conversation: Conversation, named: int, *, is_repair: bool = False) -> Act:
    """Return what a question asks for; `question` is the text without names."""
    kind = kind_of(text, named, spoken_of=bool(conversation.policy_id))
    if kind is not None:
        return Act("library", text, kind=kind)
    kind = of_one(text)
    if kind is not None and (conversation.policy_id or named):
        return Act("of one", question if is_repair else text, kind=kind)
    is_part = is_fragment(text) or (is_repair and not named and not is_whole(text))
    return Act("ask", complete(question, conversation.question) if conversation.question and is_part else question)


def kind_of(text: str, named: int, *, spoken_of: bool = False) -> Kind | None:
    """Return which kind of question over the library this is, `named` policies being named in it; None for none.

    Where a policy is `spoken_of`, "which companies get my data?" is asked of that one.
    """
    if named >= 2 and _COMPARE.search(text):
        return "compare"
    opens = OPENS.match(text.strip())
    if named or (opens and spoken_of and _GETTING.match(opens["rest"])):
        return None
    if opens and (_VAGUE.search(text) or CLEAR.search(text)):
        return "vaguest"
    who = WHO.match(text.strip())
    if who and not (spoken_of and who["deed"].lower() in _OF_OTHERS):
        return "list"
    return "list" if opens else None


def of_one(text: str) -> Kind | None:
    """Return whether a single policy is asked what it is vague about, or what is surprising in it."""
    if _VAGUE.search(text):
        return "vaguest"
    return "surprising" if _SURPRISING.search(text) else None
