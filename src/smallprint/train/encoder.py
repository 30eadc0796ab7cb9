"""Train the encoder: a tower that labels passages, and one that marks vague words.

Each step leaves a checkpoint after every epoch and its result at the end, in `encoder.work` beside the weights; a run
that was stopped goes on from there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from smallprint.annotate.vagueness import countable
from smallprint.datasets.appcorp import TOPICS
from smallprint.datasets.vagueness import FILE, Marked, sentences
from smallprint.evaluate.labels import vagueness_measures
from smallprint.evaluate.measures import precision_recall_f1
from smallprint.models import store
from smallprint.models.encoder import NAME, WINDOW
from smallprint.models.labels import COLUMNS
from smallprint.taxonomy import CATEGORIES, POLARITY
from smallprint.train import material
from smallprint.train.export import compare, embeddings_graph, tower_graph
from smallprint.train.fitting import Batch, Plan, batched, by_length, fit, loaded, padded, trained
from smallprint.train.frame import write_card
from smallprint.train.network import MINILM, Network, Tower, model_folder, pretrained, tokenizer
from smallprint.train.sentences import known_words

SEED = 1
LABELS = Plan(epochs=8, rate=1.5e-4, average=0.995, seed=SEED)
VAGUE = Plan(epochs=4, rate=1e-4, seed=SEED)
# One segment in seventeen is longer than this; of a paragraph the beginning tells the topic.
TOKENS, TOPIC_TOKENS = 192, 96
# Of AppCorp's paragraphs every epoch sees a third, so that they help OPP-115's segments and do not drown them.
APPCORP_SHARE = 0.33
# There are sixteen times as many values as categories, and each is seldom given.
VALUE_WEIGHT = 0.3
# A target is the share of annotators. One of three is 0.33, two are 0.67: a category holds from the middle on. Of a
# value the model, trained on few, says less; 0.4 was best with 15 training policies held out. The bias is moved so that
# either becomes one half.
CATEGORY_THRESHOLD, VALUE_THRESHOLD = 0.5, 0.4
# How much a word that one reader in about five marked is worth, beside those that more did.
ONE_VOTE = 0.25
MARKED_AT_ONCE = 32
THRESHOLDS = tuple(step / 50 for step in range(8, 30))

Marks = list[NDArray[np.float32]]


def train(data: Path, where: Path, say: Callable[[str], None], folds: int = 5) -> dict[str, Any]:
    """Train on all that may be trained on; write weights, card and out-of-fold marks of vague words."""

    def once(name: str, blank: Callable[[], Network], learn: Callable[[Network, Path], None]) -> Network:
        """Train a network and keep it, or take the one that an earlier run finished."""
        path = where / f"{NAME}.work" / name
        if path.is_file():
            say(f"{name} is there from an earlier run")
            return loaded(path, blank())
        return trained(path, SEED, blank, learn)

    def vague_tower(name: str, learnt: Sequence[Marked]) -> Network:
        return once(name, vague_network, partial(_learn_vague, learnt, say))

    def mark(fold: int, seen: list[Marked], unseen: list[Marked]) -> Marks:
        return marks_of(vague_tower(f"vague-{fold + 1}-of-{folds}.pt", seen), unseen)

    labels = once("labels.pt", _label_network, partial(_learn_labels, data, say))
    marked = [sentence for sentence in sentences(data / FILE) if sentence.words]

    marks, threshold, by_fold = out_of_fold(marked, folds, mark, say)
    vague = vague_tower("vague.pt", marked)
    holding = torch.full((len(COLUMNS),), VALUE_THRESHOLD)
    holding[: len(CATEGORIES)] = CATEGORY_THRESHOLD
    with torch.no_grad():
        labels.tower.head("labels").bias.sub_(torch.logit(holding))
    arrays: dict[str, NDArray[Any]] = {
        "embeddings": embeddings_graph(labels.embeddings),
        "labels": tower_graph(labels.tower, "labels"),
        "vague": tower_graph(vague.tower, "vague"),
        "tokenizer": np.frombuffer((model_folder() / "tokenizer.json").read_bytes(), dtype=np.uint8),
        "vocabulary": known_words(data),
        "threshold": np.array(threshold, dtype=np.float32),
    }
    store.save(NAME, arrays, where)
    facts = {
        "from": MINILM,
        "data": "OPP-115 without PolicyQA's 20 development policies and what is kept for evaluation; AppCorp; "
        "PI-Extract's sentences that stand in the same OPP-115 policies; vagueness/train.json (all 79 documents)",
        "seed": SEED,
        "epochs": {"labels": LABELS.epochs, "vague": VAGUE.epochs},
        "vagueness": {f"{folds} folds by document, threshold chosen on the other folds": by_fold},
        "vagueness_threshold": threshold,
        "parity": compare(labels, data, where, tokenizer(WINDOW)),
    }
    rows = (
        {"id": sentence.id, "document": sentence.document, "marks": [round(float(mark), 4) for mark in own]}
        for sentence, own in zip(marked, marks, strict=True)
    )
    return write_card(NAME, where, facts, rows)


def _label_network() -> Network:
    network = pretrained(Tower({"labels": len(COLUMNS), "topics": len(TOPICS)}, each_token=False))
    head = network.tower.head("labels")
    with torch.no_grad():  # labels are rare: begin from there
        head.bias.fill_(-2.0)
        head.weight.mul_(0.3)
    return network


def _learn_labels(data: Path, say: Callable[[str], None], network: Network, checkpoint: Path) -> None:
    passages = material.opp115_examples(data)
    always = passages + material.polarity_examples(data, passages)
    sometimes = material.appcorp_examples(data)
    say(f"{len(passages):,} segments, {len(always) - len(passages):,} sentences, {len(sometimes):,} paragraphs")
    every = always + sometimes
    parts = ((always, TOKENS), (sometimes, TOPIC_TOKENS))
    ids = [tokenizer(most).encode(example.text).ids for examples, most in parts for example in examples]
    aims, weights = (torch.tensor(np.array([getattr(e, part) for e in every])) for part in ("targets", "weights"))
    topics = torch.tensor([example.topic for example in every])
    scale = torch.full((len(COLUMNS),), VALUE_WEIGHT)
    scale[: len(CATEGORIES)] = scale[-len(POLARITY) :] = 1.0

    def epoch(luck: random.Random) -> list[Batch]:
        rest = luck.sample(range(len(always), len(every)), int(APPCORP_SHARE * len(sometimes)))
        return batched([(ids[place], place) for place in (*range(len(always)), *rest)], LABELS.batch, luck)

    def loss(told: dict[str, Tensor], places: list[int]) -> Tensor:
        rows = torch.tensor(places)
        each = binary_cross_entropy_with_logits(told["labels"], aims[rows], reduction="none")
        total = (each * weights[rows] * scale).sum()
        known = topics[rows] >= 0
        if known.any():
            total = total + cross_entropy(told["topics"][known], topics[rows][known], reduction="sum")
        return total / len(places)

    fit(network, epoch, loss, LABELS, say, checkpoint)


def vague_network() -> Network:
    """Make the network that a tower for vague words begins from."""
    return pretrained(Tower({"vague": 1}, each_token=True))


def _learn_vague(marked: Sequence[Marked], say: Callable[[str], None], network: Network, checkpoint: Path) -> None:
    items = []
    for sentence in marked:
        ids, firsts, words = _pieces(sentence)
        items.append((ids, (firsts, torch.from_numpy(targets(sentence)[words]).float())))

    def loss(told: dict[str, Tensor], batch: list[tuple[list[int], Tensor]]) -> Tensor:
        logits = told["vague"].squeeze(-1)
        aims, weights = torch.zeros_like(logits), torch.zeros_like(logits)
        for row, (firsts, own) in enumerate(batch):
            aims[row, firsts] = own
            weights[row, firsts] = 1.0
        each = binary_cross_entropy_with_logits(logits, aims, reduction="none")
        return (each * weights).sum() / len(batch)

    fit(network, lambda luck: batched(items, VAGUE.batch, luck), loss, VAGUE, say, checkpoint)


def out_of_fold(
    marked: Sequence[Marked],
    folds: int,
    mark: Callable[[int, list[Marked], list[Marked]], Marks],
    say: Callable[[str], None],
) -> tuple[Marks, float, dict[str, float]]:
    """Mark every sentence by what has not seen its document; return the marks, the best threshold and figures.

    `mark` is given the fold's number, what may be learnt from, and what is to be marked. In the figures each fold has
    the threshold that is best on the other folds.
    """
    documents = sorted({sentence.document for sentence in marked})
    random.Random(SEED).shuffle(documents)  # noqa: S311 - not for secrets
    fold_of = {document: place % folds for place, document in enumerate(documents)}
    marks: Marks = [np.zeros(0, dtype=np.float32)] * len(marked)
    for fold in range(folds):
        seen = [sentence for sentence in marked if fold_of[sentence.document] != fold]
        unseen = [place for place, sentence in enumerate(marked) if fold_of[sentence.document] == fold]
        for place, own in zip(unseen, mark(fold, seen, [marked[place] for place in unseen]), strict=True):
            marks[place] = own
    # From here on by word.
    sizes = [len(sentence.words) for sentence in marked]
    folds_of_words = np.repeat([fold_of[sentence.document] for sentence in marked], sizes)
    truth, values = np.concatenate([sentence.vague for sentence in marked]), np.concatenate(marks)

    def best_threshold(words: Any) -> float:
        return max(THRESHOLDS, key=lambda threshold: precision_recall_f1(truth[words], values[words] >= threshold)[2])

    chosen = np.concatenate([countable(sentence.words) for sentence in marked])
    for fold in range(folds):
        own_words = folds_of_words == fold
        chosen[own_words] &= values[own_words] >= best_threshold(~own_words)
    figures = vagueness_measures([sentence.vague for sentence in marked], np.split(chosen, np.cumsum(sizes)[:-1]))
    say(f"vague words, out of fold: {figures}")
    return marks, best_threshold(slice(None)), figures


@torch.no_grad()
def marks_of(network: nn.Module, many: Sequence[Marked]) -> Marks:
    """Return the probability of each word of each sentence, by its first piece."""
    ids, firsts, words = zip(*map(_pieces, many), strict=True)
    marks: Marks = [np.zeros(len(sentence.words), dtype=np.float32) for sentence in many]
    for batch in by_length(ids, MARKED_AT_ONCE):
        probabilities = torch.sigmoid(network(*padded([ids[place] for place in batch]))["vague"][:, :, 0]).numpy()
        for row, place in enumerate(batch):
            marks[place][words[place]] = probabilities[row, firsts[place]]
    return marks


def _pieces(sentence: Marked) -> tuple[list[int], list[int], list[int]]:
    """Return a sentence's tokens, the place of each word's first one, and which words these are."""
    encoding = tokenizer(WINDOW).encode(list(sentence.words), is_pretokenized=True)
    first: dict[int, int] = {}
    for place, word in enumerate(encoding.word_ids):
        if word is not None:
            first.setdefault(word, place)
    return encoding.ids, list(first.values()), list(first)


def targets(sentence: Marked) -> NDArray[np.float64]:
    """Return how vague each word is to count in training: 1 where two readers marked it, little where one did."""
    assert sentence.votes is not None, "training sentences have been read"
    return np.where(sentence.vague, 1.0, np.where(sentence.votes == 1, ONE_VOTE, 0.0))
