from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.datasets.questions import Question
from smallprint.evaluate.measures import precision_recall_f1
from smallprint.records import Sentence
from smallprint.train.era import benchmark
from smallprint.train.era.benchmark import HELD, MEASURES, PRIVACYQA, TUNING, Item, cut, figures, outcomes

from . import world


def item(relevant, read=(0, 1, 2, 3), count=6):
    texts = tuple(Sentence(f"Sentence {place}.") for place in range(count))
    return Item(Question("q", "why?", tuple(range(count)), frozenset(relevant)), texts, tuple(read))


def scores(*values):
    return np.array(values, dtype=np.float32)


def test_what_is_not_read_is_ranked_last_and_never_chosen():
    one = item({1, 5}, read=(3, 1, 0))
    (row,) = outcomes([one], [scores(0.1, 0.9, 0.5)], 0.5).tolist()
    # One of two that are chosen is relevant; ranked are 1, 0, 3, then 2, 4 and 5.
    assert row == [1, 2, 2, 1, 1, (1 + 2 / 6) / 2]


def test_figures_count_what_is_not_read_as_missed():
    rows = outcomes([item({1, 5}), item(())], [scores(0, 9, 0, 0), scores(0, 0, 0, 0)], 1.0)
    found = dict(zip(MEASURES, figures(rows), strict=True))
    assert (found["selection_precision"], found["selection_recall"]) == (1.0, 0.5)
    assert (found["F@5"], found["MRR"]) == (1.0, 1.0)  # over the answerable one alone


def test_the_best_threshold_is_the_best_of_all():
    luck = np.random.default_rng(3)
    items = [item(set(luck.choice(6, 2, replace=False).tolist())) for _ in range(20)]
    said = [scores(*(luck.normal(size=4) + one.truth)) for one in items]
    truth = np.concatenate([np.isin(one.asked.candidates, one.relevant) for one in items])

    def f1(threshold):
        chosen = [np.array(one.read)[own >= threshold] for one, own in zip(items, said, strict=True)]
        picked = [np.isin(one.asked.candidates, places) for one, places in zip(items, chosen, strict=True)]
        return precision_recall_f1(truth, np.concatenate(picked))[2]

    assert f1(cut(items, said).best) == pytest.approx(max(f1(value) for value in np.concatenate(said)))


def test_dropped_ones_are_mostly_wrong():
    said = [scores(4, 3, 2, 1)]
    assert cut([item({0})], said, 0.0).drop == 3
    assert cut([item({0, 3})], said, 0.4).drop == 3
    assert cut([], []) == (0.0, 0.0)


def test_questions_are_those_of_the_policies_that_are_kept_out(bench):
    made = benchmark.step(bench)
    found = {name: benchmark.load(bench, name) for name in (PRIVACYQA, HELD, TUNING)}
    assert {one.asked.id.partition("#")[0] for one in found[HELD]} == {world.HELD}
    assert {one.asked.id.partition("#")[0] for one in found[TUNING]} == {world.TUNING}
    assert all(one.read == one.asked.candidates for one in found[PRIVACYQA])
    assert all(len(one.read) == bench.sizes.nearest for one in found[HELD])
    assert 0 < made.counts[HELD]["share of the relevant that is read"] <= 1
