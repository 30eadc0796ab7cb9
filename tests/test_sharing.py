from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from .sharing import cached_logits, make_once


class Tower:
    """A tower whose graph is a number that its tokens are multiplied by."""

    def __init__(self, graph):
        self._graph, self._base = np.array([graph]), self
        self._arrays = {"embeddings": np.array([0])}


def test_logits_are_computed_once_for_a_graph_and_tokens(tmp_path):
    computed = []

    def compute(tower, ids):
        computed.append((int(tower._graph[0]), ids))
        return tower._graph * np.array([ids], dtype=np.float32)

    first, again = (cached_logits(compute, tmp_path / "logits") for _ in range(2))
    for logits in (first, again):
        for tower in (Tower(2), Tower(3)):
            for ids in ([1, 2], [3]):
                expected = tower._graph * np.array([ids], dtype=np.float32)
                np.testing.assert_array_equal(logits(tower, ids), expected, strict=True)
    assert computed == [(2, [1, 2]), (2, [3]), (3, [1, 2]), (3, [3])]


def test_a_folder_is_filled_once_however_many_ask(tmp_path):
    filled = []

    def fill(folder):
        filled.append(folder)
        (folder / "file").write_text("whole")

    with ThreadPoolExecutor(8) as threads:
        folders = list(threads.map(lambda _: make_once(tmp_path, "folder", fill), range(16)))
    assert len(filled) == 1
    assert {folder / "file" for folder in folders} == {tmp_path / "folder" / "file"}
    assert (tmp_path / "folder" / "file").read_text() == "whole"
