from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from smallprint import limits
from smallprint.annotate.registry import acceptable, annotate, annotators
from smallprint.errors import NoModel
from smallprint.index.opening import WHICH, Engines
from smallprint.library import Library, dump
from smallprint.library.annotations import (
    SetAsideVersion,
    forget_annotations,
    out_of_date,
    read_annotations,
    set_aside_versions,
)
from smallprint.pipeline import refresh as module
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.pipeline.refresh import AnnotatedVersions, annotate_library
from smallprint.pipeline.workers import Progress
from smallprint.records import SetAsideReason
from smallprint.search.request import read_request
from smallprint.search.results import search
from smallprint.settings import Settings

ALONE, TWO = Settings(workers=1), Settings(workers=2)
pytestmark = [
    pytest.mark.usefixtures("forked"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),  # Python 3.12 warns of forks where threads are
]


def copied(library, path):
    with closing(sqlite3.connect(path)) as copy:
        library.db.backup(copy)


@pytest.fixture
def sample_copy(sample_library, tmp_path):
    copied(sample_library, tmp_path / "copy.db")
    with Library(tmp_path / "copy.db") as library:
        yield library


@pytest.fixture
def annotated_copy(annotated_folder, tmp_path):
    """Return a library that one run annotated, alone and unbroken."""
    shutil.copy(annotated_folder / "sample.db", tmp_path / "annotated.db")
    with Library(tmp_path / "annotated.db") as library:
        yield library


@pytest.fixture
def few(sample_copy):
    """Return a library of a dozen policies, that of tidemarkbank.example among them."""
    with sample_copy.transaction() as db:
        db.execute(
            "UPDATE policies SET copy_of = policy_id WHERE domain <> 'tidemarkbank.example' AND policy_id NOT IN "
            "(SELECT policy_id FROM policies WHERE copy_of IS NULL ORDER BY policy_id LIMIT 11)"
        )
    return sample_copy


def current(library, domain):
    row = library.db.execute("SELECT current_version FROM policies WHERE domain = ?", (domain,)).fetchone()
    return row["current_version"]


def test_everything_is_annotated_once(sample_copy):
    versions = sample_copy.db.execute(
        "SELECT count(*) FROM versions JOIN policies USING (policy_id) WHERE copy_of IS NULL"
    ).fetchone()[0]
    told = []
    done = annotate_library(sample_copy, ALONE, "fast", told.append)
    assert done == AnnotatedVersions(versions, 0)
    assert told[-1] == Progress("annotating", 1.0)
    assert annotate_library(sample_copy, ALONE, "fast") == AnnotatedVersions(0, 0)
    found = read_annotations(sample_copy, current(sample_copy, "tidemarkbank.example"))
    assert set(found.made_by.values()) == set(annotators("fast"))


def test_two_workers_make_what_one_makes(sample_copy, annotated_copy):
    annotate_library(sample_copy, TWO, "fast")
    assert dump.digest(sample_copy) == dump.digest(annotated_copy)


def test_only_what_is_out_of_date_is_made_again(annotated_copy):
    one = current(annotated_copy, "tidemarkbank.example")
    with annotated_copy.transaction() as db:
        db.execute("UPDATE annotations SET model_version = 'old' WHERE version_id = ? AND kind = 'mentions'", (one,))
    due = list(out_of_date(annotated_copy, acceptable("fast")))
    assert [(version, [by.kind for by in wanted]) for version, wanted in due] == [(one, ["mentions"])]
    assert annotate_library(annotated_copy, ALONE, "fast") == AnnotatedVersions(1, 0)
    assert not list(out_of_date(annotated_copy, acceptable("fast")))


def test_what_the_encoder_said_stays(sample_copy):
    keep = current(sample_copy, "tidemarkbank.example")
    with sample_copy.transaction() as db:  # the encoder takes its time: one policy will do
        db.execute("DELETE FROM captures WHERE version_id <> ?", (keep,))
        db.execute("UPDATE policies SET copy_of = policy_id WHERE current_version <> ?", (keep,))
    annotate_library(sample_copy, ALONE, "full")
    full = read_annotations(sample_copy, keep)
    assert {full.made_by[kind].model for kind in ("practices", "vagueness")} == {"encoder"}
    assert full.made_by["card"].model == "card"
    assert annotate_library(sample_copy, ALONE, "fast") == AnnotatedVersions(0, 0)
    assert read_annotations(sample_copy, keep).made_by == full.made_by


def test_a_run_that_is_stopped_goes_on(sample_copy, annotated_copy):
    class Stop(Exception): ...

    due = len(list(out_of_date(sample_copy, acceptable("fast"))))

    def stop(progress):
        if progress.fraction > 20 / due:
            raise Stop

    with pytest.raises(Stop):
        annotate_library(sample_copy, ALONE, "fast", stop)
    left = len(list(out_of_date(sample_copy, acceptable("fast"))))
    assert annotate_library(sample_copy, ALONE, "fast") == AnnotatedVersions(left, 0)
    assert dump.digest(sample_copy) == dump.digest(annotated_copy)


def hostile(library, version_id):
    """Make a version's annotation fail as the test's kind of annotator asks, by a word in its title."""
    with library.transaction() as db:
        db.execute("UPDATE versions SET title = 'Make it fail' WHERE version_id = ?", (version_id,))


def fails(document):
    return document.title == "Make it fail"


def out_of_memory(document, wanted):
    if fails(document):
        np.zeros((40_000, 10_000))  # 3.2 GB, of which none is touched
    return annotate(document, wanted)


def too_slow(document, wanted):
    if fails(document):
        time.sleep(60)
    return annotate(document, wanted)


def broken(document, wanted):
    if fails(document):
        raise ValueError("no such word\nand more")
    return annotate(document, wanted)


def deadly(document, wanted):
    if fails(document):
        os._exit(9)
    return annotate(document, wanted)


@pytest.mark.parametrize(
    ("annotating", "reason", "detail"),
    [
        (out_of_memory, SetAsideReason.TOO_LARGE, "it took more than 1,000 MB of memory"),
        (too_slow, SetAsideReason.TOO_SLOW, "it took longer than 1 seconds"),
        (broken, SetAsideReason.FAILED, "ValueError: no such word"),
    ],
)
def test_one_version_that_fails_is_set_aside_and_the_others_go_on(few, monkeypatch, annotating, reason, detail):
    bad = current(few, "tidemarkbank.example")
    hostile(few, bad)
    due = len(list(out_of_date(few, acceptable("fast"))))
    monkeypatch.setattr(module, "annotate", annotating)
    settings = replace(ALONE, annotate_seconds=1 if annotating is too_slow else 600)
    assert annotate_library(few, settings, "fast") == AnnotatedVersions(due - 1, 1)
    policy = few.db.execute("SELECT policy_id, url FROM policies WHERE current_version = ?", (bad,)).fetchone()
    assert set_aside_versions(few) == (SetAsideVersion(bad, *policy, reason, detail),)
    assert [version for version, _ in out_of_date(few, acceptable("fast"), retry=True)] == [bad]
    assert read_annotations(few, bad).made_by == {}
    # It is not tried again by itself, but when somebody asks, and then it is known as any other.
    assert annotate_library(few, settings, "fast") == AnnotatedVersions(0, 0)
    assert annotate_library(few, settings, "fast", retry=True) == AnnotatedVersions(0, 1)
    monkeypatch.setattr(module, "annotate", annotate)
    assert annotate_library(few, settings, "fast", retry=True) == AnnotatedVersions(1, 0)
    assert set_aside_versions(few) == ()
    assert set(read_annotations(few, bad).made_by.values()) == set(annotators("fast"))


def test_a_new_model_tries_again_what_was_set_aside(few, monkeypatch):
    bad = current(few, "tidemarkbank.example")
    hostile(few, bad)
    monkeypatch.setattr(module, "annotate", broken)
    annotate_library(few, ALONE, "fast")
    with few.transaction() as db:
        db.execute("UPDATE set_aside SET annotators = replace(annotators, 'patterns ', 'patterns 0')")
    monkeypatch.setattr(module, "annotate", annotate)
    assert annotate_library(few, ALONE, "fast") == AnnotatedVersions(1, 0)
    assert set_aside_versions(few) == ()


def test_a_version_that_kills_its_process_is_set_aside(few, monkeypatch):
    bad = current(few, "tidemarkbank.example")
    hostile(few, bad)
    due = len(list(out_of_date(few, acceptable("fast"))))
    monkeypatch.setattr(module, "annotate", deadly)
    assert annotate_library(few, TWO, "fast") == AnnotatedVersions(due - 1, 1)
    (aside,) = set_aside_versions(few)
    assert (aside.version_id, aside.reason) == (bad, SetAsideReason.FAILED)
    assert aside.detail == "its process died of it"


def test_a_version_of_too_many_passages_is_not_even_read(few, monkeypatch):
    bad = current(few, "tidemarkbank.example")
    counts = dict(few.db.execute("SELECT version_id, count(*) FROM segments GROUP BY version_id"))
    most = max(count for version, count in counts.items() if version != bad)
    with few.transaction() as db:
        db.executemany(
            "INSERT INTO segments VALUES (?, ?, 'heading', 0, 1, '[]', NULL, '[]')",
            [(bad, counts[bad] + number) for number in range(most + 1 - counts[bad])],
        )
    monkeypatch.setattr(limits, "MAX_SEGMENTS", most)
    assert annotate_library(few, ALONE, "fast").set_aside == 1
    (aside,) = set_aside_versions(few)
    assert (aside.reason, aside.detail) == (SetAsideReason.TOO_LARGE, f"{most + 1} passages, more than {most}")


def test_a_damaged_version_is_set_aside(few):
    bad = current(few, "tidemarkbank.example")
    with few.transaction() as db:
        db.execute(
            "UPDATE texts SET content = zeroblob(20) "
            "WHERE text_id = (SELECT text_id FROM versions WHERE version_id = ?)",
            (bad,),
        )
    assert annotate_library(few, ALONE, "fast").set_aside >= 1
    assert {(aside.version_id, aside.reason) for aside in set_aside_versions(few)} >= {(bad, SetAsideReason.DAMAGED)}


def test_a_missing_model_is_no_fault_of_a_version(few, monkeypatch):
    def without_model(document, wanted):
        raise NoModel("'bag' is not there")

    monkeypatch.setattr(module, "annotate", without_model)
    with pytest.raises(NoModel):
        annotate_library(few, ALONE, "fast")
    assert set_aside_versions(few) == ()


def test_forgetting_annotations_forgets_that_there_were_none(few, monkeypatch):
    bad = current(few, "tidemarkbank.example")
    hostile(few, bad)
    monkeypatch.setattr(module, "annotate", broken)
    annotate_library(few, ALONE, "fast")
    with few.transaction() as db:
        forget_annotations(db, bad)
    assert set_aside_versions(few) == ()


def test_a_version_without_annotations_is_found(few, monkeypatch):
    bad = current(few, "tidemarkbank.example")
    hostile(few, bad)
    monkeypatch.setattr(module, "annotate", broken)
    annotate_library(few, ALONE, "fast")
    engines = Engines(Settings(library=few.path))
    for which in WHICH:
        bring_up_to_date(few, engines.engine(which, create=True), which)
    results = search(few, engines.engine("policy"), read_request([("q", "site:tidemarkbank.example")]))
    assert [hit.policy.version_id for hit in results.hits] == [bad]
