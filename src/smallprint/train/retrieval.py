"""What word vectors are good for, in figures: words of questions that they know, paragraphs that they help to find."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from smallprint.ask.scorers import lexical
from smallprint.ask.stems import STOP_WORDS, Rarity, stemmed, stems
from smallprint.errors import NoData
from smallprint.evaluate.heading_answers import Outline
from smallprint.models.vectors import Vectors
from smallprint.text import words

NEIGHBOURS = 10


def widened(question: str, vectors: Vectors | None, weight: float = 1.0) -> dict[str, float]:
    """Give a question's stems, and those of the nearest words of each, which weigh less the less alike they are."""
    own = [word for word in words(question) if word not in STOP_WORDS]
    found = dict.fromkeys(stemmed(own), 1.0)
    if vectors is not None:
        for word in dict.fromkeys(own):
            for near in vectors.nearest(word, NEIGHBOURS, same_part=False):
                for stem in stemmed([near.word]):
                    found[stem] = max(found.get(stem, 0.0), weight * near.likeness)
    return found


def found_paragraphs(
    outlines: Sequence[Outline], rarity: Rarity, vectors: Vectors | None, weight: float = 1.0
) -> dict[str, float]:
    """Measure how well BM25 finds the paragraph under a heading among all of the policy's."""
    ranks = []
    for outline in outlines:
        paragraphs = [stems(one.text) for one in outline.paragraphs]
        for item in outline.items:
            scores = lexical.scores(widened(item.heading, vectors, weight), paragraphs, rarity)
            others = scores[list(item.others)]
            # Of equal scores half stand before: one that finds nothing must not be lucky.
            ranks.append(1 + float((others > scores[item.answer]).sum() + (others == scores[item.answer]).sum() / 2))
    found = np.array(ranks)
    if not len(found):
        return {"n": 0}
    return {"n": len(found), "P@1": float((found < 1.5).mean()), "MRR": float((1 / found).mean())}


def known_words(data: Path, vectors: Vectors) -> float:
    """Give the share of the words of real questions that the vectors know."""
    path = data / "labelled" / "privacyqa" / "train_questions.tsv"
    if not path.is_file():
        raise NoData(f"{path} is not there; set data_dir (SMALLPRINT_DATA_DIR) to the folder of research data")
    with path.open(encoding="utf-8", newline="") as file:
        asked = [word for row in csv.DictReader(file, delimiter="\t") for word in words(row["Query"])]
    return vectors.known([word for word in asked if not word.isdigit()])
