from __future__ import annotations

import os
import stat

import pytest

from smallprint.index.opening import WHICH, open_engine
from smallprint.library import Library
from smallprint.library.storage import can_write, create_private, tighten
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.settings import Settings

from .making import capture


def modes(folder) -> dict[str, str]:
    return {file.name: oct(stat.S_IMODE(file.stat().st_mode)) for file in sorted(folder.iterdir())}


@pytest.fixture(autouse=True)
def open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def fill(library: Library) -> None:
    from smallprint.library.writing import save

    with library.writing(), library.transaction() as db:
        save(db, [capture()])


def test_whatever_a_library_is_made_of_is_for_its_owner_alone(tmp_path):
    folder = tmp_path / "new"
    with Library(folder / "library.db", create=True) as library:
        fill(library)
        for which in WHICH:
            bring_up_to_date(library, open_engine(Settings(library=library.path), which, create=True), which)
        assert modes(folder) == {
            "library.db": "0o600", "library.db-shm": "0o600", "library.db-wal": "0o600", "library.db.index": "0o700",
            "library.db.lock": "0o600",
        }  # fmt: skip


def test_what_was_open_to_all_is_tightened_by_whoever_writes(tmp_path):
    path = tmp_path / "library.db"
    with Library(path, create=True) as library:
        fill(library)
        open_engine(Settings(library=path), create=True)
    for file in tmp_path.iterdir():
        file.chmod(0o777 if file.is_dir() else 0o666)
    with Library(path) as library:
        library.fact("revision")
        assert modes(tmp_path)["library.db"] == "0o666"  # whoever reads changes nothing
        fill(library)
    assert modes(tmp_path) == {"library.db": "0o600", "library.db.index": "0o700", "library.db.lock": "0o600"}


def test_what_is_narrower_than_needed_stays_so(tmp_path):
    path = tmp_path / "library.db"
    path.touch(0o400)
    tighten(path)
    assert modes(tmp_path) == {"library.db": "0o400"}


def test_a_file_that_is_there_is_not_emptied(tmp_path):
    path = tmp_path / "library.db"
    path.write_text("kept")
    create_private(path)
    assert path.read_text() == "kept"
    assert can_write(path)
    assert can_write(tmp_path / "new.db")
    assert not can_write(tmp_path / "nowhere" / "new.db")
