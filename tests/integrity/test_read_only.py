"""A library on storage that cannot be written to: whatever reads works, whatever writes is refused in one line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# For root no folder is closed, but a mount of its own can be.
MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
COMMAND = "from smallprint.cli.app import main; main()"
SERVER = """
import json, sys
from pathlib import Path
from starlette.testclient import TestClient
from smallprint.api import router
from smallprint.settings import Settings
from smallprint.web.app import application
app = application(Settings(library=Path(sys.argv[1]), serve_seconds=0), routers=[router])
with TestClient(app, base_url="http://localhost:8017") as client:
    answers = [client.get(address) for address in sys.argv[2:]]
    hit = answers[0].json()["hits"][0]
    kept = client.post("/feedback", headers={"Origin": "http://localhost:8017", "Sec-Fetch-Site": "same-origin"}, data={
        "policy": hit["policy_id"], "version": hit["version_id"], "question": "Do you sell my data?",
        "state": "answered", "line": "No.", "verdict": "right"})
print(json.dumps([*(one.status_code for one in answers), kept.status_code, kept.text]))
"""
COPY_IT = "cannot be written to, so it can only be read; copy it to a folder that can be written to"


def closing() -> list[str]:
    """Give what to put before a command so that a folder, which comes next, can only be read."""
    if os.geteuid():
        return []
    closed = ["unshare", "--map-root-user", "--mount", "sh", "-c", MOUNT]
    if shutil.which("unshare") is None or subprocess.run([*closed, "/tmp", "true"], capture_output=True).returncode:
        pytest.skip("root can write to every folder here, and no mount can be made")
    return closed


@pytest.fixture
def closed(copy_sample, tmp_path):
    """Give the path of a sample in a folder that can only be read."""
    closing()
    path = copy_sample(tmp_path)
    folders = [tmp_path, *(file for file in tmp_path.rglob("*") if file.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    yield path
    for folder in folders:
        folder.chmod(0o700)


def run(code: str, path: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    before = closing()
    return subprocess.run(
        [*before, *([str(path.parent)] if before else []), sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [
        ("status", "--digest"),
        ("search", "cookies"),
        ("ask", "tidemarkbank.example", "Do you sell my data?"),
        ("show", "tidemarkbank.example"),
        ("diff", "tidemarkbank.example"),
        ("statistics",),
    ],
)
def test_what_reads_works_and_leaves_nothing_behind(closed, command):
    before = sorted(closed.parent.rglob("*"))
    done = run(COMMAND, closed, *command, "--json", "--library", closed)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)
    assert sorted(closed.parent.rglob("*")) == before


@pytest.mark.parametrize("command", [("ingest", "--sample"), ("annotate",), ("index",), ("index", "--anew")])
def test_what_writes_says_one_line(closed, command):
    done = run(COMMAND, closed, *command, "--library", closed)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"smallprint: {closed} {COPY_IT}\n"


def test_a_server_reads_it(closed):
    addresses = ("/api/v1/search?q=cookies", "/search?q=cookies", "/policies/tidemarkbank.example/text")
    done = run(SERVER, closed, closed, *addresses)
    *statuses, kept = json.loads(done.stdout)
    assert statuses == [200, 200, 200, 503]
    assert "The library is on read-only storage" in kept


def test_what_was_not_written_into_the_file_is_not_passed_over(closed):
    log = closed.with_name(closed.name + "-wal")
    closed.parent.chmod(0o700)
    log.write_bytes(b"x" * 100)
    closed.parent.chmod(0o500)
    done = run(COMMAND, closed, "status", "--library", closed)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"smallprint: {closed} was not closed properly, and {log.name} cannot be read on read-only storage; copy both "
        "to a folder that can be written to\n"
    )
