"""Train SemVec: a classifier of all values with more than 20 annotations, whose hidden layer places texts (PriBot)."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold
from sklearn.neural_network import MLPClassifier

from smallprint.models import store
from smallprint.models.semvec import NAME
from smallprint.taxonomy import Label
from smallprint.train.reading import reader
from smallprint.train.spans import Span, spans

SEED = 1
FOLDS = 5
# PriBot's bound; with theirs 81 values were left.
MORE_THAN = 20
HIDDEN, EPOCHS, BATCH, HOLD = 128, 12, 128, 1e-3


def train(data: Path, where: Path, say: Callable[[str], None], folds: int = FOLDS) -> dict[str, Any]:
    """Train on OPP-115's annotated spans; write weights and card."""
    read, name = reader(where, say)
    marked = usable(spans(data))
    texts = sorted({span.text for span in marked})
    vectors = dict(zip(texts, read(texts), strict=True))
    rows = np.stack([vectors[span.text] for span in marked])
    truth = np.array([str(span.label) for span in marked])
    policies = np.array([span.policy for span in marked])
    say(f"{len(marked):,} spans of {len(set(truth))} values; vectors of {name}")
    seen, unseen = next(iter(GroupKFold(folds).split(rows, groups=policies)))
    share = float((_fit(rows[seen], truth[seen]).predict(rows[unseen]) == truth[unseen]).mean())
    model = _fit(rows, truth)
    arrays = {"weights": model.coefs_[0].astype(np.float16), "bias": model.intercepts_[0].astype(np.float32)}
    path = store.save(NAME, arrays, where)
    card = {
        "model": NAME,
        "version": store.version(NAME, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "vectors": name,
        "data": "OPP-115's annotated spans, without the test policies and what is kept for evaluation",
        "spans": len(marked),
        "values": len(set(truth)),
        f"right on one policy in {folds}, left out": round(share, 4),
        "seed": SEED,
        "bytes": path.stat().st_size,
    }
    (where / f"{NAME}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card


def usable(found: Iterable[Span]) -> list[Span]:
    """Keep the spans of values, those alone with more than 20."""
    every = [span for span in found if span.label.value is not None]
    counts: Counter[Label] = Counter(span.label for span in every)
    return [span for span in every if counts[span.label] > MORE_THAN]


def _fit(rows: Any, truth: Any) -> Any:
    model = MLPClassifier(HIDDEN, alpha=HOLD, batch_size=BATCH, max_iter=EPOCHS, random_state=SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # so many epochs were found to be enough
        return model.fit(rows, truth)
