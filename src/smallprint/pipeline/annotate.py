"""Whatever in a library is not annotated, or by an older model, is; stopped at any moment, it goes on where it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from smallprint.annotate.annotating import Annotator, Quality, acceptable, annotate
from smallprint.library import Library
from smallprint.library.annotations import (
    PackedAnnotation,
    document,
    forget_copies,
    out_of_date,
    pack,
    save_annotations,
)
from smallprint.pipeline.pool import Task, pooled
from smallprint.records import Document
from smallprint.settings import Settings

BATCH = 8


@dataclass(frozen=True, slots=True)
class AnnotatedVersions:
    """How many versions were annotated, and how many made the annotator crash."""

    versions: int
    crashed: int


@dataclass(frozen=True, slots=True)
class _Work:
    document: Document
    wanted: tuple[Annotator, ...]


def annotate_library(
    library: Library,
    settings: Settings,
    quality: Quality,
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> AnnotatedVersions:
    """Annotate what is out of date; what the better model said is not replaced by what a quicker one would."""
    with library.writing():
        forget_copies(library)
        due = list(out_of_date(library, acceptable(quality)))
        sent: deque[str] = deque()
        done = crashed = 0
        with closing(pooled(_batches(library, due, sent), _ANNOTATING, settings)) as batches:
            for results in batches:
                with library.transaction() as db:
                    for made in results:
                        version_id = sent.popleft()
                        save_annotations(db, version_id, made)
                        crashed += not made
                done += len(results)
                tick(done, len(due))
    return AnnotatedVersions(done - crashed, crashed)


def _batches(library: Library, due: list[tuple[str, tuple[Annotator, ...]]], sent: deque[str]) -> Iterator[list[_Work]]:
    rest = iter(due)
    while some := list(islice(rest, BATCH)):
        sent.extend(version_id for version_id, _ in some)
        yield [_Work(document(library, version_id), wanted) for version_id, wanted in some]


def _annotate(work: _Work, settings: Settings) -> tuple[PackedAnnotation, ...]:
    return tuple(pack(one) for one in annotate(work.document, work.wanted))


def _crashed(work: _Work) -> tuple[PackedAnnotation, ...]:
    return ()


def _no_limit(settings: Settings) -> int:
    return 0


_ANNOTATING: Task[_Work, tuple[PackedAnnotation, ...]] = Task(_annotate, _crashed, _no_limit)
