"""A text cut into words and marks, with the places where sentences begin; blanks belong to the word before them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from smallprint.records import Span
from smallprint.text import sentences

# A word with what joins its parts ("don't", "opt-out", "and/or", "example.com"), or a mark, once or repeated. A
# sentence's full stop stands apart, so that "year." and "year;" have a word in common.
TOKEN = re.compile(r"\w+(?:['’.\-‐‑/&@]\w+)*|([^\w\s])\1*")
# Shapes of one mark, which change with the editor and not with the policy.
_SHAPES = str.maketrans("‘’‛“”„‟‐‑‒–—―−", '\'\'\'""""-------')
# A word is worth its letters, up to this many, and a mark or a figure one: what two sentences have in common is to be
# "retention" rather than "of the", and with another date or number a sentence is still the same one.
MOST_LETTERS = 10


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text: what each is compared by, where it begins, and which of them begin a sentence."""

    text: str
    keys: list[str]
    starts: list[int]
    firsts: list[int]
    worth: list[int]
    # Words, and what they are worth, from the start of the text up to each token.
    word_sums: list[int]
    weight_sums: list[int]

    def span(self, first: int, last: int) -> Span:
        """Say where a stretch of tokens is, up to where the next token begins."""
        return Span(self.starts[first], self.starts[last])

    def words(self, first: int, last: int) -> int:
        """Count the words of a stretch; marks are none."""
        return self.word_sums[last] - self.word_sums[first]

    def weight(self, first: int, last: int) -> int:
        """Say what the words of a stretch are worth together; marks are worth nothing here."""
        return self.weight_sums[last] - self.weight_sums[first]


def tokens(text: str, cuts: Sequence[Span] | None = None) -> Tokens:
    """Cut a text; `cuts` are its sentences where they are known, rising and apart."""
    places = [match.span() for match in TOKEN.finditer(text)]
    keys = [text[start:end].translate(_SHAPES) for start, end in places]
    begins = {cut.start for cut in (_sentences(text) if cuts is None else cuts)}
    firsts = [number for number, (start, _) in enumerate(places) if not number or start in begins]
    worth = [1 if key[0].isdigit() else min(len(key), MOST_LETTERS) for key in keys]
    word = [is_word(key) for key in keys]
    return Tokens(
        text,
        keys,
        # One place more, where the text ends, so that a stretch can reach to it.
        [*(start for start, _ in places), len(text)],
        [*firsts, len(keys)],
        worth,
        list(accumulate(word, initial=0)),
        list(accumulate((one * value for one, value in zip(word, worth, strict=True)), initial=0)),
    )


def is_word(token: str) -> bool:
    """Tell words from marks."""
    return token[0].isalnum() or token[0] == "_"


def _sentences(text: str) -> list[Span]:
    found: list[Span] = []
    start = 0
    for line in text.splitlines(keepends=True):
        found += sentences(text, start, start + len(line))
        start += len(line)
    return found
