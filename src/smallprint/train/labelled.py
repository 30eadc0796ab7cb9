"""The training questions and their policies in tokens, from which readers draw labelled pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.evaluate.smallprint_qa import Asked
from smallprint.train import pairs
from smallprint.train.nearness import near
from smallprint.train.network import pieces

Nearness = dict[str, NDArray[np.float32]]
Near = Callable[[Mapping[str, pairs.Tokens], Sequence[Any], Mapping[str, list[int]]], Nearness]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Questions, their policies by name, and by question its tokens and how near each sentence of its policy is."""

    questions: list[Asked]
    policies: dict[str, pairs.Tokens]
    asked: dict[str, list[int]]
    nearness: Nearness

    def examples(self, luck: random.Random, *, bare: bool = False) -> list[pairs.Example]:
        """Draw pairs for every question; bare ones are sentences without what stands around them."""
        return [
            example
            for one in self.questions
            for example in pairs.relevance_examples(
                one, self.asked[one.id], self.policies[one.policy], self.nearness[one.id], luck, bare=bare
            )
        ]


def labelled(data: Path, nearness: Near = near, most: int | None = None) -> Labelled:
    """Read the questions that may be trained on, or the first so many; `nearness` says which sentences are hard."""
    collection, questions = pairs.training_questions(data)
    questions = questions[:most]
    names = sorted({one.policy for one in questions})
    policies = {name: pairs.cut_policy(collection.policies[name].sentences, pieces) for name in names}
    asked = {one.id: pieces(one.text) for one in questions}
    return Labelled(questions, policies, asked, nearness(policies, questions, asked))
