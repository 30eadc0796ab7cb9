from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.train import halves  # noqa: E402 - needs torch
from smallprint.train.halves import halved, quick, whole  # noqa: E402 - needs torch


@pytest.fixture(params=[True, False])
def able(request, monkeypatch):
    monkeypatch.setattr(halves, "quick", lambda: request.param)
    return request.param


def test_matrices_are_multiplied_in_half_precision_only_where_that_is_quicker(able):
    one = torch.eye(4)
    with halved():
        product = one @ one
    assert product.dtype == (torch.bfloat16 if able else torch.float32)


@pytest.mark.parametrize("name", ["avx512_bf16", "amx_bf16", "avx2"])
def test_the_processor_says_whether_it_is_quicker(name, monkeypatch):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {name: True})
    quick.cache_clear()
    try:
        assert quick() == (name != "avx2")
    finally:
        quick.cache_clear()


def test_what_was_said_is_given_whole():
    said = torch.ones(2, dtype=torch.bfloat16)
    assert whole(said).dtype == torch.float32
    assert {name: one.dtype for name, one in whole({"pair": said}).items()} == {"pair": torch.float32}
