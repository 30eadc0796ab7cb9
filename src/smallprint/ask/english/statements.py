"""A sentence of a policy in, what it states out: which deed, denied or not, of what, towards whom and for what.

Only words are looked at, so that thousands of sentences can be read for one question: a few dozen microseconds each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from smallprint.ask.english.lexicon import ANYTHING, DENIALS, POLICY_DEED, Term, pattern, terms, word_lists
from smallprint.text import words

W = word_lists("statements")
_TRACKERS = frozenset({"cookies"})
# What denies nothing, and the names of links and buttons ("use the Do Not Sell page").
IDLE = re.compile(
    r"\b(?i:not only|not limited to|whether or not|no matter|if not|not just|no later than|no more than|not all|"
    r"without limitation|without limiting|nothing else|nothing more|no others|without undue|without restrictions?|"
    r"without notice|no longer than)\b"
    r"|(?<=\w)\s+[\"“']?Do (?:not|Not) (?:[Ss]ell|[Ss]hare)\b"
)
_CLAUSES = pattern(
    r"[.;!?]+(?:\s|$)|\n+|,?\s+\b(?:but|however|although|though|while|whereas)\b"
    r"|,\s+(?=(?:and |so |or )?(?:we|they|you|this|these|there)\b)"
)
# Of whole companies, of places abroad and of ways to say no another matter is spoken.
_ELSEWHERE = {
    "sell": pattern(
        r"\b(?:business|assets?|merger|merged|acqui\w+|reorgani\w+|bankrupt\w*|buys?|opt\W+out|right to)\b"
    ),
    "share": pattern(r"\b(?:abroad|outside (?:of )?the|other countries|another country|overseas)\b"),
}
_EXCEPTIONS = pattern(
    r"\b(?:except|unless|other than|apart from|with the (?:sole )?exception|beyond|"
    r"without your (?:consent|permission))\b"
)
# An exception that is the rest of the policy leaves nothing denied.
_EXCEPT_ALL = pattern(
    r"\bexcept (?:as|in|where|for|when)?\s*(?:otherwise |expressly |specifically )?(?:set forth|described|disclosed|"
    r"provided|stated|permitted|specified|outlined|noted|explained|detailed|indicated|allowed|the circumstances|"
    r"limited)\b|\bin exchange for\b|\bfor (?:monetary|valuable|money)\b|\bother than (?:as|in|those|the ways)\b"
    r"|\bas (?:described|disclosed|set forth|provided) (?:in|below|above|herein)\b"
    r"|\bunless (?:otherwise|we)\b|\b(?:different|differing) from (?:what|those|the)\b"
    r"|\b(?:ways?|manner|purposes?|parties) (?:that (?:is|are) )?(?:not|other than|different)\b"
    r"|\bnot (?:otherwise )?(?:described|disclosed|listed|mentioned|covered|set forth) (?:in|by|below|above|herein)\b"
    r"|\b(?:except|unless)\b[^.]{0,60}(?:\bfollow(?:s|ing)\b|:)"
)
_LINK = pattern(r"^\W*do not (?:sell|share)\b")
_HARMLESS = pattern(
    r"\b(?:aggregate\w*|anonym\w*|de-?identified|statistic\w*|cannot (?:be used to )?identify|does not identify)\b"
)
# Two words so far apart still belong together: "get absolutely nothing".
_NEAR = 3
# What a deed is done to stands so near: "share with our partners, under contract, your location".
_REACH = 12
# A denial counts if it is at most this many words before the verb.
_FAR = 10
# What is done by these needs no object that the lexicon knows: "videos are encrypted".
_ANY_OBJECT = frozenset({"encrypt", "record", "delete"})


@dataclass(frozen=True, slots=True)
class Statement:
    """What a clause says of one deed. What is `excepted` holds with exceptions; `harmless` is of nobody in person.

    `spared` are the recipients and purposes that the exceptions name; `by_company` tells that the company itself does
    it, rather than a partner.
    """

    deed: str
    denied: bool
    hedged: bool
    excepted: bool
    harmless: bool
    things: frozenset[str]
    whom: frozenset[str]
    ends: frozenset[str]
    spared: frozenset[str] = frozenset()
    by_company: bool = False


def statements(sentence: str) -> tuple[Statement, ...]:
    """Return what a sentence states, clause by clause."""
    if _LINK.match(sentence):
        return ()
    excepted = bool(_EXCEPTIONS.search(sentence))
    denies_nothing = bool(_EXCEPT_ALL.search(sentence))
    harmless = bool(_HARMLESS.search(sentence))
    main, *rest = _EXCEPTIONS.split(IDLE.sub(" ", sentence), maxsplit=1)
    if rest and not words(main):  # "without your consent we do not …"
        main, rest = rest[0], []
    spared = frozenset(term.id for term in terms(words(" ".join(rest))) if term.sort != "things")
    stated: list[Statement] = []
    named: frozenset[str] = frozenset()
    for clause in _CLAUSES.split(main):
        of_it = bool(W["pronouns"] & set(words(clause)))
        for statement in _clause(clause, excepted=excepted, harmless=harmless):
            if not (statement.denied and denies_nothing):
                things = named if of_it and named and statement.things == {ANYTHING} else statement.things
                stated.append(replace(statement, things=things, spared=spared if statement.denied else frozenset()))
        named = frozenset(term.id for term in terms(words(clause)) if term.sort == "things") - {ANYTHING} or named
    return tuple(stated)


def _clause(clause: str, *, excepted: bool, harmless: bool) -> Iterator[Statement]:
    tokens = words(clause)
    named = terms(tokens)
    inside = {place for term in named for place in range(term.start, term.end)}
    deeds = [
        (place, deed)
        for place in range(len(tokens))
        if place not in inside and (deed := _deed(tokens, place, named)) is not None
    ]
    if not deeds:
        yield from _absent(tokens, named, excepted=excepted)
    for number, (place, deed) in enumerate(deeds):
        own = _own(named, place, deeds[number + 1 :])
        statement = _statement(clause, tokens, place, deed, named, own)
        if statement:
            yield replace(statement, excepted=excepted, harmless=harmless)


def _statement(
    clause: str, tokens: Sequence[str], place: int, deed: str, named: Sequence[Term], own: Sequence[Term]
) -> Statement | None:
    """Return what is stated of one deed; None where nobody can tell, or another matter is spoken of."""
    start = _subject(tokens, place, named)
    if start is None and deed == "collect" and tokens[place] in W["given"]:
        start = max(0, place - _NEAR)  # "you give us"
    if start is None or (deed in _ELSEWHERE and _ELSEWHERE[deed].search(clause)):
        return None
    is_ours = tokens[start] in W["own"]
    if is_ours and start and tokens[start - 1] in W["auxiliaries"]:
        start = 0  # "under no circumstances do we sell"
    near = _object(tokens, place, own)
    before, after = tokens[start:place], tokens[place + 1 : place + 1 + _NEAR]
    denied = bool(DENIALS & set(before[-_FAR:]) or W["nothing"] & set(after))
    if not denied:  # "share it, never with advertisers"
        denied = any(no in {"not", "never"} and to in {"with", "to", "by"} for no, to in pairwise(tokens[place + 1 :]))
    unclear = {*before[:-_FAR], *(tokens[:start] if is_ours else ())}
    # "When mail is encrypted" is a mere case.
    is_case = tokens[0] in W["cases"] and "," not in clause.lower().partition(tokens[place])[0]
    is_to = near is not None and near.id in _TRACKERS and tokens[near.end : near.end + 1] == ["to"]
    if (
        (near is None and deed not in _ANY_OBJECT)
        or (deed == "sell" and tokens[place + 1 : place + 2] == ["you"])  # goods, not data
        or (near and place < near.start and tokens[near.start - 1] == "not")  # "we sell cakes, not data"
        or (denied and W["vouching"] & set(before))
        or (not denied and DENIALS & unclear)
        or W["ifs"] & set(tokens[max(0, start - 1) : start + 1])
        or (not is_ours and (is_case or tokens[place].startswith("rent") or W["bound"] & set(before)))  # of others
        or _is_told_of(tokens, start, place, deed, own, is_ours=is_ours)
        # "We do not use cookies to …" leaves every other use open.
        or (denied and deed == "use" and is_to and not any(term.sort == "ends" for term in own))
    ):
        return None
    things, whom, ends = (
        frozenset(term.id for term in own if term.sort == sort) for sort in ("things", "whom", "ends")
    )
    by_company = is_ours or bool(W["be"] & set(before[-_NEAR:]))
    hedged = bool(W["hedges"] & set(before))
    return Statement(deed, denied, hedged, False, False, things, whom, ends, by_company=by_company)


def _is_told_of(
    tokens: Sequence[str], start: int, place: int, deed: str, own: Sequence[Term], *, is_ours: bool
) -> bool:
    """Return whether a sentence is about the policy, its readers or its terms, not about what the company does."""
    word, before, near = tokens[place], set(tokens[:place]), set(tokens[max(0, place - _NEAR) : place])
    last, after = tokens[place - 1] if place else "", tokens[place + 1] if place + 1 < len(tokens) else ""
    by_others = not is_ours and W["be"].isdisjoint(near)
    if (
        (deed == "share" and after in {"you", "users", "visitors", "customers"})  # "to give you information"
        or (deed == "share" and "to you" in " ".join(tokens[place:]) and not any(term.sort == "whom" for term in own))
        or (before and W["bidding"].issuperset(before))
        or (word.endswith("ing") and last == "from")
        or (by_others and (word.endswith("ing") or (deed in {"share", "collect"} and W["telling"] & near)))
        # "We do not know that we sell."
        or (tokens[max(0, start - 1) : start] == ["that"] and (DENIALS | W["asked"]) & set(tokens[:start]))
        or "whether" in tokens[max(0, place - 2 * _NEAR) : place]
        or (deed in {"share", "sell"} and last == "to" and W["permitting"] & before)  # "we do not permit them to sell"
        # What a cookie cannot do, wherever it is.
        or (by_others and any(term.id in _TRACKERS and term.end <= place for term in own) and DENIALS & before)
    ):
        return True
    if deed not in {"share", "sell"}:
        return False
    kinds = next((n for n in range(place - 1, -1, -1) if tokens[n] in W["kinds"]), None)
    return kinds is not None and (kinds < start or bool(W["relatives"] & set(tokens[kinds:place])))


def _object(tokens: Sequence[str], place: int, own: Sequence[Term]) -> Term | None:
    """Return what a deed is done to: what follows it soon, or what stands before it where it is done to that."""
    things = [term for term in own if term.sort == "things"]
    reach = _REACH if tokens[place] not in W["selling"] else _NEAR + 1  # "selling on our marketplace"
    after = [term for term in things if place < term.start <= place + reach]
    if after:
        return after[0]
    before = [term for term in things if term.end <= place]
    return before[-1] if before and (W["be"] & set(tokens[:place]) or tokens[place] in W["done_to"]) else None


def _absent(tokens: Sequence[str], named: Sequence[Term], *, excepted: bool) -> Iterator[Statement]:
    """Read "there are no cookies", where nothing is done and all is said."""
    for term in named:
        if term.id in _TRACKERS and "no" in tokens[max(0, term.start - _NEAR) : term.start]:
            whom = frozenset(other.id for other in named if other.sort == "whom")
            whom |= {"advertisers"} if any(other.id == "advertising" for other in named) else frozenset()
            for deed in ("track",) if whom else ("use", "track"):
                yield Statement(deed, True, False, excepted, False, frozenset({term.id}), whom, frozenset())
            return


def _own(named: Sequence[Term], place: int, later: Sequence[tuple[int, str]]) -> list[Term]:
    """Return the terms that belong to a deed: all of a clause, but where another deed follows its own things.

    "We do not sell your details or hand them to advertisers" says nothing of selling to advertisers.
    """
    for until, _ in later:
        if any(term.sort == "things" and place < term.start < until for term in named):
            return [term for term in named if term.start < until]
    return list(named)


def _deed(tokens: Sequence[str], place: int, named: Sequence[Term]) -> str | None:
    """Return which deed a word is, by who does it."""
    word, last, after = tokens[place], tokens[place - 1] if place else "", tokens[place + 1 : place + _NEAR]
    if word in W["given"] and "us" in after:
        return "collect"
    if (word in W["nouns"] and last in W["articles"]) or (word not in POLICY_DEED and word not in W["receiving"]):
        return None
    by_others = [term for term in named if term.sort == "whom" and term.end <= place]
    own = [other for other, token in enumerate(tokens[:place]) if token in W["own"]]
    if word in W["receiving"] and by_others and (not own or own[-1] < by_others[-1].start):
        cookies = any(term.id == "cookies" for term in named)
        return "track" if cookies and word.startswith("collect") else "share"
    if word in {"receive", "receives", "get", "gets", "learn", "learns"}:
        return "collect" if own else None
    if word in {"set", "sets", "place", "places"}:
        return None if not any(term.id in _TRACKERS for term in named) else "track" if by_others else "use"
    is_idle = (
        (word == "access" and last in {"no", "have", "of", "to", "your", "the"})
        or (word in {"ask", "asks", "try"} and "for" not in tokens[place : place + 3] and "where" not in tokens[place:])
        or (after[:1] == ["by"] or "us" in after)  # what others provide, or give to the company
        or (word in {"sale", "sales"} and W["called"].isdisjoint(tokens[max(0, place - _NEAR) : place]))
        or (word == "available" and not {"make", "made", "makes"} & set(tokens[max(0, place - 12) : place]))
        or (word == "use" and last in {"in", "for"})
        or (word in {"goes", "go"} and "to" not in tokens[place : place + 2])
    )
    return None if is_idle else POLICY_DEED.get(word)


def _subject(tokens: Sequence[str], place: int, named: Sequence[Term]) -> int | None:
    """Return where begins what is said of a deed: at whoever does it; None where "you" do it."""
    for other in range(place - 1, -1, -1):
        if tokens[other] in W["own"]:
            return other
        if tokens[other] == "you":
            return 0 if W["be"] & set(tokens[max(other, place - _NEAR) : place]) else None
        by = next((term for term in named if term.sort == "whom" and term.start <= other < term.end), None)
        if by and W["be"].isdisjoint(tokens[other:place]):
            return max(0, _first(named, by) - 2)  # "no advertiser", "neither we nor our partners"
    return 0


def _first(named: Sequence[Term], last: Term) -> int:
    """Return where a list of recipients begins: "advertiser, data broker or other company"."""
    start = last.start
    for term in reversed(named):
        if term.sort == "whom" and start - _NEAR <= term.end <= start:
            start = term.start
    return start


def denies(sentence: str) -> bool:
    """Return whether a sentence has a word that denies, whatever it denies."""
    return not DENIALS.isdisjoint(words(IDLE.sub(" ", sentence)))


# Whether a text in lower case may deny anything, at a glance.
MAY_DENY = re.compile(rf"\b(?:{'|'.join(word for word in sorted(DENIALS) if word.isalpha())})\b|n['’]t\b")
