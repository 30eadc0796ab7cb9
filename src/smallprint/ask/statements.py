"""A sentence of a policy in, what it states out: which deed, denied or not, of what, towards whom and for what.

Words alone are looked at. So a sentence can be read in a few dozen microseconds, and thousands for one question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from smallprint.ask.lexicon import ANYTHING, Term, terms
from smallprint.text import words

# Deeds as policies put them. What others "receive" or "get" is shared, what the company does is collected.
FORMS = {
    "sell": "sell sells sold selling sale sales rent rented",
    "share": "share shares shared sharing disclose discloses disclosed disclosing provide provides provided give gives "
    "given giving pass passes passed passing transfer transfers transferred hand hands handed exchange exchanges "
    "release releases released supply supplies supplied send sends sent available goes go",
    "collect": "collect collects collected collecting gather gathers gathered record records recorded obtain obtains "
    "obtained ask asks read reads access accesses request requests try acquire upload uploads uploaded "
    "copy copies require requires",
    "use": "use uses used using process processes processed analyse analyze",
    "track": "track tracks tracked tracking follow follows monitor monitors set sets place places recognize recognise",
}
_DEED = {form: deed for deed, forms in FORMS.items() for form in forms.split()}
# What is done by whoever stands before it.
GETS = frozenset("receive receives received get gets got obtain obtains learn learns see sees collect collects".split())
# What is given to the company, it collects: "you tell us your name".
_GIVEN = frozenset("give gives tell tells provide provides send sends supply supplies".split())
_TRACKERS = frozenset({"cookies"})
_OWN = frozenset({"we", "i"})
_BE = frozenset("is are be been being was were".split())
DENIALS = frozenset(
    "not never neither nor cannot don't doesn't won't didn't can't isn't aren't wouldn't no nobody nothing none "
    "refuse refuses without".split()
)
_NOTHING = frozenset("nothing nobody none no".split())
_HEDGES = frozenset("may might could sometimes generally ordinarily usually typically".split())
# What denies nothing, and the names of links and buttons ("use the Do Not Sell page").
IDLE = re.compile(
    r"\b(?i:not only|not limited to|whether or not|no matter|if not|not just|no later than|no more than|not all|"
    r"without limitation|without limiting|nothing else|nothing more|no others|without undue|without restrictions?|"
    r"without notice|no longer than)\b"
    r"|(?<=\w)\s+[\"“']?Do (?:not|Not) (?:[Ss]ell|[Ss]hare)\b"
)
_CLAUSES = re.compile(
    r"[.;!?]+(?:\s|$)|\n+|,?\s+\b(?:but|however|although|though|while|whereas)\b"
    r"|,\s+(?=(?:and |so |or )?(?:we|they|you|this|these|there)\b)",
    re.IGNORECASE,
)
# Of whole companies, of places abroad and of ways to say no another matter is spoken.
_ELSEWHERE = {
    "sell": re.compile(
        r"\b(?:business|assets?|merger|merged|acqui\w+|reorgani\w+|bankrupt\w*|buys?|opt\W+out|right to)\b",
        re.IGNORECASE,
    ),
    "share": re.compile(r"\b(?:abroad|outside (?:of )?the|other countries|another country|overseas)\b", re.IGNORECASE),
}
_EXCEPTIONS = re.compile(
    r"\b(?:except|unless|other than|apart from|with the (?:sole )?exception|beyond|"
    r"without your (?:consent|permission))\b",
    re.IGNORECASE,
)
# An exception that is the rest of the policy leaves nothing denied.
_EXCEPT_ALL = re.compile(
    r"\bexcept (?:as|in|where|for|when)?\s*(?:otherwise |expressly |specifically )?(?:set forth|described|disclosed|"
    r"provided|stated|permitted|specified|outlined|noted|explained|detailed|indicated|allowed|the circumstances|"
    r"limited)\b|\bin exchange for\b|\bfor (?:monetary|valuable|money)\b|\bother than (?:as|in|those|the ways)\b"
    r"|\bas (?:described|disclosed|set forth|provided) (?:in|below|above|herein)\b"
    r"|\bunless (?:otherwise|we)\b|\b(?:different|differing) from (?:what|those|the)\b"
    r"|\b(?:ways?|manner|purposes?|parties) (?:that (?:is|are) )?(?:not|other than|different)\b"
    r"|\bnot (?:otherwise )?(?:described|disclosed|listed|mentioned|covered|set forth) (?:in|by|below|above|herein)\b"
    r"|\b(?:except|unless)\b[^.]{0,60}(?:\bfollow(?:s|ing)\b|:)",
    re.IGNORECASE,
)
_LINK = re.compile(r"^\W*do not (?:sell|share)\b", re.IGNORECASE)
_HARMLESS = re.compile(
    r"\b(?:aggregate\w*|anonym\w*|de-?identified|statistic\w*|cannot (?:be used to )?identify|does not identify)\b",
    re.IGNORECASE,
)
# Two words so far apart still belong together: "get absolutely nothing".
_NEAR = 3
# What a deed is done to stands so near: "share with our partners, under contract, your location".
_REACH = 12
_DONE_TO = frozenset("goes go available used shared".split())
_CALLED = frozenset("considered deemed constitute constitutes are for".split())
_SELLING = frozenset("sell sells selling rent".split())
# What may be, or what others are bound to, is no statement of what is done.
# What the clause before it named.
_IT = frozenset("it them".split())
_IFS = frozenset("if whether should before unless".split())
_BOUND = frozenset("obligated obliged required prohibited bound forbidden contractually authorized authorised".split())
# What tells or describes is no company: "this notice provides information on", "anyone who gives us data".
_TELLS = frozenset(
    "notice policy policies statement section sections page document paragraph table chart law laws act who anyone "
    "form forms page pages site's newsletter".split()
)
# What is a noun behind one of these: "the release of records".
_NOUNS = frozenset(
    "release transfer exchange supply record records request requests share access set place rent copy copies".split()
)
_ARTICLES = frozenset("the a an any of this such our your their its".split())
# What is made sure of, or asked of others, is not said to be done.
_ASKED = frozenset("whether verify confirm know request determine".split())
_BIDDEN = frozenset(
    "permit permits permitted allow allows allowed require requires prohibit prohibits forbid forbids instruct "
    "authorize authorise authority".split()
)
# So many words before a deed its denial stands at most; and what is vouched for, wanted or controlled is not done.
_FAR = 10
_VOUCHES = frozenset(
    "guarantee guarantees guaranteed warrant warrants represent represents ensure control controlled responsible want "
    "liable endorse".split()
)
# Who reads is told to do so: "never share your password".
_BIDS = frozenset("please never do not don't always".split())
_KINDS = frozenset("category categories".split())
_WHICH = frozenset("that which whom".split())


@dataclass(frozen=True, slots=True)
class Statement:
    """What a clause says of one deed. What is `excepted` holds with exceptions; `harmless` is of nobody in person.

    `spared` are the recipients and purposes that the exceptions name.
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


def statements(sentence: str) -> tuple[Statement, ...]:
    """Give what a sentence states, clause by clause."""
    if _LINK.match(sentence):
        return ()
    excepted = bool(_EXCEPTIONS.search(sentence))
    denies_nothing = bool(_EXCEPT_ALL.search(sentence))
    harmless = bool(_HARMLESS.search(sentence))
    main, *rest = _EXCEPTIONS.split(IDLE.sub(" ", sentence), maxsplit=1)
    spared = frozenset(one.id for one in terms(words(" ".join(rest))) if one.sort != "things") if rest else frozenset()
    said: list[Statement] = []
    named: frozenset[str] = frozenset()
    for clause in _CLAUSES.split(main):
        of_it = bool(_IT & set(words(clause)))
        for one in _clause(clause, excepted=excepted, harmless=harmless):
            if not (one.denied and denies_nothing):
                things = named if of_it and named and one.things == {ANYTHING} else one.things
                said.append(replace(one, things=things, spared=spared if one.denied else frozenset()))
        named = frozenset(one.id for one in terms(words(clause)) if one.sort == "things") - {ANYTHING} or named
    return tuple(said)


def _clause(clause: str, *, excepted: bool, harmless: bool) -> Iterator[Statement]:
    tokens = words(clause)
    found = terms(tokens)
    inside = {place for term in found for place in range(term.start, term.end)}
    deeds = [
        (place, deed)
        for place in range(len(tokens))
        if place not in inside and (deed := _given(tokens, place) or _deed(tokens, place, found)) is not None
    ]
    if not deeds:
        yield from _absent(tokens, found, excepted=excepted)
    for number, (place, deed) in enumerate(deeds):
        start = _subject(tokens, place, found)
        if start is None and deed == "collect" and tokens[place] in _GIVEN:
            start = max(0, place - _NEAR)  # "you give us"
        if start is None or (deed in _ELSEWHERE and _ELSEWHERE[deed].search(clause)):
            continue
        if deed == "sell" and tokens[place + 1 : place + 2] == ["you"]:
            continue  # goods, not data
        if tokens[place].startswith("rent") and tokens[start] not in _OWN:
            continue  # what a tenant pays
        own = _own(found, place, deeds[number + 1 :])
        near = _object(tokens, place, own)
        if near is None:
            continue
        before, after = tokens[start:place], tokens[place + 1 : place + 1 + _NEAR]
        if _IFS & set(tokens[max(0, start - 1) : start + 1]) or (tokens[start] not in _OWN and _BOUND & set(before)):
            continue
        if _is_told_of(tokens, start, place, deed, own):
            continue
        denied = bool(DENIALS & set(before[-_FAR:]) or _NOTHING & set(after)) or _not_with(tokens, place)
        if (denied and not _VOUCHES.isdisjoint(before)) or (not denied and not DENIALS.isdisjoint(before[:-_FAR])):
            continue  # nobody can tell
        is_narrow = denied and deed == "use" and tokens[near.end : near.end + 1] == ["to"] and near.id in _TRACKERS
        if is_narrow and not any(term.sort == "ends" for term in own):
            continue  # "we do not use cookies to …" leaves every other use open
        yield Statement(
            deed, denied, bool(_HEDGES & set(before)), excepted, harmless,
            *(frozenset(term.id for term in own if term.sort == sort) for sort in ("things", "whom", "ends")),
        )  # fmt: skip


def _is_told_of(tokens: Sequence[str], start: int, place: int, deed: str, own: Sequence[Term]) -> bool:
    """Tell what a policy says about itself, its readers or its terms from what the company does."""
    word, before = tokens[place], tokens[:place]
    if deed == "share" and tokens[place + 1 : place + 2] in (["you"], ["users"], ["visitors"], ["customers"]):
        return True  # "to give you information"
    if deed == "share" and "to you" in " ".join(tokens[place:]) and not any(term.sort == "whom" for term in own):
        return True
    is_ours = tokens[start] in _OWN
    if before and _BIDS.issuperset(before):
        return True
    near = before[-_NEAR:]
    is_told = word.endswith("ing") or (deed in {"share", "collect"} and not _TELLS.isdisjoint(near))
    if not is_ours and _BE.isdisjoint(near) and is_told:
        return True
    if before[max(0, start - 1) : start] == ["that"] and not (DENIALS | _ASKED).isdisjoint(before[:start]):
        return True  # "we do not know that we sell"
    if "whether" in before[-2 * _NEAR :]:
        return True
    if deed in {"share", "sell"} and before[-1:] == ["to"] and not _BIDDEN.isdisjoint(before):
        return True  # "we do not permit them to sell"
    by_cookies = not is_ours and any(term.id in _TRACKERS and term.end <= place for term in own)
    if by_cookies and _BE.isdisjoint(near) and not DENIALS.isdisjoint(before):
        return True  # what a cookie cannot do, wherever it is
    if deed not in {"share", "sell"}:
        return False
    kinds = next((n for n in range(place - 1, -1, -1) if tokens[n] in _KINDS), None)
    return kinds is not None and (kinds < start or not _WHICH.isdisjoint(tokens[kinds:place]))


def _object(tokens: Sequence[str], place: int, own: Sequence[Term]) -> Term | None:
    """Give what a deed is done to: what follows it soon, or what stands before it where it is done to that."""
    things = [term for term in own if term.sort == "things"]
    reach = _REACH if tokens[place] not in _SELLING else _NEAR + 1  # "selling on our marketplace"
    after = [term for term in things if place < term.start <= place + reach]
    if after:
        return after[0]
    before = [term for term in things if term.end <= place]
    return before[-1] if before and (_BE & set(tokens[:place]) or tokens[place] in _DONE_TO) else None


def _absent(tokens: Sequence[str], found: Sequence[Term], *, excepted: bool) -> Iterator[Statement]:
    """Read "there are no cookies", where nothing is done and all is said."""
    for term in found:
        if term.id in _TRACKERS and "no" in tokens[max(0, term.start - _NEAR) : term.start]:
            whom = frozenset(one.id for one in found if one.sort == "whom") | _advertising(found)
            for deed in ("track",) if whom else ("use", "track"):
                yield Statement(deed, True, False, excepted, False, frozenset({term.id}), whom, frozenset())
            return


def _advertising(found: Sequence[Term]) -> frozenset[str]:
    return frozenset({"advertisers"} if any(term.id == "advertising" for term in found) else ())


def _own(found: Sequence[Term], place: int, later: Sequence[tuple[int, str]]) -> list[Term]:
    """Give the terms that belong to a deed: all of a clause, but where another deed follows its own things.

    "We do not sell your details or hand them to advertisers" says nothing of selling to advertisers.
    """
    for until, _ in later:
        if any(term.sort == "things" and place < term.start < until for term in found):
            return [term for term in found if term.start < until]
    return list(found)


def _given(tokens: Sequence[str], place: int) -> str | None:
    return "collect" if tokens[place] in _GIVEN and "us" in tokens[place + 1 : place + _NEAR] else None


def _deed(tokens: Sequence[str], place: int, found: Sequence[Term]) -> str | None:
    """Say which deed a word is, by who does it."""
    word = tokens[place]
    if (word not in _DEED and word not in GETS) or (word in _NOUNS and place and tokens[place - 1] in _ARTICLES):
        return None
    by_others = [term for term in found if term.sort == "whom" and term.end <= place]
    own = [other for other, said in enumerate(tokens[:place]) if said in _OWN]
    if word in GETS and by_others and (not own or own[-1] < by_others[-1].start):
        cookies = any(term.id == "cookies" for term in found)
        return "track" if cookies and word.startswith("collect") else "share"
    if word in {"receive", "receives", "get", "gets", "learn", "learns"}:
        return "collect" if own else None
    if word in {"set", "sets", "place", "places"}:
        return None if not any(term.id in _TRACKERS for term in found) else "track" if by_others else "use"
    if word == "access" and place and tokens[place - 1] in {"no", "have", "of", "to", "your", "the"}:
        return None
    if word in {"ask", "asks", "try"} and "for" not in tokens[place : place + 3] and "where" not in tokens[place:]:
        return None
    if tokens[place + 1 : place + 2] == ["by"] or "us" in tokens[place + 1 : place + _NEAR]:
        return None  # what others provide, or give to the company
    if word in {"sale", "sales"}:
        return None if _CALLED.isdisjoint(tokens[max(0, place - _NEAR) : place]) else "sell"
    if word == "available" and not {"make", "made", "makes"} & set(tokens[max(0, place - 12) : place]):
        return None
    if word == "use" and place and tokens[place - 1] in _ARTICLES | {"in", "for"}:
        return None
    if word in {"goes", "go"} and "to" not in tokens[place : place + 2]:
        return None
    return _DEED.get(word)


def _subject(tokens: Sequence[str], place: int, found: Sequence[Term]) -> int | None:
    """Say where begins what is said of a deed: at whoever does it; None where "you" do it."""
    for other in range(place - 1, -1, -1):
        if tokens[other] in _OWN:
            return other
        if tokens[other] == "you":
            passive = bool(_BE & set(tokens[max(other, place - _NEAR) : place]))
            return 0 if passive else None
        by = next((term for term in found if term.sort == "whom" and term.start <= other < term.end), None)
        if by and _BE.isdisjoint(tokens[other:place]):
            return max(0, _first(found, by) - 2)  # "no advertiser", "neither we nor our partners"
    return 0


def _first(found: Sequence[Term], last: Term) -> int:
    """Give where a list of recipients begins: "advertiser, data broker or other company"."""
    start = last.start
    for term in reversed(found):
        if term.sort == "whom" and start - _NEAR <= term.end <= start:
            start = term.start
    return start


def _not_with(tokens: Sequence[str], place: int) -> bool:
    """Tell "share it, never with advertisers" from "share it with advertisers"."""
    rest = list(tokens[place + 1 :])
    return any(one in {"not", "never"} and after in {"with", "to", "by"} for one, after in pairwise(rest))


def denies(sentence: str) -> bool:
    """Tell whether a sentence has a word that denies, whatever it denies."""
    return not DENIALS.isdisjoint(words(IDLE.sub(" ", sentence)))


def may_deny(sentence: str) -> bool:
    """Tell at a glance whether a sentence may deny anything."""
    return bool(MAY_DENY.search(sentence.lower()))


MAY_DENY = re.compile(r"\b(?:no|not|never|nothing|nobody|none|neither|nor|cannot|without|refuse\w*)\b|n['’]t\b")
