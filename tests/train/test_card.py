from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.card import CODES, STANCES  # noqa: E402 - needs torch
from smallprint.models import store  # noqa: E402 - needs torch
from smallprint.models.card import NAME, CardReader  # noqa: E402 - needs torch
from smallprint.models.finder import WIDTH  # noqa: E402 - needs torch
from smallprint.train import card  # noqa: E402 - needs torch
from smallprint.train.card_material import UNKNOWN  # noqa: E402 - needs torch

SELLS = CODES.index("sells")


def toy(count=60):
    """Give vectors of three directions: on the sale of data one speaks for yes, one for no, one for nothing."""
    luck = np.random.default_rng(1)
    directions = luck.normal(size=(3, WIDTH)).astype(np.float32)
    kinds = np.arange(count) % 3
    vectors = directions[kinds] + luck.normal(0, 0.3, (count, WIDTH)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    aims = np.zeros((count, len(CODES)), dtype=np.int64)
    aims[:, SELLS] = np.array([STANCES.index("+"), STANCES.index("-"), 0])[kinds]
    return torch.from_numpy(vectors), torch.from_numpy(aims)


def test_a_head_learns_what_vectors_say_and_is_the_same_in_numpy(tmp_path):
    vectors, aims = toy()
    head = card.fit(vectors, aims, torch.ones(aims.shape))
    store.save(NAME, card.packed(head), tmp_path)
    told = CardReader(tmp_path).read(vectors.numpy())
    assert told.shape == (60, len(CODES), len(STANCES))
    assert (told[:, SELLS].argmax(axis=1) == aims[:, SELLS].numpy()).all()
    assert np.allclose(told.reshape(60, -1), card.told(head, vectors.numpy()), atol=0.05)


def test_what_is_unknown_or_counts_nothing_is_not_learnt():
    vectors, aims = toy()
    plain = card.fit(vectors, aims, torch.ones(aims.shape))
    other = aims.clone()
    other[:, 5] = UNKNOWN
    weights = torch.ones(aims.shape)
    weights[:, 5] = 0.0
    unknown, weightless = card.fit(vectors, other, torch.ones(aims.shape)), card.fit(vectors, aims, weights)
    own = slice(5 * len(STANCES), 6 * len(STANCES))
    assert torch.equal(unknown.out.weight, weightless.out.weight)
    assert not torch.equal(unknown.out.weight[own], plain.out.weight[own])
