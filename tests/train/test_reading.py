from __future__ import annotations

import sys

import numpy as np
import pytest

from smallprint.models import store
from smallprint.models.towers import HOLDER
from smallprint.train import reading
from smallprint.train.reading import UNTRAINED, reader


class Finder:
    """Says where it and its embeddings were taken from."""

    def __init__(self, base, where):
        self.taken = (base, where)

    def vectors(self, texts):
        return [self.taken for _ in texts]


@pytest.fixture
def folders(tmp_path, monkeypatch):
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    for folder in (own, shipped):
        folder.mkdir()
    monkeypatch.setattr(store, "folder", lambda: shipped)
    monkeypatch.setattr(reading, "Finder", Finder)
    monkeypatch.setattr(reading, "Base", lambda where: where)
    monkeypatch.setattr(reading, "_untrained", lambda: "what is untrained")
    return own, shipped


def save(name, where):
    store.save(name, {"vector": np.zeros(1)}, where)


def test_the_finder_in_the_folder_comes_first(folders):
    own, shipped = folders
    save("finder", own)
    save("finder", shipped)
    read, name = reader(own, pytest.fail)
    assert name == f"finder {store.version('finder', own)}"
    assert read(["one"]) == [(None, own)]  # with the shipped embeddings
    save(HOLDER, own)
    assert reader(own, pytest.fail)[0](["one"]) == [(own, own)]


def test_else_the_shipped_one(folders):
    own, shipped = folders
    save("finder", shipped)
    save(HOLDER, shipped)
    assert reader(own, pytest.fail)[0](["one"]) == [(shipped, shipped)]


def test_without_any_it_says_so(folders):
    said = []
    assert reader(folders[0], said.append) == ("what is untrained", UNTRAINED)
    assert said == [f"no finder is trained yet, so vectors are of {UNTRAINED}; train again when there is one"]


def test_reading_needs_no_torch():
    assert reading.__name__ in sys.modules
    assert "torch" not in vars(reading)
