"""What the reader and the finder learn from: questions with sentences of their policies, nothing that is held out."""

from __future__ import annotations

import random

import numpy as np
import pytest

from smallprint.datasets import smallprint_qa
from smallprint.datasets.smallprint_qa import Asked
from smallprint.models.reader import QUESTION, WINDOW
from smallprint.records import Sentence
from smallprint.train import pairs
from smallprint.train.pairs import Labelled, Tokens, cut_policy

ASKED = Asked("q", "p", "do you sell it?", (2, 5), (5, 7, 9), "answered")


def tokens(sentences: int = 60, length: int = 5) -> Tokens:
    return Tokens([[1000 + place] * length for place in range(sentences)], [[3]] * sentences, [[]] * sentences)


def examples(asked=ASKED, question=(50, 51), policy=None, seed=1, bare=False):
    policy = policy or tokens()
    nearness = -np.arange(len(policy.own), dtype=np.float32)
    known = Labelled([asked], {"p": policy}, {"q": list(question)}, {"q": nearness})
    return known.examples(random.Random(seed), bare=bare)


def place(example) -> int:
    return example.ids[-2] - 1000


def test_half_of_the_sentences_bear_on_the_question():
    found = examples()
    said = {place(one): one.relevance for one in found}
    assert {place for place, relevance in said.items() if relevance == (1.0, 1.0)} == {2, 5}
    assert {place for place, relevance in said.items() if relevance == (0.0, 1.0)} == {7, 9}
    neither = [place for place, relevance in said.items() if relevance == (0.0, 0.0)]
    assert len(neither) == 5
    assert sum(place < pairs.NEAREST + 4 for place in neither) >= 3


def test_a_question_without_an_answer_has_sentences_that_are_none():
    found = examples(Asked("q", "p", "why?", (), (), "silent"))
    assert {one.relevance for one in found} == {(0.0, 0.0)}
    assert len(found) >= pairs.ANSWERS


def test_another_epoch_chooses_others():
    assert [place(one) for one in examples(seed=1)] != [place(one) for one in examples(seed=2)]


def test_nothing_is_longer_than_the_window():
    for one in examples(question=[50] * 90, policy=tokens(length=300)):
        assert len(one.ids) <= WINDOW
        assert one.ids.count(50) == QUESTION


def test_a_short_policy_has_what_it_has():
    assert len(examples(Asked("q", "p", "?", (0,), (), "answered"), policy=tokens(2))) == 2


def test_bare_sentences_have_nothing_around_them_and_are_the_same_ones():
    bare = examples(bare=True)
    assert [place(one) for one in bare] == [place(one) for one in examples()]
    assert {len(one.ids) for one in bare} == {2 + 3 + 5 + 1}


def test_headings_are_cut_once_for_all_their_sentences():
    calls = []

    def cut(text):
        calls.append(text)
        return [len(text)]

    found = cut_policy([Sentence("a b", ("One", "Two")), Sentence("c", ("One", "Two")), Sentence("d")], cut)
    assert found == Tokens([[3], [1], [1]], [[3], [3], []], [[], [], []])
    assert calls.count("Two") == 1


@pytest.mark.real_data("labelled/smallprint_qa")
def test_nothing_is_learnt_from_what_is_kept_out(data_dir):
    _, questions = smallprint_qa.training(data_dir)
    used = {one.policy for one in questions}
    assert not used & (smallprint_qa.held() | smallprint_qa.tuning())
    assert len(smallprint_qa.held()) == 18
    assert not smallprint_qa.held() & smallprint_qa.tuning()
    assert len(used) > 140
