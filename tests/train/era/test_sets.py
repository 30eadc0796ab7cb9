from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.errors import BadSetting  # noqa: E402 - needs torch
from smallprint.models.reader import Reading  # noqa: E402 - needs torch
from smallprint.records import Span  # noqa: E402 - needs torch
from smallprint.train.era import filters, material, search, sentences, sets, venn  # noqa: E402 - needs torch
from smallprint.train.era.bench import MOST_PAIRS, SHARE  # noqa: E402 - needs torch
from smallprint.train.era.filters import Cut, bears  # noqa: E402 - needs torch
from smallprint.train.era.finals import Corpus, added_examples, likewise, mixture  # noqa: E402 - needs torch
from smallprint.train.era.questions import OWN, Wording  # noqa: E402 - needs torch
from smallprint.train.era.rows import ALL, BY_NAME, NONE, ROWS, Row, changed, named, plain, slug  # noqa: E402 - needs torch
from smallprint.train.era.sets import NOTHING, Added, regions, taken, union  # noqa: E402 - needs torch
from smallprint.train.network import pieces  # noqa: E402 - needs torch
from smallprint.train.pairs import Example  # noqa: E402 - needs torch

CUT = Cut(best=1.0, sure=2.0, drop=-1.0)
ROW = Row("toy", ("general",))


# What is kept


def test_a_filter_keeps_from_its_threshold_and_surely_drops_below_another():
    rows = np.array([[4, 5, 6], [7, -1, -1]])
    said = np.array([[1.0, 0.0, -2.0], [0.99, -np.inf, -np.inf]], dtype=np.float32)
    found = taken(rows, said, CUT)
    assert set(found.kept) == {(0, 4)}
    assert found.kept[0, 4] == pytest.approx(1 / (1 + math.exp(-1)))
    assert found.dropped == {(0, 6)}


def test_where_labels_are_soft_nothing_goes():
    said = np.array([[2.0, -3.0]], dtype=np.float32)
    found = taken(np.array([[4, 5]]), said, CUT, soft=True)
    assert found.kept == pytest.approx({(0, 4): 1 / (1 + math.exp(-2)), (0, 5): 1 / (1 + math.exp(3))})
    assert not found.dropped


def test_without_a_filter_all_that_was_found_is_kept():
    assert taken(np.array([[4, 5], [4, -1]]), None, None) == Added({(0, 4): 1.0, (0, 5): 1.0, (1, 4): 1.0}, frozenset())


def test_the_union_has_what_any_keeps_and_drops_what_none_does():
    one = Added({(0, 1): 0.6, (0, 2): 0.9}, frozenset({(0, 3), (0, 4)}))
    other = Added({(0, 2): 0.7, (0, 3): 0.8}, frozenset({(0, 5)}))
    assert union([one, other]) == Added({(0, 1): 0.6, (0, 2): 0.9, (0, 3): 0.8}, frozenset({(0, 4), (0, 5)}))
    assert union([]) == NOTHING


def test_regions_are_counted_apart():
    parts = {
        "a": Added(dict.fromkeys([(0, 1), (0, 2), (0, 3)], 1.0), frozenset()),
        "b": Added(dict.fromkeys([(0, 2), (0, 3), (1, 1)], 1.0), frozenset()),
        "c": Added(dict.fromkeys([(0, 3)], 1.0), frozenset()),
    }
    assert regions(parts) == {
        ("a",): 1, ("b",): 1, ("c",): 0, ("a", "b"): 1, ("a", "c"): 0, ("b", "c"): 0, ("a", "b", "c"): 1,
    }  # fmt: skip


def test_k_and_models_decide_what_is_added(bench):
    texts = sentences.load(sentences.step(bench))
    few, _, _ = sets.added(bench, Row("x", ("general",), filtered=False, k=3), texts)
    many, parts, steps = sets.added(bench, Row("x", ("general",), filtered=False, k=7), texts)
    questions = {question for question, _ in few.kept}
    assert {len(rows) for rows in few.by_question().values()} == {3}
    assert {len(rows) for rows in many.by_question().values()} == {7}
    assert few.kept.keys() <= many.kept.keys()
    assert list(parts) == ["general"]
    assert steps == [search.step(bench, "general", OWN)]
    kept, _, _ = sets.added(bench, Row("x", ("general",), k=7), texts)
    assert kept.kept.keys() | kept.dropped <= many.kept.keys()
    assert {question for question, _ in kept.kept} <= questions


# Filters


class Lengths:
    """Says that the longer a sentence is, the more it bears; stops at a question if told so."""

    def __init__(self, stop_at=None):
        self.asked, self.stop_at = [], stop_at

    def read(self, question, read):
        if len(self.asked) == self.stop_at:
            raise KeyboardInterrupt
        self.asked.append(question)
        return [Reading(0.0, float(len(one.text)), 0.0, Span(0, 0)) for one in read]


def test_filtering_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(filters, "OFTEN", 2)
    asked = [Wording(f"q{number}") for number in range(5)]
    rows = np.array([[0, 1], [1, -1], [2, 0], [0, -1], [1, 2]])
    texts = ["a", "bb", "ccc"]
    part = tmp_path / "part"
    with pytest.raises(KeyboardInterrupt):
        bears(Lengths(stop_at=3), asked, rows, texts, part, lambda line: None)
    model = Lengths()
    found = bears(model, asked, rows, texts, part, lambda line: None)
    assert model.asked == ["q2", "q3", "q4"]
    assert found.tolist() == [[1, 2], [2, -np.inf], [3, 1], [1, -np.inf], [2, 3]]
    assert not part.exists()


def test_what_is_looked_at_is_scored(bench):
    few, said, _ = filters.scored(bench, "general", "general", Row("x", ("general",), k=3))
    deep, more, _ = filters.scored(bench, "general", "general", Row("x", ("general",), k=15))
    assert (few.shape[1], deep.shape[1]) == (3, 10)
    assert (said.shape, more.shape) == (few.shape, deep.shape)
    assert np.array_equal(np.isfinite(more), deep >= 0)
    made = filters.step(bench, "general")
    assert filters.cut_of(made).sure >= filters.cut_of(made).drop
    assert made.counts["pairs"] == bench.sizes.filter_pairs


# The final training


@pytest.fixture
def corpus(bench):
    known = material.step(bench)
    asked = search.asked_of(bench, known, OWN)
    texts = [f"Found sentence number {number} says something." for number in range(60)]
    return material.load(bench, known), Corpus(asked, texts)


def kept(corpus, each=4, dropped=()):
    pairs = {(question, 4 * question + n): 0.75 for question in range(len(corpus.asked)) for n in range(each)}
    return Added(pairs, frozenset(dropped))


@pytest.mark.parametrize("pairs", [30, 90, 600])
def test_every_row_has_as_many_pairs_a_third_of_them_added_at_most(corpus, pairs):
    labelled, found = corpus
    plain = mixture(NONE, labelled, [], NOTHING, found, pairs, 1)
    more = mixture(ROW, labelled, [], kept(found), found, pairs, 1)
    again = mixture(replace(NONE, again=True), labelled, [], NOTHING, found, pairs, 1)
    assert len(plain.every) == len(more.every) == len(again.every) == pairs
    assert 0 < len(more.added) <= SHARE * pairs
    assert more.kept == len(more.added) / 2
    assert more.labelled == plain.labelled[: len(more.labelled)]
    assert again.every[: pairs - int(SHARE * pairs)] == plain.every[: pairs - int(SHARE * pairs)]
    assert again.every[-1] in again.every[: pairs // 2]


def test_spans_take_the_place_of_labelled_pairs(corpus):
    labelled, found = corpus
    marked = [Example([number], None, 0, (0, 0)) for number in range(50)]
    made = mixture(ROW, labelled, marked, kept(found), found, 90, 1)
    assert len(made.spans) == 9
    assert len(made.every) == 90
    assert made.added == mixture(ROW, labelled, [], kept(found), found, 90, 1).added
    assert mixture(ROW, labelled, marked, kept(found), found, 0, 1).every == []


def test_no_training_of_the_table_is_larger_than_allowed(corpus):
    labelled, found = corpus
    with pytest.raises(BadSetting, match="20,000"):
        mixture(NONE, labelled, [], NOTHING, found, MOST_PAIRS + 1, 1)


def test_added_pairs_are_right_and_wrong_in_turn_and_stand_alone(corpus):
    labelled, found = corpus
    drawn = added_examples(ROW, labelled, kept(found), found, 12, random.Random(1))
    assert [math.isnan(one.relevance[0]) for one in drawn] == [True, False] * 6
    assert {one.relevance[1] for one in drawn[::2]} == {1.0}
    assert {one.relevance for one in drawn[1::2]} == {(0.0, 0.0)}
    for right, wrong in zip(drawn[::2], drawn[1::2], strict=True):
        first = right.ids.index(102)
        assert right.ids[: first + 2] == [*right.ids[:first], 102, 102]  # nothing stands around it
        assert wrong.ids[: first + 2] == right.ids[: first + 2]  # the same question


def test_soft_labels_are_learnt_as_they_are_and_need_no_wrong_ones(corpus):
    labelled, found = corpus
    drawn = added_examples(replace(ROW, soft=True), labelled, kept(found), found, 11, random.Random(1))
    assert len(drawn) == 11
    assert {one.relevance[1] for one in drawn} == {0.75}
    assert all(math.isnan(one.relevance[0]) for one in drawn)


def test_questions_have_their_turns(corpus):
    labelled, found = corpus
    count = len(found.asked)
    drawn = added_examples(ROW, labelled, kept(found), found, 2 * count, random.Random(1))
    asked = [tuple(one.ids[: one.ids.index(102)]) for one in drawn[::2]]
    assert len(set(asked)) == count


def test_what_filters_surely_drop_is_wrong_first(corpus):
    labelled, found = corpus
    dropped = [(question, 59) for question in range(len(found.asked))]
    drawn = added_examples(ROW, labelled, kept(found, 2, dropped), found, 10**6, random.Random(1))
    told = pieces(found.texts[59])
    wrong = [one.ids[-len(told) - 1 : -1] == told for one in drawn[1::2]]
    assert sum(wrong) == len(found.asked)
    own = {tuple(ids) for policy in labelled.policies.values() for ids in policy.own}
    others = [one for one, by_filter in zip(drawn[1::2], wrong, strict=True) if not by_filter]
    assert all(tuple(one.ids[one.ids.index(102) + 2 : -1]) in own for one in others)


def test_a_sentence_that_bears_is_never_wrong(corpus):
    labelled, found = corpus
    drawn = added_examples(ROW, labelled, kept(found), found, 10**6, random.Random(1))
    for one in drawn[1::2]:
        question = one.ids[1 : one.ids.index(102)]
        said = one.ids[one.ids.index(102) + 2 : -1]
        for asked in labelled.questions:
            if labelled.asked[asked.id] == question:
                assert said not in [labelled.policies[asked.policy].own[place] for place in asked.relevant]


def test_labelled_pairs_are_drawn_as_added_ones_are(corpus):
    labelled, _ = corpus
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
    few = mixture(Row("x", likewise=True), labelled, [], NOTHING, Corpus([], []), 12, 1)
    assert (len(few.labelled), few.added) == (12, [])
    assert few.labelled[:8] == mixture(Row("x"), labelled, [], NOTHING, Corpus([], []), 12, 1).labelled[:8]


# Rows


def test_rows_have_names_and_folders_of_their_own():
    assert len({slug(row.name) for row in ROWS}) == len(ROWS)
    assert named("ERA").models == ("general", "adapted", "simcse")
    assert BY_NAME["ERA-D"].models == ("adapted", "simcse")
    other = changed(named("ERA"), 20, None, ("simcse",), None)
    assert (other.name, other.k, other.models) == ("ERA, k=20, models=simcse", 20, ("simcse",))
    assert changed(named("ERA"), 10, True, None, OWN) is named("ERA")


def test_a_row_is_compared_with_what_begins_from_the_same():
    named_plain = {row.name: plain(row).name for row in ROWS}
    assert named_plain["ERA"] == named_plain["none, from adapted"] == named_plain["none, same labels again"] == "none"
    assert named_plain["ERA, from adapted"] == "none, from adapted"
    assert {named_plain[row.name] for row in ALL} == {"grown, none"}


# The picture


def test_the_picture_has_all_counts_and_says_what_it_shows():
    names = ("a", "b", "<c>")
    counts = {
        ("a",): 1001, ("b",): 2, ("<c>",): 3, ("a", "b"): 4, ("a", "<c>"): 5, ("b", "<c>"): 6, ("a", "b", "<c>"): 7,
    }  # fmt: skip
    picture = venn.drawn({"found": counts}, names)
    assert picture.count("<circle") == 3
    for count in ("1,001", "2", "3", "4", "5", "6", "7"):
        assert f">{count}</text>" in picture
    assert "<title" in picture
    assert "a and b 4" in picture
    assert "<c>" not in picture
