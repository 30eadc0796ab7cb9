from __future__ import annotations

from pathlib import Path

import pytest

from smallprint.errors import BadIndex, LibraryFull
from smallprint.index.folder import guarded


class PanicException(BaseException):
    """What a panic of the engine's own language arrives as."""


class Engine:
    folder = Path("/library.db.index/policy/3")

    @guarded
    def find(self, error: BaseException) -> None:
        raise error


@pytest.mark.parametrize("error", [ValueError("torn\nfile"), OSError("torn\nfile"), PanicException("torn\nfile")])
def test_what_the_engine_cannot_read_is_a_damaged_index(error):
    with pytest.raises(BadIndex) as told:
        Engine().find(error)
    assert str(told.value) == (
        "the index at /library.db.index/policy is damaged (torn file); 'smallprint index --anew' mends it"
    )


def test_a_full_disk_is_no_damage():
    with pytest.raises(LibraryFull) as told:
        Engine().find(ValueError("IoError(Os { code: 28, message: 'No space left on device' })"))
    assert str(told.value) == (
        "no room on the disk for the index at /library.db.index/policy; free some and run 'smallprint index'"
    )


@pytest.mark.parametrize("error", [KeyboardInterrupt(), TypeError("a bug of ours"), BadIndex("gone")])
def test_whatever_else_goes_wrong_is_told_as_it_is(error):
    with pytest.raises(type(error)) as told:
        Engine().find(error)
    assert told.value is error
