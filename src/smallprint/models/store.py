"""Where weights lie, and that they are the ones that were measured: each is loaded by name and checked by hash."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.errors import NoModel

MANIFEST = "manifest.json"
VERSION_DIGITS = 12


def folder() -> Path:
    """Return where the shipped weights are."""
    return Path(str(resources.files("smallprint.models") / "weights"))


def load(name: str, where: Path | None = None, only: tuple[str, ...] = ()) -> dict[str, NDArray[Any]]:
    """Load a model's arrays, all or some; raises NoModel if they are missing or not the ones the manifest names."""
    where = where or folder()
    expected = _hash(name, where)
    path, remedy = where / f"{name}.npz", f"run 'smallprint train {name}' or install Smallprint again"
    try:
        content = path.read_bytes()
    except OSError:
        raise NoModel(f"{path} is missing; {remedy}") from None
    if hashlib.sha256(content).hexdigest() != expected:
        raise NoModel(f"{path} is not the file the manifest names; {remedy}")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return {key: arrays[key] for key in only or arrays.files}
    except (ValueError, OSError, KeyError, zipfile.BadZipFile) as error:
        raise NoModel(f"{path} lacks arrays ({error}); {remedy}") from None


def version(name: str, where: Path | None = None) -> str:
    """Return a model's version, the start of its hash."""
    return _hash(name, where or folder())[:VERSION_DIGITS]


def save(name: str, arrays: dict[str, NDArray[Any]], where: Path) -> Path:
    """Write a model's arrays and enter their hash in the manifest."""
    where.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]  # numpy's stub wants the flag first
    path = where / f"{name}.npz"
    path.write_bytes(buffer.getvalue())
    manifest = _manifest(where)
    manifest[name] = hashlib.sha256(buffer.getvalue()).hexdigest()
    (where / MANIFEST).write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return path


def _hash(name: str, where: Path) -> str:
    manifest = _manifest(where)
    if name not in manifest:
        raise NoModel(f"no model {name!r} in {where}; run 'smallprint train {name}'")
    return manifest[name]


def _manifest(where: Path) -> dict[str, str]:
    path = where / MANIFEST
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError:
        raise NoModel(f"{path} is damaged; install Smallprint again") from None
