from __future__ import annotations

from collections import Counter

import pytest

from smallprint.models.vectors import PARTS

pytest.importorskip("gensim", reason="training tests need gensim: run 'make test-train'")

from smallprint.train import vectors
from smallprint.train.vectors import _commonest, _enough, tag


def test_the_commonest_part_of_speech():
    assert _commonest(Counter({"NN": 3, "VB": 2})) == "NN"
    assert _commonest(Counter({"VB": 2, "NN": 2})) == "NN"
    assert _commonest(Counter({"SYM": 2, "NN": 1})) == ""
    assert _commonest(Counter()) == ""


def test_so_many_sentences_as_it_takes(monkeypatch):
    monkeypatch.setattr(vectors, "ENOUGH", 2)
    texts = ["we share your data here"] * 4 + ["too short"] + ["we may sell all of it"] * 3 + ["a " * 61]
    assert list(_enough(texts, {"share", "data", "sell"})) == [texts[0]] * 2 + [texts[5]] * 2
    assert list(_enough(texts, set())) == []


def test_every_name_we_give_a_tag_is_one_of_ours():
    assert set(vectors.SAME_TAGS.values()) <= set(PARTS)


def test_words_of_sentences_are_tagged():
    pytest.importorskip("spacy", reason="training tests need spaCy: run 'make test-train'")
    pytest.importorskip(vectors.TAGGER)
    texts = ["We may share the photos that you uploaded.", "They are sharing your location with advertisers today."]
    words = ["share", "photos", "uploaded", "sharing", "location", "may", "with", "never"]
    assert tag(texts, words, lambda _: None) == ["VB", "NNS", "VBD", "VBG", "NN", "MD", "IN", ""]
