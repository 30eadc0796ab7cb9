"""Train the vagueness student: what readers marked, and what the encoder marks in unlabelled candidate sentences."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from smallprint.annotate.annotating import WINDOWS
from smallprint.annotate.vagueness import LONGEST, WORD, is_candidate
from smallprint.errors import NoModel
from smallprint.evaluate.vagueness import Marked, sentences
from smallprint.models import store
from smallprint.models.encoder import NAME
from smallprint.models.logistic import sigmoid
from smallprint.models.windows import BITS, features
from smallprint.text import sentences as split
from smallprint.train import encoder
from smallprint.train.passages import unlabelled

SEED = 1
PAGES, SENTENCES = 300, 3000
# How tightly the weights are held, and what the encoder's word is worth beside a reader's.
LOOSENESS, TEACHER_WEIGHT = 0.3, 0.5

Rows = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]  # features, targets, weights


def train(data: Path, where: Path, say: Callable[[str], None], folds: int = 5) -> dict[str, Any]:
    """Train on all documents; the figures are those of students that, like their teachers, had not seen the fold."""
    work = where / f"{NAME}.work"
    if not (work / "vague.pt").is_file():
        raise NoModel(f"{work} has no encoder to learn from; run 'smallprint train encoder' first")
    marked = [one for one in sentences(data / "labelled" / "vagueness" / "train.json") if one.words]
    fold_of = encoder.folds_by_document(marked, folds)
    plain = candidates(data)
    say(f"{len(plain):,} unlabelled candidate sentences")
    marks = [np.zeros(len(one.words), dtype=np.float32) for one in marked]
    for fold in range(folds):
        teacher = encoder.vague_network(work, f"vague-{fold + 1}-of-{folds}.pt")
        weights, bias = _fit([one for one in marked if fold_of[one.document] != fold], _taught(teacher, plain))
        for place, one in enumerate(marked):
            if fold_of[one.document] == fold:
                marks[place] = _mark(one.words, weights, bias)
        say(f"fold {fold + 1} of {folds}")
    threshold, figures = encoder.judged(marked, marks, fold_of)
    say(f"vague words, out of fold: {figures}")
    weights, bias = _fit(marked, _taught(encoder.vague_network(work, "vague.pt"), plain))
    step = np.abs(weights).max() / 127
    path = store.save(WINDOWS, {
        "weights": np.rint(weights / step).astype(np.int8),
        "scale": np.array(step, dtype=np.float32),
        "bias": np.array(bias, dtype=np.float32),
        "threshold": np.array(threshold, dtype=np.float32),
    }, where)  # fmt: skip
    card = {
        "model": WINDOWS,
        "version": store.version(WINDOWS, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "data": f"vagueness/train.json (79 documents); the encoder's marks in {len(plain):,} sentences of DMOZ pages",
        "seed": SEED,
        "bytes": path.stat().st_size,
        "vagueness": {f"{folds} folds by document, threshold chosen on the other folds": figures},
        "threshold": threshold,
    }
    (where / f"{WINDOWS}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card


def candidates(data: Path) -> list[Marked]:
    """Give unlabelled sentences with a cue word."""
    found = set()
    for text in unlabelled(data, PAGES, SEED + 1):
        found |= {sentence for span in split(text) if is_candidate(sentence := text[span.start : span.end])}
    drawn = random.Random(SEED).sample(sorted(found), min(SENTENCES, len(found)))  # noqa: S311 - not for secrets
    return [Marked("", "", tuple(WORD.findall(sentence)[:LONGEST]), None) for sentence in drawn]


def _taught(teacher: torch.nn.Module, plain: Sequence[Marked]) -> Rows:
    marks = np.concatenate(encoder.marks_of(teacher, plain)).astype(np.float64)
    return np.concatenate([features(one.words) for one in plain]), marks, np.full(len(marks), TEACHER_WEIGHT)


def _fit(marked: Sequence[Marked], taught: Rows) -> tuple[NDArray[np.float64], float]:
    """Fit a logistic regression to probabilities: each word counts as vague and as not, by how likely it is."""
    from scipy.sparse import csr_matrix, vstack
    from sklearn.linear_model import LogisticRegression

    own = np.concatenate([encoder.targets(one) for one in marked])
    places = np.concatenate([*(features(one.words) for one in marked), taught[0]])
    aims = np.concatenate([own, taught[1]])
    trust = np.concatenate([np.ones(len(own)), taught[2]])
    count, width = places.shape
    matrix = csr_matrix(
        (np.ones(count * width, dtype=np.float32), places.ravel(), np.arange(0, count * width + 1, width)),
        shape=(count, 1 << BITS),
    )
    yes, no = aims > 0, aims < 1
    fitted = LogisticRegression(C=LOOSENESS, max_iter=300).fit(
        vstack([matrix[yes], matrix[no]]),
        np.concatenate([np.ones(yes.sum()), np.zeros(no.sum())]),
        sample_weight=np.concatenate([(trust * aims)[yes], (trust * (1 - aims))[no]]),
    )
    return fitted.coef_[0], float(fitted.intercept_[0])


def _mark(words: Sequence[str], weights: NDArray[np.float64], bias: float) -> NDArray[np.float32]:
    scores = weights[features(words)].sum(axis=1) + bias
    return sigmoid(scores)
