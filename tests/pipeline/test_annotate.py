from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from smallprint.annotate.annotating import acceptable, annotators
from smallprint.library import Library, dump
from smallprint.library.annotations import out_of_date, read_annotations
from smallprint.pipeline import annotate as module
from smallprint.pipeline.annotate import AnnotatedVersions, annotate_library
from smallprint.settings import Settings

ALONE, TWO = Settings(workers=1), Settings(workers=2)


def copied(library, path):
    with closing(sqlite3.connect(path)) as copy:
        library.db.backup(copy)


@pytest.fixture
def sample_copy(sample_library, tmp_path):
    copied(sample_library, tmp_path / "copy.db")
    with Library(tmp_path / "copy.db") as library:
        yield library


def current(library, domain):
    row = library.db.execute("SELECT current_version FROM policies WHERE domain = ?", (domain,)).fetchone()
    return row["current_version"]


def test_everything_is_annotated_once(sample_copy):
    versions = sample_copy.db.execute(
        "SELECT count(*) FROM versions JOIN policies USING (policy_id) WHERE copy_of IS NULL"
    ).fetchone()[0]
    told = []
    done = annotate_library(sample_copy, ALONE, "fast", lambda *progress: told.append(progress))
    assert done == AnnotatedVersions(versions, 0)
    assert told[-1] == (versions, versions)
    assert annotate_library(sample_copy, ALONE, "fast") == AnnotatedVersions(0, 0)
    found = read_annotations(sample_copy, current(sample_copy, "tidemarkbank.example"))
    assert set(found.made_by.values()) == set(annotators("fast"))


def test_two_workers_make_what_one_makes(sample_copy, tmp_path):
    copied(sample_copy, tmp_path / "other.db")
    annotate_library(sample_copy, ALONE, "fast")
    with Library(tmp_path / "other.db") as other:
        annotate_library(other, TWO, "fast")
        assert dump.digest(other) == dump.digest(sample_copy)


def test_only_what_is_out_of_date_is_made_again(sample_copy):
    annotate_library(sample_copy, ALONE, "fast")
    one = current(sample_copy, "tidemarkbank.example")
    with sample_copy.transaction() as db:
        db.execute("UPDATE annotations SET model_version = 'old' WHERE version_id = ? AND kind = 'mentions'", (one,))
    due = list(out_of_date(sample_copy, acceptable("fast")))
    assert [(version, [by.kind for by in wanted]) for version, wanted in due] == [(one, ["mentions"])]
    assert annotate_library(sample_copy, ALONE, "fast") == AnnotatedVersions(1, 0)
    assert not list(out_of_date(sample_copy, acceptable("fast")))


def test_what_the_encoder_said_stays(sample_copy):
    keep = current(sample_copy, "tidemarkbank.example")
    with sample_copy.transaction() as db:  # the encoder takes its time: one policy will do
        db.execute("DELETE FROM captures WHERE version_id <> ?", (keep,))
        db.execute("UPDATE policies SET copy_of = policy_id WHERE current_version <> ?", (keep,))
    annotate_library(sample_copy, ALONE, "full")
    full = read_annotations(sample_copy, keep)
    assert {full.made_by[kind].model for kind in ("practices", "vagueness")} == {"encoder"}
    assert annotate_library(sample_copy, ALONE, "fast") == AnnotatedVersions(0, 0)
    assert read_annotations(sample_copy, keep).made_by == full.made_by


def test_a_run_that_is_stopped_goes_on(sample_copy, tmp_path):
    copied(sample_copy, tmp_path / "unbroken.db")

    class Stop(Exception): ...

    def stop(done, total):
        if done > 20:
            raise Stop

    with pytest.raises(Stop):
        annotate_library(sample_copy, ALONE, "fast", stop)
    left = len(list(out_of_date(sample_copy, acceptable("fast"))))
    assert annotate_library(sample_copy, ALONE, "fast") == AnnotatedVersions(left, 0)
    with Library(tmp_path / "unbroken.db") as unbroken:
        annotate_library(unbroken, ALONE, "fast")
        assert dump.digest(unbroken) == dump.digest(sample_copy)


def test_a_version_that_crashes_its_worker_is_counted(sample_copy, monkeypatch):
    crashed = module._crashed
    task = module.Task(lambda work, settings: crashed(work), crashed, lambda settings: 0)
    monkeypatch.setattr(module, "_ANNOTATING", task)
    done = annotate_library(sample_copy, ALONE, "fast")
    assert (done.versions, done.crashed > 80) == (0, True)
    assert len(list(out_of_date(sample_copy, acceptable("fast")))) == done.crashed
