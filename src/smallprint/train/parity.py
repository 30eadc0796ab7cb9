"""How far the shipped int8 encoder is from the float network it was made of: on the task, and text by text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from smallprint.annotate.practices import COLUMNS
from smallprint.evaluate.corpus import listed
from smallprint.evaluate.labelling import polarity_measures, practices_measures
from smallprint.evaluate.opp115 import passages
from smallprint.models.encoder import WINDOW, Encoder
from smallprint.train.fitting import padded

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


def compared(network: nn.Module, data: Path, where: Path, tokenizer: Any) -> dict[str, Any]:
    """Measure both on the test policies, and note what the network says of our own texts."""
    tested = {row["id"] for row in listed("practices_test")}
    found = [one for one in passages(data / "labelled" / "opp115") if one.policy in tested]
    truth = np.array([[one.holds(label) for label in COLUMNS] for one in found])
    texts = [one.text for one in found]
    said = {"float": spoken(network, texts, tokenizer), "int8": Encoder(where).labels(texts)}
    figures = {}
    for name, matrix in said.items():
        practices = practices_measures(truth, matrix)
        figures[name] = {key: round(practices[key], 4) for key in ("micro_F1", "macro_F1", "values_micro_F1")}
        figures[name]["polarity_F1"] = round(polarity_measures(truth, matrix)["F1"], 4)
    reference = spoken(network, TEXTS, tokenizer)
    return {
        "on the test policies": figures,
        "mean difference of probabilities": float(np.abs(said["float"] - said["int8"]).mean().round(5)),
        "reference": {text: np.round(row, 4).tolist() for text, row in zip(TEXTS, reference, strict=True)},
    }


@torch.no_grad()
def spoken(network: nn.Module, texts: Sequence[str], tokenizer: Any) -> NDArray[np.float32]:
    """Give the float network's probabilities, a text at a time."""
    tokenizer.enable_truncation(WINDOW)
    return np.stack([
        torch.sigmoid(network(*padded([tokenizer.encode(text).ids]))["labels"][0]).numpy() for text in texts
    ])  # fmt: skip
