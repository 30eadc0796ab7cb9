"""A question over many policies, parsed: what kind it is, which practice, affirmed or denied, and of which policies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from smallprint.annotate.mentions import find as find_names
from smallprint.ask.kinds import CompanyKind, kind_named
from smallprint.ask.kit import Kit
from smallprint.ask.lexicon import ANYBODY, ANYTHING, Sort, label_of, terms
from smallprint.ask.sector_words import sectors_in
from smallprint.ask.stances import Matter, Stance
from smallprint.ask.stems import STOP_WORDS
from smallprint.ask.topics import Topic, own_topic, topic_of, unnamed
from smallprint.taxonomy import CATEGORIES, Label
from smallprint.text import words

Kind = Literal["list", "compare", "vaguest", "surprising"]
# The deeds of a question; what else it may ask for has labels of its own.
_DEEDS = {
    "sell": "sell sells selling sold sale",
    "share": "share shares sharing shared give gives giving pass passes disclose discloses hand send sends provide "
    "provides transfer transfers tell tells exchange exchanges",
    "collect": "collect collects collecting collected gather gathers record records read reads access accesses take "
    "takes know knows obtain obtains get gets ask asks",
    "use": "use uses using used process processes",
    "track": "track tracks tracking follow follows set sets let lets allow allows",
}
_DEED = {form: deed for deed, forms in _DEEDS.items() for form in forms.split()}
_MANY = (
    r"(?:privacy\s+)?(?:polic(?:y|ies)|sites?|websites?|web\s+sites|apps?|applications?|compan(?:y|ies)|services?|"
    r"firms?|businesses|providers?|organi[sz]ations?|shops?|stores?|banks?|schools?|colleges|universit(?:y|ies)|"
    r"hospitals?|clinics?|charit(?:y|ies)|games?|insurers?|hotels?|restaurants?|newspapers?|councils?|messengers?|ones)"
)
_OPENS = re.compile(
    rf"^\W*(?:(?:so|and|ok|okay|please|tell me|can you|could you|find(?: me)?|show(?: me)?|list|name|give me|"
    rf"i (?:want|need|am looking for|would like)|is there|are there|do you know)\b[\s,]*)*"
    rf"(?:which|what|who among|any|some|all|an?|the|those|every|how many)?\s*(?P<of>(?:[\w-]+\s+){{0,3}}?){_MANY}\s+"
    rf"(?P<rest>(?!(?:do|does|did|can|could|will|would|are|have|may) (?:you|they|it|i|we|he|she)\b)\w.*)$",
    re.IGNORECASE | re.DOTALL,
)
# "who keeps data indefinitely?", of nobody in particular; of a policy spoken of, what others do with data is asked.
_WHO = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|tell me)\s+)?who(?: else)?\s+(?P<rest>(?:(?:does not|doesn't|never|won't|will not)\s+)?"
    r"(?P<deed>keep|sell|share|collect|use|track|delete|encrypt|store|retain|let|allow|honou?r|give|pass|tell)s?\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
_OF_OTHERS = frozenset("use share collect track give pass store tell".split())
# "sites for children that …": of which sites, not what of them.
_FOR = re.compile(
    r"^(?:for|of|by|from|in|like|aimed at)\s+(?:[\w'’-]+\s+){1,3}?(?=(?:that|which|who|whose)\b)", re.IGNORECASE
)
_VAGUE = re.compile(
    r"\b(?:vague(?:st|r|ly)?|vagueness|unclear|evasive|least clear|woolly|fuzzy|imprecise)\b", re.IGNORECASE
)
_CLEAR = re.compile(r"\b(?:clearest|plainest|least vague|most precise)\b", re.IGNORECASE)
_SURPRISING = re.compile(
    r"\b(?:surpris\w+|unusual\w*|out of the ordinary|odd|strange|unexpected|stands? out|special about|"
    r"different from other)\b",
    re.IGNORECASE,
)
_COMPARE = re.compile(
    r"\b(?:compare|comparison|differences?|differ|versus|vs\.?|side by side)\b|\bbetter than\b|\bor\b", re.IGNORECASE
)
_NOT = re.compile(
    r"\b(?:do not(?! track)|does not|don't|doesn't|not(?! track)|never|won't|will not|without|no|nothing|nobody|"
    r"neither|isn't|aren't|can't|cannot|refuse to)\b",
    re.IGNORECASE,
)
_GETTING = re.compile(r"(?:else )?(?:gets?|receives?|sees?|has|have|buys?|knows?|can (?:see|get))\b", re.IGNORECASE)
_LETS = re.compile(
    r"\W*(?:\w+\s+)?(?:let|lets|allow|allows|can|may|offer|offers|mention|mentions|honou?rs?|tell|tells|notify|inform)\b",
    re.IGNORECASE,
)
_THIRD = re.compile(
    r"^(?:shares|sells|collects|uses|keeps|lets|allows|tracks|tells|gives|asks|passes|honou?rs|encrypts|deletes)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"^(?:that|which|who|whose)\s+|^(?:say|says|promise|promises|state|states)\s+(?:that\s+)?(?:they\s+)?",
    re.IGNORECASE,
)
# "say that data is sent abroad": a statement, not what somebody does.
_STATES = re.compile(
    r"there (?:are|is)|(?:my|the|personal|any|data|information|anything|everything|nothing)\b", re.IGNORECASE
)
_APP = re.compile(r"\b(?:apps?|mobile applications?)\b", re.IGNORECASE)
# From here on the mapper's word is taken for what a question is about, where no word of ours says so.
SURE = 0.5
NEIGHBOURS, ALIKE = 5, 0.65


@dataclass(frozen=True, slots=True)
class LibraryQuestion:
    """What is asked of many policies.

    `wants` is what a policy must say. A `matter` is a deed with what it is done to; a `topic` is anything else.
    `labels` are those that passages on it have. `about` is the same question as one asks it of a single policy.
    """

    text: str
    kind: Kind
    about: str
    wants: Stance = "does"
    matter: Matter | None = None
    topic: Topic | None = None
    labels: tuple[Label, ...] = ()
    sectors: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    of_apps: bool = False
    company: CompanyKind | None = None
    plainest: bool = False


def kind_of(text: str, named: int, *, spoken_of: bool = False) -> Kind | None:
    """Say which kind of question over the library this is, `named` policies being named in it; None for none.

    Where a policy is `spoken_of`, "which companies get my data?" is asked of that one.
    """
    if named >= 2 and _COMPARE.search(text):
        return "compare"
    opens = _OPENS.match(text.strip())
    if named or (opens and spoken_of and _GETTING.match(opens["rest"])):
        return None
    if opens and (_VAGUE.search(text) or _CLEAR.search(text)):
        return "vaguest"
    who = _WHO.match(text.strip())
    if who and not (spoken_of and who["deed"].lower() in _OF_OTHERS):
        return "list"
    return "list" if opens else None


def of_one(text: str) -> Kind | None:
    """Say whether a single policy is asked what it is vague about, or what is surprising in it."""
    if _VAGUE.search(text):
        return "vaguest"
    return "surprising" if _SURPRISING.search(text) else None


def parse(text: str, kind: Kind, kit: Kit) -> LibraryQuestion:
    """Parse a question; where its own words name no practice the mapper says what it is about."""
    rest = _rest(text)
    about = policy_question(text)
    matter = None if topic_first(rest) else matter_of(rest)
    topic = None if matter else topic_of(rest) or _mapped(about, kit)
    denied = kind == "list" and _NOT.search(unnamed(rest, topic) if topic else rest)
    return LibraryQuestion(
        text, kind, about, "does not" if denied else "does", matter, topic,
        labels_of(matter) if matter else (Label(topic.category),) if topic else (), sectors_in(text),
        () if matter or topic else tuple(dict.fromkeys(one.name for one in find_names(text))),
        bool(_APP.search(text)), kind_named(text), bool(_CLEAR.search(text)),
    )  # fmt: skip


def topic_first(text: str) -> bool:
    """Tell whether a topic is meant although a deed is named: "let me delete what you collect"."""
    named = topic_of(text)
    if named is None:
        return False
    deeds = {_DEED[token] for token in words(text) if token in _DEED}
    return named.leads is True or deeds == {named.leads} or bool(_LETS.match(text))


def _mapped(about: str, kit: Kit) -> Topic | None:
    """Make a topic of words that nobody foresaw: the mapper says of which category, word vectors what else is said."""
    labels = kit.mapper.map(about)
    category = CATEGORIES[int(labels[: len(CATEGORIES)].argmax())].id
    if labels[: len(CATEGORIES)].max() < SURE:
        return None
    near = [one.word for word in words(about) if word not in STOP_WORDS
            for one in kit.words.nearest(word, NEIGHBOURS) if one.likeness >= ALIKE]  # fmt: skip
    return own_topic(about, category, near)


def policy_question(text: str) -> str:
    """Put a question over many as one asks it of one policy: "which sites do not sell data" as "Do you sell data?"."""
    rest = _NOT.sub(" ", _LEADS.sub("", _rest(text)))
    rest = re.sub(r"^\s*(?:do|does|will|would|are known to)\s+", "", " ".join(rest.split()), flags=re.IGNORECASE)
    rest = _THIRD.sub(lambda found: _bare(found[0]), rest)
    rest = rest.strip(" ?.!")
    if not rest:
        return text.strip()
    if re.match(r"(?:how|what|whom?|when|where|why)\b", rest, re.IGNORECASE):
        return re.sub(r"\bthey\b", "do you", rest, count=1, flags=re.IGNORECASE).capitalize() + "?"
    if _STATES.match(rest):
        return f"Do you say that {rest}?"
    opens = "Are" if re.match(r"(?:are|is)\b", rest, re.IGNORECASE) else "Do"
    rest = re.sub(r"^(?:are|is)\s+", "", rest, flags=re.IGNORECASE)
    return f"{opens} you {rest}?"


def matter_of(text: str) -> Matter | None:
    """Tell by its words what a question is about; None where they do not tell of a deed and what it is done to."""
    tokens = words(text)
    found = terms(tokens)
    inside = {place for term in found for place in range(term.start, term.end)}
    deeds = [
        _DEED[token]
        for place, token in enumerate(tokens)
        # What I am told is not shared.
        if token in _DEED and place not in inside and tokens[place + 1 : place + 2] != ["me"]
    ]
    said: dict[Sort, frozenset[str]] = {
        sort: frozenset(term.id for term in found if term.sort == sort) - {ANYTHING, ANYBODY}
        for sort in ("things", "whom", "ends")
    }
    if not deeds and "cookies" not in said["things"]:
        return None
    deed = deeds[0] if deeds else "use"
    named_anybody = any(term.id == ANYBODY for term in found)
    if "cookies" in said["things"]:
        if said["ends"] and not said["whom"] and not named_anybody:
            return Matter(frozenset({"use", "track"}), said["things"], ends=said["ends"])
        if said["whom"] or named_anybody:
            return Matter(frozenset({"track"}), said["things"], said["whom"] or frozenset({ANYBODY, "advertisers"}))
        return Matter(frozenset({"use", "collect"}), said["things"])
    if deed == "share" and "advertising" in said["ends"]:
        return Matter(frozenset({deed}), said["things"], said["whom"] | {"advertisers"})
    if deed == "share" and "marketing" in said["ends"]:
        return Matter(frozenset({deed}), said["things"], said["whom"] | {"marketers"})
    if deed == "share" and named_anybody and not said["whom"]:
        return Matter(frozenset({deed}), said["things"], frozenset({ANYBODY}))
    if deed in {"share", "sell"}:
        return Matter(frozenset({deed}), said["things"], said["whom"])
    if deed == "use" and said["ends"]:
        return Matter(frozenset({deed}), said["things"], ends=said["ends"])
    if deed in {"collect", "use"} and said["things"]:
        # Who delivers messages uses them, and need not read them.
        return Matter(frozenset({"collect"} if "read" in tokens else {"collect", "use"}), said["things"])
    if deed == "track" and said["whom"]:
        return Matter(frozenset({"track"}), whom=said["whom"])
    return None


def labels_of(matter: Matter) -> tuple[Label, ...]:
    """Give the labels that a sentence has which affirms a matter: one for each part of it that has a label."""
    if ANYBODY in matter.whom or matter.deeds == {"sell"}:
        return ()
    category = "third-party" if matter.deeds & {"share", "sell", "track"} else "first-party"
    parts: tuple[tuple[Sort, frozenset[str]], ...] = (
        ("things", matter.things), ("whom", matter.whom), ("ends", matter.ends)
    )  # fmt: skip
    found = [label_of(category, sort, one) for sort, some in parts for one in sorted(some)]
    return tuple(label for label in found if label) or (Label(category),)


def _rest(text: str) -> str:
    opens = _WHO.match(text.strip()) or _OPENS.match(text.strip())
    return _FOR.sub("", opens["rest"]) if opens else text


def _bare(verb: str) -> str:
    return verb[:-2] if verb.lower() == "passes" else verb[:-1]
