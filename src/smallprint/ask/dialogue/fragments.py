"""A follow-up that is no whole question ("and my location?", "why?"), made whole from the question before it.

And a question that is not plain: whether to ask back, with two things that may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from smallprint.ask.dialogue.conversation import Option
from smallprint.ask.english.lexicon import ANYTHING, PLAIN_DEED, Sort, deeds, pattern, terms
from smallprint.ask.english.topics import topic_of
from smallprint.ask.ranking.stems import STOP_WORDS
from smallprint.records import Quote, Span
from smallprint.taxonomy import category
from smallprint.text import words


def phrases(ways: str, lead: str = "") -> re.Pattern[str]:
    """Return a pattern for a text that is one of some phrases and nothing else."""
    return pattern(rf"^\W*{lead}(?:{ways})\W*$")


_AND = "(?:and |but )?"
_LEAD = pattern(
    r"^\W*(?:(?:and|but|or|also|then|so|ok|okay|hm+|what about|how about|what of|what if it is|is that the same for|"
    r"same for|the same for)\b[\s,]*)+"
)
_TAIL = pattern(r"[\s,]*\b(?:too|as well|then|also|instead|please)?[\s?.!]*$")
_WHY = phrases(
    r"why(?: (?P<no>not)| (?:is that|do (?:they|you)(?: do (?:that|it|so))?))?|what for|how come|"
    r"for what(?: purposes?| reasons?)?|to what end",
    _AND,
)
_HOW = phrases(r"how(?: so)?", _AND)
_WHO = phrases(r"who else|whom?|with whom|to whom|who(?: else)? (?:gets|sees|has) (?:it|them|that)", _AND)
_OF_THE_SAME = {
    _WHO: "Who{more} do you share {thing} with?",
    phrases(r"(?:for )?how long", _AND): "How long do you keep {thing}?",
    phrases(r"where(?: to)?", _AND): "Where do you store {thing}?",
}
_ASKS = pattern(
    r"(?s)^(?P<aux>do|does|did|can|could|will|would|is|are|has|have|may|might|should)\s+"
    r"(?P<who>you|they|it|he|she|we|the (?:company|app|site|website|service|policy)|this (?:app|site|company)|i)\s+"
    r"(?P<does>.+)$"
)
_WHOLE = pattern(
    r"^\W*(?:do|does|did|can|could|will|would|is|are|has|have|may|might|should|what|which|who|whom|how|when|where|why|"
    r"whose|tell|explain|show|list|i)\b"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_BACK = pattern(r"\b(?:it|that|them|this|those)\b")
# What is mine is a thing even where no word of it is known: "my keystrokes", "my name and address".
_MINE = pattern(
    r"\bmy\s+[a-z][\w'’-]*(?:\s+(?!(?:with|to|for|by|from|when|while|if|and|or|in|on|at|of|as|after|before|without|is|are|"
    r"be|being|do|does|you|they|who|that|kept|sold|sent|\w+ed)\b)[a-z][\w'’-]*){0,2}"
)
_DETERMINERS = frozenset("my your our their his her the any this these those some all".split())
# What is neither sold nor kept like data: after such a question, what is said of it is asked for.
_UNSOLD = frozenset({"cookies", "trackers", "children"})
_SETS = pattern(r"\b(?:use|set|place|allow|block|refuse|say|tell|collect)\b")
MOST_WORDS = 6
# PriBot asks back where cer(q) is low: of 22 questions of our own those that can be answered at once have 0.5 and more,
# "what about cookies?" 0.36. But the mapper is sure of "location?" as well, whatever of it is meant: what merely names
# a thing is told by its words.
CERTAIN = 0.4
# A practice is among those that may be meant where its best sentence is nearly as good as the best of all.
NEARLY = 0.6
_IDLE = STOP_WORDS | frozenset("tell know happens happen".split())
# Each practice as one asks for it, of the thing spoken of: how it is offered, and the question it stands for.
_OFFERS = {category(name).plain: ways for name, ways in {
    "first-party": ("how they use {your}", "How do you use {my}?"),
    "third-party": ("with whom they share {your}", "Who do you share {my} with?"),
    "choice": ("what you can choose about {your}", "What choices do I have about {my}?"),
    "access": ("how to see, correct or delete {your}", "How can I see, correct or delete {my}?"),
    "retention": ("how long they keep {your}", "How long do you keep {my}?"),
    "security": ("how they protect {your}", "How do you protect {my}?"),
    "change": ("how they tell you of changes", "How do you tell me of changes to the policy?"),
    "audiences": ("what holds for children and for certain countries", "What do you say about children?"),
}.items()}  # fmt: skip


def is_fragment(text: str) -> bool:
    """Return whether something is said that means nothing without the question before it."""
    if any(ways.match(text) for ways in (_WHY, _HOW, *_OF_THE_SAME)):
        return True
    bare = _LEAD.sub("", text)
    count = len(_WORD.findall(bare))
    points_back = bool(_BACK.search(bare))
    if points_back or _WHOLE.match(bare):
        return points_back and count <= 2 * MOST_WORDS
    return 0 < count <= MOST_WORDS and (bare != text or "?" in text or count <= 3)


def is_whole(text: str) -> bool:
    """Return whether something can be asked by itself."""
    return bool(_WHOLE.match(_LEAD.sub("", text)))


def complete(fragment: str, before: str) -> str:
    """Make a whole question: "and my location?" after "do you sell my contacts?" is "do you sell my location?"."""
    thing, asked = thing_of(before), before.strip(" ?!.")
    for ways, question in _OF_THE_SAME.items():
        if ways.match(fragment):
            return question.format(thing=thing, more=" else" if "else" in fragment.lower() else "")
    asks, why = _ASKS.match(asked), _WHY.match(fragment)
    if why or _HOW.match(fragment):
        if not asks:
            return f"Why? {before.strip()}" if why else f"How? {asked}?"
        no = " not" if why and why["no"] else ""
        return f"{'Why' if why else 'How'} {asks['aux'].lower()} {asks['who'].lower()}{no} {asks['does']}?"
    bare = _TAIL.sub("", _LEAD.sub("", fragment))
    if _WHOLE.match(bare) or (_BACK.search(bare) and _WORD.findall(bare)[0].lower() not in PLAIN_DEED):
        return f"{_BACK.sub(thing, bare, count=1)}?"
    return f"{_put_in(bare, asked, thing)}?"


def thing_of(question: str) -> str:
    """Return what a question is about, with its "my": "my location"; "my data" where it names nothing."""
    place = _place_of("things", question)
    thing = question[place.start : place.end] if place else ""
    return "my data" if thing.lower() in {"", "it", "them", "anything", "something", "nothing"} else thing


def _put_in(bare: str, asked: str, thing: str) -> str:
    """Put a phrase into the question before, in the place of what is of the same sort."""
    tokens = [word.lower() for word in _WORD.findall(bare)]
    asks = _ASKS.match(asked)
    if tokens and tokens[0] in PLAIN_DEED and asks:  # "and sell it"
        deed = f"{bare} {thing}" if len(tokens) == 1 else _BACK.sub(thing, bare, count=1)
        return f"{asks['aux']} {asks['who']} {deed}"
    named = terms(tokens)
    sort: Sort = named[0].sort if named else "things"
    link = re.match(r"(?:for|to)\b", bare, re.IGNORECASE)
    if link and (sort == "ends" or (sort == "whom" and link[0].lower() == "for")):
        return f"{asked} {bare}"
    is_apart = sort != "whom" and bare.lower() in _UNSOLD and not _SETS.search(asked)
    if is_apart or (not named and topic_of(bare)):
        return f"What do you say about {bare}"
    if sort == "whom":
        bare = re.sub(r"^(?:with|to|by)\s+", "", bare, flags=re.IGNORECASE)
    place = _place_of(sort, asked)
    if place:
        return f"{asked[: place.start]}{bare}{asked[place.end :]}"
    if sort == "things":
        return f"What do you say about {bare}"
    is_given = re.search(r"\b(?:sell|give|pass|send|disclose)\b", asked, re.IGNORECASE)
    return f"{asked} {'for' if sort == 'ends' else 'to' if is_given else 'with'} {bare}"


def _place_of(sort: Sort, text: str) -> Span | None:
    """Find what names something in a text, with the determiners before it; what is named outright comes first."""
    matches = list(_WORD.finditer(text))
    tokens = [match[0].lower() for match in matches]
    named = [term for term in terms(tokens) if term.sort == sort]
    if not named:
        mine = _MINE.search(text) if sort == "things" else None
        return Span(mine.start(), mine.end()) if mine else None
    term = next((term for term in named if term.id != ANYTHING), named[0])
    first = term.start
    while first and tokens[first - 1] in _DETERMINERS:
        first -= 1
    return Span(matches[first].start(), matches[term.end - 1].end())


def clarification(question: str, certainty: float, quotes: Sequence[Quote]) -> tuple[Option, ...]:
    """Return the two things that may be meant, or nothing where the question is plain enough.

    A question that says what is done ("sell", "keep") is plain. Else it is ambiguous where cer(q) is low, or where it
    merely names a thing, and the best evidence falls into different practices: of one there is nothing to choose.
    """
    if deeds(question) or topic_of(question) or not (certainty < CERTAIN or is_bare(question)):
        return ()
    best = sorted(quotes, key=lambda quote: -quote.probability)
    practices = dict.fromkeys(quote.practice for quote in best if quote.probability >= NEARLY * best[0].probability)
    ways = [_OFFERS[practice] for practice in practices if practice in _OFFERS][:2]
    if len(ways) < 2:
        return ()
    my = thing_of(question)
    my = my if " " in my or my.lower().startswith("cookie") else f"my {my}"
    your = f"your {my[3:]}" if my.lower().startswith("my ") else my
    return tuple(Option(offered.format(your=your), asked.format(my=my)) for offered, asked in ways)


def is_bare(question: str) -> bool:
    """Return whether a question names a thing and says nothing of it: "my location?", "what about cookies?"."""
    tokens = words(question)
    named = {place for term in terms(tokens) if term.sort == "things" for place in range(term.start, term.end)}
    return bool(named) and all(place in named or token in _IDLE for place, token in enumerate(tokens))
