from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.annotate.sentences import Sentence
from smallprint.evaluate.measures import precision_recall_f1
from smallprint.train.era import measured, table
from smallprint.train.era.measured import (
    HELD,
    PRIVACYQA,
    TUNING,
    Item,
    best_threshold,
    drop_threshold,
    sure_threshold,
)  # fmt: skip
from smallprint.train.era.table import Said, difference, kind_figures, row_figures

from . import world


def item(relevant, read=(0, 1, 2, 3), count=6, kinds=("data sharing",)):
    texts = tuple(Sentence(f"Sentence {place}.") for place in range(count))
    return Item("q", "why?", texts, tuple(range(count)), tuple(read), frozenset(relevant), kinds)


def scores(*values):
    return np.array(values, dtype=np.float32)


def test_what_is_not_read_is_ranked_last_and_never_chosen():
    one = item({1, 5}, read=(3, 1, 0))
    assert measured.ranking(one, scores(0.1, 0.9, 0.5)).tolist() == [True, False, False, False, False, True]
    assert measured.chosen(one, scores(0.1, 0.9, 0.5), 0.5).tolist() == [True, True, False, False, False, False]


def test_figures_count_what_is_not_read_as_missed():
    found = measured.figures([item({1, 5}), item(())], [scores(0, 9, 0, 0), scores(0, 0, 0, 0)], 1.0)
    assert (found["selection_precision"], found["selection_recall"]) == (1.0, 0.5)
    assert (found["F@5"], found["MRR"]) == (1.0, 1.0)  # over the answerable one alone


def test_the_best_threshold_is_the_best_of_all():
    luck = np.random.default_rng(3)
    items = [item(set(luck.choice(6, 2, replace=False).tolist())) for _ in range(20)]
    said = [scores(*(luck.normal(size=4) + one.truth)) for one in items]
    truth = np.concatenate([np.isin(one.candidates, list(one.relevant)) for one in items])

    def f1(threshold):
        picked = [measured.chosen(one, own, threshold) for one, own in zip(items, said, strict=True)]
        return precision_recall_f1(truth, np.concatenate(picked))[2]

    assert f1(best_threshold(items, said)) == pytest.approx(max(f1(value) for value in np.concatenate(said)))


def test_sure_ones_are_mostly_right_and_dropped_ones_mostly_wrong():
    items, said = [item({0, 1, 3})], [scores(4, 3, 2, 1)]
    assert sure_threshold(items, said, 1.0) == 3
    assert sure_threshold(items, said, 0.7) == 1
    assert drop_threshold([item({0})], said, 0.0) == 3
    assert drop_threshold([item({0, 3})], said, 0.4) == 3
    assert best_threshold([], []) == 0.0


def test_questions_are_those_of_the_policies_that_are_kept_out(bench):
    made = measured.step(bench)
    found = {name: measured.load(bench, made, name) for name in (PRIVACYQA, HELD, TUNING)}
    assert {one.id.partition("#")[0] for one in found[HELD]} == {world.HELD}
    assert {one.id.partition("#")[0] for one in found[TUNING]} == {world.TUNING}
    assert all(one.read == one.candidates for one in found[PRIVACYQA])
    assert all(len(one.read) == bench.sizes.nearest for one in found[HELD])
    assert found[PRIVACYQA][2].kinds == ("data security",)
    assert 0 < made.counts[HELD]["share of the relevant that is read"] <= 1


# Tables


ITEMS = [item({number % 4}, kinds=("data sharing",) if number % 2 else ("other",)) for number in range(12)]


def right(share):
    """Say the truth of so many of the questions, and the contrary of the others."""
    return Said([scores(*(one.truth if n < share else ~one.truth)) for n, one in enumerate(ITEMS)], 0.5)


def test_a_row_has_mean_spread_and_distance():
    found = row_figures(ITEMS, {1: right(12), 2: right(6)}, {1: right(6), 2: right(6), 3: right(0)})
    assert found["seeds"] == [1, 2]
    each = [measured.figures(ITEMS, one.scores, 0.5)["MRR"] for one in (right(12), right(6))]
    assert found["MRR"] == pytest.approx(np.mean(each))
    assert found["MRR_spread"] == pytest.approx(np.std(each, ddof=1))
    assert found["minus none"]["MRR"] == pytest.approx((each[0] - each[1]) / 2)
    apart = {seed: own["MRR"] for seed, own in found["minus none, by seed"].items()}
    assert apart == {"1": pytest.approx(each[0] - each[1]), "2": 0.0}
    low, high = found["minus none"]["MRR_ci"]
    assert 0 < low < found["minus none"]["MRR"] < high
    low, high = found["selection_F1_ci"]
    assert low < found["selection_F1"] < high


def test_the_same_reader_is_no_better_than_itself():
    found = difference(ITEMS, [right(5)], [right(5)])
    assert {found[name] for name in table.COMPARED} == {0.0}
    assert found["F@5_ci"] == [0.0, 0.0]


def test_compared_figures_are_those_of_the_evaluation():
    whole = measured.figures(ITEMS, right(7).scores, 0.5)
    found = difference(ITEMS, [right(7)], [Said([scores(0, 0, 0, 0)] * 12, 9.0)])
    assert found["selection_F1"] == pytest.approx(whole["selection_F1"])


def test_kinds_are_measured_apart():
    said = Said([scores(*(one.truth if "other" in one.kinds else ~one.truth)) for one in ITEMS], 0.5)
    found = kind_figures([*ITEMS, item((), kinds=("none",))], {1: Said([*said.scores, scores(0, 0, 0, 0)], 0.5)})
    assert (found["other"]["n"], found["other"]["relevant"], found["other"]["selection_F1"]) == (6, 6, 1.0)
    assert found["data sharing"]["selection_F1"] == 0.0
    assert found["none"]["MRR"] is None


def test_a_row_is_chosen_on_one_policy_and_measured_on_the_other():
    items = [replace(item({0}), policy="a"), replace(item({1}), policy="b")]
    right, wrong = {"a": scores(9, 0, 0, 0), "b": scores(0, 9, 0, 0)}, scores(0, 0, 0, 9)
    runs = {
        "none": {1: Said([wrong, wrong], 1.0)},
        "good at a": {1: Said([right["a"], wrong], 1.0)},
        "good at b": {1: Said([wrong, right["b"]], 1.0)},
    }
    found = table.crossed(items, runs, "none")
    assert {name: (one["chosen"], one["selection_F1"]) for name, one in found.items()} == {
        "a": ("good at b", 0.0),
        "b": ("good at a", 0.0),
    }
    runs["good at both"] = {1: Said([right["a"], right["b"]], 1.0)}
    found = table.crossed(items, {name: runs[name] for name in ("none", "good at both")}, "none")
    assert [one["selection_F1"] for one in found.values()] == [1.0, 1.0]
