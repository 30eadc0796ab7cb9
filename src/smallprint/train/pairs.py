"""Questions with sentences of their policies, as the reader learns from them, without what is kept for evaluation."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.sentences import Sentence
from smallprint.evaluate import policyqa, smallprint_qa
from smallprint.evaluate.corpus import excluded, listed
from smallprint.models.reader import PASSAGE_WINDOW, QUESTION, WINDOW, around, pair

Cut = Callable[[str], list[int]]
# Of each question an epoch sees so many sentences that answer and that are related, and as many that are neither: of
# those five in eight are among the nearest by an untrained model.
ANSWERS, RELATED, NEAREST, HARD_SHARE = 4, 4, 25, 0.625
# What stands around a sentence is left out now and then, so that the reader can do without.
NO_CONTEXT, NO_HEADING = 0.3, 0.3


@dataclass(frozen=True, slots=True)
class Example:
    """Tokens and what is to be said of them: whether it answers and bears, or the span's first and last token.

    Of relevance, NaN stands for what nobody knows.
    """

    ids: list[int]
    relevance: tuple[float, float] | None = None
    first: int = 0
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """A policy's sentences in tokens, each with its heading's."""

    own: list[list[int]]
    headings: list[list[int]]


def training_questions(data: Path) -> tuple[smallprint_qa.Collection, list[smallprint_qa.Asked]]:
    """Give smallprint_qa and the questions on policies that may be trained on."""
    collection = smallprint_qa.load(data / "labelled" / "smallprint_qa")
    kept = smallprint_qa.held() | tuning() | excluded(data)
    return collection, [one for one in collection.questions if one.policy not in kept]


def tuning() -> frozenset[str]:
    """Give the policies from which only the combiner learns: no scorer has seen them."""
    return frozenset(row["id"] for row in listed("ask_tuning"))


def cut_policy(sentences: Sequence[Sentence], cut: Cut) -> Tokens:
    """Cut a policy's sentences and headings into tokens."""
    above = dict.fromkeys(one.headings for one in sentences)
    headings = {path: cut(path[-1]) if path else [] for path in above}
    return Tokens([cut(one.text) for one in sentences], [headings[one.headings] for one in sentences])


def relevance_examples(
    asked: smallprint_qa.Asked,
    question: list[int],
    policy: Tokens,
    nearness: NDArray[np.float32],
    luck: random.Random,
    *,
    bare: bool = False,
) -> Iterator[Example]:
    """Choose sentences for a question, half of them such as bear on it; bare ones have nothing around them."""
    answers, related = list(asked.answers), [place for place in asked.related if place not in asked.answers]
    neither = [int(place) for place in np.argsort(-nearness, kind="stable") if place not in asked.relevant]
    chosen = [(place, (1.0, 1.0)) for place in _some(answers, ANSWERS, luck)]
    chosen += [(place, (0.0, 1.0)) for place in _some(related, RELATED, luck)]
    wanted = max(ANSWERS, len(chosen))
    hard = _some(neither[:NEAREST], int(wanted * HARD_SHARE) + 1, luck)
    easy = _some([place for place in neither if place not in hard], int(wanted * (1 - HARD_SHARE)) + 1, luck)
    chosen += [(place, (0.0, 0.0)) for place in (*hard, *easy)]
    for place, relevance in chosen:
        heading = [] if luck.random() < NO_HEADING else policy.headings[place]
        context = [] if luck.random() < NO_CONTEXT or bare else around(heading, policy.own[place - 1] if place else [])
        ids, _ = pair(question[:QUESTION], context, policy.own[place], WINDOW)
        yield Example(ids, relevance)


def span_examples(data: Path, encode: Callable[[str], tuple[list[int], list[tuple[int, int]]]]) -> list[Example]:
    """Give PolicyQA's training questions with the tokens where their answers begin and end."""
    found, coded = [], {}
    kept = excluded(data)
    for one in policyqa.load(data / "labelled" / "policyqa" / "train_rebuilt.json"):
        if one.policy in kept or not one.spans:
            continue
        if one.context not in coded:
            coded[one.context] = encode(one.context)
        own, offsets = coded[one.context]
        question, _ = encode(one.question)
        ids, first = pair(question[:QUESTION], [], own, PASSAGE_WINDOW)
        span = _tokens_of(one.spans[0], offsets[: len(ids) - first - 1])
        if span is not None:
            found.append(Example(ids, None, first, span))
    return found


def _tokens_of(place: tuple[int, int], offsets: list[tuple[int, int]]) -> tuple[int, int] | None:
    inside = [token for token, (start, end) in enumerate(offsets) if start < place[1] and end > place[0]]
    return (inside[0], inside[-1]) if inside else None


def _some(places: list[int], most: int, luck: random.Random) -> list[int]:
    return luck.sample(places, min(most, len(places)))
