"""Commands that are killed at any moment go on, and end with what an unbroken run has."""

from __future__ import annotations

import shutil

import pytest

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
    if kills == MANY and name != "index":  # an index is written in one commit
        assert result.states > kills // 4
