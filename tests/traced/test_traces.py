"""Nothing leaves this machine and nothing undocumented is written, whichever command or surface is used."""

from __future__ import annotations

import os

import pytest

from .cases import CASES
from .places import DOCUMENTED_FILES, LOOPBACK, OWN_WORKERS, Place, faults, file_name
from .running import trace_all
from .surfaces import SURFACES

pytestmark = pytest.mark.traced

SESSIONS = ("serve", *(f"serve: {surface}" for surface in SURFACES), "serve --alexa", "mcp", "chat")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Place(tmp_path_factory.mktemp("traced") / "run").make()


@pytest.fixture(scope="module")
def rows(place):
    return {row.name: row for row in trace_all(place)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.command)
def test_a_command(rows, case):
    assert faults(rows[case.command]) == []


@pytest.mark.parametrize("name", SESSIONS)
def test_a_surface(rows, name):
    assert faults(rows[name]) == []


def test_training(rows):
    if os.environ.get("CI") != "true":
        pytest.importorskip("torch", reason="training needs torch: run 'make train-install'")
    assert faults(rows["train: a toy network, exported"]) == []


def test_the_tracer_saw_what_commands_do(rows):
    assert rows["ingest"].files >= {"library", "lock", "indexes", "temporary files"}
    assert "pasted texts" in rows["serve: a policy pasted on /read"].files
    assert "pasted texts" in rows["forget"].files
    assert OWN_WORKERS in rows["annotate"].sockets
    assert f"connects to {LOOPBACK}" in rows["crawl"].sockets
    assert rows["serve"].sockets == {f"listens on {LOOPBACK}", OWN_WORKERS}
    assert rows["serve: export"].files >= {"library"}


def test_only_what_is_documented_is_left_under_home(rows, place):
    left = {file_name(str(path), place) for path in place.home.rglob("*")} - {""}
    assert left <= DOCUMENTED_FILES
    # torch leaves an empty folder behind.
    assert [path for path in place.temporary.rglob("*") if path.is_file()] == []
