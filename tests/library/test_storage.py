from __future__ import annotations

import pytest

from smallprint.errors import DamagedLibrary
from smallprint.library import Library, pool
from smallprint.library.pool import Pool
from smallprint.library.storage import first_fault, structure_faults, value_faults
from smallprint.library.writing import save

from .making import capture


@pytest.fixture
def filled(library):
    with library.transaction() as db:
        save(db, [capture()])
    return library


def spoil(library: Library) -> None:
    library.db.execute("UPDATE versions SET title = x'00ff'")


TITLE = "1 rows of versions have no usable title"


def test_a_sound_library_has_no_fault(filled):
    assert list(structure_faults(filled.db)) == []
    assert list(value_faults(filled.db)) == []
    assert first_fault(filled.db) == ""


def test_a_value_of_another_kind_is_a_fault(filled):
    spoil(filled)
    assert list(value_faults(filled.db)) == [TITLE]
    assert first_fault(filled.db) == TITLE


def test_what_nobody_foresaw_is_told_as_damage_where_there_is_some(filled):
    def read() -> None:
        with Library(filled.path) as library:
            len(library.db.execute("SELECT title FROM versions").fetchone()[0].encode())

    read()
    spoil(filled)
    with pytest.raises(DamagedLibrary, match=TITLE):
        read()


def test_a_bug_in_a_sound_library_stays_a_bug(filled):
    with pytest.raises(ZeroDivisionError), Library(filled.path):
        raise ZeroDivisionError


def test_a_pool_looks_once_at_each_state(filled, monkeypatch):
    looks = []
    monkeypatch.setattr(pool, "first_fault", lambda db: looks.append(first_fault(db)) or looks[-1])
    lent = Pool(filled.path)

    def fail(error: type[Exception]) -> None:
        with pytest.raises(error), lent.library():
            raise KeyError

    fail(KeyError)
    fail(KeyError)
    assert looks == [""]
    spoil(filled)
    with filled.transaction():
        pass
    fail(DamagedLibrary)
    fail(DamagedLibrary)
    assert looks == ["", TITLE]
    lent.close()
