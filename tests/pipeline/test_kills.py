"""Commands that are killed at any moment go on, and end with what an unbroken run has."""

from __future__ import annotations

import shutil

import pytest

from smallprint.library import Library
from smallprint.library.dump import logical_dump

from .killing import Target, kill_and_resume, library_contents
from .making import rows, started, write_jsonl

FEW, MANY = 2, 20
pytestmark = pytest.mark.slow


def ran(*arguments) -> None:
    run = started(*arguments)
    assert (run.communicate(timeout=120)[1], run.returncode) == ("", 0)


@pytest.fixture(scope="module")
def stages(tmp_path_factory):
    """Give a folder a stage: before ingest, before annotate, before index."""
    folder = tmp_path_factory.mktemp("stages")
    for name in ("ingest", "annotate", "index"):
        (folder / name).mkdir()
    write_jsonl(folder / "ingest" / "pages.jsonl", rows(60))
    path = folder / "annotate" / "library.db"
    ran("ingest", folder / "ingest" / "pages.jsonl", "--library", path, "--quality", "none", "--workers", "1")
    shutil.copytree(folder / "annotate", folder / "index", dirs_exist_ok=True)
    ran("annotate", "--library", folder / "index" / "library.db", "--workers", "1")
    shutil.rmtree(folder / "index" / "library.db.index")
    return folder


def command(name: str, *more: str):
    def arguments(folder):
        source = [folder / "pages.jsonl"] if name == "ingest" else []
        return [name, *source, "--library", folder / "library.db", *more]

    return arguments


def backup_contents(folder):
    """Read what a backup holds, and that no half of one is left under its name."""
    path = folder / "saved"
    if not path.exists():
        return []
    with Library(path) as backup:
        assert backup.fact("backup") is not None
        return list(logical_dump(backup))


# What tests/pipeline/test_kill.py kills in the ordinary suite is killed here at night only.
@pytest.mark.parametrize(
    ("name", "more", "kills"),
    [
        ("annotate", ("--workers", "1"), FEW),
        ("index", (), FEW),
        pytest.param("ingest", ("--workers", "1"), MANY, marks=pytest.mark.nightly),
        pytest.param("ingest", ("--workers", "2"), MANY, marks=pytest.mark.nightly),
        pytest.param("annotate", ("--workers", "1"), MANY, marks=pytest.mark.nightly),
        pytest.param("index", (), MANY, marks=pytest.mark.nightly),
    ],
)
def test_a_killed_command_goes_on_and_ends_like_an_unbroken_one(stages, tmp_path, name, more, kills):
    target = Target(stages / name, command(name, *more), lambda folder: library_contents(folder / "library.db"))
    result = kill_and_resume(target, tmp_path, kills, seed=22)
    assert result.kills == kills
    if kills == MANY and name != "index":  # which is written in one commit
        # The kills fell between commits, too: sixty pages are some ten of them, and twenty kills left five states.
        assert result.states >= 4


@pytest.mark.parametrize("kills", [FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
def test_a_killed_backup_leaves_nothing_or_all_and_harms_nothing(stages, tmp_path, kills):
    before = library_contents(stages / "index" / "library.db")

    def arguments(folder):
        return ["backup", folder / "saved", "--library", folder / "library.db", "--force"]

    def contents(folder):
        assert library_contents(folder / "library.db") == before
        return backup_contents(folder)

    result = kill_and_resume(Target(stages / "index", arguments, contents), tmp_path, kills, seed=23)
    assert result.kills == kills
