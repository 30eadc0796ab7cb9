"""Trained torch modules as ONNX graphs with int8 weights, and how far the two are apart."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from smallprint.train.network import HIDDEN, Embeddings, Tower

OPSET = 17


class _TowerGraph(nn.Module):
    def __init__(self, tower: Tower, head: str) -> None:
        super().__init__()
        self.tower, self.head = tower, head

    def forward(self, states: Tensor) -> Tensor:
        for layer in self.tower.layers:
            states = layer(states, torch.zeros(1))
        if not self.tower.each_token:
            states = states.mean(1)
        logits: Tensor = self.tower.heads[self.head](states)
        return logits.squeeze(-1) if self.tower.each_token else logits


def embeddings_graph(embeddings: Embeddings) -> NDArray[np.uint8]:
    """Turn embeddings into a graph from `tokens` to `states`."""
    return _quantised(embeddings, torch.ones(1, 8, dtype=torch.long), "tokens", "states", each_token=True)


def tower_graph(tower: Tower, head: str) -> NDArray[np.uint8]:
    """Turn a tower with one of its heads into a graph from `states` to `logits`."""
    graph = _TowerGraph(tower, head)
    return _quantised(graph, torch.zeros(1, 8, HIDDEN), "states", "logits", each_token=tower.each_token)


def _quantised(module: nn.Module, like: Tensor, given: str, made: str, *, each_token: bool) -> NDArray[np.uint8]:
    # Per channel and in seven bits: processors without VNNI overflow on eight.
    from onnxruntime.quantization import QuantType, quantize_dynamic

    module.eval()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's own deprecations and tracing notes
        every = {0: "batch", 1: "length"}
        plain, small = Path(folder, "plain.onnx"), Path(folder, "small.onnx")
        torch.onnx.export(
            module, (like,), plain, input_names=[given], output_names=[made], opset_version=OPSET, dynamo=False,
            dynamic_axes={given: every, made: every if each_token else {0: "batch"}},
        )  # fmt: skip
        quantize_dynamic(plain, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        return np.frombuffer(small.read_bytes(), dtype=np.uint8)
