from __future__ import annotations

import pytest

from smallprint import sample
from smallprint.settings import Settings

from ..pipeline.old_cleaner import old_library


@pytest.fixture
def path(tmp_path):
    return old_library(tmp_path / "library.db", sample.pages(), Settings(workers=1))


def test_status_says_what_an_older_cleaner_read_until_it_is_read_again(run, path):
    before = run("status", "--library", path)
    assert "An older cleaner read 91 versions: run 'smallprint reread'.\n" in before.out
    done = run("reread", "--quality", "none", "--workers", "1", "--json", "--library", path)
    assert (done.code, done.err) == (0, "")
    assert done.json == {
        "versions": 91, "replaced": 51, "kept": [], "damaged": [], "rejections": 9, "accepted": 0,
        "settled": {"copies": 1, "groups": 1, "folded": 2}, "annotated": 0,
    }  # fmt: skip
    after = run("status", "--library", path).out
    assert "older cleaner" not in after
    again = run("reread", "--quality", "none", "--workers", "1", "--library", path)
    assert again.out == (
        "Read 0 versions again: 0 have a new id; old ids lead to it.\n"
        "Judged 0 rejected pages again: 0 kept as policies now.\n"
    )


def test_what_would_be_turned_away_is_named(run, path, monkeypatch):
    monkeypatch.setenv("SMALLPRINT_MIN_WORDS", "1000000")
    done = run("reread", "--quality", "none", "--workers", "1", "--library", path).out
    assert "91 versions would be rejected today and stayed as before:\n" in done
    assert done.count("too short: ") == 91


def test_status_says_which_rejected_pages_have_no_bytes(run, tmp_path, monkeypatch):
    path = tmp_path / "library.db"
    monkeypatch.setenv("SMALLPRINT_REJECTED_BYTES", "3000")
    run("ingest", "--sample", "--quality", "none", "--workers", "1", "--library", path)
    status = run("status", "--json", "--library", path).json["kept_rejections"]
    assert status["with_page"] + status["without_page"] == 9
    assert 0 < status["bytes"] <= 3000
    text = run("status", "--library", path).out
    assert f"{status['without_page']} rejected pages cannot be judged again" in text


def test_without_a_library(run, tmp_path):
    done = run("reread", "--library", tmp_path / "none.db")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("smallprint: there is no library at ")
