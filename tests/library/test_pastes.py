"""Pasted texts beside a library: for how long and how many are kept, and that nothing stays of what is deleted."""

from __future__ import annotations

import sqlite3
import stat

import pytest

from smallprint.library import pastes as module
from smallprint.library.pastes import Paste, Pastes

MARKER = "We keep your shoe size for a fortnight."


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def pastes(library, clock):
    return Pastes(library.path, 60, clock)


def bytes_beside(path):
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")) if file.is_file())


def test_a_text_is_kept_by_an_id_for_its_minutes(pastes, clock):
    paste = pastes.keep(MARKER)
    assert paste == Paste(paste.paste_id, clock.now + 3600, MARKER)
    assert len(paste.paste_id) == 22
    clock.now += 3599.9
    assert pastes.find(paste.paste_id) == paste
    clock.now += 0.1
    assert pastes.find(paste.paste_id) is None


def test_it_is_there_for_another_process_and_after_a_restart(pastes, library, clock):
    paste = pastes.keep(MARKER)
    assert Pastes(library.path, 60, clock).find(paste.paste_id) == paste


@pytest.mark.parametrize("how", ["forget", "forget_all", "expire"])
def test_nothing_stays_of_what_is_deleted(pastes, library, clock, how):
    paste, other = pastes.keep(MARKER), pastes.keep("Another text.")
    assert MARKER.encode() in bytes_beside(library.path)
    if how == "forget":
        assert (pastes.forget(paste.paste_id), pastes.forget(paste.paste_id)) == (True, False)
        assert pastes.ids() == [other.paste_id]
    elif how == "forget_all":
        assert (pastes.forget_all(), pastes.forget_all()) == (2, 0)
    else:
        clock.now += 3600
        assert pastes.ids() == []
    assert MARKER.encode() not in bytes_beside(library.path)


def test_the_oldest_make_room(pastes, monkeypatch):
    monkeypatch.setattr(module, "MAX_PASTES", 3)
    kept = [pastes.keep(f"text {number}").paste_id for number in range(5)]
    assert pastes.ids() == kept[2:]
    monkeypatch.setattr(module, "MAX_PASTES_BYTES", 4 * 20)
    newest = pastes.keep("x" * 14).paste_id
    assert pastes.ids() == [kept[4], newest]


def test_only_the_owner_may_read_it(pastes):
    pastes.keep(MARKER)
    assert stat.S_IMODE(pastes.path.stat().st_mode) == 0o600


def test_looking_makes_no_file_and_off_means_off(library):
    for minutes in (0, 60):
        pastes = Pastes(library.path, minutes)
        assert (pastes.find("x"), pastes.ids(), pastes.forget("x"), pastes.forget_all()) == (None, [], False, 0)
        assert not pastes.path.exists()
    assert (Pastes(library.path, 0).is_on, Pastes(library.path, 60).is_on) == (False, True)


def test_on_storage_that_cannot_be_written_to_nothing_is_kept(pastes, monkeypatch):
    paste = pastes.keep(MARKER)
    monkeypatch.setattr(module, "can_write", lambda _: False)
    assert (pastes.is_on, pastes.find(paste.paste_id), pastes.keep(MARKER)) == (False, None, None)


def test_a_damaged_file_is_begun_anew(pastes):
    pastes.path.write_bytes(b"no database at all, " * 100)
    paste = pastes.keep(MARKER)
    assert pastes.find(paste.paste_id) == paste


def test_a_file_that_is_in_use_for_long_takes_nothing(pastes, monkeypatch):
    pastes.keep(MARKER)
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.01)
    with sqlite3.connect(pastes.path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        assert pastes.keep("more") is None
        other.execute("ROLLBACK")
    other.close()
    assert len(pastes.ids()) == 1
