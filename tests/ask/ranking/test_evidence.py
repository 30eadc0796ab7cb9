from __future__ import annotations

import numpy as np

from smallprint.ask.ranking.evidence import packed, unpacked


def test_vectors_in_bytes_point_where_they_did():
    own = np.array([[3.0, 1.0, 0.5], [0.1, 0.0, 7.0]], dtype=np.float32)
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    rows = packed(own)
    assert rows.dtype == np.int8
    assert np.abs(rows).max(axis=1).tolist() == [127, 127]
    assert np.allclose(unpacked(rows), own, atol=0.01)


def test_no_sentences_have_no_vectors():
    none = np.zeros((0, 4), dtype=np.float32)
    assert packed(none).shape == unpacked(packed(none)).shape == (0, 4)
