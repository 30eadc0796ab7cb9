"""Steps that are made once: each has a folder with its result and its counts, and is made again only if it must be.

A step is made in a folder beside its own, which takes its name when all is done; what is begun is gone on with. A
version is a hash of a step's options and of the versions of what it stands on.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COUNTS, BEGUN = "counts.json", "begun.json"
DIGITS = 12
# What only a stopped run needs; a checkpoint has some 180 MB.
CHECKPOINTS = "*.checkpoint"


@dataclass(frozen=True, slots=True)
class Made:
    """A step's result: its folder, its version and its counts."""

    folder: Path
    version: str
    counts: dict[str, Any]


class Work:
    """The folder in which steps leave what they made."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self.folder, self.say = folder, say

    def step(
        self,
        name: str,
        options: Mapping[str, Any],
        stands_on: Sequence[Made],
        make: Callable[[Path], dict[str, Any]],
    ) -> Made:
        """Give a step's result; `make` is called with the folder to write to if it is not there in this version."""
        version = _version(name, options, stands_on)
        folder = self.folder / name
        found = _read(folder / COUNTS)
        if found.get("version") == version:
            return Made(folder, version, found["counts"])
        begun = self.folder / f"{name}.begun"
        if _read(begun / COUNTS).get("version") == version:  # stopped at the very end
            return self._settled(begun, folder, version)
        before = _read(begun / BEGUN)
        if before.get("version") != version:
            shutil.rmtree(begun, ignore_errors=True)
            before = {"version": version, "seconds": 0.0}
        begun.mkdir(parents=True, exist_ok=True)
        _write(begun / BEGUN, before)
        self.say(f"{name}: {'going on' if before['seconds'] else 'making it'}")
        started = time.monotonic()
        try:
            counts = make(begun)
        finally:
            seconds = before["seconds"] + time.monotonic() - started
            _write(begun / BEGUN, {"version": version, "seconds": seconds})
        known = {"step": name, "version": version, "seconds": round(seconds, 1), "options": dict(options)}
        _write(begun / COUNTS, {**known, "counts": counts})
        self.say(f"{name}: {json.dumps(counts, default=str)}, {seconds:,.0f} seconds")
        return self._settled(begun, folder, version)

    def _settled(self, begun: Path, folder: Path, version: str) -> Made:
        """Give a step that is done its own folder."""
        for path in begun.rglob(CHECKPOINTS):
            path.unlink()
        (begun / BEGUN).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        begun.replace(folder)
        return Made(folder, version, _read(folder / COUNTS)["counts"])

    def seconds(self) -> dict[str, float]:
        """Say how long each step that is done took."""
        done = (path for path in self.folder.rglob(COUNTS) if path.parent.suffix != ".begun")
        every = sorted(done, key=lambda path: path.stat().st_mtime)
        return {str(path.parent.relative_to(self.folder)): float(_read(path)["seconds"]) for path in every}


def hash_of(*paths: Path) -> str:
    """Hash files, so that a step can tell that its data have changed; those that are not there count as such."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + (path.read_bytes() if path.is_file() else b"-"))
    return digest.hexdigest()[:DIGITS]


def _version(name: str, options: Mapping[str, Any], stands_on: Sequence[Made]) -> str:
    told = json.dumps([name, options, [one.version for one in stands_on]], sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:DIGITS]


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, told: Mapping[str, Any]) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps(told, indent=2, default=str) + "\n", encoding="utf-8")
    new.replace(path)
