"""A question over many policies, parsed: what kind it is, which practice, affirmed or denied, and of which policies."""

from __future__ import annotations

import re
from dataclasses import dataclass

from smallprint.annotate.mentions import find as find_names
from smallprint.ask.dialogue.acts import CLEAR, OPENS, WHO, Kind
from smallprint.ask.english.companies import CompanyKind, kind_named, sectors_in
from smallprint.ask.english.lexicon import ANYBODY, ANYTHING, QUESTION_DEED, Sort, label_of, pattern, terms, word_lists
from smallprint.ask.english.stances import Matter, Stance
from smallprint.ask.english.topics import Topic, own_topic, topic_of, unnamed
from smallprint.ask.model_set import Kit
from smallprint.ask.ranking.stems import STOP_WORDS
from smallprint.taxonomy import CATEGORIES, Label
from smallprint.text import words

# What is kept, deleted or encrypted are topics; who records collects.
_DEED = {form: {"record": "collect"}.get(deed, deed) for form, deed in QUESTION_DEED.items()
         if deed not in {"store", "delete", "encrypt"}}  # fmt: skip
# "sites for children that …": of which sites, not what of them.
_FOR = pattern(r"^(?:for|of|by|from|in|like|aimed at)\s+(?:[\w'’-]+\s+){1,3}?(?=(?:that|which|who|whose)\b)")
_NOT = pattern(rf"\b(?:{'|'.join(sorted(word_lists('statements')['denials'] - {'not'}))}|not(?! track)|refuse to)\b")
_LETS = pattern(
    r"\W*(?:\w+\s+)?(?:let|lets|allow|allows|can|may|offer|offers|mention|mentions|honou?rs?|tell|tells|notify|inform)\b"
)
_THIRD = pattern(
    r"^(?:shares|sells|collects|uses|keeps|lets|allows|tracks|tells|gives|asks|passes|honou?rs|encrypts|deletes)\b"
)
_LEADS = pattern(r"^(?:that|which|who|whose)\s+|^(?:say|says|promise|promises|state|states)\s+(?:that\s+)?(?:they\s+)?")
# "say that data is sent abroad": a statement, not what somebody does.
_STATES = pattern(r"there (?:are|is)|(?:my|the|personal|any|data|information|anything|everything|nothing)\b")
_APP = pattern(r"\b(?:apps?|mobile applications?)\b")
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

    @property
    def category(self) -> str | None:
        """The practice that it is about."""
        return self.topic.category if self.topic else self.labels[0].category if self.labels else None


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
        () if matter or topic else tuple(dict.fromkeys(mention.name for mention in find_names(text))),
        bool(_APP.search(text)), kind_named(text), bool(CLEAR.search(text)),
    )  # fmt: skip


def topic_first(text: str) -> bool:
    """Return whether a topic is meant although a deed is named: "let me delete what you collect"."""
    topic = topic_of(text)
    if topic is None:
        return False
    deeds = {_DEED[token] for token in words(text) if token in _DEED}
    return topic.leads is True or deeds == {topic.leads} or bool(_LETS.match(text))


def _mapped(about: str, kit: Kit) -> Topic | None:
    """Make a topic of words that nobody foresaw: the mapper says of which category, word vectors what else is said."""
    labels = kit.mapper.map(about)[: len(CATEGORIES)]
    if labels.max() < SURE:
        return None
    own = [word for word in words(about) if word not in STOP_WORDS]
    near = [other.word for word in own for other in kit.words.nearest(word, NEIGHBOURS) if other.likeness >= ALIKE]
    return own_topic(about, CATEGORIES[int(labels.argmax())].id, near)


def policy_question(text: str) -> str:
    """Put a question over many as one asks it of one policy: "which sites do not sell data" as "Do you sell data?"."""
    rest = " ".join(_NOT.sub(" ", _LEADS.sub("", _rest(text))).split())
    rest = re.sub(r"^(?:do|does|will|would|are known to)\s+", "", rest, flags=re.IGNORECASE)
    rest = _THIRD.sub(lambda verb: verb[0][:-2] if verb[0].lower() == "passes" else verb[0][:-1], rest).strip(" ?.!")
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
    """Return what a question is about, by its words; None where they name no deed and nothing that it is done to."""
    tokens = words(text)
    named = terms(tokens)
    inside = {place for term in named for place in range(term.start, term.end)}
    deeds = [
        _DEED[token]
        for place, token in enumerate(tokens)
        # What I am told is not shared.
        if token in _DEED and place not in inside and tokens[place + 1 : place + 2] != ["me"]
    ]
    sorts: tuple[Sort, ...] = ("things", "whom", "ends")
    things, whom, ends = (
        frozenset(term.id for term in named if term.sort == sort) - {ANYTHING, ANYBODY} for sort in sorts
    )
    anybody = frozenset({ANYBODY} if any(term.id == ANYBODY for term in named) else ())
    if "cookies" in things:
        if whom or anybody:
            return Matter(frozenset({"track"}), things, whom or frozenset({ANYBODY, "advertisers"}))
        return Matter(frozenset({"use", "track"} if ends else {"use", "collect", "record"}), things, ends=ends)
    deed = deeds[0] if deeds else ""
    if deed in {"share", "sell"}:
        if deed == "share" and ends & {"advertising", "marketing"}:
            whom |= {"advertisers" if "advertising" in ends else "marketers"}
        return Matter(frozenset({deed}), things, whom or (anybody if deed == "share" else whom))
    if deed == "use" and ends:
        return Matter(frozenset({deed}), things, ends=ends)
    if deed in {"collect", "use"} and things:
        # Who delivers messages uses them, and need not read them.
        return Matter(frozenset({"collect", "record"} if "read" in tokens else {"collect", "record", "use"}), things)
    return Matter(frozenset({deed}), whom=whom) if deed == "track" and whom else None


def labels_of(matter: Matter) -> tuple[Label, ...]:
    """Return the labels that a sentence has which affirms a matter: one for each part of it that has a label."""
    if ANYBODY in matter.whom or matter.deeds == {"sell"}:
        return ()
    category = "third-party" if matter.deeds & {"share", "sell", "track"} else "first-party"
    labels = (label_of(category, sort, term) for sort, some in matter.parts.items() for term in sorted(some))
    return tuple(label for label in labels if label) or (Label(category),)


def _rest(text: str) -> str:
    opens = WHO.match(text.strip()) or OPENS.match(text.strip())
    return _FOR.sub("", opens["rest"]) if opens else text
