"""What the processes of one test run share: folders that one of them fills, and what the transformers computed."""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
from functools import wraps
from weakref import WeakKeyDictionary

import numpy as np


def make_once(shared, name, fill):
    """Return a folder that the first process to ask filled by `fill(folder)`; the others wait for it."""
    folder, unfinished = shared / name, shared / f"{name}.unfinished"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            unfinished.mkdir()
            fill(unfinished)
            unfinished.rename(folder)
    return folder


def cached_logits(compute, folder):
    """Return `Tower.logits` with a cache of files.

    Hundreds of tests put the same questions to the same sample, and a tower gives the same logits for the same tokens:
    of 48 s of processor time for tests/api/test_ask.py and tests/hostile/test_pages.py, 17 s went into computing again.
    """
    folder.mkdir(exist_ok=True)
    digests = WeakKeyDictionary()

    def digest(tower):
        if tower not in digests:
            graphs = tower._graph.tobytes() + tower._base._arrays["embeddings"].tobytes()
            digests[tower] = hashlib.sha256(graphs).digest()
        return digests[tower]

    @wraps(compute)
    def logits(tower, ids):
        path = folder / hashlib.sha256(digest(tower) + np.array(ids).tobytes()).hexdigest()
        try:
            return np.load(path)
        except FileNotFoundError:
            computed = compute(tower, ids)
        unfinished = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        with unfinished.open("wb") as file:
            np.save(file, computed)
        unfinished.rename(path)
        return computed

    return logits
