from __future__ import annotations

import math

import numpy as np
import pytest

from smallprint.evaluate import measures
from smallprint.evaluate.measures import RANKED, best_first, means, ranking, selected, threshold_at, with_intervals

NOTHING = dict.fromkeys(RANKED, 0.0)


def of(*relevant: int, length: int = 12) -> dict[str, float]:
    return dict(zip(RANKED, ranking([place in relevant for place in range(length)]).tolist(), strict=True))


def values(figures: dict) -> dict[str, float]:
    return {name: value for name, value in figures.items() if not name.endswith("_ci")}


def test_a_ranking_by_hand():
    log = math.log2
    found = of(2, 5, 11)
    assert found == pytest.approx({
        "F@5": 1, "F@10": 1, "P@5": 0.2, "P@10": 0.2, "MRR": 1 / 3,
        "NDCG@10": (1 / log(4) + 1 / log(7)) / (1 / log(2) + 1 / log(3) + 1 / log(4)),
        "MAP": (1 / 3 + 2 / 6 + 3 / 12) / 3,
        "top-1": 0, "top-2": 0, "top-3": 1, "top-4": 1,
    })  # fmt: skip


def test_the_edges_of_each_depth():
    assert (of(4)["F@5"], of(5)["F@5"], of(9)["F@10"], of(10)["F@10"]) == (1, 0, 1, 0)
    assert (of(0)["top-1"], of(1)["top-1"], of(3)["top-4"], of(4)["top-4"]) == (1, 0, 1, 0)
    assert of(0)["NDCG@10"] == of(0)["MAP"] == of(0)["MRR"] == 1
    assert of(11)["NDCG@10"] == 0
    assert of(*range(12))["NDCG@10"] == pytest.approx(1)


def test_precision_is_of_five_even_where_fewer_are_ranked():
    assert of(0, 1, length=2)["P@5"] == 0.4
    assert of(0, 1, length=2)["NDCG@10"] == pytest.approx(1)


def test_nothing_relevant_and_nothing_ranked_count_nothing():
    assert of() == of(length=0) == NOTHING


def test_equal_scores_stay_in_their_order():
    assert best_first([1, 3, 1, 3, 2]).tolist() == [1, 3, 4, 0, 2]
    assert best_first(np.zeros(4, dtype=np.float32)).tolist() == [0, 1, 2, 3]
    assert best_first([-np.inf, 0.0]).tolist() == [1, 0]


@pytest.mark.filterwarnings("ignore:.*Python 3.14:DeprecationWarning")  # of its own parser
def test_the_same_as_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    measures = {
        "F@5": "Success@5", "F@10": "Success@10", "P@5": "P@5", "P@10": "P@10", "MRR": "RR", "NDCG@10": "nDCG@10",
        "MAP": "AP", "top-1": "Success@1", "top-2": "Success@2", "top-3": "Success@3", "top-4": "Success@4",
    }  # fmt: skip
    parsed = {name: ir_measures.parse_measure(text) for name, text in measures.items()}
    draw = np.random.default_rng(5)
    truths = {f"q{number}": draw.random(draw.integers(3, 60)) < draw.choice([0.05, 0.2, 0.6]) for number in range(80)}
    qrels = {query: {f"d{place}": int(one) for place, one in enumerate(truth)} for query, truth in truths.items()}
    run = {query: {f"d{place}": 1000.0 - place for place in range(len(truth))} for query, truth in truths.items()}
    theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(parsed.values(), qrels, run)}
    for query, truth in truths.items():
        ours = dict(zip(RANKED, ranking(truth), strict=True))
        assert ours == pytest.approx({name: theirs[query, str(measure)] for name, measure in parsed.items()}), query
    assert sum(not truth.any() for truth in truths.values()) > 0


def test_questions_without_anything_relevant_are_not_found_and_not_answerable():
    figures = measures.ranked([[True, False], [False, False], [False, True]])
    assert figures["F@5"] == pytest.approx(2 / 3)
    assert figures["F@5_answerable"] == 1
    assert figures["MRR"] == pytest.approx(0.5)
    assert figures["MRR_answerable"] == pytest.approx(0.75)
    assert figures["top-1_answerable"] == 0.5
    assert list(values(figures)) == [*RANKED, *(f"{name}_answerable" for name in RANKED)]


def test_no_question_answerable_and_no_question_at_all():
    assert list(values(measures.ranked([[False], [False]]))) == list(RANKED)
    assert measures.ranked([]) == selected([], []) == means(("a",), np.zeros((0, 1))) == {}


# Intervals


def test_an_interval_is_about_two_standard_errors_wide_and_always_the_same():
    rows = np.array([[1.0]] * 60 + [[0.0]] * 40)
    figures = means(("F@5",), rows)
    low, high = figures["F@5_ci"]
    error = math.sqrt(0.6 * 0.4 / 100)
    assert figures["F@5"] == pytest.approx(0.6)
    assert (low, high) == (pytest.approx(0.6 - 1.96 * error, abs=0.02), pytest.approx(0.6 + 1.96 * error, abs=0.02))
    assert means(("F@5",), rows) == figures


def test_what_never_varies_has_no_width():
    assert means(("a", "b"), np.array([[1.0, 0.0]] * 9)) == {"a": 1.0, "a_ci": [1.0, 1.0], "b": 0.0, "b_ci": [0.0, 0.0]}


def test_a_draw_without_a_figure_is_passed_over():
    marks = np.array([1.0, 0.0, 0.0])
    figures = with_intervals(("share",), lambda which: 0.25 if marks[which].any() else math.nan, 3)
    assert figures == {"share": 0.25, "share_ci": [0.25, 0.25]}


# Selection


def test_what_was_chosen_is_counted_over_all_pairs():
    truth = [[True, True, False, False], [False, False], [True, False, False, False]]
    chosen = [[True, False, True, False], [True, False], [True, False, False, False]]
    # 10 pairs: 2 hits of 4 chosen and 3 relevant; of the others 5 hits of 6 chosen and 7 true.
    assert values(selected(truth, chosen)) == pytest.approx({
        "selection_precision": 2 / 4, "selection_recall": 2 / 3, "selection_F1": 4 / 7,
        "macro_F1": (4 / 7 + 10 / 13) / 2,
    })  # fmt: skip


def test_choosing_nothing_or_everything():
    assert values(selected([[True, False]], [[False, False]])) == pytest.approx(
        {"selection_precision": 0, "selection_recall": 0, "selection_F1": 0, "macro_F1": (2 / 3) / 2}
    )
    assert values(selected([[False, False]], [[False, False]]))["macro_F1"] == 0.5
    assert values(selected([[True, True]], [[True, True]]))["selection_F1"] == 1


# Thresholds


@pytest.mark.parametrize(
    ("scores", "share", "threshold"),
    [
        ([5, 4, 3, 2, 1], 0.8, 2),
        ([5, 4, 3, 2, 1], 0.81, 1),
        ([1, 2, 3, 4, 5], 1.0, 1),
        (list(range(20)), 0.95, 1),
        (list(range(40)), 0.95, 2),
        ([7], 0.95, 7),
        ([2, 2, 2], 0.5, 2),
    ],
)
def test_the_greatest_threshold_that_a_share_still_reaches(scores, share, threshold):
    found = threshold_at(scores, share)
    assert found == threshold
    assert np.mean(np.array(scores) >= found) >= share
