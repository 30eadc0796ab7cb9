"""Rules that a verdict obeys whatever the models say; a verdict and its strongest sentences in, what may be said out.

Only words are looked at, and only to say less: yes, no and both may become "depends" or "not sure", never the other
way round.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from smallprint.ask.english.lexicon import ANYBODY, ANYTHING, DENIALS, POLICY_DEED, pattern, table, terms
from smallprint.card import Verdict
from smallprint.text import words

SELLS, CHILDREN = "sells", "children"


class Limit(StrEnum):
    """How far a denial holds: for some people or data only, in some sense only, or with an exception."""

    GROUP = "group"
    KIND = "kind"
    LAW = "law"
    SENSE = "sense"
    MONEY = "money"
    EXCEPTION = "exception"
    CONSENT = "consent"
    KNOWING = "knowing"


class Rule(StrEnum):
    """Why less is said than the models did."""

    LIMITED_DENIAL = "the denial is limited"
    COUNTS_AS_SALE = "it may count as a sale"
    OTHER_SENSE = "the sentences speak of another matter"
    UNNAMED = "no sentence speaks of a sale, or of all who get data"
    OTHER_SCOPE = "what is affirmed and what is denied differ"
    OPEN_QUESTION = "the question asks for no yes or no"


@dataclass(frozen=True, slots=True)
class Witness:
    """A sentence with its lead-in, and how likely it speaks for what it is brought forward for."""

    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class Witnesses:
    """The strongest sentences for yes, for no and for limits, each the best first."""

    yes: tuple[Witness, ...] = ()
    no: tuple[Witness, ...] = ()
    limits: tuple[Witness, ...] = ()


@dataclass(frozen=True, slots=True)
class Guarded:
    """What may be said, and the rule that made it so; no rule where the models' verdict holds."""

    verdict: Verdict
    rule: Rule | None = None


# A sentence less likely than this share of the likeliest of its side bears no verdict by itself.
STRONG = 0.5
# What is admitted in passing forbids a bare "no" from here on.
HEARD = 0.2


def guarded(code: str | None, question: str, verdict: Verdict, witnesses: Witnesses) -> Guarded:
    """Return what may be said of a question; `code` is the card question that it means, if it means one.

    What is neither yes, no nor both is said as it is.
    """
    if verdict is Verdict.YES:
        return _guarded_yes(code, witnesses)
    if verdict is Verdict.NO:
        return _guarded_no(code, question, witnesses)
    return _guarded_both(question, witnesses) if verdict is Verdict.BOTH else Guarded(verdict)


def _guarded_yes(code: str | None, witnesses: Witnesses) -> Guarded:
    texts = _strong(witnesses.yes)
    if code is None or not texts:
        return Guarded(Verdict.YES)
    if all(is_other_sense(code, text) for text in texts):
        return Guarded(Verdict.NOT_SURE, Rule.OTHER_SENSE)
    if all(admits(code, text) and _HEDGED.search(text) for text in texts):
        return Guarded(Verdict.DEPENDS, Rule.COUNTS_AS_SALE)
    return Guarded(Verdict.YES)


def _guarded_no(code: str | None, question: str, witnesses: Witnesses) -> Guarded:
    texts = _strong(witnesses.no)
    if code is not None and texts and all(is_other_sense(code, text) for text in texts):
        return Guarded(Verdict.NOT_SURE, Rule.OTHER_SENSE)
    heard = (own.text for own in (*witnesses.yes, *witnesses.no, *witnesses.limits) if own.probability >= HEARD)
    if code is not None and any(admits(code, text) for text in heard):
        return Guarded(Verdict.DEPENDS, Rule.COUNTS_AS_SALE)
    if code == SELLS and texts and not any(_SALE.search(text) or _EVERYBODY.search(text) for text in texts):
        return Guarded(Verdict.NOT_SURE, Rule.UNNAMED)
    if texts and all(_limits_beyond(question, text, code) for text in texts):
        return Guarded(Verdict.DEPENDS, Rule.LIMITED_DENIAL)
    return Guarded(Verdict.NO)


def _guarded_both(question: str, witnesses: Witnesses) -> Guarded:
    if is_open_question(question):
        return Guarded(Verdict.NOT_SURE, Rule.OPEN_QUESTION)
    yes, no = _strong(witnesses.yes), _strong(witnesses.no)
    if any(same_scope(affirmed, denied) for affirmed in yes for denied in no):
        return Guarded(Verdict.BOTH)
    is_split = any(not denies(text) for text in yes) and any(denies(text) for text in no)
    return Guarded(Verdict.DEPENDS if is_split else Verdict.NOT_SURE, Rule.OTHER_SCOPE)


def is_limited_denial(sentence: str, code: str | None = None) -> bool:
    """Return whether a sentence denies, but only for some people or data, in some sense, or with an exception.

    A sentence that denies something without a limit as well is none. `code` is the card question it is to answer: of
    the one on children, their age and what is done knowingly are no limits.
    """
    return bool(limits(sentence, code))


def limits(sentence: str, code: str | None = None) -> dict[Limit, str]:
    """Return what limits a denial, with the words that say so; nothing where something is denied without a limit."""
    each = [_limits_of(part, code) for part in _parts(sentence) if denies(part)]
    return {limit: told for own in each for limit, told in own.items()} if each and all(each) else {}


def denies(sentence: str) -> bool:
    """Return whether a sentence denies anything, apart from what its readers do and from the names of links."""
    return not DENIALS.isdisjoint(words(_NO_DENIAL.sub(" ", sentence)))


def admits(code: str, sentence: str) -> bool:
    """Return whether a sentence says that what is done may count as what a question of the card asks about."""
    if code not in _G["admits"] or is_merger_sale(sentence):
        return False
    for match in _expression("admits", code).finditer(sentence):
        before = max((end.end() for end in _CLAUSE.finditer(sentence, 0, match.start())), default=0)
        if not denies(sentence[before : match.end()]):
            return True
    return False


def is_merger_sale(sentence: str) -> bool:
    """Return whether a sentence speaks of a sale, and what is sold is the business or a part of it."""
    rest = _AS_ASSET.sub(" ", sentence)
    return bool(_expression("senses", "business").search(sentence)) and not any(
        _is_of_data(match) for match in _SELLS.finditer(rest)
    )


def is_other_sense(code: str, sentence: str) -> bool:
    """Return whether a sentence has the words of a card question for something else: to sell shoes, "contact us"."""
    if code == SELLS:
        return is_merger_sale(sentence) or _is_of_goods(sentence)
    if code == "contacts":
        return bool(_CONTACT_US.search(sentence)) and not _OTHER_PEOPLE.search(sentence)
    return False


def same_scope(yes: str, no: str) -> bool:
    """Return whether one sentence affirms just what another denies: the deed, the data, the recipients, the people.

    Who denies the whole denies its parts, so that "we share no data" is contradicted by "we share your location"; who
    denies a part denies no other.
    """
    if denies(yes) or not denies(no) or is_merger_sale(yes) != is_merger_sale(no):
        return False
    if _CONDITION.search(yes) or limits(no).keys() - {Limit.KIND, Limit.GROUP}:
        return False
    own, other = _Scope.of(yes), _Scope.of(no)
    return (
        bool(own.deeds & other.deeds)
        and own.precision == other.precision
        and own.groups == other.groups
        and (not other.things or bool(own.things & other.things))
        and (not other.whom or bool(own.whom & other.whom))
        and (bool(other.whom) or own.whom.isdisjoint(_HANDS))
        and (not other.ends or bool(own.ends & other.ends))
    )


def is_open_question(question: str) -> bool:
    """Return whether a question asks for who, what, how, when, where or why, and not for a yes or no."""
    text = _FILLERS.sub("", question.strip())
    if _TELL.search(text) or _OPENS.match(text.rpartition(", ")[2]):
        return True
    opening = _OPENS.search(text)
    closing = _CLOSES.search(text)
    return opening is not None and (closing is None or opening.start() < closing.start())


_G = table("guards", __package__)
# What denies nothing: turns of phrase, the names of links, and what readers do or do not.
_NO_DENIAL = pattern(
    r"\b(?:not only|not limited to|whether or not|no matter|if not|not just|no later than|no more than|not all|"
    r"without limitation|without limiting|without undue|no longer than|nothing else)\b|"
    r"(?<!\bwe )\b(?-i:Do Not (?:Sell|Share|Track))\b|"
    r"\bif (?:you|a user|they) (?:do not|don['’]t|are not|did not)\b|\byou (?:may|must|should|can) not\b|"
    r"\bwithout (?:first )?(?:obtaining )?(?:\w+\W+){0,4}"
    r"(?:consent|permission|authori[sz]ation|knowledge|approval|agreement)\b"
)
# Whom a policy calls children, by their age or a law, and what it knows of them, is what that question is about.
_OF_CHILDREN = {Limit.EXCEPTION, Limit.CONSENT, Limit.SENSE, Limit.MONEY}
_OF_THE_YOUNG = pattern(
    r"\b(?:kids?|child(?:ren)?|sons?|daughters?|girls?|boys?|teen\w*|minors?|underage|toddlers?|pupils?|students?|"
    r"\d{1,2}[- ]?(?:yr|year)s?|i['’]?m 1\d|i am 1\d|(?:under|below) 1\d)\b"
)
# Questions on whatever data there are; others name the kind themselves.
_OF_ALL_DATA = frozenset({SELLS, "ad-sharing", "targeted-ads", "partners", "affiliates", "ai"})
_CLAUSE = pattern(r"[,;:–—]\s|\.\s|\b(?:but|however|although|though|while|whereas)\b")
_PART = pattern(
    r";\s|\.\s+(?=[A-Z“\"])|,?\s+(?:but|however|although|though|while|whereas)\s|,\s+(?:and|nor|or)\s+(?=(?:we|do|does|have|has|it|not|will)\b)"
)
_OBJECT = pattern(
    r"\b(?:data|information|info|details|pii|address(?:es)?|numbers?|it|them|e-?mails?|anything|nothing|"
    r"records?|that of)\b"
)
_INCLUDING = pattern(r"\(?,?\s*\b(?:including|such as|e\.g\.|for example)\b[^,;.)]*[,)]?")
# A "no" to the sale of data rests on a sentence that names it, or that says who alone gets data, or that nobody does:
# "we do not share your information with advertisers" denies no sale.
_SALE = pattern(
    r"\b(?:sells?|selling|sold|sales?|rents?|rented|renting|trad(?:e|es|ed|ing)|leased?|leases|leasing|barter\w*|"
    r"monetiz\w*|monetary|consideration)\b"
)
_EVERYBODY = pattern(
    r"\b(?:only|solely|except|unless|other than|nobody|no[- ]one|none|anyone|anybody|any (?:other )?third|"
    r"(?:with|to) (?:any )?(?:third[- ]part\w+|outside \w+|others?|other (?:parties|people|organi[sz]ations))|"
    r"outside (?:of )?(?:the|our))\b"
)
_EVERYONE = pattern(r"\b(?:children|minors|adults) (?:or|and) (?:children|minors|adults)\b")
_SELLS = pattern(r"\b(?:sells?|selling|sold|sales?)\b")
_AS_ASSET = pattern(
    r"\b(?:sold|transferred|sell)\b(?=[^.;]{0,40}\bas (?:part of|one of|an?)\b[^.;]{0,30}"
    r"\b(?:assets?|merger|sale|acquisition|transaction)\b)"
)
_HEDGED = pattern(r"\b(?:may|might|could|can|some (?:states?|laws|jurisdictions)|certain)\b")
_CONTACT_US = pattern(r"\bcontact(?:ing)? (?:us|you)\b|\bin contact with\b|\bcontact (?:form|page|section)\b")
_OTHER_PEOPLE = pattern(
    r"\b(?:address|phone) ?books?\b|\bcontacts? list|\b(?:your|the|import\w*|upload\w*|sync\w*|of) (?:\w+ )?contacts\b|"
    r"\b(?:friends?|colleagues?|recipient|someone else|relatives|family|third part\w+|emergency|invit\w+|refer\w*)\b|"
    r"\b(?:other|another) (?:people|person|individual|users?)"
)
# What is sold stands at most so many words from the sale.
_NEAR = 6
_CONDITION = pattern(
    r"\b(?:if you|with your (?:\w+ )?(?:consent|permission)|where you|only (?:if|with|when)|unless|except|"
    r"when you (?:choose|ask|agree|connect))\b"
)
_DATA = pattern(r"\b(?:personal|data|information|details)\b")
_PRECISION = {
    "precise": pattern(r"\b(?:precise|exact|gps)\b"),
    "coarse": pattern(r"\b(?:coarse|approximate|general location|city|ip[- ]based|rough)\b"),
    "aggregate": pattern(r"\b(?:aggregate\w*|anonymi[sz]ed|anonymous|de-?identified)\b"),
}
# Who works for the company, the law and whoever buys it: a denial of sharing is none of giving to them.
_HANDS = frozenset({"providers", "authorities", "buyers", "affiliates"})
_FILLERS = pattern(
    r"^(?:(?:so|and|but|ok|okay|hey|hi|hello|also|please|just|curious|exactly|then|well|if [^,?]{1,80})[,:!]?\s+)+"
)
_OPENS = pattern(
    r"\b(?:wh(?:o|om|ose|at|ats|ich|en(?! (?:i|we|my)\b)|ere|y)|who['’]s|what['’]s|where['’]s|how)\b(?! about\b)"
)
_CLOSES = pattern(
    r"\b(?:do|does|did|is|are|was|were|can|could|will|would|has|have|may|might|should|shall|must|am|"
    r"(?:do|does|did|is|are|was|were|ca|could|wo|would|has|have)n['’]?t|any|anyone|anybody|u|you|they|i|we|my|your)\b"
)
_TELL = pattern(
    r"^(?:(?:can|could|would|will) (?:you|u|i) )?(?:please )?"
    r"(?:tell me|explain|describe|list|name|show me|say|know|find out)\s(?:(?:all|the|me)\s)*(?:wh|how\b|list|names?)|"
    r"^(?:list|name|describe|explain)\b"
)


def _limits_of(part: str, code: str | None) -> dict[Limit, str]:
    """Return what limits a denial in a part of a sentence that has one clause or a few of the same."""
    text = _EVERYONE.sub(" ", _INCLUDING.sub(" ", part))
    told: dict[Limit, str] = {}
    for limit in Limit:
        if code == CHILDREN and limit not in _OF_CHILDREN:
            continue
        match = _expression("limits", limit).search(text)
        if match is None or (limit is Limit.KIND and _is_whole(text, match, code)):
            continue
        if limit is Limit.EXCEPTION and _expression("harmless", "exception").search(text, match.start()):
            continue
        told[limit] = match[0]
    return told


def _is_whole(text: str, kind: re.Match[str], code: str | None) -> bool:
    """Return whether a denial that names a kind of data denies all that a question asks about."""
    if code in _OF_ALL_DATA:
        return bool(_expression("whole", "data").search(text))
    return code != "location" or not re.search("precise|exact", kind[0], re.IGNORECASE)


def _limits_beyond(question: str, sentence: str, code: str | None) -> bool:
    """Return whether a denial has limits that a question does not name: "do you sell my e-mail address?" names one."""
    code = CHILDREN if _OF_THE_YOUNG.search(question) else code
    asked = set(words(question)) - _COMMON
    return any(asked.isdisjoint(words(told)) for limit, told in limits(sentence, code).items() if limit in _BINDING)


# What forbids a bare "no". Consent and knowing are left to the models: of 31 limited denials that careful readers took
# for a "no" all the same, 14 have no other limit.
_BINDING = frozenset(Limit) - {Limit.CONSENT, Limit.KNOWING}
_COMMON = frozenset(
    "data information info details personal private address addresses number numbers the of in my your our a an it for "
    "as sell share to if".split()
)


def _parts(sentence: str) -> list[str]:
    """Return the parts of a sentence that state something by themselves; what has no object belongs to another."""
    parts: list[str] = []
    for part in _PART.split(sentence):
        if parts and not (_OBJECT.search(part) and _OBJECT.search(parts[-1])):
            parts[-1] += f", {part}"
        else:
            parts.append(part)
    return parts


def _is_of_goods(sentence: str) -> bool:
    """Return whether every sale is one of goods, and no data are named right behind: "products, and data on buyers"."""
    goods = list(_expression("senses", "goods").finditer(sentence))
    behind = " ".join(" ".join(sentence[match.end() :].split()[:_NEAR]) for match in goods)
    rest = _expression("senses", "goods").sub(" ", sentence)
    return bool(goods) and not _SELLS.search(rest) and not _DATA.search(behind)


def _is_of_data(sale: re.Match[str]) -> bool:
    """Return whether what is sold is data, by the words behind it, or before it where it is done to them."""
    after = re.split(r"[,;:)]", sale.string[sale.end() :])[0].split()[:_NEAR]
    before = sale.string[: sale.start()].split()[-_NEAR:]
    data = _expression("senses", "data")
    is_passive = sale[0].lower() in {"sold", "sale", "sales"}
    return bool(data.search(" ".join(after)) or (is_passive and data.search(" ".join(before))))


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a sentence speaks of, by its words."""

    deeds: frozenset[str]
    things: frozenset[str]
    whom: frozenset[str]
    ends: frozenset[str]
    precision: frozenset[str]
    groups: frozenset[str]

    @classmethod
    def of(cls, sentence: str) -> _Scope:
        tokens = words(sentence)
        named = [term for term in terms(tokens) if term.id not in {ANYTHING, ANYBODY}]
        whom, ends = (frozenset(term.id for term in named if term.sort == sort) for sort in ("whom", "ends"))
        # By their words: an e-mail address and a phone number are both contact details, and not the same.
        spans = [tokens[term.start : term.end] for term in named if term.sort == "things"]
        things = frozenset(token for span in spans for token in span) - _COMMON
        return cls(
            frozenset(POLICY_DEED[token] for token in tokens if token in POLICY_DEED),
            things,
            whom,
            ends,
            frozenset(name for name, own in _PRECISION.items() if own.search(sentence)),
            frozenset(match[0].lower() for match in _expression("limits", Limit.GROUP).finditer(sentence)),
        )


def _strong(witnesses: Sequence[Witness]) -> list[str]:
    best = max((own.probability for own in witnesses), default=0.0)
    return [own.text for own in witnesses if own.probability >= STRONG * best]


@cache
def _expression(group: str, name: str) -> re.Pattern[str]:
    return pattern("|".join(_G[group][name]))
