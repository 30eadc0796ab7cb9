"""All kinds of annotations: a version of a policy in, what is known of it out, each with the model that made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate import card, links, mentions, practices, readability, sector, vagueness, vectors
from smallprint.annotate.card import Entry
from smallprint.annotate.kinds import Annotator, Kind, Quality
from smallprint.annotate.links import PolicyLink
from smallprint.annotate.readability import Readability
from smallprint.annotate.vagueness import Vagueness
from smallprint.records import Document, Mention, SectorGuess

_MODULES = (readability, mentions, sector, vagueness, practices, links, card, vectors)
KINDS: dict[str, Kind[Any]] = {module.KIND.name: module.KIND for module in _MODULES}


@dataclass(frozen=True, slots=True)
class Annotation:
    """What an annotator says of a version."""

    annotator: Annotator
    content: Any


@dataclass(frozen=True, slots=True)
class Annotations:
    """All that was said of a version, a field a readable kind; None for what was not annotated yet."""

    made_by: dict[str, Annotator]
    readability: Readability | None = None
    mentions: tuple[Mention, ...] | None = None
    sector: SectorGuess | None = None
    vagueness: Vagueness | None = None
    practices: NDArray[np.uint8] | None = None
    links: tuple[PolicyLink, ...] | None = None
    card: tuple[Entry, ...] | None = None


def annotators(quality: Quality) -> tuple[Annotator, ...]:
    """Return who annotates; versions come from tables and manifests, so that no model is loaded to ask."""
    return tuple(annotator for kind in KINDS.values() if (annotator := kind.annotator(quality)))


def acceptable(quality: Quality) -> dict[str, tuple[Annotator, ...]]:
    """Return whose annotations are up to date, the one to make them first: the better model's are never replaced."""
    better = {annotator.kind: annotator for annotator in annotators("full")}
    return {wanted.kind: tuple(dict.fromkeys((wanted, better[wanted.kind]))) for wanted in annotators(quality)}


def annotate(document: Document, wanted: tuple[Annotator, ...]) -> tuple[Annotation, ...]:
    """Make the annotations that are wanted."""
    return tuple(Annotation(by, KINDS[by.kind].make(document, by.model)) for by in wanted)
