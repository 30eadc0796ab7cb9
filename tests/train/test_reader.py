from __future__ import annotations

import json
import math

import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from torch.nn.functional import binary_cross_entropy_with_logits as entropy  # noqa: E402 - needs torch

from smallprint.models import store  # noqa: E402 - needs torch
from smallprint.models.reader import NAME  # noqa: E402 - needs torch
from smallprint.train.pairs import Example  # noqa: E402 - needs torch
from smallprint.train.reader import PLAN, STANCE_WEIGHT, loss  # noqa: E402 - needs torch

LOGITS = torch.tensor([[[0.5, -1.0, *[0.0] * 6]] * 6, [[2.0, 1.0, *[0.0] * 6]] * 6])


def test_relevance_counts_for_both_questions_on_it():
    found = loss(LOGITS, [Example([1] * 6, (1.0, 0.0)), Example([1] * 6, (0.0, 1.0))])
    aims = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    assert float(found) == pytest.approx(float(entropy(LOGITS[:, 0, :2], aims, reduction="sum")) / 4)


def test_what_nobody_knows_counts_for_nothing():
    found = loss(LOGITS, [Example([1] * 6, (math.nan, 0.0)), Example([1] * 6, (math.nan, 0.25))])
    aims = torch.tensor([0.0, 0.25])
    assert float(found) == pytest.approx(float(entropy(LOGITS[:, 0, 1], aims, reduction="sum")) / 4)
    other = LOGITS.clone()
    other[:, 0, 0] = 9.0
    assert float(loss(other, [Example([1] * 6, (math.nan, 0.0)), Example([1] * 6, (math.nan, 0.25))])) == float(found)


def test_a_span_is_looked_for_among_its_passage():
    logits = torch.zeros(1, 6, 8)
    logits[0, 3, 2], logits[0, 4, 3] = 20.0, 20.0
    assert float(loss(logits, [Example([1] * 6, None, 2, (1, 2))])) == pytest.approx(0.0, abs=1e-4)
    assert float(loss(logits, [Example([1] * 6, None, 2, (0, 0))])) > 5


def test_what_a_sentence_says_is_learnt_where_it_is_known():
    logits = torch.zeros(2, 6, 8)
    logits[0, 0, 5] = 20.0
    alone = [Example([1] * 6, stance=1), Example([1] * 6)]
    assert float(loss(logits, alone)) == pytest.approx(0.0, abs=1e-4)
    assert float(loss(logits, [Example([1] * 6, stance=2), Example([1] * 6)])) == pytest.approx(20 * STANCE_WEIGHT / 2)
    assert float(loss(logits, [Example([1] * 6), Example([1] * 6)])) == 0.0


def test_the_reader_that_is_installed_is_made_by_this_recipe():
    card = json.loads((store.folder() / "reader.json").read_text())
    assert (card["seed"], card["epochs"], card["version"]) == (PLAN.seed, PLAN.epochs, store.version(NAME))
    assert card["learnt from"]["questions"] == 4836
