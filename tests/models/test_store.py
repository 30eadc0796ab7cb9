from __future__ import annotations

import hashlib
import io
import json

import numpy as np
import pytest

from smallprint.errors import NoModel
from smallprint.models.store import MANIFEST, folder, load, save, version

ARRAYS = {
    "weights": np.arange(6, dtype=np.float32).reshape(2, 3),
    "bias": np.float64(0.5),
    "names": np.array(["a", "bé"]),
}


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def enter(where, name: str, content: bytes) -> None:
    (where / f"{name}.npz").write_bytes(content)
    (where / MANIFEST).write_text(json.dumps({name: hashlib.sha256(content).hexdigest()}), encoding="utf-8")


def test_what_is_saved_is_loaded(tmp_path):
    path = save("toy", ARRAYS, tmp_path / "new" / "weights")
    arrays = load("toy", path.parent)
    assert version("toy", path.parent) == hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)


def test_models_stand_side_by_side_and_are_replaced(tmp_path):
    save("one", {"x": np.zeros(1)}, tmp_path)
    save("two", {"x": np.ones(1)}, tmp_path)
    save("one", {"x": np.full(1, 2.0)}, tmp_path)
    assert [load(name, tmp_path)["x"].tolist() for name in ("one", "two")] == [[2.0], [1.0]]
    assert sorted(path.name for path in tmp_path.iterdir()) == [MANIFEST, "one.npz", "two.npz"]


def test_a_model_nobody_made(tmp_path):
    with pytest.raises(NoModel, match=r"^no model 'toy' in .*; run 'smallprint train toy'$"):
        load("toy", tmp_path)
    save("other", ARRAYS, tmp_path)
    with pytest.raises(NoModel, match="no model 'toy'"):
        load("toy", tmp_path)


def test_a_file_that_is_missing(tmp_path):
    save("toy", ARRAYS, tmp_path).unlink()
    with pytest.raises(NoModel, match=r"toy\.npz is missing; run 'smallprint train toy'"):
        load("toy", tmp_path)


@pytest.mark.parametrize(
    "spoil", [lambda c: c + b"\0", lambda c: c[:-1], lambda c: b"", lambda c: c[:9] + b"\xff" + c[10:]]
)
def test_a_file_that_is_not_the_one_measured(tmp_path, spoil):
    path = save("toy", ARRAYS, tmp_path)
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(NoModel, match=r"toy\.npz is not the file the manifest names"):
        load("toy", tmp_path)


def test_nothing_is_unpickled(tmp_path):
    mark = tmp_path / "mark"
    buffer = io.BytesIO()
    np.savez(buffer, x=np.array([Touch(mark)], dtype=object))
    enter(tmp_path, "toy", buffer.getvalue())
    with pytest.raises((NoModel, ValueError), match=r"(?i)object arrays|pickle"):
        load("toy", tmp_path)
    assert not mark.exists()


def test_a_bare_pickle_is_refused(tmp_path):
    import pickle

    mark = tmp_path / "mark"
    enter(tmp_path, "toy", pickle.dumps(Touch(mark)))
    with pytest.raises((NoModel, ValueError), match=r"(?i)pickle"):
        load("toy", tmp_path)
    assert not mark.exists()


def test_the_shipped_weights_are_those_of_the_manifest():
    names = json.loads((folder() / MANIFEST).read_text(encoding="utf-8"))
    assert sorted(names) == sorted(path.stem for path in folder().glob("*.npz"))
    assert all(load(name) for name in names)
