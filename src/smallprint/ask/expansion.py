"""A question in other words: by policy word vectors, by rules of our own, and by translating it there and back."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain, islice

from smallprint.ask.question import Question
from smallprint.ask.stems import STOP_WORDS, stemmed
from smallprint.ask.translation import there_and_back
from smallprint.models.vectors import Vectors, shipped

NEIGHBOURS = 5
# What is less alike is another matter; read over the neighbours of the words of 300 questions.
LEAST_LIKE = 0.5
REPLACED = frozenset({"NN", "NNS", "VB", "VBZ", "VBG", "VBD", "VBN"})
# Paraphrases a question in all, and of these by single rules: those by vectors come after them.
MOST, MOST_BY_RULE = 40, 16
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
# "disclose to third parties my data to advertisers" says it twice.
_TWICE = re.compile(r"\b(disclos\w+) to third parties\b(?=.*\b(?:to|with)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A question in other words, and where these come from: "vectors: phone -> telephone", "all rules"."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Words of people who ask, and what policies say instead; `spoken` is how a policy says it in its own voice."""

    asked: str
    written: str
    spoken: str


def expand(question: Question, most: int = MOST, *, translate: bool = False) -> tuple[Paraphrase, ...]:
    """Give a question in other words, each way of saying it once, in an order that does not change.

    All rules at once come first, then single rules, words by their neighbours, and the translation, which needs the
    extra 'backtranslation'. The question itself is not among them.
    """
    found = chain(
        by_all_rules(question.text),
        islice(by_rules(question.text), MOST_BY_RULE),
        by_translation(question.text) if translate else (),
        by_vectors(question.text, shipped()),
    )
    return tuple(islice(_distinct(found, question.text), max(0, most)))


def by_rules(text: str) -> Iterator[Paraphrase]:
    """Apply each rule by itself, in the order in which the question has their words."""
    for found in _pattern().finditer(text):
        rule = rules()[found[0].lower()]
        for said in dict.fromkeys((rule.written, rule.spoken)):
            changed = text[: found.start()] + _like(said, found[0]) + text[found.end() :]
            yield Paraphrase(_mended(changed), f"rule: {rule.asked} -> {said}")


def by_all_rules(text: str) -> Iterator[Paraphrase]:
    """Apply all rules at once, as one speaks of users, and as policies speak to them."""
    written = _pattern().sub(lambda found: _like(rules()[found[0].lower()].written, found[0]), text)
    spoken = _pattern().sub(lambda found: _like(rules()[found[0].lower()].spoken, found[0]), text)
    for changed, source in ((written, "all rules"), (spoken, "all rules, as a policy speaks")):
        if changed != text:
            yield Paraphrase(_mended(changed), source)


def by_vectors(text: str, known: Vectors) -> Iterator[Paraphrase]:
    """Replace each noun and verb by its nearest words of the same form: the nearest of every word first."""
    said = dict.fromkeys(found[0].lower().removesuffix("'s") for found in _WORD.finditer(text))
    replaced = {
        word: known.nearest(word, NEIGHBOURS)
        for word in said
        if word not in STOP_WORDS and known.part(word) in REPLACED
    }
    for place in range(NEIGHBOURS):
        for word, neighbours in replaced.items():
            near = neighbours[place] if place < len(neighbours) else None
            if near and near.likeness >= LEAST_LIKE and stemmed([near.word]) != stemmed([word]):
                yield Paraphrase(_replaced(text, word, near.word), f"vectors: {word} -> {near.word}")


def by_translation(text: str) -> Iterator[Paraphrase]:
    """Translate a question into Portuguese and back; raises MissingExtra where the translator is not installed."""
    if text:
        yield Paraphrase(there_and_back(text), "back-translation")


@cache
def rules() -> dict[str, Rule]:
    """Give the rules by the words that they replace."""
    table = tomllib.loads(resources.files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
    found = {}
    for group in table.values():
        for asked, said in group.items():
            written, spoken = said if isinstance(said, list) else (said, said)
            found[asked] = Rule(asked, written, spoken)
    return found


@cache
def _pattern() -> re.Pattern[str]:
    """Find the words of any rule, the longest first, so that "my data" is not taken for "my".

    Of letters only those of ASCII have two cases here: otherwise "İ" would be an "i", of which no rule is made.
    """
    longest_first = sorted(rules(), key=lambda asked: (-len(asked), asked))
    return re.compile(rf"(?<![\w'])(?ai:{'|'.join(map(re.escape, longest_first))})(?![\w'])")


def _distinct(found: Iterator[Paraphrase], asked: str) -> Iterator[Paraphrase]:
    seen = {asked.casefold()}
    for paraphrase in found:
        key = paraphrase.text.casefold()
        if key and key not in seen:
            seen.add(key)
            yield paraphrase


def _mended(text: str) -> str:
    return " ".join(_TWICE.sub(r"\1", text).split())


def _like(said: str, typed: str) -> str:
    """Begin with a capital where what was typed does, unless that is all it is ("I")."""
    return said[0].upper() + said[1:] if typed[0].isupper() and len(typed) > 1 else said


def _replaced(text: str, word: str, other: str) -> str:
    """Replace a word wherever it stands, and "a" or "an" before it where the sound asks for the other."""
    parts, last = [], 0
    for found in re.finditer(rf"(?<![\w'])({re.escape(word)})(?!\w|'(?!s\b))", text, re.IGNORECASE):
        before = _ARTICLE.sub(lambda article: _article(article, other), text[last : found.start()])
        parts += [before, _like(other, found[0])]
        last = found.end()
    return "".join([*parts, text[last:]])


def _article(found: re.Match[str], other: str) -> str:
    said = "an" if other[0] in "aeiou" else "a"
    return (said.capitalize() if found[1][0].isupper() else said) + found[2]
