"""The word lists of this folder, read from TOML once: verbs for what companies do with data, and the terms of a text.

A term names information, a recipient or a purpose.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple, cast

from smallprint.taxonomy import Label, category
from smallprint.text import words

Sort = Literal["things", "whom", "ends"]
ANYTHING, ANYBODY = "anything", "anybody"


def pattern(expression: str) -> re.Pattern[str]:
    """Return a pattern to which capitals and small letters are the same."""
    return re.compile(expression, re.IGNORECASE)


@cache
def table(name: str, folder: str = __package__) -> dict[str, Any]:
    """Return a table of a package's folder, by the name of its file; lists are tuples."""
    text = resources.files(folder).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return {key: _frozen(value) for key, value in tomllib.loads(text).items()}


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(own) for key, own in value.items()}
    return tuple(value) if isinstance(value, list) else value


@cache
def word_lists(group: str) -> dict[str, frozenset[str]]:
    """Return the word lists of a group in `words.toml`, by name."""
    return {name: frozenset(listed.split()) for name, listed in table("words")[group].items()}


def _verbs(*columns: str) -> dict[str, str]:
    return {form: deed for deed, row in table("verbs").items() for key in columns for form in row.get(key, "").split()}


# What a company does, by the forms of the verb: those that say just this; all that policies use; all that people use.
PLAIN_DEED = _verbs("plain")
POLICY_DEED = _verbs("plain", "policies")
QUESTION_DEED = _verbs("plain", "policies", "questions")
DENIALS = word_lists("statements")["denials"] | word_lists("statements")["refusals"]


def deeds(text: str) -> frozenset[str]:
    """Return the deeds that a text speaks of in plain words: to sell is not to share."""
    return frozenset(PLAIN_DEED[word] for word in words(text) if word in PLAIN_DEED)


def forms(deed: str) -> list[str]:
    """Return the forms in which policies say that a company does something."""
    return [form for form, named in POLICY_DEED.items() if named == deed]


class Term(NamedTuple):
    """A term in a text: its sort, its id, and the half-open range of words it covers."""

    sort: Sort
    id: str
    start: int
    end: int


def terms(tokens: Sequence[str]) -> tuple[Term, ...]:
    """Find the terms among words in lower case; of those at one place the longest holds, and none overlap."""
    known, longest = _terms()
    named, place = [], 0
    while place < len(tokens):
        for length in range(min(longest.get(tokens[place], 0), len(tokens) - place), 0, -1):
            term = known.get(tuple(tokens[place : place + length]))
            if term:
                named.append(Term(*term, place, place + length))
                place += length - 1
                break
        place += 1
    return tuple(named)


def label_of(category_id: str, sort: Sort, term: str) -> Label | None:
    """Return the label that a term has under a category, if it has one there."""
    named, named_value = table("lexicon")[sort][term].get("label", ("", ""))
    for attribute in category(category_id).attributes:
        for value in attribute.values:
            # The dataset spells some values in two ways.
            if attribute.name == named and value.name.lower() == named_value.lower():
                return Label(category_id, attribute.name, value.name)
    return None


def spellings(sort: Sort, term: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of every way to say a term."""
    return tuple(spelling for spelling, named in _terms()[0].items() if named == (sort, term))


@cache
def _terms() -> tuple[dict[tuple[str, ...], tuple[Sort, str]], dict[str, int]]:
    """Return the sort and id of every term by its words, and how many words the longest has that begins with a word."""
    known = {
        tuple(words(spelling)): (cast("Sort", sort), name)
        for sort, group in table("lexicon").items()
        for name, row in group.items()
        for spelling in row["terms"]
    }
    longest: dict[str, int] = {}
    for spelling in known:
        longest[spelling[0]] = max(len(spelling), longest.get(spelling[0], 0))
    return known, longest
