"""What the transformers share: MiniLM's tokenizer and embeddings, on which each task has a tower of its own.

Texts go through one at a time: in int8 a batch shares one scale, and a score must not depend on its neighbours.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.models import store
from smallprint.models.sessions import open_session

# The model whose file holds the embeddings and the tokenizer.
HOLDER = "encoder"


class Base:
    """Tokens and embeddings; made in each process that needs it, since a session cannot be shared between processes."""

    def __init__(self, where: Path | None = None) -> None:
        self._arrays = store.load(HOLDER, where, only=("tokenizer", "embeddings")).arrays

    def states(self, ids: list[int]) -> NDArray[np.float32]:
        """Give the embeddings of one text's tokens, as a batch of one."""
        (found,) = self._embeddings.run(None, {"tokens": np.array([ids], dtype=np.int64)})
        return found  # type: ignore[no-any-return]

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
        """Give what the head says of one text: a row a token where it speaks of tokens, else one row."""
        (found,) = self._session.run(None, {"states": self._base.states(ids)})
        return found[0]  # type: ignore[no-any-return]

    @cached_property
    def width(self) -> int:
        """How many logits the head has."""
        return int(self._session.get_outputs()[0].shape[-1])

    @cached_property
    def _session(self) -> Any:
        return open_session(self._graph)
