"""What turns texts into vectors while heads are trained: the finder, or where none is trained yet what it begins as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.finder import NAME, Finder
from smallprint.models.towers import HOLDER, Base

Read = Callable[[Sequence[str]], NDArray[np.float32]]
UNTRAINED = "the untrained all-MiniLM-L6-v2"


def reader(where: Path, say: Callable[[str], None]) -> tuple[Read, str]:
    """Give what reads texts, and its name: the finder in a folder, else the shipped one, else an untrained one."""
    for folder in (where, store.folder()):
        try:
            version = store.version(NAME, folder)
        except NoModel:
            continue
        holder = folder if (folder / f"{HOLDER}.npz").is_file() else None
        return Finder(Base(holder), folder).vectors, f"{NAME} {version}"
    say(f"no finder is trained yet, so vectors are of {UNTRAINED}; train again when there is one")
    return _untrained(), UNTRAINED


def _untrained() -> Read:
    from smallprint.train.fitting import vectors
    from smallprint.train.network import Tower, pretrained, tokenizer

    network, cut = pretrained(Tower({}, each_token=True)), tokenizer()
    return lambda texts: vectors(network, [cut.encode(text, add_special_tokens=False).ids for text in texts])
