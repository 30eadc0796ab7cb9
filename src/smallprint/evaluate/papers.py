"""The tables of the papers that this stands on, made anew with our parts: expansion, BM25, length, confidence.

Expansion is measured on PrivacyQA's development questions (Keymanesh's table 3), the rest on the policies of
smallprint_qa that are kept out of all training (CMU's table 2, PriBot's figures 9 and 8).

Word vectors are measured by what they find: BM25 with each word's ten nearest, on the same questions. A system is the
shipped vectors, or a folder that `smallprint train` wrote (vectors, priv2vec or general-vectors).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from smallprint.ask.answer.decision import decide
from smallprint.ask.model_set import Kit, kit
from smallprint.ask.question.analysis import Asked, ask, expanded
from smallprint.ask.question.expansion import Paraphrase, by_all_rules, by_rules, by_translation, by_vectors
from smallprint.ask.ranking import scorers
from smallprint.ask.ranking.evidence import Evidence, gather
from smallprint.ask.ranking.rankers import COMBINED, rank, read
from smallprint.ask.ranking.stems import rarity, stemmed, stems
from smallprint.datasets import privacyqa, smallprint_qa
from smallprint.datasets.corpus import table
from smallprint.datasets.questions import Sheet, only
from smallprint.errors import MissingExtra
from smallprint.evaluate.measures import RANKED, best_first, ranked, ranking
from smallprint.evaluate.tasks import Order, Outcome
from smallprint.models.vectors import Vectors
from smallprint.text import words

BY_LENGTH = (COMBINED, "pribot", "semvec", "bm25", "random")
_MAP = RANKED.index("MAP")
LENGTHS = ("short", "middling", "long")
# The data do not say where paragraphs end: so many sentences under one heading are taken for one.
PARAGRAPH = 5
THRESHOLDS = (0.0, 0.25, 0.5, 0.75, 0.9)
SHIPPED, NONE = "shipped", "no expansion"
MEASURES = ("F@5", "MRR", "top-1", "top-2", "top-3", "top-4")

METHODS: dict[str, Callable[[str, Kit], Iterator[Paraphrase]]] = {
    "rules, one at a time": lambda text, kit: by_rules(text),
    "rules, all at once": lambda text, kit: by_all_rules(text),
    "back-translation": lambda text, kit: by_translation(text),
    "word vectors": lambda text, kit: by_vectors(text, kit.words),
}


class _Item(NamedTuple):
    """A question on a policy, the places that count, and where its answers are."""

    asked: Asked
    evidence: Evidence
    candidates: tuple[int, ...]
    relevant: frozenset[int]


def evaluate(order: Order) -> Outcome:
    """Make all tables."""
    order.choose()
    models = kit()
    development, kept_out = _question_sets(order).values()
    dev, items = (list(_items(sheets, models)) for sheets in (development, kept_out))
    count = sum(len(sheet.questions) for sheet in development)
    return Outcome(
        f"privacyqa/dev ({count} questions) and smallprint_qa, kept out of training",
        _labels((*development, *kept_out)),
        tables={
            "by_expansion (Keymanesh, table 3)": expansion(dev, models),
            "by_BM25 (CMU, table 2)": bm25(items, models),
            "by_length, MAP (PriBot, figure 9)": by_length(items, models),
            "by_confidence (PriBot)": by_confidence(items, models),
        },
        n=len(items),
    )


def expansion(items: Sequence[_Item], models: Kit) -> dict[str, dict[str, Any]]:
    """Count for each way of paraphrasing its paraphrases, and the failed pairs for which one helps."""
    # A pair of a question and a relevant sentence fails where the reader finds that the sentence does not bear on it.
    failed = []
    for number, item in enumerate(items):
        places = sorted(item.relevant)
        bears = _bears(item.asked.question.text, item, places, models)
        failed += [(number, place) for place, is_related in zip(places, bears, strict=True) if not is_related]

    def shares(count: int, bearing: list[list[bool]]) -> dict[str, Any]:
        return {
            "paraphrases": count / max(1, len(items)),
            "failed pairs recovered": sum(map(any, bearing)) / max(1, len(failed)),
            "answerable": sum(map(sum, bearing)) / max(1, sum(map(len, bearing))),
        }

    rows: dict[str, dict[str, Any]] = {}
    total = 0
    by_any: list[list[bool]] = [[] for _ in failed]
    for name, method in METHODS.items():
        try:
            texts = [
                dict.fromkeys(way.text for way in method(own, models) if way.text != own)
                for own in (item.asked.question.text for item in items)
            ]
        except MissingExtra:
            rows[name] = {"paraphrases": "not installed"}
            continue
        bearing = [[_bears(text, items[own], [place], models)[0] for text in texts[own]] for own, place in failed]
        rows[name] = shares(sum(map(len, texts)), bearing)
        total += sum(map(len, texts))
        by_any = [[*before, *more] for before, more in zip(by_any, bearing, strict=True)]
    pairs = sum(len(item.relevant) for item in items)
    return rows | {"all": shares(total, by_any) | {"pairs": pairs, "failed": len(failed)}}


def bm25(items: Sequence[_Item], models: Kit) -> dict[str, dict[str, Any]]:
    """Find the paragraph by BM25 with and without the nearest words, and cut it as CMU do."""
    rows = {
        "with expansion": [_passage_found(item, expanded(item.asked, models)) for item in items],
        "without": [_passage_found(item, item.asked.stems) for item in items],
    }
    names = ("MRR", "words", "sentences")
    return {name: dict(zip(names, np.mean(own, axis=0).tolist(), strict=True)) for name, own in rows.items()}


def by_length(items: Sequence[_Item], models: Kit) -> dict[str, dict[str, Any]]:
    """Return MAP for a third of the policies each, from the shortest to the longest."""
    lengths = sorted({id(item.evidence): len(item.evidence) for item in items}.values())
    bounds = [lengths[len(lengths) * third // 3] for third in (1, 2)]
    rows: dict[str, dict[str, Any]] = {}
    for third, name in enumerate(LENGTHS):
        own = [item for item in items if sum(len(item.evidence) >= bound for bound in bounds) == third]
        sizes = [len(item.evidence) for item in own]
        rows[f"{name} ({min(sizes)} to {max(sizes)} sentences)"] = {
            ranker: float(np.mean([ranking(_ranking(item, ranker, models))[_MAP] for item in own]))
            for ranker in BY_LENGTH
        }
    return rows


def by_confidence(items: Sequence[_Item], models: Kit) -> dict[str, dict[str, Any]]:
    """Return the share of questions whose confidence reaches a threshold, and of these those with the right top-1."""
    decisions = [decide(item.asked, item.evidence, models) for item in items]
    sure = np.array([decision.first_right for decision in decisions])
    best = [int(decision.scores.argmax()) for decision in decisions]
    right = np.array([place in item.relevant for place, item in zip(best, items, strict=True)])
    return {
        f"from {threshold:.2f}": {
            "share": float((sure >= threshold).mean()),
            "top-1": float(right[sure >= threshold].mean()) if (sure >= threshold).any() else 0.0,
        }
        for threshold in THRESHOLDS
    }


def word_vectors(order: Order) -> Outcome:
    """Measure each system on PrivacyQA's development questions and on the policies of smallprint_qa kept out."""
    sets = _question_sets(order)
    asked = [row["Query"] for row in table(order.data / privacyqa.TRAINING, ("Query",))]
    systems = order.systems or (SHIPPED, NONE)
    return Outcome(" and ".join(sets), _labels(chain(*sets.values())), compared(sets, asked, systems))


def compared(
    sets: Mapping[str, Sequence[Sheet]], asked: Sequence[str], systems: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Measure systems on sets of questions, and how many words of some others they know."""
    typed = [word for text in asked for word in words(text) if not word.isdigit()]
    figures: dict[str, dict[str, Any]] = {}
    for system in systems:
        models = Kit()
        models.finder, models.mapper = kit().finder, kit().mapper
        if system not in {SHIPPED, NONE}:
            models.words = Vectors(Path(system))
        ranker = "bm25 without expansion" if system == NONE else "bm25"
        own = figures.setdefault(Path(system).name, {})
        for title, sheets in sets.items():
            measures = ranked([_ranking(item, ranker, models) for item in _items(sheets, models)])
            own |= {f"{title} {measure}": measures[measure] for measure in MEASURES}
        own["known words"] = models.words.known(typed)
    return figures


def _question_sets(order: Order) -> dict[str, list[Sheet]]:
    collection = smallprint_qa.load(order.data / smallprint_qa.FOLDER)
    return {
        "privacyqa/dev": privacyqa.load(order.data / privacyqa.DEVELOPMENT),
        "smallprint_qa": only(collection.policies.values(), smallprint_qa.held()),
    }


def _labels(sheets: Iterable[Sheet]) -> list[tuple[str, list[int]]]:
    return [(question.id, sorted(question.relevant or ())) for sheet in sheets for question in sheet.questions]


def _items(sheets: Sequence[Sheet], models: Kit) -> Iterator[_Item]:
    for sheet in sheets:
        evidence = gather(sheet.sentences, models.labeller, models.finder)
        for question in sheet.questions:
            if question.relevant:
                yield _Item(ask(question.text, models), evidence, question.candidates, question.relevant)


def _bears(text: str, item: _Item, places: list[int], models: Kit) -> list[bool]:
    """Return for each place whether the reader finds that it bears on a question."""
    return [reading.bears >= 0 for reading in read(text, item.evidence, np.array(places, dtype=np.intp), models)]


def _passage_found(item: _Item, weights: dict[str, float]) -> tuple[float, float, float]:
    """Return the reciprocal rank of the first right paragraph, and the words and sentences that the best is cut to."""
    passages: dict[int, list[int]] = defaultdict(list)
    for place, sentence in enumerate(item.evidence.sentences):
        passages[sentence.segment].append(place)
    each = [stems(sentence.spoken) for sentence in item.evidence.sentences]
    own = [places[at : at + PARAGRAPH] for places in passages.values() for at in range(0, len(places), PARAGRAPH)]
    scores = scorers.bm25(weights, [[stem for place in places for stem in each[place]] for places in own], rarity())
    order = best_first(scores)
    right = [bool(item.relevant & set(own[place])) for place in order]
    best = own[order[0]]
    kept = scorers.reduced(list(stemmed(list(weights))), [each[place] for place in best], each)
    length = sum(len(item.evidence.sentences[best[place]].text.split()) for place in kept)
    return 1 / (1 + right.index(True)), float(length), float(len(kept))


def _ranking(item: _Item, ranker: str, models: Kit) -> list[bool]:
    """Return which of the candidates are relevant, the best first."""
    scores = rank(ranker, item.asked, item.evidence, models)
    return [item.candidates[place] in item.relevant for place in best_first(scores[list(item.candidates)])]
