"""PI-Extract: sentences of policies in which data that are collected or shared, or are not, were marked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from smallprint.errors import NoData
from smallprint.taxonomy import POLARITY, Label

FOLDER = Path("labelled/pi_extract/dataset")
NAMES = ("CollectUse_true", "CollectUse_false", "Share_true", "Share_false")


def sentences(data: Path) -> dict[str, set[Label]]:
    """Return the sentences in which anything is marked, with what they affirm or deny."""
    labels: dict[str, set[Label]] = {}
    for name, label in zip(NAMES, POLARITY, strict=True):
        for sentence in _marked(data / FOLDER / name / "train.conll03"):
            labels.setdefault(sentence, set()).add(label)
    return labels


def _marked(path: Path) -> Iterator[str]:
    if not path.is_file():
        raise NoData(f"{path} is not there; set data_dir (SMALLPRINT_DATA_DIR) to the folder of research data")
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line.split(" ") for line in block.splitlines() if line and not line.startswith("-DOCSTART-")]
        if any(line[-1] != "O" for line in lines):
            yield " ".join(line[0] for line in lines)
