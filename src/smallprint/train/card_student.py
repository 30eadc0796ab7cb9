"""Train the card student: it learns from people, and from what the card's readers say of these and other sentences.

The rule from its stances to verdicts is fitted to what students say of policies that they have not seen.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from smallprint.ask.verdict.card import stances_of
from smallprint.card import CODES, STANCES
from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.card import NAME as CARD
from smallprint.models.card import TOWER, CardReader, CardTower
from smallprint.models.card_student import BITS, FILTERS, HIDDEN, NAME, REACH, WIDTH, places, rows_of
from smallprint.models.finder import NAME as FINDER
from smallprint.models.finder import Finder
from smallprint.models.reader import Read
from smallprint.models.vectors import Vectors
from smallprint.records import Sentence
from smallprint.text import hashed
from smallprint.train import verdicts
from smallprint.train.card import OUT_OF_FOLD
from smallprint.train.card_material import DATA, UNKNOWN, Unit, invented, learnt_from, units
from smallprint.train.frame import split, write_model
from smallprint.train.sentences import unlabelled_units

SEED, FOLDS = 1, 3
PAGES = 300
EPOCHS, BATCH, RATE, DECAY, DROPPED = 4, 64, 3e-3, 1e-3, 0.2
# Sentences of like length are read together, drawn from so many batches.
POOLED = 50
# How much people's labels count beside the teacher's word: where readers named a sentence for what it says, where they
# named none, and in twins, of which all is known on their own question.
NAMED, UNNAMED, TWIN = 0.4, 0.2, 0.9
# How much a twin counts on its own question, and on others, where the teacher alone speaks.
TWIN_WEIGHT, ELSEWHERE = 2.0, 0.3
# Word vectors that the student begins with: how many, and how long they are.
KNOWN, SPREAD = 20_000, 0.3
CHUNK = 4096

Words = Sequence[NDArray[np.int64]]


def teacher_stances(sentences: Sequence[Sentence], where: Path) -> NDArray[np.float32]:
    """Return the mean of the probabilities of stances that the card's readers give to sentences standing alone."""
    vectors = Finder(where=where).vectors([sentence.under_heading for sentence in sentences])
    reads = [Read(own.text, own.headings[-1] if own.headings else "", own.lead_in) for own in sentences]
    return _mean(CardReader(where).read(vectors), CardTower(where=where).read(reads))


def out_of_fold(where: Path) -> NDArray[np.float32]:
    """Return the same for the labelled sentences, by readers that had not seen their policies."""
    files = [where / f"{name}.work" / OUT_OF_FOLD for name in (CARD, TOWER)]
    for path in files:
        if not path.is_file():
            raise NoModel(f"{path} is not there; train 'card' and 'card-tower' first, into the same folder")
    return _mean(*(np.load(path).reshape(-1, len(CODES), len(STANCES)) for path in files))


def teacher_version(where: Path) -> str:
    """Return the version of whatever the teacher's stances come from."""
    return "+".join(store.version(name, where) for name in (CARD, TOWER, FINDER))


def _mean(of_vectors: NDArray[np.float32], of_words: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((stances_of(of_vectors) + stances_of(of_words)) / 2, dtype=np.float32)


def train(data: Path, where: Path, say: Callable[[str], None], pages: int = PAGES) -> dict[str, Any]:
    """Let the card reader speak, train students out of fold for the rule and one on all; write weights and card."""
    labels = learnt_from(data)
    seen, twins, plain = units(labels), invented(labels.contrast), unlabelled_units(data, pages, SEED)
    say(f"{len(seen):,} sentences of {len(labels.policies)} policies, {len(twins):,} twins, {len(plain):,} unlabelled")
    sentences = [*(unit.sentence for unit in (*seen, *twins)), *plain]
    taught = np.concatenate([out_of_fold(where), _taught(sentences[len(seen) :], where, say)])
    words = [places(sentence) for sentence in sentences]
    aims, weights = mixed([*seen, *twins], taught, len(seen))
    begin, others = initial(Vectors(where)), np.arange(len(seen), len(sentences))

    def fitted(rows: NDArray[np.intp]) -> Student:
        chosen = np.concatenate([rows, others])
        return fit([words[row] for row in chosen.tolist()], aims[chosen], weights[chosen], begin)

    logits = np.zeros((len(seen), len(CODES) * len(STANCES)), dtype=np.float32)
    for number, (known, unseen) in enumerate(split([unit.policy for unit in seen], FOLDS, SEED), 1):
        logits[unseen] = told(fitted(known), [words[row] for row in unseen.tolist()])
        say(f"fold {number} of {FOLDS}")
    stances = stances_of(logits.reshape(1, len(seen), len(CODES), len(STANCES)))
    rule, figures = verdicts.fit(labels, stances, say)
    student = fitted(np.arange(len(seen)))
    facts = {
        "data": f"{DATA}; what the card's readers say of {len(plain):,} sentences of {pages:,} DMOZ pages",
        "teachers": teacher_version(where),
        "seed": SEED,
        "sentences": len(seen),
        "twins": len(twins),
        f"{verdicts.FOLDS} folds by policy": {name: round(value, 4) for name, value in figures.items()},
    }
    return write_model(NAME, where, packed(student) | rule, facts)


class Student(nn.Module):
    """The student in torch: vectors of words, a convolution's strongest responses and their mean, one hidden layer."""

    def __init__(self, begin: NDArray[np.float32]) -> None:
        super().__init__()
        self.vectors = nn.Embedding.from_pretrained(  # type: ignore[no-untyped-call]
            torch.from_numpy(begin.copy()), freeze=False, padding_idx=0
        )
        self.filters = nn.Conv1d(WIDTH, FILTERS, 2 * REACH + 1, padding=REACH)
        self.hidden, self.out = nn.Linear(FILTERS + WIDTH, HIDDEN), nn.Linear(HIDDEN, len(CODES) * len(STANCES))
        self.drop = nn.Dropout(DROPPED)
        with torch.no_grad():
            self.out.bias.view(len(CODES), len(STANCES))[:] = torch.tensor([3.0, 0.0, 0.0, 0.0])

    def forward(self, words: Tensor) -> Tensor:
        """Return the logits of stances for sentences, a row of words each, with zeros behind the shorter ones."""
        is_word = (words > 0).float().unsqueeze(1)
        vectors = self.drop(self.vectors(words)).transpose(1, 2)
        strongest = (torch.relu(self.filters(vectors)) * is_word).amax(dim=2)
        mean = vectors.sum(dim=2) / is_word.sum(dim=2).clamp(min=1)
        hidden = torch.relu(self.hidden(self.drop(torch.cat([strongest, mean], dim=1))))
        logits: Tensor = self.out(self.drop(hidden))
        return logits


def mixed(
    people: Sequence[Unit], taught: NDArray[np.float32], seen: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the stances that a student aims at, and how much each counts; `people` go first, twins from `seen` on.

    What people say is mixed into what the teacher says. A sentence that nobody named in a policy that is not silent may
    speak all the same, so there people count for less.
    """
    stances = np.stack([unit.stances for unit in people])
    is_unnamed = (stances == 0) & ~np.stack([unit.is_silent for unit in people])
    share = np.where(is_unnamed, UNNAMED, NAMED)
    share[seen:] = TWIN
    share[stances == UNKNOWN] = 0.0
    own = np.eye(len(STANCES), dtype=np.float32)[np.maximum(stances, 0)]
    aims = taught.copy()
    aims[: len(people)] += share[..., None].astype(np.float32) * (own - aims[: len(people)])
    weights = np.ones(taught.shape[:2], dtype=np.float32)
    weights[seen : len(people)] = np.where(stances[seen:] == UNKNOWN, ELSEWHERE, TWIN_WEIGHT)
    return aims, weights


def initial(vectors: Vectors) -> NDArray[np.float32]:
    """Return the table of vectors to begin with: policy word vectors in fewer dimensions; row 0 stays nothing."""
    known = list(vectors.words[:KNOWN])
    rows = vectors.vectors(known)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    rows -= rows.mean(axis=0)
    directions = np.linalg.svd(rows[: KNOWN // 4], full_matrices=False)[2]
    rows = rows @ directions[:WIDTH].T
    table = np.random.default_rng(SEED).normal(0, SPREAD / 3, ((1 << BITS) + 1, WIDTH)).astype(np.float32)
    # Of words that share a row the commonest has it.
    table[rows_of(hashed(known))[::-1]] = (rows / rows.std() * SPREAD)[::-1]
    table[0] = 0
    return table


def fit(words: Words, aims: NDArray[np.float32], weights: NDArray[np.float32], begin: NDArray[np.float32]) -> Student:
    """Fit a student to sentences, to their stances by question, and to how much each of these counts."""
    torch.manual_seed(SEED)
    student, luck = Student(begin), random.Random(SEED)  # noqa: S311 - not for secrets
    targets, counts = torch.from_numpy(aims), torch.from_numpy(weights)
    optimizer = torch.optim.AdamW(student.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=EPOCHS * -(-len(words) // BATCH))
    for _ in range(EPOCHS):
        for rows in _batches(words, luck):
            logits = student(_padded([words[row] for row in rows])).view(-1, len(CODES), len(STANCES))
            each = -(targets[rows] * logits.log_softmax(dim=-1)).sum(dim=-1)
            loss = (each * counts[rows]).sum() / len(rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    # A word that nobody taught us says nothing.
    met = torch.zeros(len(begin), 1)
    met[torch.from_numpy(np.concatenate(words))] = 1.0
    with torch.no_grad():
        student.vectors.weight.mul_(met)
    return student.eval()


def _batches(words: Words, luck: random.Random) -> list[list[int]]:
    """Return rows in batches of like length, in a random order."""
    order = list(range(len(words)))
    luck.shuffle(order)
    batches = []
    for start in range(0, len(order), POOLED * BATCH):
        pool = sorted(order[start : start + POOLED * BATCH], key=lambda row: len(words[row]))
        batches += [pool[at : at + BATCH] for at in range(0, len(pool), BATCH)]
    luck.shuffle(batches)
    return batches


def _padded(words: Words) -> Tensor:
    table = np.zeros((len(words), max(1, *map(len, words))), dtype=np.int64)
    for row, own in zip(table, words, strict=True):
        row[: len(own)] = own
    return torch.from_numpy(table)


@torch.no_grad()
def told(student: Student, words: Words) -> NDArray[np.float32]:
    """Return the logits of stances for sentences."""
    logits = [student(_padded(words[start : start + BATCH])).numpy() for start in range(0, len(words), BATCH)]
    return np.concatenate(logits)


def packed(student: Student) -> dict[str, NDArray[Any]]:
    """Keep the vectors in a byte a number, each column with a step of its own, and layers in half precision."""
    vectors = student.vectors.weight.detach().numpy()[1:]
    step = np.maximum(np.abs(vectors).max(axis=0), 1e-6) / 127
    arrays: dict[str, NDArray[Any]] = {
        "vectors": np.rint(vectors / step).astype(np.int8),
        "step": step.astype(np.float32),
        "filters": student.filters.weight.detach().permute(2, 1, 0).reshape(-1, FILTERS).numpy().astype(np.float16),
    }
    for name, layer in (("hidden", student.hidden), ("out", student.out)):
        arrays[name] = layer.weight.detach().numpy().T.astype(np.float16)
    for name, part in (("filters", student.filters), ("hidden", student.hidden), ("out", student.out)):
        assert part.bias is not None
        arrays[f"{name}_bias"] = part.bias.detach().numpy().astype(np.float32)
    return arrays


def _taught(sentences: Sequence[Sentence], where: Path, say: Callable[[str], None]) -> NDArray[np.float32]:
    """Let the teacher speak, in chunks that a stopped run does not repeat."""
    work, version = where / f"{NAME}.work", teacher_version(where)
    work.mkdir(parents=True, exist_ok=True)
    chunks = []
    for start in range(0, len(sentences), CHUNK):
        own = sentences[start : start + CHUNK]
        key = zlib.crc32("\n".join(sentence.under_heading for sentence in own).encode())
        path = work / f"{version}-{key:08x}.npy"
        if not path.is_file():
            np.save(path, teacher_stances(own, where).astype(np.float16))
            say(f"read {start + len(own):,} of {len(sentences):,}")
        chunks.append(np.load(path).astype(np.float32))
    return np.concatenate(chunks)
