"""The tables of the papers that this stands on, made anew with our parts: expansion, BM25, length, confidence.

Expansion is measured on PrivacyQA's development questions (Keymanesh's table 3), the rest on the policies of
smallprint_qa that are kept out of all training (CMU's table 2, PriBot's figures 9 and 8).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from smallprint.ask.asked import Asked, ask, expanded
from smallprint.ask.deciding import decide
from smallprint.ask.evidence import Evidence, gather
from smallprint.ask.expansion import Paraphrase, by_all_rules, by_rules, by_translation, by_vectors
from smallprint.ask.kit import Kit, kit
from smallprint.ask.rankers import COMBINED, rank, read
from smallprint.ask.scorers import lexical
from smallprint.ask.stems import rarity, stemmed, stems
from smallprint.errors import MissingExtra
from smallprint.evaluate import privacyqa, smallprint_qa
from smallprint.evaluate.answering import Sheet
from smallprint.evaluate.ranked import RANKED, best_first, ranking

TASK = "papers"
BY_LENGTH = (COMBINED, "pribot", "semvec", "bm25", "random")
LENGTHS = ("short", "middling", "long")
# The data do not say where paragraphs end: so many sentences under one heading are taken for one.
PARAGRAPH = 5
THRESHOLDS = (0.0, 0.25, 0.5, 0.75, 0.9)

METHODS: dict[str, Callable[[str, Kit], Iterator[Paraphrase]]] = {
    "rules, one at a time": lambda text, kit: by_rules(text),
    "rules, all at once": lambda text, kit: by_all_rules(text),
    "back-translation": lambda text, kit: by_translation(text),
    "word vectors": lambda text, kit: by_vectors(text, kit.words),
}


@dataclass(frozen=True, slots=True)
class _Item:
    """A question on a policy, and where its answers are."""

    asked: Asked
    evidence: Evidence
    relevant: frozenset[int]


def evaluate(data: Path) -> dict[str, Any]:
    """Make all tables."""
    models = kit()
    dev = list(_items(privacyqa.load(data / "labelled" / "privacyqa" / "dev"), models))
    collection = smallprint_qa.load(data / "labelled" / "smallprint_qa")
    held = [one for one in smallprint_qa.sheets(collection) if one.policy in smallprint_qa.held()]
    items = [one for one in _items(held, models) if one.relevant]
    return {
        "task": TASK,
        "data": f"privacyqa/dev ({len(dev)} questions) and smallprint_qa, kept out of training",
        "n": len(items),
        "by_expansion (Keymanesh, table 3)": expansion([one for one in dev if one.relevant], models),
        "by_BM25 (CMU, table 2)": bm25(items, models),
        "by_length, MAP (PriBot, figure 9)": by_length(items, models),
        "by_confidence (PriBot)": by_confidence(items, models),
    }


def expansion(items: Sequence[_Item], models: Kit) -> dict[str, dict[str, Any]]:
    """Say of each way of paraphrasing how many it makes, and what becomes of pairs that the reader takes for unrelated.

    A pair of a question and a relevant sentence has failed where the reader finds that it does not bear on it; it is
    recovered where a paraphrase gets the reader to find that it does.
    """
    failed = [(one, place) for one in items for place in _failed(one, models)]
    pairs = sum(len(one.relevant) for one in items)
    found: dict[str, dict[str, Any]] = {}
    recovered_by_any: set[int] = set()
    made_by_all = good_by_all = tried_by_all = 0
    for name, method in METHODS.items():
        try:
            made = [_distinct(method(one.asked.question.text, models), one) for one in items]
        except MissingExtra:
            found[name] = {"paraphrases": "not installed"}
            continue
        of = {id(one): texts for one, texts in zip(items, made, strict=True)}
        good = [[_bears(text, one, place, models) for text in of[id(one)]] for one, place in failed]
        recovered = {number for number, each in enumerate(good) if any(each)}
        recovered_by_any |= recovered
        tried, right = sum(map(len, good)), sum(map(sum, good))
        made_by_all += sum(map(len, made))
        tried_by_all, good_by_all = tried_by_all + tried, good_by_all + right
        found[name] = _shares(sum(map(len, made)), len(items), len(recovered), len(failed), right, tried)
    found["all"] = _shares(made_by_all, len(items), len(recovered_by_any), len(failed), good_by_all, tried_by_all)
    found["all"] |= {"pairs": pairs, "failed": len(failed)}
    return found


def bm25(items: Sequence[_Item], models: Kit) -> dict[str, dict[str, Any]]:
    """Find the paragraph by BM25 with and without the nearest words, and cut it as CMU do."""
    found = {}
    for name, weights in (
        ("with expansion", lambda asked: expanded(asked, models)),
        ("without", lambda asked: asked.stems),
    ):
        rows = [_passage_found(one, weights(one.asked)) for one in items]
        mrr, words, sentences = np.array(rows).mean(axis=0).tolist()
        found[name] = {"MRR": mrr, "words": words, "sentences": sentences}
    return found


def by_length(items: Sequence[_Item], models: Kit) -> dict[str, dict[str, Any]]:
    """Give MAP for a third of the policies each, from the shortest to the longest."""
    lengths = sorted({id(one.evidence): len(one.evidence) for one in items}.values())
    bounds = [lengths[len(lengths) * third // 3] for third in (1, 2)]
    found: dict[str, dict[str, Any]] = {}
    for third, name in enumerate(LENGTHS):
        own = [one for one in items if sum(len(one.evidence) >= bound for bound in bounds) == third]
        sizes = [len(one.evidence) for one in own]
        found[f"{name} ({min(sizes)} to {max(sizes)} sentences)"] = {
            ranker: float(np.mean([_average_precision(one, ranker, models) for one in own])) for ranker in BY_LENGTH
        }
    return found


def by_confidence(items: Sequence[_Item], models: Kit) -> dict[str, dict[str, Any]]:
    """Give the share of questions whose confidence reaches a threshold, and how many of these have the right top-1."""
    decided = [decide(one.asked, one.evidence, models) for one in items]
    sure = np.array([one.confidence for one in decided])
    right = np.array([int(one.scores.argmax()) in item.relevant for one, item in zip(decided, items, strict=True)])
    return {
        f"from {threshold:.2f}": {
            "share": float((sure >= threshold).mean()),
            "top-1": float(right[sure >= threshold].mean()) if (sure >= threshold).any() else 0.0,
        }
        for threshold in THRESHOLDS
    }


def _items(sheets: Sequence[Sheet], models: Kit) -> Iterator[_Item]:
    for sheet in sheets:
        evidence = gather(sheet.sentences, models.labeller, models.finder)
        for question in sheet.questions:
            yield _Item(ask(question.text, models), evidence, question.relevant or frozenset())


def _failed(item: _Item, models: Kit) -> list[int]:
    places = np.array(sorted(item.relevant), dtype=np.intp)
    readings = read(item.asked.question.text, item.evidence, places, models)
    return [int(place) for place, one in zip(places, readings, strict=True) if one.bears < 0]


def _bears(text: str, item: _Item, place: int, models: Kit) -> bool:
    (one,) = read(text, item.evidence, np.array([place], dtype=np.intp), models)
    return one.bears >= 0


def _distinct(made: Iterator[Paraphrase], item: _Item) -> list[str]:
    return [text for text in dict.fromkeys(one.text for one in made) if text != item.asked.question.text]


def _shares(made: int, questions: int, recovered: int, failed: int, right: int, tried: int) -> dict[str, Any]:
    return {
        "paraphrases": made / max(1, questions),
        "failed pairs recovered": recovered / max(1, failed),
        "answerable": right / max(1, tried),
    }


def _passage_found(item: _Item, weights: dict[str, float]) -> tuple[float, float, float]:
    """Give the reciprocal rank of the first right paragraph, and the words and sentences that the best is cut to."""
    passages: dict[int, list[int]] = defaultdict(list)
    for place, sentence in enumerate(item.evidence.sentences):
        passages[sentence.passage].append(place)
    each = [stems(one.spoken) for one in item.evidence.sentences]
    own = [one[at : at + PARAGRAPH] for one in passages.values() for at in range(0, len(one), PARAGRAPH)]
    scores = lexical.scores(weights, [[stem for place in one for stem in each[place]] for one in own], rarity())
    order = best_first(scores)
    right = [bool(item.relevant & set(own[place])) for place in order]
    best = own[order[0]]
    kept = lexical.reduced(list(stemmed(list(weights))), [each[place] for place in best], each)
    words = sum(len(item.evidence.sentences[best[place]].text.split()) for place in kept)
    return 1 / (1 + right.index(True)), float(words), float(len(kept))


def _average_precision(item: _Item, ranker: str, models: Kit) -> float:
    order = best_first(rank(ranker, item.asked, item.evidence, models))
    return float(ranking(np.isin(order, list(item.relevant)))[RANKED.index("MAP")])
