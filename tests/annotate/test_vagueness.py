from __future__ import annotations

import tomllib
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.annotate.vagueness import (
    COREFERENCE,
    LONGEST,
    TERMS,
    Vagueness,
    VagueWord,
    countable,
    cues,
    is_candidate,
    read,
    vague_words,
)
from smallprint.records import Span
from smallprint.text import sentences

from ..growth import grows_linearly


class Marks:
    """Gives words the probability it was told, remembers what it was asked."""

    threshold = 0.5

    def __init__(self, otherwise: float = 0.0, **said: float) -> None:
        self.otherwise, self.said = otherwise, said
        self.asked: list[list[str]] = []

    def mark(self, words):
        self.asked.append(list(words))
        return np.array([self.said.get(word.lower(), self.otherwise) for word in words], dtype=np.float32)


def whole(text: str) -> list[Span]:
    return [Span(0, len(text))]


def marked(text: str, marker: Marks) -> list[str]:
    return [text[word.start : word.end] for word in read(text, whole(text), marker).words]


# Cue words


def test_the_forty_cues_in_their_four_kinds():
    table = tomllib.loads((resources.files("smallprint.annotate") / "cues.toml").read_text(encoding="utf-8"))
    assert {kind: len(found) for kind, found in table.items()} == {
        "condition": 9,
        "generalization": 12,
        "modality": 8,
        "quantifier": 11,
    }
    assert cues() == tuple(cue for found in table.values() for cue in found)
    assert len(set(cues())) == 40
    assert (cues()[0], cues()[-1]) == ("depending", "including but not limited to")


@pytest.mark.parametrize("cue", cues())
def test_every_cue_makes_a_candidate_in_any_case(cue):
    for written in (cue, cue.upper(), cue.capitalize(), cue.replace(" ", "\n"), cue.replace(" ", " \t ")):
        assert is_candidate(f"({written}, we keep it)")
        assert not is_candidate(f"x{written}")
        assert not is_candidate(f"{written}x")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We may share it.", True),
        ("The mayor shares it.", False),
        ("It was dismayed.", False),
        ("Generality and necessarily are other words.", False),
        ("As is needed, and as it may be applicable.", True),
        ("As is needed.", False),
        ("We keep it from time.", False),
        ("We keep it from time to time.", True),
        ("We can't say.", True),
        ("Most-used pages.", True),
        ("We keep your name.", False),
        ("", False),
        (" \n ", False),
    ],
)
def test_cues_are_whole_words(sentence, expected):
    assert is_candidate(sentence) is expected


# Reading


TEXT = "We keep it. We may share some of it with them. The mayor asks. Certain data can be kept."


def test_counts_and_places():
    marker = Marks(may=0.9, some=0.5, data=0.4999, keep=1.0, certain=0.87654)
    found = read(TEXT, sentences(TEXT), marker)
    assert found == Vagueness(4, 2, 2, (VagueWord(15, 18, 0.9), VagueWord(25, 29, 0.5), VagueWord(63, 70, 0.877)))
    assert [TEXT[word.start : word.end] for word in found.words] == ["may", "some", "Certain"]
    assert found.score == 0.5
    # A sentence without a cue is not read at all.
    assert marker.asked == [
        "We may share some of it with them .".split(),
        "Certain data can be kept .".split(),
    ]


def test_a_candidate_without_a_vague_word_is_not_vague():
    found = read(TEXT, sentences(TEXT), Marks())
    assert (found, found.score) == (Vagueness(4, 2, 0), 0.0)


def test_nothing_has_no_score():
    found = read("", [], Marks(1.0))
    assert (found, found.score) == (Vagueness(0, 0, 0), None)
    assert read("  ", [Span(0, 2), Span(1, 1)], Marks(1.0)) == Vagueness(2, 0, 0)


def test_what_lies_outside_of_sentences_is_not_read():
    text = "may may may"
    assert [(word.start, word.end) for word in read(text, [Span(4, 7)], Marks(1.0)).words] == [(4, 7)]


@pytest.mark.parametrize("word", sorted(COREFERENCE))
def test_words_of_reference_are_never_vague(word):
    assert marked(f"May {word} or {word.upper()}", Marks(1.0)) == ["May", "or"]


@pytest.mark.parametrize("term", TERMS)
def test_terms_of_the_trade_are_never_vague(term):
    assert marked(f"Some {term} or {term.title()}, my {term.upper()}.", Marks(1.0)) == ["Some", "or", "my"]
    assert marked(f"Some {term}", Marks(1.0)) == ["Some"]


def test_parts_of_a_term_may_be_vague():
    assert marked("Some personal or third information of a party", Marks(1.0)) == (
        "Some personal or third information of a party".split()
    )


def test_marks_are_no_words():
    assert marked("Some — … “some” (some) & 7 _", Marks(1.0)) == ["Some", "some", "some", "7"]
    assert countable([]).tolist() == []
    assert countable(["(", "e.g", "'s", "it", "It", "Third", "Party", "—"]).tolist() == [
        False, True, True, False, False, False, False, False,
    ]  # fmt: skip


def test_words_are_cut_as_in_the_training_sentences():
    marker = Marks()
    text = "You can’t opt-out, e.g. of A&B's and/or me@x.example ads!"
    vague_words(text, 0, marker)
    assert marker.asked == [
        ["You", "can", "'t", "opt-out", ",", "e.g", ".", "of", "A&B", "'s", "and/or", "me@x.example", "ads", "!"]
    ]


def test_a_sentence_without_words_is_not_marked():
    marker = Marks(1.0)
    assert vague_words(" \n ", 3, marker) == []
    assert marker.asked == []


def test_a_sentence_is_read_to_its_400th_word():
    text = "may " * 1000
    marker = Marks(1.0)
    found = read(text, whole(text), marker)
    assert (LONGEST, [len(words) for words in marker.asked]) == (400, [400])
    assert (found.sentences, found.candidates, found.vague) == (1, 1, 1)
    assert [(word.start, word.end) for word in found.words] == [(4 * n, 4 * n + 3) for n in range(400)]
    late = "word " * 400 + "may"
    assert read(late, whole(late), Marks(may=1.0)) == Vagueness(1, 1, 0)


@given(
    st.lists(st.sampled_from(["may", "it", " ", "’", "third party", "…", "ß", "\ud800", "-", "\n", "x"])).map("".join)
)
def test_places_follow_one_another(text):
    found = vague_words(text, 7, Marks(1.0))
    ends = [7, *(end for word in found for end in (word.start, word.end))]
    assert ends == sorted(ends)
    assert all(text[word.start - 7 : word.end - 7].strip() for word in found)


@given(st.text())
def test_any_text(text):
    found = read(text, whole(text), Marks(1.0))
    assert found.vague <= found.candidates <= found.sentences == 1
    assert bool(found.words) == bool(found.vague)


HOSTILE = (
    "a",
    "may ",
    "as ",
    "from time to ",
    "including but not limited ",
    "a-",
    "a.",
    "'",
    "’s",
    "@",
    "_",
    " ",
    "\n",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_text_and_no_faster(piece):
    def work(text: str) -> None:
        read(text, whole(text), Marks(1.0))
        vague_words(text, 0, Marks(1.0))

    assert grows_linearly(work, lambda size: (piece * (size // len(piece) + 1))[:size], 80_000)
