"""Annotates the versions of a library that lack annotations or have those of an older model.

Stopped at any moment, it goes on where it was. A version that cannot be annotated is set aside; the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from smallprint import limits
from smallprint.annotate.annotating import Annotator, Quality, acceptable, annotate
from smallprint.errors import DamagedText, SmallprintError, TooSlow
from smallprint.library import Library
from smallprint.library.annotations import (
    PackedAnnotation,
    document,
    forget_copies,
    out_of_date,
    pack,
    save_annotations,
)
from smallprint.library.reading import segment_count
from smallprint.library.set_aside import is_set_aside, set_aside, take_back
from smallprint.pipeline.pool import Task, pooled, time_limit
from smallprint.processes.jobs import Jobs
from smallprint.processes.worker import memory_limit
from smallprint.records import Document, SetAsideReason
from smallprint.settings import Settings

BATCH = 8


@dataclass(frozen=True, slots=True)
class AnnotatedVersions:
    """How many versions were annotated, and how many could not be and were set aside."""

    versions: int
    set_aside: int


@dataclass(frozen=True, slots=True)
class _Failure:
    reason: SetAsideReason
    detail: str


@dataclass(frozen=True, slots=True)
class _Work:
    """A version and the annotations to make; instead of its text, why it cannot be read."""

    version_id: str
    wanted: tuple[Annotator, ...]
    document: Document | _Failure


@dataclass(frozen=True, slots=True)
class _Outcome:
    version_id: str
    wanted: tuple[Annotator, ...]
    result: tuple[PackedAnnotation, ...] | _Failure


def annotate_library(
    library: Library,
    settings: Settings,
    quality: Quality,
    tick: Callable[[int, int], None] = lambda done, total: None,
    *,
    retry: bool = False,
    jobs: Jobs | None = None,
    only: Collection[str] | None = None,
) -> AnnotatedVersions:
    """Annotate what is out of date; the better model's annotations are never replaced by the quicker one's.

    What was set aside before is only tried again with `retry`, or by other models. `only` names the versions to look
    at, by default all; the work is done in processes of `jobs`, or in some of its own.
    """
    with library.writing():
        forget_copies(library)
        due = [
            (version_id, wanted)
            for version_id, wanted in out_of_date(library, acceptable(quality))
            if (only is None or version_id in only) and (retry or not is_set_aside(library, version_id, wanted))
        ]
        done = failed = 0
        with closing(pooled(_batches(library, due), _ANNOTATING, settings, jobs)) as batches:
            for outcomes in batches:
                with library.transaction() as db:
                    for outcome in outcomes:
                        if isinstance(outcome.result, _Failure):
                            failure = outcome.result
                            set_aside(db, outcome.version_id, outcome.wanted, failure.reason, failure.detail)
                            failed += 1
                        else:
                            save_annotations(db, outcome.version_id, outcome.result)
                            take_back(db, outcome.version_id)
                done += len(outcomes)
                tick(done, len(due))
    return AnnotatedVersions(done - failed, failed)


def _batches(library: Library, due: list[tuple[str, tuple[Annotator, ...]]]) -> Iterator[list[_Work]]:
    rest = iter(due)
    while some := list(islice(rest, BATCH)):
        yield [_Work(version_id, wanted, _document(library, version_id)) for version_id, wanted in some]


def _document(library: Library, version_id: str) -> Document | _Failure:
    count = segment_count(library, version_id)
    if count > limits.MAX_SEGMENTS:  # stored before there was a limit, or by other limits
        return _Failure(SetAsideReason.TOO_LARGE, f"{count:,} passages, more than {limits.MAX_SEGMENTS:,}")
    try:
        return document(library, version_id)
    except DamagedText as error:
        return _Failure(SetAsideReason.DAMAGED, str(error))


def _annotate(work: _Work, settings: Settings) -> _Outcome:
    result: tuple[PackedAnnotation, ...] | _Failure
    if isinstance(work.document, _Failure):
        return _Outcome(work.version_id, work.wanted, work.document)
    try:
        with time_limit(settings.annotate_seconds), memory_limit(settings.annotate_memory):
            result = tuple(pack(annotation) for annotation in annotate(work.document, work.wanted))
    except TimeoutError:
        result = _Failure(SetAsideReason.TOO_SLOW, f"it took longer than {settings.annotate_seconds} seconds")
    except MemoryError:
        megabytes = settings.annotate_memory // 1_000_000
        result = _Failure(SetAsideReason.TOO_LARGE, f"it took more than {megabytes:,} MB of memory")
    except (SmallprintError, ImportError):  # a model or a library is missing, whatever the version
        raise
    except Exception as error:  # noqa: BLE001 - the one border where a version may fail in any way
        lines = f"{type(error).__name__}: {error}".splitlines()
        result = _Failure(SetAsideReason.FAILED, lines[0][:300])
    return _Outcome(work.version_id, work.wanted, result)


def _died(work: _Work, error: SmallprintError) -> _Outcome:
    if isinstance(error, TooSlow):
        failure = _Failure(SetAsideReason.TOO_SLOW, "it took too long, and its process was ended")
    else:
        failure = _Failure(SetAsideReason.FAILED, "its process died of it")
    return _Outcome(work.version_id, work.wanted, failure)


def _seconds(settings: Settings) -> float:
    return settings.annotate_seconds


def _memory(settings: Settings) -> int:
    return 0  # each version of a batch has its own limit


_ANNOTATING: Task[_Work, _Outcome] = Task(_annotate, _died, _seconds, _memory)
