"""What the transformers share: MiniLM's tokenizer and embeddings, on which each task has a tower of its own, in ONNX.

Texts go through one at a time: in int8 a batch shares one scale, and a score must not depend on its neighbours. Several
are worked on side by side, since a session lets other threads run while it computes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store

# The model whose file holds the embeddings and the tokenizer.
HOLDER = "encoder"
MOST_THREADS = 4
Text = TypeVar("Text")
Result = TypeVar("Result")


class Base:
    """Tokens and embeddings; made in each process that needs it, since a session cannot be shared between processes."""

    def __init__(self, where: Path | None = None) -> None:
        self._arrays = store.load(HOLDER, where, only=("tokenizer", "embeddings"))

    def states(self, ids: list[int]) -> NDArray[np.float32]:
        """Return the embeddings of one text's tokens, as a batch of one."""
        (states,) = self._embeddings.run(None, {"tokens": np.array([ids], dtype=np.int64)})
        return states  # type: ignore[no-any-return]

    @cached_property
    def tokenizer(self) -> Any:
        """The tokenizer; it neither pads nor cuts."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self._arrays["tokenizer"].tobytes().decode())
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _embeddings(self) -> Any:
        return open_session(self._arrays["embeddings"])


class Tower:
    """A task's layers and its head."""

    def __init__(self, base: Base, graph: NDArray[np.uint8]) -> None:
        self._base, self._graph = base, graph

    def logits(self, ids: list[int]) -> NDArray[np.float32]:
        """Return what the head says of one text: a row a token where it speaks of tokens, else one row."""
        (logits,) = self._session.run(None, {"states": self._base.states(ids)})
        return logits[0]  # type: ignore[no-any-return]

    @cached_property
    def width(self) -> int:
        """How many logits the head has."""
        return int(self._session.get_outputs()[0].shape[-1])

    @cached_property
    def _session(self) -> Any:
        return open_session(self._graph)


def open_session(graph: NDArray[np.uint8]) -> Any:
    """Return an onnxruntime session for a graph, on one thread."""
    import onnxruntime  # takes long to import, and most commands have no need of it

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # texts are worked on side by side
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph.tobytes(), options, providers=["CPUExecutionProvider"])


def map_texts(function: Callable[[Text], Result], texts: Sequence[Text]) -> list[Result]:
    """Return the result for each text, in order, computed on all cores up to four."""
    return [function(text) for text in texts] if len(texts) < 2 else list(_pool(os.getpid()).map(function, texts))


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """Return the threads of this process: a forked one has none of its parent's."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ThreadPoolExecutor(min(MOST_THREADS, cores), thread_name_prefix="smallprint-model")
