from __future__ import annotations

import numpy as np
import pytest

from smallprint.annotate.registry import Annotations
from smallprint.cli.show import QUOTE, print_sayings, quotation
from smallprint.library.directory import KnownSector
from smallprint.models.labels import COLUMNS, column
from smallprint.records import Segment
from smallprint.taxonomy import Label
from smallprint.text import sentences
from smallprint.view.policy import SegmentSaid, quoted_sayings

SHORT = "Cookies, in short."
FIRST = "We keep what you tell us for as long as you are with us, and for a year more."
SECOND = "Then we delete it, unless a law asks us to keep it for longer, as tax laws do."
LONG = f"We share it with {', '.join(['those who work for us'] * 12)} and nobody else."
BEFORE = "What is before. "


def quote(*parts: str, after: str = " What is after.") -> str:
    own = " ".join(parts)
    text = BEFORE + own + after
    start, end = len(BEFORE), len(BEFORE) + len(own)
    return quotation(as_said(Segment(0, "paragraph", start, end, sentences=tuple(sentences(text, start, end))), text))


def as_said(segment: Segment, text: str) -> SegmentSaid:
    """Return a segment with its words, without labels."""
    words = text[segment.start : segment.end]
    return SegmentSaid(
        segment.ordinal, segment.kind, segment.start, segment.end, words, (), None, segment.sentences, ()
    )


def test_what_is_short_is_quoted_whole():
    assert quote(SHORT) == SHORT
    assert quote(FIRST, SECOND) == f"{FIRST} {SECOND}"
    assert quote("We keep\nit  for a year.") == "We keep it for a year."


def test_a_quotation_ends_where_a_sentence_does():
    assert quote(FIRST, SECOND, LONG) == f"{FIRST} {SECOND}"
    assert quote(FIRST, LONG) == FIRST


@pytest.mark.parametrize("parts", [(LONG,), (SHORT, LONG)], ids=["no end in reach", "too little before the end"])
def test_else_it_is_cut_between_words_and_says_so(parts):
    found = quote(*parts)
    assert found.endswith(" …")
    assert QUOTE - 20 < len(found) <= QUOTE
    assert " ".join(parts).startswith(found.removesuffix("…"))


def test_to_the_very_end():
    fits = "a" * 10 + " word" * ((QUOTE - 10) // 5 - 1) + " end."
    assert len(fits) == QUOTE
    assert quote(fits) == fits
    assert quote(fits, SHORT) == fits
    assert quote("a" + fits).endswith("word …")


def test_a_word_without_end():
    assert quote("w" * 1000) == "w" * QUOTE + " …"


def test_a_table_is_quoted_only_where_no_sentence_says_it(capsys):
    row, prose = "Log-in records | to detect fraud and abuse | 18 months", f"{FIRST} {SECOND} {LONG}"
    text, start = f"{row}\n{prose}", len(row) + 1
    spans = tuple(sentences(text, start))
    segments = (Segment(0, "row", 0, len(row)), Segment(1, "paragraph", start, len(text), sentences=spans))
    said = np.zeros((2, len(COLUMNS)), dtype=np.uint8)
    said[:, column(Label("retention"))] = 250, 150
    said[:, column(Label("security"))] = 200, 100
    unknown = KnownSector("unknown", "nobody", 0.0)
    annotations = quoted_sayings(text, segments, Annotations({}, practices=said), unknown, None)
    print_sayings(annotations, [as_said(segment, text) for segment in segments], text)
    assert capsys.readouterr().out == (
        f"\nHow long they keep it  2×, 98%\n    “{FIRST} {SECOND}”\n"
        f"\nHow they protect it  1×, 78%\n    “{row}”\n"
    )  # fmt: skip
