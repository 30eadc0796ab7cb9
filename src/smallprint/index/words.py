"""Text to the words an index holds, and a query's words to the same: every engine is handed these and cuts nothing.

Words are those of Unicode text segmentation (UAX #29) in lower case, with two departures that policies ask for: a colon
parts words ("Address:Main Street" is three), and curly apostrophes are straight.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tantivy

LONGEST = 255  # what is longer is no word, but a key or a line without blanks
_STRAIGHT = (("’", "'"), ("‘", "'"), ("ʼ", "'"), ("＇", "'"), (":", " "))
# UAX #29 for ASCII: full stop and apostrophe join letters and digits, comma and semicolon join digits.
_ASCII = re.compile(r"(?:[a-z]+(?:[.'][a-z]+)*|[0-9]+(?:[.,;'][0-9]+)*|_)+")
# What stands between blanks and holds a character beyond ASCII; each stretch is looked at once, from its beginning.
_BEYOND_ASCII = re.compile(r"(?<!\S)[\x00-\x08\x0e-\x1b!-\x7f]*+[^\x00-\x7f\s]\S*")
_URL = re.compile(r"[a-z0-9]+")
_LETTER, _DIGIT = r"[\p{wb=ALetter}\p{wb=Hebrew_Letter}]", r"\p{wb=Numeric}"
_AFTER = r"[\p{wb=Extend}\p{wb=Format}\p{wb=ZWJ}]*"
_IN_WORD = r"[\p{wb=MidLetter}\p{wb=MidNumLet}\p{wb=Single_Quote}]"
_IN_NUMBER = r"[\p{wb=MidNum}\p{wb=MidNumLet}\p{wb=Single_Quote}]"
_UNICODE = (
    rf"(?:{_LETTER}{_AFTER}(?:{_IN_WORD}{_AFTER}{_LETTER}{_AFTER})*"
    rf"|{_DIGIT}{_AFTER}(?:{_IN_NUMBER}{_AFTER}{_DIGIT}{_AFTER})*"
    rf"|\p{{wb=Katakana}}{_AFTER}|\p{{wb=ExtendNumLet}}{_AFTER})+"
    rf"|[\p{{Han}}\p{{Hiragana}}]{_AFTER}"
)


def words(text: str) -> list[str]:
    """Return the words of a text, in order."""
    for curly, straight in _STRAIGHT:
        text = text.replace(curly, straight)
    folded = text.lower()
    # The pattern for all of Unicode takes thirty times as long; English needs it for a few names.
    every = _ASCII.findall(folded) if folded.isascii() else _mixed(folded)
    return [word for word in every if len(word) <= LONGEST]


def url_words(url: str) -> list[str]:
    """Return the words of an address: runs of letters and digits."""
    return [word for word in _URL.findall(url.lower()) if len(word) <= LONGEST]


def _mixed(folded: str) -> list[str]:
    """Cut by the pattern for ASCII all but what stands between blanks and is more than ASCII."""
    words: list[str] = []
    end = 0
    for stretch in _BEYOND_ASCII.finditer(folded):
        words += _ASCII.findall(folded, end, stretch.start())
        words += _segmenter().analyze(stretch[0])
        end = stretch.end()
    return words + _ASCII.findall(folded, end)


@cache
def _segmenter() -> tantivy.TextAnalyzer:
    import tantivy

    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_UNICODE)).build()
