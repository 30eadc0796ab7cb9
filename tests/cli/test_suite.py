"""The suite itself: that it is offline, and that real data that are missing are told of."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

SHARED = ("conftest.py", "sharing.py")
# Without schemathesis, which takes longer to import than these tests take.
PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "--import-mode=importlib",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:schemathesis",
)
NEEDS_DATA = """
from pathlib import Path
import pytest

@pytest.fixture(autouse=True, params=["", "empty", "full"])
def folder(request, monkeypatch):
    if request.param:
        monkeypatch.setenv("SMALLPRINT_DATA_DIR", str(Path(__file__).parent / request.param))
    else:
        monkeypatch.delenv("SMALLPRINT_DATA_DIR", raising=False)

@pytest.mark.real_data("exclude.txt")
def test_needs(folder, data_dir):
    assert (data_dir / "exclude.txt").read_text() == "x"
"""


HOMES = """
from smallprint.settings import Settings

def test_whose_library():
    assert "somebody" not in str(Settings().library)
"""


def copy_shared(folder):
    """Copy what all tests share into a folder, and return the folder."""
    folder.mkdir()
    for name in SHARED:
        shutil.copy(Path(__file__).parents[1] / name, folder)
    return folder


def test_no_home_of_whoever_runs_them_is_used_even_if_a_folder_imports_settings_at_once(tmp_path):
    inner = copy_shared(tmp_path / "tests") / "inner"
    inner.mkdir()
    (inner / "conftest.py").write_text("import smallprint.settings\n")
    (inner / "test_it.py").write_text(HOMES)
    somebody = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "somebody")}
    done = subprocess.run([*PYTEST, "tests/inner"], capture_output=True, text=True, env=somebody, cwd=tmp_path)
    assert done.stdout.splitlines()[-1].startswith("1 passed"), done.stdout


@pytest.mark.parametrize("connect", ["connect", "connect_ex"])
@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "93.184.215.14"), (socket.AF_INET6, "2606:4700::1")])
def test_sockets_are_closed_to_the_world(connect, family, host):
    with socket.socket(family) as one, pytest.raises(AssertionError, match="tests run offline"):
        getattr(one, connect)((host, 80))


def test_names_are_not_looked_up():
    with pytest.raises(socket.gaierror, match="tests run offline"):
        socket.create_connection(("shop.example", 80), timeout=1)


def test_loopback_is_open():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


@pytest.mark.parametrize(("ci", "ends"), [("", "1 passed, 2 skipped"), ("true", "1 passed, 2 errors")])
def test_missing_data_are_passed_over_but_not_in_ci(tmp_path, ci, ends):
    tests = copy_shared(tmp_path / "tests")
    (tests / "test_it.py").write_text(NEEDS_DATA)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = real_data\n")
    (tests / "empty").mkdir()
    (tests / "full").mkdir()
    (tests / "full" / "exclude.txt").write_text("x")
    done = subprocess.run(
        [*PYTEST, "-rsE", "tests"], capture_output=True, text=True, env={**os.environ, "CI": ci}, cwd=tmp_path
    )
    assert ends in done.stdout.splitlines()[-1], done.stdout
    assert "SMALLPRINT_DATA_DIR is not set; point it at the research data" in done.stdout
    assert f"{tests / 'empty' / 'exclude.txt'} is not there; SMALLPRINT_DATA_DIR must hold it" in done.stdout
