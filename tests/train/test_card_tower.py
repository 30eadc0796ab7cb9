from __future__ import annotations

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.card import CODES, STANCES  # noqa: E402 - needs torch
from smallprint.models.card import framed, own_tokens  # noqa: E402 - needs torch
from smallprint.records import Sentence  # noqa: E402 - needs torch
from smallprint.train import card_tower  # noqa: E402 - needs torch
from smallprint.train.card_material import UNKNOWN, Unit  # noqa: E402 - needs torch
from smallprint.train.card_tower import HEAD, Material, loss, read  # noqa: E402 - needs torch

SELLS = CODES.index("sells")


def unit(text, stance=0, before="", heading="", silent=False):
    stances = np.zeros(len(CODES), dtype=np.int64)
    stances[SELLS] = stance
    return Unit("p", Sentence(text, (heading,) if heading else ()), before, stances, np.full(len(CODES), silent))


@pytest.fixture
def cut(monkeypatch):
    monkeypatch.setattr(card_tower, "pieces", lambda text: [len(word) for word in text.split()])


def test_an_epoch_has_all_that_speaks_and_all_twins_and_some_of_the_rest(cut):
    seen = [unit("we sell", 1), *(unit(f"word {'x' * place}") for place in range(3, 103))]
    twins = [unit("they sell it", 2)]
    doubts = np.zeros((len(seen), len(CODES)), dtype=np.float32)
    batches = Material(seen, twins, doubts).batches(np.arange(len(seen)), random.Random(1), 8)
    texts = [text for batch, _ in batches for text in batch]
    assert framed([], [], [2, 4])[0] in texts
    assert framed([], [], [4, 4, 2])[0] in texts
    assert 15 < len(texts) < 60


def test_an_unnamed_sentence_counts_less_and_a_doubtful_one_nothing(cut):
    seen = [unit("we sell", 1), unit("we share"), unit("we trade"), unit("we sing", silent=True)]
    doubts = np.zeros((4, len(CODES)), dtype=np.float32)
    doubts[2, SELLS] = 0.9
    weights = Material(seen, [], doubts).weights[:, SELLS]
    assert weights.tolist() == pytest.approx([1.0, card_tower.UNNAMED, 0.0, 1.0])


def test_a_sentence_says_what_its_own_tokens_say_on_average():
    logits = torch.zeros(1, 6, len(CODES) * len(STANCES))
    logits[0, 3:5, SELLS * len(STANCES) + 1] = torch.tensor([60.0, 20.0])
    stances = np.full(len(CODES), UNKNOWN, dtype=np.int64)
    weights = np.ones(len(CODES), dtype=np.float32)

    def of(stance, own):
        stances[SELLS] = stance
        return float(loss({HEAD: logits}, [(stances, weights, own)]))

    assert of(1, slice(3, 5)) == pytest.approx(0.0, abs=1e-4)
    assert of(2, slice(3, 5)) == pytest.approx(40.0, abs=1e-3)
    assert of(2, slice(0, 3)) == pytest.approx(np.log(len(STANCES)), abs=1e-4)


def test_a_text_is_read_alike_in_any_batch():
    class Tokens(torch.nn.Module):
        def forward(self, tokens, mask):
            return {HEAD: tokens[:, :, None].float().expand(-1, -1, len(CODES) * len(STANCES))}

    texts = [framed([5] * 3, [6] * 2, [7] * count) for count in (9, 1, 4)]
    rows = read(Tokens(), texts)
    assert rows.shape == (3, len(CODES) * len(STANCES))
    assert (rows == 7).all()
    assert [len(range(*own_tokens(text).indices(len(text[0])))) for text in texts] == [9, 1, 4]
