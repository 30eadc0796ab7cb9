"""A version of a policy in, all that is known of it out; each annotation says which model made it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from smallprint.annotate import mentions, readability, sector, sentences, vagueness
from smallprint.annotate.practices import Labeller, label
from smallprint.models import store
from smallprint.records import Document

Quality = Literal["fast", "full"]
Kind = Literal["readability", "mentions", "sector", "vagueness", "practices", "sentences"]
ENCODER, STUDENT, WINDOWS, FINDER = "encoder", "practices-student", "vagueness-student", "finder"


@dataclass(frozen=True, slots=True)
class Annotator:
    """Who makes annotations of a kind: a model by its name and version."""

    kind: Kind
    model: str
    version: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """What an annotator says of a version."""

    annotator: Annotator
    content: Any


def annotators(quality: Quality) -> tuple[Annotator, ...]:
    """Say who annotates; versions come from tables and manifests, so that no model is loaded to ask."""
    full = quality == "full"
    return (
        Annotator("readability", "flesch-kincaid", readability.VERSION),
        Annotator("mentions", "patterns", mentions.VERSION),
        _model("sector", sector.MODEL),
        _model("vagueness", ENCODER if full else WINDOWS),
        _model("practices", ENCODER if full else STUDENT),
        *([finding()] if full else []),
    )


def finding() -> Annotator:
    """Say who makes the vectors of sentences: in full quality beforehand, else when a policy is first asked about."""
    return _model("sentences", FINDER)


def acceptable(quality: Quality) -> dict[Kind, tuple[Annotator, ...]]:
    """Say whose annotations are up to date, the one to make them first: the better model's are never replaced."""
    wanted = {one.kind: (one,) for one in annotators(quality)}
    better = {one.kind: (one,) for one in annotators("full")}
    return {kind: tuple(dict.fromkeys(made + better[kind])) for kind, made in wanted.items()}


def annotate(document: Document, wanted: tuple[Annotator, ...]) -> tuple[Annotation, ...]:
    """Make the annotations that are wanted."""
    return tuple(Annotation(one, _MAKERS[one.kind](document, one.model)) for one in wanted)


def student() -> Labeller:
    """Give the quick labeller, loaded once a process: it can read single sentences while a reader waits."""
    labeller: Labeller = _loaded(STUDENT)
    return labeller


def _model(kind: Kind, name: str) -> Annotator:
    return Annotator(kind, name, store.version(name))


@cache
def _loaded(model: str) -> Any:
    """Load a model once a process; here, since onnxruntime takes long to import and fast quality has no need of it."""
    if model == ENCODER:
        from smallprint.models.encoder import Encoder

        return Encoder()
    if model == STUDENT:
        from smallprint.models.bag import Bag

        return Bag(STUDENT)
    if model == FINDER:
        from smallprint.models.finder import Finder

        return Finder()
    from smallprint.models.windows import Windows

    return Windows(WINDOWS)


def _read_vagueness(document: Document, model: str) -> vagueness.Vagueness:
    return vagueness.read(document.text, readability.running(document.segments), _loaded(model))


_MAKERS: dict[Kind, Callable[[Document, str], Any]] = {
    "readability": lambda document, _: readability.grade(document.text, readability.running(document.segments)),
    "mentions": lambda document, _: mentions.find(document.text),
    "sector": lambda document, _: sector.guess(document.page_text, document.title, document.url),
    "vagueness": _read_vagueness,
    "practices": lambda document, model: label(document, _loaded(model)),
    "sentences": lambda document, model: sentences.vectors_of(document, _loaded(model)),
}
