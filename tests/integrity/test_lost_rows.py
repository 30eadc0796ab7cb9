"""Rows that damage took away: what is left is shown, and what cannot be is told of in one line."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest


@pytest.fixture
def copied(copy_sample, tmp_path):
    return copy_sample(tmp_path)


def change(path, statement):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA foreign_keys = off")
        assert db.execute(statement).rowcount > 0


def test_a_policy_whose_captures_are_lost_is_found_without_its_day(run, copied):
    change(copied, "DELETE FROM captures WHERE policy_id LIKE 'tidemarkbank.example-%'")
    done = run("search", "cookies", "--sector", "finance", "--library", copied)
    assert (done.code, "Tidemark Bank" in done.out) == (0, True)


def test_a_version_that_is_lost_is_told_of(run, copied):
    change(
        copied, "DELETE FROM versions WHERE version_id = (SELECT version_id FROM captures "
        "WHERE policy_id LIKE 'tidemarkbank.example-%' ORDER BY captured_at LIMIT 1 OFFSET 1)",
    )  # fmt: skip
    done = run("diff", "tidemarkbank.example", "--library", copied)
    assert done.code == 1
    assert done.err.startswith("smallprint: the list of versions of tidemarkbank.example-b32cf374 is damaged: ")
    assert done.err.count("\n") == 1
