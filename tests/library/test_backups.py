from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import threading
from contextlib import closing

import pytest

from smallprint.errors import BadBackup, LibraryBusy
from smallprint.library import Library
from smallprint.library.backups import backup, restore
from smallprint.library.dump import digest, logical_dump
from smallprint.library.pool import Pool
from smallprint.library.reading import status, text
from smallprint.library.schema import MIGRATIONS
from smallprint.library.writing import save

from .making import capture, prose


def fill(library: Library, count: int, start: int = 0) -> None:
    for number in range(start, start + count):
        with library.transaction() as db:
            save(db, [capture(f"https://h{number}.example/privacy", prose(number))])


@pytest.fixture
def filled(library):
    fill(library, 5)
    return library


@pytest.fixture
def saved(filled, tmp_path):
    """Give a backup of a library of five policies."""
    return backup(filled, tmp_path / "saved.backup").file


def refused(call, *arguments, **options) -> str:
    with pytest.raises(BadBackup) as error:
        call(*arguments, **options)
    return str(error.value)


# Backing up


def test_a_backup_holds_all_and_says_what(filled, tmp_path):
    made = backup(filled, tmp_path / "saved.backup")
    assert (made.manifest.policies, made.manifest.versions, made.manifest.captures) == (5, 5, 5)
    assert made.manifest.digest == digest(filled)
    assert made.bytes == made.file.stat().st_size
    assert stat.S_IMODE(made.file.stat().st_mode) == 0o600
    assert sorted(file.name for file in tmp_path.iterdir() if "library" not in file.name) == ["saved.backup"]


def test_a_backup_overwrites_nothing_unless_it_is_told_to(filled, saved):
    before = saved.read_bytes()
    fill(filled, 1, start=5)
    told = refused(backup, filled, saved)
    assert told == f"there is a file at {saved}; choose another name, or --force to overwrite it"
    assert saved.read_bytes() == before
    assert backup(filled, saved, force=True).manifest.policies == 6


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", ".lock"])
def test_a_backup_does_not_overwrite_the_library_itself(filled, suffix):
    to = filled.path.with_name(filled.path.name + suffix)
    assert refused(backup, filled, to, force=True) == f"{to} belongs to the library itself; choose another file"
    assert status(filled).policies == 5


def test_a_backup_goes_to_no_folder_and_nowhere(filled, tmp_path):
    assert refused(backup, filled, tmp_path) == f"{tmp_path} is a folder; name a file"
    nowhere = tmp_path / "nowhere" / "saved"
    assert refused(backup, filled, nowhere) == (
        f"cannot write to {nowhere}.part (No such file or directory); choose another file"
    )


def test_a_damaged_library_is_backed_up_only_by_force(filled, tmp_path):
    filled.db.execute("UPDATE texts SET content = zeroblob(9) WHERE rowid = 1")
    to = tmp_path / "saved"
    assert "is damaged (the text " in refused(backup, filled, to)
    assert not to.exists()
    assert backup(filled, to, force=True).manifest.digest == ""
    restore(to, tmp_path / "other.db")


def test_what_a_killed_backup_left_is_overwritten(filled, tmp_path):
    (tmp_path / "saved.part").write_bytes(b"half a backup")
    assert backup(filled, tmp_path / "saved").manifest.policies == 5
    assert not (tmp_path / "saved.part").exists()


def test_a_full_disk_leaves_no_backup(filled, tmp_path, monkeypatch):
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, limits[1]))
    try:
        with pytest.raises(Exception, match=r"no room on the disk|cannot use|cannot write"):
            backup(filled, tmp_path / "saved")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sorted(file.name for file in tmp_path.iterdir() if "saved" in file.name) == []
    assert status(filled).policies == 5


def test_a_backup_under_a_writing_load_is_the_state_at_some_moment(filled, tmp_path):
    digests, stop = [digest(filled)], threading.Event()

    def write():
        with Library(filled.path) as writer, writer.writing():
            number = 100
            while not stop.is_set():
                fill(writer, 1, start=number)
                digests.append(digest(writer))
                number += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        saved = []
        for number in range(4):
            before = len(digests)
            while len(digests) < before + 2:  # a whole write since the last backup, however long that took
                stop.wait(0.01)
            saved.append(backup(filled, tmp_path / f"saved-{number}"))
    finally:
        stop.set()
        thread.join()
    assert len({one.manifest.digest for one in saved}) == 4
    for number, one in enumerate(saved):
        assert one.manifest.digest in digests
        restore(one.file, tmp_path / f"restored-{number}.db")
        with Library(tmp_path / f"restored-{number}.db") as restored:
            assert digest(restored) == one.manifest.digest


# Restoring


def test_a_backup_is_restored_whole(filled, saved, tmp_path):
    before = list(logical_dump(filled))
    path = tmp_path / "new" / "library.db"
    assert restore(saved, path).digest == digest(filled)
    with Library(path) as restored:
        assert list(logical_dump(restored)) == before
        assert restored.db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert restored.state() != filled.state()
        assert restored.fact("backup") is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(file.name for file in path.parent.iterdir()) == ["library.db", "library.db.lock"]


def test_a_library_that_holds_something_is_replaced_only_by_force(filled, saved):
    before = list(logical_dump(filled))
    fill(filled, 2, start=5)
    newer = list(logical_dump(filled))
    told = refused(restore, saved, filled.path)
    assert told == f"there is a library at {filled.path}; --force puts the backup in its place"
    assert list(logical_dump(filled)) == newer
    revision = filled.revision()
    restore(saved, filled.path, force=True)
    assert list(logical_dump(filled)) == before
    assert filled.revision() > revision


def test_whoever_has_the_library_open_sees_the_restored_one(filled, saved):
    pool = Pool(filled.path)
    state = pool.state()
    with pool.library() as library:
        fill(filled, 2, start=5)
        assert status(library).policies == 7
    state = pool.state()
    restore(saved, filled.path, force=True)
    assert pool.state() != state
    with pool.library() as library:
        assert status(library).policies == 5
    pool.close()


def test_nothing_is_restored_while_another_writes(filled, saved):
    with filled.writing(), pytest.raises(LibraryBusy):
        restore(saved, filled.path, force=True)


def test_a_reader_in_the_middle_keeps_what_it_began_with(filled, saved):
    fill(filled, 2, start=5)
    with Library(filled.path) as reader:
        rows = reader.db.execute("SELECT policy_id FROM policies ORDER BY policy_id")
        first = rows.fetchone()[0]
        restore(saved, filled.path, force=True)
        assert len({first, *(row[0] for row in rows)}) == 7
        assert status(reader).policies == 5


def foreign(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE songs (title)")


def of_another_library(path):
    with Library(path, create=True):
        pass


NO_BACKUP = "{} is not a backup of Smallprint; name one that 'smallprint backup' made"
SPOILT = "{} is damaged or not a backup; nothing was changed; name another backup"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: None, "there is no file at {}; name a backup that 'smallprint backup' made"),
        (lambda path: path.mkdir(), "there is no file at {}; name a backup that 'smallprint backup' made"),
        (lambda path: path.touch(), NO_BACKUP),
        (lambda path: path.write_text("Shopping: eggs, milk.\n" * 100), SPOILT),
        (foreign, NO_BACKUP),
        (of_another_library, NO_BACKUP),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_a_foreign_file_is_refused(filled, tmp_path, make, told, force):
    file, before = tmp_path / "foreign", list(logical_dump(filled))
    make(file)
    assert refused(restore, file, filled.path, force=force) == told.format(file)
    assert list(logical_dump(filled)) == before


@pytest.mark.parametrize("tenths", range(1, 10))
def test_a_backup_that_was_cut_off_is_refused(filled, saved, tenths):
    whole, before = saved.read_bytes(), list(logical_dump(filled))
    saved.write_bytes(whole[: len(whole) * tenths // 10])
    assert refused(restore, saved, filled.path, force=True) == SPOILT.format(saved)
    assert list(logical_dump(filled)) == before


def test_a_backup_with_a_flipped_bit_is_refused_or_restored_as_it_was_made(filled, saved):
    whole, before = saved.read_bytes(), list(logical_dump(filled))
    refusals = 0
    for place in range(50, len(whole), len(whole) // 40):
        saved.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            restore(saved, filled.path, force=True)  # no value is made of that bit
        except BadBackup:
            refusals += 1
        assert list(logical_dump(filled)) == before
    assert refusals > 5


def test_a_backup_with_another_word_in_it_is_refused(filled, saved):
    with closing(sqlite3.connect(saved)) as db:
        db.execute("UPDATE versions SET title = 'Another title'")
        db.commit()
    assert refused(restore, saved, filled.path, force=True) == SPOILT.format(saved)


def test_a_backup_of_a_newer_smallprint_is_refused(filled, saved, tmp_path):
    with closing(sqlite3.connect(saved)) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    told = refused(restore, saved, tmp_path / "new.db")
    assert told == f"{saved} was made by a newer Smallprint; upgrade Smallprint to restore it"


def test_a_library_is_not_restored_from_itself(saved):
    assert "is where the library itself is to be" in refused(restore, saved, saved, force=True)


def test_a_library_that_cannot_be_opened_is_moved_aside_by_force(filled, saved, tmp_path):
    before = list(logical_dump(filled))
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database at all" * 500)
    assert "--force moves it aside" in refused(restore, saved, broken)
    restore(saved, broken, force=True)
    assert (tmp_path / "broken.db.damaged-1").read_bytes() == b"no database at all" * 500
    with Library(broken) as library:
        assert list(logical_dump(library)) == before


def test_a_library_with_damaged_pages_is_replaced(filled, saved, tmp_path):
    before, policy = list(logical_dump(filled)), filled.db.execute("SELECT version_id FROM versions").fetchone()[0]
    path = tmp_path / "torn.db"
    shutil.copyfile(saved, path)
    with path.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(os.urandom(20 * 4096))
    restore(saved, path, force=True)
    with Library(path) as library:
        assert list(logical_dump(library)) == before
        assert text(library, policy) == text(filled, policy)
