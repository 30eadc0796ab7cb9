"""The engines that the contract is held to."""

from __future__ import annotations

import pytest

from smallprint.index.embedded import EmbeddedEngine

# How each kind of engine opens the index of a name in a folder, making it if it is not there.
ENGINES = {"embedded": lambda folder, name: EmbeddedEngine(folder / name, create=True)}


@pytest.fixture(params=ENGINES)
def open_again(request, tmp_path):
    """Give a function that opens an index by name, as another process would."""
    return lambda name="index": ENGINES[request.param](tmp_path, name)


@pytest.fixture
def engine(open_again):
    return open_again()
