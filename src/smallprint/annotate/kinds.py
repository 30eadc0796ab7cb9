"""What a kind of annotation is: who makes it, how it is stored, and what of it can be filtered by.

Each kind is a module of this room with a record `KIND`; `registry.py` lists them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Generic, Literal, TypeVar

from smallprint.ask.model_set import kit
from smallprint.models import card, card_student, store, verdicts
from smallprint.models.encoder import Encoder
from smallprint.models.labels import STUDENT, student
from smallprint.models.windows import Windows
from smallprint.records import Document

Quality = Literal["fast", "full"]
Content = TypeVar("Content")
ENCODER, WINDOWS, FINDER = "encoder", "vagueness-student", "finder"
CARD, TOWER, CARD_STUDENT, RULE = card.NAME, card.TOWER, card_student.NAME, verdicts.NAME


@dataclass(frozen=True, slots=True)
class Annotator:
    """Who makes annotations of a kind: a model by its name and version."""

    kind: str
    model: str
    version: str
    # The date of an annotation that was stored; None if it was stored before dates were.
    made_on: str | None = field(default=None, compare=False)


def to_json(plain: Any) -> bytes:
    """Write lists, dictionaries, numbers and strings in the fewest characters."""
    return json.dumps(plain, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Kind(Generic[Content]):
    """One kind of annotation, whose content is a record if it does not say how to `encode` it.

    `annotator` names the model that makes it at a quality, None if it is not made then. `make` takes a document and
    the model's name. `decode` raises ValueError, TypeError or KeyError on bytes that cannot be read. `measures` are
    columns of the table of measures; `rows` go to `table`, each after the version's id. A kind that is not `readable`
    says nothing by itself and is read only by whoever asks for it. One that `reads_links` is made again when the links
    of a version were read anew and its words are the same.
    """

    name: str
    annotator: Callable[[Quality], Annotator | None]
    make: Callable[[Document, str], Content]
    decode: Callable[[bytes], Content]
    encode: Callable[[Content], bytes] = lambda content: to_json(asdict(content))  # type: ignore[call-overload]
    measures: Callable[[Content], dict[str, Any]] = lambda content: {}
    rows: Callable[[Content], tuple[tuple[Any, ...], ...]] = lambda content: ()
    table: str | None = None
    readable: bool = True
    reads_links: bool = False


def by_weights(kind: str, model: str) -> Annotator:
    """Return the annotator that has a model's weights; the version comes from the manifest, and nothing is loaded."""
    return Annotator(kind, model, store.version(model))


def table(name: str) -> dict[str, Any]:
    """Read one of the tables of this room, `NAME.toml`."""
    return tomllib.loads((resources.files("smallprint.annotate") / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def loaded(model: str) -> Any:
    """Return a model, loaded once a process."""
    loaders: dict[str, Callable[[], Any]] = {
        ENCODER: Encoder, STUDENT: student, FINDER: lambda: kit().finder,
    }  # fmt: skip
    return loaders[model]() if model in loaders else Windows(model)
