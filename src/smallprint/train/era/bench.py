"""What every step is given: data, sizes, a seed, a folder in which each step is made once; and the variants of ERA.

A step is made in a folder beside its own, which takes its name when all is done; what is begun is gone on with. A
version is a hash of a step's options and of the versions of what it stands on.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from smallprint.datasets import privacyqa, smallprint_qa
from smallprint.files import whole_file
from smallprint.models import reader

GENERAL, ADAPTED, SIMCSE = MODELS = ("general", "adapted", "simcse")
READER = reader.NAME
WORK, SEED = "era.work", 1
# So many of what was found for a question are looked at.
DEFAULT_K = 10
COUNTS, BEGUN = "counts.json", "begun.json"
DIGITS = 12
# What only a stopped run needs; a checkpoint has some 180 MB.
CHECKPOINTS = "*.checkpoint"
# What makes a step's result in a folder, and returns counts.
Make = Callable[[Path], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of training the final reader, from a base model or from READER, which has learnt from all labelled pairs.

    `models` are those whose retrievers find sentences, and `common` the one whose filter all share, instead of their
    own. Two controls add nothing: `again` goes over as many labelled pairs as others have once more, `likewise` draws
    labelled pairs as others add theirs. What does not learn is the reader of all labelled pairs as it is.
    """

    name: str
    models: tuple[str, ...] = ()
    filtered: bool = True
    k: int = DEFAULT_K
    common: str = ""
    base: str = GENERAL
    learns: bool = True
    again: bool = False
    likewise: bool = False

    @property
    def slug(self) -> str:
        """The variant's name as that of a folder."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


GROWN_ERA = Variant("grown, ERA", MODELS, base=READER)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is read, trained on and measured; None is all there is. Sized for two cores, five minutes a training."""

    pages: int | None = None
    sentences: int | None = None
    masked: int = 60_000
    contrasted: int = 12_000
    kept_out: int = 500
    questions: int | None = None
    epochs: int = 2
    filter_pairs: int = 12_000
    pairs: int = 9_000
    nearest: int = 40  # sentences that are read with a question, of a policy of smallprint_qa
    measured: int | None = None
    final_epochs: int = 2
    final_pairs: int | None = None


SMALL = Sizes(
    pages=120, sentences=300, masked=32, contrasted=32, kept_out=8, questions=24, epochs=1, filter_pairs=64, pairs=64,
    nearest=6, measured=6, final_epochs=1, final_pairs=64,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StepResult:
    """A step's result: its folder, its version and its counts."""

    folder: Path
    version: str
    counts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bench:
    """The data, the folder of steps, what reports progress, sizes, and the seed of what precedes the final reader."""

    data: Path
    folder: Path
    say: Callable[[str], None]
    sizes: Sizes
    seed: int

    def step(self, name: str, options: Mapping[str, Any], stands_on: Sequence[StepResult], make: Make) -> StepResult:
        """Return a step's result; `make` is called with the folder to write to if it is not there in this version."""
        key = json.dumps([name, options, [result.version for result in stands_on]], sort_keys=True, default=str)
        version = hashlib.sha256(key.encode()).hexdigest()[:DIGITS]
        folder, begun = self.folder / name, self.folder / f"{name}.begun"
        if _read(folder / COUNTS).get("version") != version:
            if _read(begun / COUNTS).get("version") != version:  # else it was stopped at the very end
                self._make({"step": name, "version": version, "seconds": 0.0, "options": options}, begun, make)
            for path in (*begun.rglob(CHECKPOINTS), begun / BEGUN):
                path.unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
            begun.replace(folder)
        return StepResult(folder, version, _read(folder / COUNTS)["counts"])

    def _make(self, facts: dict[str, Any], begun: Path, make: Make) -> None:
        name, before = facts["step"], _read(begun / BEGUN)
        if before.get("version") != facts["version"]:
            shutil.rmtree(begun, ignore_errors=True)
            before = {"version": facts["version"], "seconds": 0.0}
        begun.mkdir(parents=True, exist_ok=True)
        _write(begun / BEGUN, before)
        self.say(f"{name}: {'going on' if before['seconds'] else 'making it'}")
        started = time.monotonic()
        try:
            counts = make(begun)
        finally:
            seconds = before["seconds"] + time.monotonic() - started
            _write(begun / BEGUN, before | {"seconds": seconds})
        _write(begun / COUNTS, facts | {"seconds": round(seconds, 1), "counts": counts})
        self.say(f"{name}: {json.dumps(counts, default=str)}, {seconds:,.0f} seconds")

    def labels(self) -> str:
        """Return a hash of the labelled data that is trained and measured on."""
        own = [self.data / smallprint_qa.FOLDER / name for name in (smallprint_qa.POLICIES, smallprint_qa.QUESTIONS)]
        names = ("segments.tsv", "questions.tsv", "qrels_any_relevant.tsv")
        return hash_of(self.data / "exclude.txt", *own, *(self.data / privacyqa.DEVELOPMENT / name for name in names))


@cache
def collection(data: Path) -> smallprint_qa.Collection:
    """Return smallprint_qa, read once: it takes seconds, and most steps need it."""
    return smallprint_qa.load(data / smallprint_qa.FOLDER)


def hash_of(*paths: Path) -> str:
    """Hash files, so that a step can tell that its data have changed; those that are not there count as such."""
    parts = (path.name.encode() + (path.read_bytes() if path.is_file() else b"-") for path in paths)
    return hashlib.sha256(b"".join(parts)).hexdigest()[:DIGITS]


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _write(path: Path, content: Mapping[str, Any]) -> None:
    with whole_file(path) as part:
        part.write_text(json.dumps(content, indent=2, default=str) + "\n", encoding="utf-8")
