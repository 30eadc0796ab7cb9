from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.train.era import material  # noqa: E402 - needs torch
from smallprint.train.era.bench import Variant  # noqa: E402 - needs torch
from smallprint.train.era.filters import Added  # noqa: E402 - needs torch
from smallprint.train.era.final import SHARE, Ground, added_examples, likewise, mixture  # noqa: E402 - needs torch
from smallprint.train.network import pieces  # noqa: E402 - needs torch
from smallprint.train.pairs import Example  # noqa: E402 - needs torch

ROW, NONE = Variant("toy", ("general",)), Variant("none")


@pytest.fixture
def ground(bench):
    texts = [f"Found sentence number {number} says something." for number in range(60)]
    return Ground(material.load_labelled(bench), Added({}, frozenset()), wordings=material.wordings(bench), texts=texts)


def every(drawn):
    return drawn.labelled + drawn.spans + drawn.added


def adding(ground, each=4, dropped=()):
    pairs = {(question, 4 * question + n): 0.75 for question in range(len(ground.wordings)) for n in range(each)}
    return replace(ground, added=Added(pairs, frozenset(dropped)))


@pytest.mark.parametrize("pairs", [30, 90, 600])
def test_every_row_has_as_many_pairs_a_third_of_them_added_at_most(ground, pairs):
    plain = mixture(NONE, ground, pairs, 1)
    more = mixture(ROW, adding(ground), pairs, 1)
    again = mixture(replace(NONE, again=True), ground, pairs, 1)
    assert len(every(plain)) == len(every(more)) == len(every(again)) == pairs
    assert 0 < len(more.added) <= SHARE * pairs
    assert sum(one.relevance != (0.0, 0.0) for one in more.added) == len(more.added) / 2
    assert more.labelled == plain.labelled[: len(more.labelled)]
    assert every(again)[: pairs - int(SHARE * pairs)] == every(plain)[: pairs - int(SHARE * pairs)]
    assert every(again)[-1] in every(again)[: pairs // 2]


def test_spans_take_the_place_of_labelled_pairs(ground):
    marked = replace(adding(ground), spans=[Example([number], None, 0, (0, 0)) for number in range(50)])
    made = mixture(ROW, marked, 90, 1)
    assert len(made.spans) == 9
    assert len(every(made)) == 90
    assert made.added == mixture(ROW, adding(ground), 90, 1).added
    assert every(mixture(ROW, marked, 0, 1)) == []


def test_added_pairs_are_right_and_wrong_in_turn_and_stand_alone(ground):
    drawn = added_examples(adding(ground), 12, random.Random(1))
    assert [math.isnan(one.relevance[0]) for one in drawn] == [True, False] * 6
    assert {one.relevance[1] for one in drawn[::2]} == {1.0}
    assert {one.relevance for one in drawn[1::2]} == {(0.0, 0.0)}
    for right, wrong in zip(drawn[::2], drawn[1::2], strict=True):
        first = right.ids.index(102)
        assert right.ids[: first + 2] == [*right.ids[:first], 102, 102]  # nothing stands around it
        assert wrong.ids[: first + 2] == right.ids[: first + 2]  # the same question


def test_questions_have_their_turns(ground):
    count = len(ground.wordings)
    drawn = added_examples(adding(ground), 2 * count, random.Random(1))
    asked = [tuple(one.ids[: one.ids.index(102)]) for one in drawn[::2]]
    assert len(set(asked)) == count


def test_what_filters_surely_drop_is_wrong_first(ground):
    dropped = [(question, 59) for question in range(len(ground.wordings))]
    drawn = added_examples(adding(ground, 2, dropped), 10**6, random.Random(1))
    told = pieces(ground.texts[59])
    wrong = [one.ids[-len(told) - 1 : -1] == told for one in drawn[1::2]]
    assert sum(wrong) == len(ground.wordings)
    own = {tuple(ids) for policy in ground.known.policies.values() for ids in policy.own}
    others = [one for one, by_filter in zip(drawn[1::2], wrong, strict=True) if not by_filter]
    assert all(tuple(one.ids[one.ids.index(102) + 2 : -1]) in own for one in others)


def test_a_sentence_that_bears_is_never_wrong(ground):
    labelled = ground.known
    drawn = added_examples(adding(ground), 10**6, random.Random(1))
    for one in drawn[1::2]:
        question = one.ids[1 : one.ids.index(102)]
        said = one.ids[one.ids.index(102) + 2 : -1]
        for asked in labelled.questions:
            if labelled.asked[asked.id] == question:
                assert said not in [labelled.policies[asked.policy].own[place] for place in asked.relevant]


def test_labelled_pairs_are_drawn_as_added_ones_are(ground):
    labelled = ground.known
    drawn = likewise(labelled, 8, random.Random(1))
    assert len(drawn) == 8
    for right, wrong in zip(drawn[::2], drawn[1::2], strict=True):
        question = right.ids[1 : right.ids.index(102)]
        assert wrong.ids[1 : wrong.ids.index(102)] == question
        bears = [
            labelled.policies[asked.policy].own[place]
            for asked in labelled.questions
            if labelled.asked[asked.id] == question
            for place in asked.relevant
        ]
        said, other = (one.ids[one.ids.index(102) + 2 : -1] for one in (right, wrong))
        assert said in bears
        assert other not in bears
        assert (right.relevance[1], wrong.relevance) == (1.0, (0.0, 0.0))
    few = mixture(Variant("x", likewise=True), ground, 12, 1)
    assert (len(few.labelled), few.added) == (12, [])
    assert few.labelled[:8] == mixture(Variant("x"), ground, 12, 1).labelled[:8]
