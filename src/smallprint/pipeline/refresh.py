"""What has to follow whenever policies came in, changed or went: settle duplicates, annotate, index. In this order.

Stopped at any moment, it goes on where it was. A version that cannot be annotated is set aside; the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

from smallprint import limits
from smallprint.annotate.kinds import Annotator, Quality
from smallprint.annotate.registry import acceptable, annotate
from smallprint.errors import DamagedText, OutOfTime, SmallprintError, TooSlow
from smallprint.index.opening import WHICH, Engines, Which
from smallprint.library import Library
from smallprint.library import annotations as stored
from smallprint.library.likeness import Settled, settle
from smallprint.library.reading import segment_count
from smallprint.pipeline.indexing import Indexed, bring_up_to_date
from smallprint.pipeline.workers import OnProgress, Progress, Task, no_progress, pooled, time_limit
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


class _Failure(NamedTuple):
    reason: SetAsideReason
    detail: str


# A version's text with the annotations to make; instead of the text, why it cannot be read.
_Work = tuple[Document | _Failure, tuple[Annotator, ...]]
_Outcome = list[stored.PackedAnnotation] | _Failure


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What came of each step."""

    settled: Settled
    annotated: AnnotatedVersions
    indexed: dict[Which, Indexed]


def refresh(
    library: Library,
    engines: Engines,
    settings: Settings,
    on_progress: OnProgress = no_progress,
    *,
    retry: bool = False,
    jobs: Jobs | None = None,
    only: Collection[str] | None = None,
) -> Refreshed:
    """Bring duplicates, annotations and indexes up to date; each step does only what is due.

    `retry` tries versions again that could not be annotated before. `only` names the versions to annotate, by default
    all; quality "none" annotates nothing. The work is done in processes of `jobs`, or in some of its own.
    """
    with library.writing():
        settled = settle(library, settings.near_duplicate, _steps("comparing", on_progress))
        annotated = AnnotatedVersions(0, 0)
        if settings.quality != "none":
            quality: Quality = "full" if settings.quality == "full" else "fast"
            annotated = annotate_library(library, settings, quality, on_progress, retry=retry, jobs=jobs, only=only)
        return Refreshed(settled, annotated, update_indexes(library, engines, on_progress))


def update_indexes(library: Library, engines: Engines, on_progress: OnProgress = no_progress) -> dict[Which, Indexed]:
    """Bring both indexes up to date; a new index is made where there is none."""
    return {
        which: bring_up_to_date(
            library, engines.engine(which, create=True), which, _steps(f"indexing ({which})", on_progress)
        )
        for which in WHICH
    }


def _steps(step: str, on_progress: OnProgress) -> Callable[[int, int], None]:
    return lambda done, total: on_progress(Progress(step, done / max(1, total)))


def annotate_library(
    library: Library,
    settings: Settings,
    quality: Quality,
    on_progress: OnProgress = no_progress,
    *,
    retry: bool = False,
    jobs: Jobs | None = None,
    only: Collection[str] | None = None,
) -> AnnotatedVersions:
    """Annotate what is out of date, as in `refresh`; the better model's annotations are never replaced by others."""
    with library.writing():
        stored.forget_copies(library)
        due = [
            (version_id, wanted)
            for version_id, wanted in stored.out_of_date(library, acceptable(quality), retry=retry)
            if only is None or version_id in only
        ]
        done = failed = 0
        works = (
            (versions, [(_document(library, version_id), wanted) for version_id, wanted in versions])
            for versions in (due[start : start + BATCH] for start in range(0, len(due), BATCH))
        )
        with closing(pooled(works, _ANNOTATING, settings, jobs)) as batches:
            for versions, outcomes in batches:
                with library.transaction() as db:
                    for (version_id, wanted), outcome in zip(versions, outcomes, strict=True):
                        if isinstance(outcome, _Failure):
                            stored.set_aside(db, version_id, wanted, *outcome)
                            failed += 1
                        else:
                            stored.save_annotations(db, version_id, outcome)
                            stored.take_back(db, version_id)
                done += len(outcomes)
                on_progress(Progress("annotating", done / len(due)))
    return AnnotatedVersions(done - failed, failed)


def _document(library: Library, version_id: str) -> Document | _Failure:
    count = segment_count(library, version_id)
    if count > limits.MAX_SEGMENTS:  # stored before there was a limit, or by other limits
        return _Failure(SetAsideReason.TOO_LARGE, f"{count:,} passages, more than {limits.MAX_SEGMENTS:,}")
    try:
        return stored.document(library, version_id)
    except DamagedText as error:
        return _Failure(SetAsideReason.DAMAGED, str(error))


def _annotate(work: _Work, settings: Settings) -> _Outcome:
    document, wanted = work
    if isinstance(document, _Failure):
        return document
    try:
        with time_limit(settings.annotate_seconds), memory_limit(settings.annotate_memory):
            return [stored.pack(annotation) for annotation in annotate(document, wanted)]
    except OutOfTime:
        return _Failure(SetAsideReason.TOO_SLOW, f"it took longer than {settings.annotate_seconds} seconds")
    except MemoryError:
        megabytes = settings.annotate_memory // 1_000_000
        return _Failure(SetAsideReason.TOO_LARGE, f"it took more than {megabytes:,} MB of memory")
    except (SmallprintError, ImportError):  # a model or a library is missing, whatever the version
        raise
    except Exception as error:  # noqa: BLE001 - the one border where a version may fail in any way
        return _Failure(SetAsideReason.FAILED, f"{type(error).__name__}: {error}".splitlines()[0][:300])


def _died(work: _Work, error: SmallprintError) -> _Outcome:
    if isinstance(error, TooSlow):
        return _Failure(SetAsideReason.TOO_SLOW, "it took too long, and its process was ended")
    return _Failure(SetAsideReason.FAILED, "its process died of it")


# Each version of a batch has its own limit of memory.
_ANNOTATING: Task[_Work, _Outcome] = Task(_annotate, _died, "annotate_seconds")
