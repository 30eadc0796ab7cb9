"""Questions with sentences of their policies, as the reader learns from them, without what is kept for evaluation."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.datasets import policyqa, smallprint_qa
from smallprint.datasets.smallprint_qa import Asked
from smallprint.models.reader import PASSAGE_WINDOW, QUESTION, WINDOW, around, pair
from smallprint.records import Sentence

# Of each question an epoch sees so many sentences that answer, as many that are related, and as many that are neither:
# of those five in eight are among the nearest by an untrained model.
ANSWERS, NEAREST, HARD_SHARE = 4, 25, 0.625
# What stands around a sentence is left out now and then, so that the reader can do without.
NO_CONTEXT, NO_HEADING = 0.3, 0.3


@dataclass(frozen=True, slots=True)
class Example:
    """Tokens and what is to be said of them: whether it answers and bears, or the span's first and last token.

    Of relevance, NaN stands for what nobody knows. `stance` is what the sentence says, as a place in STANCES.
    """

    ids: list[int]
    relevance: tuple[float, float] | None = None
    first: int = 0
    span: tuple[int, int] | None = None
    stance: int | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """A policy's sentences in tokens, each with its heading's and its lead-in's."""

    own: list[list[int]]
    headings: list[list[int]]
    lead_ins: list[list[int]]


# By question how near each sentence of its policy is, and what computes it of policies and questions in tokens.
Nearness = dict[str, NDArray[np.float32]]
Near = Callable[[Mapping[str, Tokens], Sequence[Any], Mapping[str, list[int]]], Nearness]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Questions, their policies by name, and by question its tokens and how near each sentence of its policy is."""

    questions: list[Asked]
    policies: dict[str, Tokens]
    asked: dict[str, list[int]]
    nearness: Nearness

    def examples(self, luck: random.Random, *, bare: bool = False) -> list[Example]:
        """Draw pairs for every question, half of them such as bear on it; bare ones have nothing around sentences."""
        examples: list[Example] = []
        for asked in self.questions:
            policy = self.policies[asked.policy]
            for place, relevance in chosen(asked, self.nearness[asked.id], luck):
                heading = [] if luck.random() < NO_HEADING else policy.headings[place]
                context = around(heading, policy.own[place - 1] if place else [])
                is_alone = luck.random() < NO_CONTEXT or bare
                question = self.asked[asked.id][:QUESTION]
                ids, _ = pair(question, [] if is_alone else context, policy.own[place], WINDOW)
                examples.append(Example(ids, relevance))
        return examples


def near(policies: Mapping[str, Tokens], questions: Sequence[Any], asked: Mapping[str, list[int]]) -> Nearness:
    """Return how near every sentence of its policy is to each question before any training: hard ones are near."""
    from smallprint.train.fitting import vectors
    from smallprint.train.network import Tower, pretrained

    untrained = pretrained(Tower({}, each_token=True))
    sentences = {name: vectors(untrained, policy.own) for name, policy in policies.items()}
    own = dict(zip(asked, vectors(untrained, list(asked.values())), strict=True))
    return {question.id: sentences[question.policy] @ own[question.id] for question in questions}


def labelled(data: Path, nearness: Near = near, most: int | None = None, *, bearing: bool = False) -> Labelled:
    """Read the questions that may be trained on: the first so many, or all that a sentence is `bearing` on."""
    from smallprint.train.network import pieces

    collection, questions = smallprint_qa.training(data)
    questions = [question for question in questions[:most] if question.relevant or not bearing]
    names = sorted({question.policy for question in questions})
    policies = {name: cut_policy(collection.policies[name].sentences, pieces) for name in names}
    asked = {question.id: pieces(question.text) for question in questions}
    return Labelled(questions, policies, asked, nearness(policies, questions, asked))


def cut_policy(sentences: Sequence[Sentence], cut: Callable[[str], list[int]]) -> Tokens:
    """Cut a policy's sentences and headings into tokens."""
    above = dict.fromkeys(sentence.headings for sentence in sentences)
    headings = {path: cut(path[-1]) if path else [] for path in above}
    lead_ins = {text: cut(text) if text else [] for text in dict.fromkeys(sentence.lead_in for sentence in sentences)}
    return Tokens(
        [cut(sentence.text) for sentence in sentences],
        [headings[sentence.headings] for sentence in sentences],
        [lead_ins[sentence.lead_in] for sentence in sentences],
    )


def chosen(
    asked: Asked, nearness: NDArray[np.float32], luck: random.Random, most: int = ANSWERS
) -> list[tuple[int, tuple[float, float]]]:
    """Choose sentences for a question, each with whether it answers and bears; half do neither, and look as if."""
    related = [place for place in asked.related if place not in asked.answers]
    neither = [int(place) for place in np.argsort(-nearness, kind="stable") if place not in asked.relevant]
    places = [(place, (1.0, 1.0)) for place in some(asked.answers, most, luck)]
    places += [(place, (0.0, 1.0)) for place in some(related, most, luck)]
    wanted = max(most, len(places))
    hard = some(neither[:NEAREST], int(wanted * HARD_SHARE) + 1, luck)
    easy = some([place for place in neither if place not in hard], int(wanted * (1 - HARD_SHARE)) + 1, luck)
    return places + [(place, (0.0, 0.0)) for place in (*hard, *easy)]


def spans(data: Path) -> list[Example]:
    """Return PolicyQA's training questions with the tokens where their answers begin and end."""
    from smallprint.train.network import pieces, tokenizer

    contexts = cache(lambda text: tokenizer().encode(text, add_special_tokens=False))
    examples = []
    for asked in policyqa.training(data):
        if not asked.spans:
            continue
        context = contexts(asked.context)
        ids, first = pair(pieces(asked.question)[:QUESTION], [], context.ids, PASSAGE_WINDOW)
        begin, after = asked.spans[0]
        kept = enumerate(context.offsets[: len(ids) - first - 1])
        inside = [token for token, (start, end) in kept if start < after and end > begin]
        if inside:
            examples.append(Example(ids, None, first, (inside[0], inside[-1])))
    return examples


def some(places: Sequence[int], most: int, luck: random.Random) -> list[int]:
    """Choose so many places, or all there are."""
    return luck.sample(places, min(most, len(places)))
