from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.train.finder import TOGETHER, contrast, projected  # noqa: E402 - needs torch
from smallprint.train.fitting import padded  # noqa: E402 - needs torch


class Mean(torch.nn.Module):
    """Gives the sum of a text's tokens and their number, as the head would give a vector."""

    def forward(self, tokens, mask):
        return {"vector": torch.stack([(tokens * mask).sum(1), mask.sum(1)], dim=1).float()}


def test_texts_of_like_length_go_together_and_come_back_in_order():
    texts = [[number + 1] * (1 + number * 7 % 11) for number in range(3 * TOGETHER + 1)]
    found = projected(Mean())(*padded(texts))
    own = torch.tensor([[float(sum(text)), float(len(text))] for text in texts])
    assert torch.allclose(found, torch.nn.functional.normalize(own, dim=1))


def test_the_loss_falls_as_answers_come_nearer():
    worth = torch.tensor([[1.0, 0.4, 0.0], [0.0, 0.0, 0.0]])
    far = contrast(torch.tensor([[0.0, 0.0, 4.0], [9.0, 0.0, 0.0]]), worth)
    near = contrast(torch.tensor([[4.0, 3.0, 0.0], [0.0, 9.0, 0.0]]), worth)
    assert near < far  # a question that nothing answers says nothing
