"""Trained torch modules as ONNX graphs with int8 weights, and how far the shipped encoder is from its network."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from smallprint.datasets.corpus import listed
from smallprint.datasets.opp115 import FOLDER, passages
from smallprint.evaluate.labels import polarity_measures, practices_measures
from smallprint.models import store
from smallprint.models.encoder import WINDOW, Encoder
from smallprint.models.labels import COLUMNS
from smallprint.train.fitting import padded
from smallprint.train.network import HIDDEN, Embeddings, Network, Tower

OPSET = 17
# Written for the purpose: a test compares what the shipped encoder says of them with what the network said.
TEXTS = (
    "We collect your name and e-mail address when you open an account, so that we can deliver what you order.",
    "We do not sell or rent your personal information to anybody.",
    "Our advertising partners may place cookies on your computer to learn which pages you visit.",
    "You can opt out of our newsletter at any time by following the link at the end of each message.",
    "We keep your records for seven years because the tax law asks us to.",
    "All payments travel over an encrypted connection, and only trained staff may see your card number.",
    "If we change this notice, we will post the new one here and write to you.",
    "Write to our privacy officer, 12 Mill Lane, with any question about this policy.",
)


class _TowerGraph(nn.Module):
    def __init__(self, tower: Tower, head: str) -> None:
        super().__init__()
        self.tower, self.head = tower, head

    def forward(self, states: Tensor) -> Tensor:
        states = self.tower.read(states, torch.zeros(1))
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


def save_tower(model: str, network: Network, where: Path) -> None:
    """Write a network's only head, with its tower, as a model's weights."""
    (head,) = network.tower.heads
    store.save(model, {head: tower_graph(network.tower, head)}, where)


def _quantised(module: nn.Module, like: Tensor, source: str, result: str, *, each_token: bool) -> NDArray[np.uint8]:
    # Per channel and in seven bits: processors without VNNI overflow on eight.
    from onnxruntime.quantization import QuantType, quantize_dynamic

    module.eval()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's own deprecations and tracing notes
        every = {0: "batch", 1: "length"}
        plain, small = Path(folder, "plain.onnx"), Path(folder, "small.onnx")
        torch.onnx.export(
            module, (like,), plain, input_names=[source], output_names=[result], opset_version=OPSET, dynamo=False,
            dynamic_axes={source: every, result: every if each_token else {0: "batch"}},
        )  # fmt: skip
        quantize_dynamic(plain, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
        return np.frombuffer(small.read_bytes(), dtype=np.uint8)


def compare(network: nn.Module, data: Path, where: Path, tokenizer: Any) -> dict[str, Any]:
    """Measure network and shipped encoder on the test policies, and note what the network says of our own texts."""
    tested = {row["id"] for row in listed("practices_test")}
    kept = [passage for passage in passages(data / FOLDER) if passage.policy in tested]
    truth = np.array([[passage.holds(label) for label in COLUMNS] for passage in kept])
    texts = [passage.text for passage in kept]
    labels = {"float": probabilities(network, texts, tokenizer), "int8": Encoder(where).labels(texts)}
    figures = {}
    for name, matrix in labels.items():
        practices = practices_measures(truth, matrix)
        figures[name] = {key: round(practices[key], 4) for key in ("micro_F1", "macro_F1", "values_micro_F1")}
        figures[name]["polarity_F1"] = round(polarity_measures(truth, matrix)["F1"], 4)
    reference = probabilities(network, TEXTS, tokenizer)
    return {
        "on the test policies": figures,
        "mean difference of probabilities": float(np.abs(labels["float"] - labels["int8"]).mean().round(5)),
        "reference": {text: np.round(row, 4).tolist() for text, row in zip(TEXTS, reference, strict=True)},
    }


@torch.no_grad()
def probabilities(network: nn.Module, texts: Sequence[str], tokenizer: Any) -> NDArray[np.float32]:
    """Return the float network's probabilities, a text at a time."""
    tokenizer.enable_truncation(WINDOW)
    logits = [network(*padded([tokenizer.encode(text).ids]))["labels"][0] for text in texts]
    return np.stack([torch.sigmoid(row).numpy() for row in logits])
