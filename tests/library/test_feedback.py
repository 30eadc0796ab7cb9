"""What readers said of answers, kept: whole, bounded, of this library's answers alone, and never in anybody's way."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from smallprint import limits
from smallprint.errors import BadFeedback
from smallprint.library import Library, file
from smallprint.library.dump import logical_dump
from smallprint.library.feedback import Feedback, Place, feedback, forget_feedback, give
from smallprint.library.file import REVISION
from smallprint.library.schema import MIGRATIONS
from smallprint.library.writing import save

from .making import capture, prose

NEW = capture("https://a.example/privacy", "We keep it for a year.")
SAID = Feedback(
    "2026-01-02T03:04:05+00:00", "wrong", NEW.policy_id, NEW.version_id, "How long do you keep it?", "answered",
    "For a year:", (Place(NEW.version_id, 0, 22),), "It says so of backups only.",
)  # fmt: skip


@pytest.fixture
def filled(library):
    """Give a library with one policy."""
    with library.transaction() as db:
        save(db, [NEW])
    return library


def test_what_was_said_comes_back_whole_and_in_order(filled):
    many = Feedback("2026-01-03T00:00:00+00:00", "missing", None, None, "Which do not?", "policies", "These do not:")
    right = replace(SAID, verdict="right", note="")
    assert [give(filled, one) for one in (SAID, many, right)] == [True, True, True]
    assert list(feedback(filled)) == [SAID, many, right]


def test_the_same_form_sent_twice_counts_once(filled):
    assert give(filled, SAID)
    assert not give(filled, replace(SAID, given_at="2026-01-02T03:04:06+00:00"))
    assert give(filled, replace(SAID, verdict="right"))
    assert give(filled, SAID)  # another mind
    assert give(filled, replace(SAID, given_at="2026-01-02T03:05:05+00:00"))  # somebody else's
    assert [one.verdict for one in feedback(filled)] == ["wrong", "right", "wrong", "wrong"]


def test_words_are_cut_to_their_length_and_obeyed_by_no_terminal(filled):
    give(filled, replace(SAID, question="x" * 600, line="y" * 400, state="z" * 90, note="\x1b[31m n\x00ote\n" * 200))
    (one,) = feedback(filled)
    assert (len(one.question), len(one.line), len(one.state)) == (500, 300, 40)
    assert len(one.note) <= 500
    assert one.note.isprintable()


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "splendid"},
        {"verdict": ""},
        {"question": " \n"},
        {"version_id": "a.example-1@nothing"},
        {"version_id": None},
        {"policy_id": "b.example-2"},
        {"policy_id": None},
        {"places": (Place(NEW.version_id, 0, 23),)},
        {"places": (Place(NEW.version_id, 5, 5),)},
        {"places": (Place(NEW.version_id, -1, 5),)},
        {"places": (Place("'; DROP TABLE policies; --", 0, 5),)},
        {"places": (Place(NEW.version_id, 0, 5),) * 25},
    ],
)
def test_what_is_not_of_an_answer_of_this_library_changes_nothing(filled, change):
    before = list(logical_dump(filled))
    with pytest.raises(BadFeedback):
        give(filled, replace(SAID, **change))
    assert list(logical_dump(filled)) == before


def test_only_so_much_is_kept(filled, monkeypatch):
    monkeypatch.setattr(limits, "MAX_FEEDBACK", 2)
    for number in range(2):
        give(filled, replace(SAID, note=str(number)))
    with pytest.raises(BadFeedback, match="smallprint feedback --out FILE --clear"):
        give(filled, SAID)
    assert forget_feedback(filled) == 2
    assert give(filled, SAID)


def test_nothing_that_is_counted_changes_with_it(filled):
    before, revision = [one for one in logical_dump(filled) if "feedback" not in one], filled.fact(REVISION)
    give(filled, SAID)
    assert [one for one in logical_dump(filled) if not one.startswith("feedback")] == before
    assert filled.fact(REVISION) == revision


def test_it_is_kept_while_another_command_writes_for_hours(filled):
    with Library(filled.path) as other, other.writing():
        with other.transaction() as db:
            save(db, [capture("https://b.example/privacy", prose(1))])
        assert give(filled, SAID)
    assert list(feedback(filled)) == [SAID]


def test_a_library_without_the_table_gets_it_and_keeps_all_it_had(tmp_path, monkeypatch):
    path, whole = tmp_path / "library.db", tmp_path / "whole.db"
    with Library(whole, create=True) as library, library.transaction() as db:
        save(db, [NEW])
    with monkeypatch.context() as patch:
        patch.setattr(file, "MIGRATIONS", MIGRATIONS[:3])
        with Library(path, create=True) as library:
            library.db.execute("ATTACH ? AS whole", (str(whole),))
            with library.transaction() as db:
                for table in ("pages", "texts", "policies", "versions", "captures", "segments"):
                    names = ", ".join(f'"{row["name"]}"' for row in db.execute(f"PRAGMA main.table_info({table})"))
                    db.execute(f"INSERT INTO main.{table} SELECT {names} FROM whole.{table}")
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == 3
        before = db.execute("SELECT count(*) FROM segments").fetchone()[0]
    with Library(path) as library:
        assert library.db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
        assert library.db.execute("SELECT count(*) FROM segments").fetchone()[0] == before
        assert give(library, SAID)


def test_the_table_itself_takes_no_other_verdict(filled):
    with pytest.raises(sqlite3.IntegrityError), filled.transaction(aside=True) as db:
        db.execute("INSERT INTO feedback VALUES (1, '', 'splendid', NULL, NULL, '', '', '', '[]', '')")
    assert list(feedback(filled)) == []
