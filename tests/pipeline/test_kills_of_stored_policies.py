"""Killed while it reads stored pages again, or while it removes policies, a command ends like an unbroken one."""

from __future__ import annotations

import pytest

from smallprint.library import Library, reading
from smallprint.records import Page
from smallprint.settings import Settings

from .killing import Target, kill_and_resume, library_contents
from .making import rows, started, write_jsonl
from .old_cleaner import old_library

FEW, MANY = 2, 20
# The sample has a hundred pages: from there on every page is an exact copy of an earlier one.
PAGES, REMOVED = 120, 12
pytestmark = pytest.mark.slow


def ran(*arguments) -> None:
    run = started(*arguments)
    assert (run.communicate(timeout=120)[1], run.returncode) == ("", 0)


def contents(folder) -> list[str]:
    return library_contents(folder / "library.db")


@pytest.fixture(scope="module")
def reread(tmp_path_factory):
    """Give a folder with a library that an older cleaner read, annotated and indexed."""
    folder = tmp_path_factory.mktemp("reread")
    pages = [Page(row["url"], row["html"].encode(), "html", "sample", row["fetched_at"]) for row in rows(PAGES // 2)]
    path = old_library(folder / "library.db", pages, Settings(workers=1))
    ran("annotate", "--library", path, "--workers", "1")
    return folder


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """Give a folder with a library, annotated and indexed, in which some policies have copies; and these."""
    folder = tmp_path_factory.mktemp("remove")
    path = folder / "library.db"
    source = write_jsonl(folder / "pages.jsonl", rows(PAGES))
    ran("ingest", source, "--library", path, "--workers", "1")
    with Library(path) as library:
        ids = [row[0] for row in library.db.execute("SELECT DISTINCT copy_of FROM policies WHERE copy_of NOT NULL")]
    assert len(ids) >= REMOVED
    return folder, sorted(ids)[:REMOVED]


@pytest.mark.parametrize(
    ("workers", "kills"),
    [
        ("1", FEW),
        pytest.param("1", MANY, marks=pytest.mark.nightly),
        pytest.param("2", MANY, marks=pytest.mark.nightly),
    ],
)
def test_a_killed_reread_goes_on(reread, tmp_path, workers, kills):
    def arguments(folder):
        return ["reread", "--library", folder / "library.db", "--workers", workers]

    result = kill_and_resume(Target(reread, arguments, contents), tmp_path, kills, seed=22)
    assert result.kills == kills
    if kills == MANY:
        assert result.states >= 3  # with two workers, most of the time is spent on starting and annotating


@pytest.mark.parametrize("kills", [FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
def test_a_killed_removal_has_removed_all_or_nothing(copies, tmp_path, kills):
    before, ids = copies

    def arguments(folder):
        return ["remove", *ids, "--yes", "--library", folder / "library.db"]

    def resume(folder):
        with Library(folder / "library.db") as library:
            left = {policy_id for policy_id in ids if reading.known_by(library, policy_id)}
        assert left in (set(ids), set())
        return arguments(folder) if left else ["annotate", "--library", folder / "library.db"]

    result = kill_and_resume(Target(before, arguments, contents, resume), tmp_path, kills, seed=22)
    assert result.kills == kills
