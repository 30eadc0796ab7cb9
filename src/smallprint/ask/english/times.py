"""A sentence in, the times it names out: how long something is kept, or how soon a request is answered.

"Up to 30 days", "no longer than necessary", "until you close your account": in the sentence's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from smallprint.ask.english.lexicon import pattern, table

Matter = Literal["keeping", "answering"]


class Time(NamedTuple):
    """A half-open range of a sentence, what it is the time of, and whether anybody could count it."""

    start: int
    end: int
    matter: Matter
    is_definite: bool


def either(phrases: Iterable[str] | str) -> str:
    """Return an expression for any of some phrases, the longest first; a string is a list of words."""
    listed = phrases.split() if isinstance(phrases, str) else phrases
    longest_first = sorted(listed, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in longest_first) + ")"


_T = table("slots")
_ONES, _TENS, _VAGUE = (either(_T["numbers"][name]) for name in ("ones", "tens", "vague"))
# "13", "thirteen (13)", "twenty-four", "one hundred and eighty".
NUMBER = (
    rf"(?:\d[\d,.]*|(?:{_ONES}\s+)?hundred\s+and\s+(?:{_TENS}|{_ONES})|{_TENS}[-\s]{_ONES}|{_ONES}|{_TENS})"
    r"(?:\s*[(\[]\s*\d+\s*[)\]])?"
)
_LENGTH = (
    rf"(?:{NUMBER}(?:\s*(?:-|–|—|to|and|or)\s*{NUMBER})?|{_VAGUE}(?:\s+(?:few|couple(?: of)?|full|single))?)"
    rf"[-\s]*(?:{either(_T['time']['kinds'])}\s+)?{either(_T['time']['units'])}s?\b"
)
# What bounds a time belongs to it.
_BOUND = (
    r"(?:(?:(?:no|not|never)\s+)?(?:longer|more|less|later|fewer|sooner)\s+than|at (?:least|most|the latest)|up to|"
    r"within|after|before|under|over|only|between|approximately|about|around|roughly|typically|generally|normally|"
    r"usually|until|every|inactive|inactivity|dormant|unused|(?:a\s+|the\s+)?(?:maximum|minimum)(?:\s+(?:\w+\s+)?(?:period|time|duration|term))?(?:\s+of)?|"
    r"(?:an?|the|another)\s+(?:additional\s+)?(?:(?:period|time|term|duration)\s+of|additional|further|next|first)|for|of)"
)
_BOUND_BEHIND = r"(?:\s+(?:or (?:more|less|longer)|max(?:imum|\.)?|at (?:most|least)))?"
# A time ends where its clause does.
_REST = (
    r"(?:\([^()]{0,40}\)|(?![,;()]|�(?!\w)|\.(?:\s|$)|<br|\b(?:unless|except|but|whichever|because)\b|"
    r"\band (?:we|then|will|is|are)\b|\bor (?:is|are|was|were)\b|\band (?:was|were)\b)[^|\n])"
)
_FROM = (
    r"(?:\s+(?:after|from|following|since|of inactivity|of (?:\w+ )?(?:receipt|receiving)|prior to|thereafter|once)\b"
    rf"{_REST}{{0,100}})?"
)
_COUNTED = pattern(rf"(?:\b{_BOUND}\s+){{0,4}}(?<![\w$€£.,-]){_LENGTH}{_BOUND_BEHIND}{_FROM}")
_LASTING = (
    r"(?:as|so) long as|(?:the\s+)?(?:duration|life|lifetime|length) of (?:the|your|our|an?|any|this)|until|"
    r"up to the point|while you(?:r account)? (?:have|remain|are|is|use|keep)|during (?:the|your)|"
    r"throughout (?:the|your) (?:term|life|period|relationship|employment)"
)
_OPEN = pattern(
    rf"(?:\b(?:only|for)\s+){{0,2}}\b(?:{_LASTING})\s{_REST}{{2,160}}"
    r"|(?:\bonly\s+)?\bfor\s+(?:the|any|such|whatever|an?)\s+(?:(?!same|longer|shorter)[\w-]+\s+){0,2}(?:time|periods?|term)\b"
    rf"(?:\s+(?:of|that|as|for|necessary|required|needed|permitted|prescribed|during|until|we)\b{_REST}{{0,160}})?"
    rf"|\b(?:no|not(?:\s+\w+){{0,8}}?|any)\s+longer\s+than\s{_REST}{{2,160}}"
)
_FOREVER = pattern(r"\b(?:indefinitely|forever|permanently|in perpetuity)\b")
# "When you close your account", "after unsubscribing your data will be deleted", "where we no longer need it".
_END = pattern(
    r"\bafter\s+\w+ing\b(?=\s+(?:your|the|all|any)\b)|\bimmediately\b(?! (?:upon|when|after|once|following))"
    r"|\b(?:(?:immediately|automatically|promptly)\s+)?"
    r"(?:upon|at the end of|when|once|as soon as|after|immediately following)"
    rf"\s(?!that\b|this,|your (?:\w+ )?request|request){_REST}{{2,120}}"
    rf"|\b(?:where|if)\s(?=[^,.;]{{0,60}}\bno longer\b){_REST}{{2,120}}"
)
_INDEFINITE = pattern(rf"\b{either(_T['time']['indefinite'])}\b|^for (?:an?|any|such|whatever)\b|\bno good reason\b")
_SPAN = pattern(_LENGTH)
_PAST = pattern(rf"\b{either(_T['time']['past'])}\s+$")
_OF_AGE = pattern(r"^[\s-]*(?:of age|old|or older|or over|and over)\b")
# "To keep you organised" keeps nothing; nor does what processes a request.
_IDLE = (
    r"\s+(?:you|us|up|in mind|track|(?:\w+\s+){0,3}(?:confidential|secure|safe|private|accurate|up to date))\b"
    r"|(?:(?<=process)|(?<=processes)|(?<=processed))\s+(?:\w+\s+){0,3}(?:requests?|payments?|orders?|transactions?)\b"
    r"|(?:(?<=duration)|(?<=lifetime))\s+of\b"
)
_GOVERNORS = pattern(
    "|".join(rf"(?<![\w-])(?P<{name}>{either(own)})(?!\w|{_IDLE})" for name, own in _T["governing"].items())
)
# What may rule each sort of time.
_MAY_RULE = {
    _COUNTED: {"keeping", "ending", "answering"},
    _OPEN: {"keeping", "ending"},
    _FOREVER: {"keeping"},
    _END: {"ending", "keeping"},
}
# A word further off governs no time: the longest stretch in the sentences read was 140 characters.
_REACH = 160
# Nor does a denial reach further; no clause of those read was as long.
_FAR = 300
# What one may ask for, or do oneself, is no promise.
_BY_USER = pattern(
    r"\b(?:right to|ask(?:ing)? (?:us|that)|request(?:ing)? (?:us|that|to|the)|you (?:can|may|could)|you to|able to|"
    r"how to)\b[^.;,]{0,60}$"
)
# A lead-in that ends so makes a time of its item: "We keep it for as long as:".
_BEGUN = pattern(r"\b(?:as long as|until|after|when|once|upon|while)\W*$")
_LISTED = re.compile(r"[\s,;.]*(?:\b(?:and|or))?[\s,;.]*$")
# What denies nothing; what stands in parentheses denies nothing that stands behind them.
_NO_DENIAL = pattern(
    r"\([^()]*\)|\bwithout limit\w*|"
    r"\bnot (?:only|limited to|just)\b|\bwhether or not\b|\bno (?:longer|later|more|matter)\b"
)
_DENIAL = pattern(
    r"\b(?:do(?:es)? not|will not|shall not|cannot|may not|must not|(?:is|are|was|were|have|has) not|not|never|neither|"
    r"nor|no|none|without|(?:do|does|wo|ca|is|are|was|were|would|must|have|has|had)n['’]t)\b"
)
_CLAUSE = pattern(
    r"[;:|]\s|\(|[.]\s|\n|, (?:please|and|so|or|but|we|they|you)\b|"
    r"\b(?:but|however|although|while|and (?:we|they|you))\b"
)
_NEXT_VERB = pattern(
    r"\b(?:\w+\W+){3,}(?:and|or)\W+(?:must|will|may|is|are|then|(?:keep|retain|store|hold|delete|remove)s?)\b"
)


def start_with_denial(sentence: str, start: int) -> int:
    """Return where a range begins with the denial of its clause, so that no "not" is dropped."""
    first = max(0, start - _FAR)
    before = _NO_DENIAL.sub(lambda match: "_" * len(match[0]), sentence[first:start])
    clause = max((match.end() for match in _CLAUSE.finditer(before)), default=0)
    denial = _DENIAL.search(before, clause)
    # "It does not name you and is kept for a year": another verb, which nothing denies.
    return first + denial.start() if denial and not _NEXT_VERB.search(before, denial.end()) else start


def times(sentence: str, lead_in: str = "") -> Iterator[Time]:
    """Yield the times that a sentence names, those of its lead-in's list included; some may overlap."""
    if _BEGUN.search(lead_in) and _governor(lead_in, len(lead_in), 0) in {"keeping", "ending"}:
        start, end = len(sentence) - len(sentence.lstrip(" -•–")), len(_LISTED.sub("", sentence))
        if start < end:
            yield Time(start, end, "keeping", not _INDEFINITE.search(sentence))
        return
    for expression in (_COUNTED, _OPEN, _FOREVER, _END):
        for match in expression.finditer(sentence):
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            end = start + len(_LISTED.sub("", match[0].strip()))
            if _PAST.search(sentence[max(0, start - _REACH) : start]) or _OF_AGE.search(sentence[end : end + _REACH]):
                continue
            # "When we no longer need it, we delete it": what stands in a subordinate clause rules no other.
            after = end if expression is _END else start
            governor = _governor(sentence, start, after) or _governor(lead_in, len(lead_in), 0)
            if governor is None or governor not in _MAY_RULE[expression]:
                continue
            with_denial = start_with_denial(sentence, start)
            if expression is _END and governor == "keeping" and with_denial == start:
                continue  # "we store what you enter when you register"; but "nothing is kept after it was sent"
            matter: Matter = "answering" if governor == "answering" else "keeping"
            is_definite = _SPAN.search(match[0]) is not None or not _INDEFINITE.search(match[0])
            yield Time(with_denial, end, matter, is_definite)


def _governor(sentence: str, start: int, after: int) -> str | None:
    """Return what kind of word rules a place: the last before its start, or else the first from `after` on."""
    before = list(_GOVERNORS.finditer(sentence, max(0, start - _REACH), start))
    nearest = before[-1] if before else None
    # What begins in the middle of a sentence belongs to what stands before it.
    if nearest is None and (after == start or not sentence[:start].strip()):
        nearest = _GOVERNORS.search(sentence, after, after + _REACH)
    if nearest is None or (
        nearest.lastgroup == "ending" and _BY_USER.search(sentence[max(0, nearest.start() - _REACH) : nearest.start()])
    ):
        return None
    return nearest.lastgroup
