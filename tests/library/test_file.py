from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from smallprint.errors import LibraryBusy, LibraryError, LibraryFull, LibraryTooNew, NotALibrary
from smallprint.library import Library, file, reading
from smallprint.library.dump import logical_dump
from smallprint.library.schema import APPLICATION_ID, MIGRATIONS
from smallprint.library.writing import save

from .making import capture, prose


def pragma(library: Library, name: str) -> object:
    return library.db.execute(f"PRAGMA {name}").fetchone()[0]


def fill(library: Library, count: int, start: int = 0) -> None:
    with library.transaction() as db:
        save(db, [capture(f"https://h{n}.example/privacy", prose(n)) for n in range(start, start + count)])


def test_an_empty_file_becomes_a_library(tmp_path):
    path = tmp_path / "library.db"
    path.touch()
    with Library(path) as library:
        assert pragma(library, "user_version") == len(MIGRATIONS)
        assert pragma(library, "application_id") == APPLICATION_ID
        assert pragma(library, "journal_mode") == "wal"
        assert pragma(library, "foreign_keys") == 1
        assert list(logical_dump(library)) == []


def test_a_library_is_made_with_its_folder(tmp_path):
    with Library(tmp_path / "new" / "folder" / "library.db", create=True) as library:
        assert pragma(library, "integrity_check") == "ok"


def test_a_library_opened_again_holds_the_same(tmp_path):
    path = tmp_path / "library.db"
    with Library(path, create=True) as library:
        fill(library, 2)
        before = list(logical_dump(library))
    with Library(path) as library:
        assert list(logical_dump(library)) == before
        assert pragma(library, "foreign_keys") == 1
        assert pragma(library, "journal_mode") == "wal"
    assert len(before) > 20


def test_an_older_library_is_brought_up_to_date(library, monkeypatch):
    fill(library, 1)
    before = list(logical_dump(library))
    monkeypatch.setattr(file, "MIGRATIONS", (*MIGRATIONS, "CREATE TABLE extra (x)", "INSERT INTO extra VALUES (7)"))
    with Library(library.path) as newer:
        assert pragma(newer, "user_version") == len(MIGRATIONS) + 2
        assert list(logical_dump(newer)) == [*before, "extra [7]"]
        assert newer.db.execute("SELECT x FROM extra").fetchone()[0] == 7


def test_a_migration_that_fails_changes_nothing(library, monkeypatch):
    fill(library, 1)
    before = list(logical_dump(library))
    monkeypatch.setattr(file, "MIGRATIONS", (*MIGRATIONS, "CREATE TABLE extra (x); CREATE TABLE facts (y)"))
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        Library(library.path)
    monkeypatch.undo()
    with Library(library.path) as again:
        assert pragma(again, "user_version") == len(MIGRATIONS)
        assert list(logical_dump(again)) == before
        assert again.db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'extra'").fetchone()[0] == 0


def test_two_that_make_the_same_library_do_not_clash(tmp_path, monkeypatch):
    path, locked = tmp_path / "library.db", file._locked

    @contextmanager
    def after_another(where):
        monkeypatch.setattr(file, "_locked", locked)
        Library(where, create=True).close()
        with locked(where):
            yield

    monkeypatch.setattr(file, "_locked", after_another)
    with Library(path, create=True) as library:
        assert pragma(library, "user_version") == len(MIGRATIONS)


def test_a_newer_library_is_refused_and_left_alone(library):
    library.db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    known, newer = len(MIGRATIONS), len(MIGRATIONS) + 1
    with pytest.raises(LibraryTooNew) as error:
        Library(library.path)
    assert str(error.value) == (
        f"{library.path} was written by a newer Smallprint (schema {newer}, this one knows {known}); "
        "upgrade Smallprint to open it"
    )
    assert pragma(library, "user_version") == newer


def test_a_text_file_is_no_library(tmp_path):
    path = tmp_path / "notes.db"
    path.write_text("Shopping: eggs, milk, a new bicycle for the little one.\n" * 50)
    before = path.read_bytes()
    with pytest.raises(NotALibrary, match="file is not a database"):
        Library(path, create=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("script", ["CREATE TABLE songs (title)", "PRAGMA user_version = 3"])
def test_a_database_of_another_program_is_no_library(tmp_path, script):
    path = tmp_path / "music.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute(script)
    before = path.read_bytes()
    with pytest.raises(NotALibrary, match="is a database, but no Smallprint library"):
        Library(path, create=True)
    assert path.read_bytes() == before


def test_a_damaged_library_says_so_when_it_is_read(tmp_path):
    path = tmp_path / "library.db"
    with Library(path, create=True) as library:
        fill(library, 20)
        library.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(NotALibrary, match="is not a library, or is damaged"), Library(path) as library:
        list(logical_dump(library))


def test_there_must_be_a_library_to_read(tmp_path):
    with pytest.raises(LibraryError) as error:
        Library(tmp_path / "none.db")
    assert str(error.value) == (
        f"there is no library at {tmp_path / 'none.db'}; make one with 'smallprint ingest' or 'make run'"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_library(tmp_path):
    with pytest.raises(LibraryError, match="unable to open"):
        Library(tmp_path, create=True)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(LibraryError, match=r"cannot make the folder .*choose another --library"):
        Library(tmp_path / "file" / "below" / "library.db", create=True)


# For root no folder is closed, so root becomes nobody once all is imported.
OPEN = """
import os, sys, urllib.parse  # which pathlib imports late
from pathlib import Path
from smallprint.errors import LibraryError
from smallprint.library import Library
if os.geteuid() == 0:
    os.setuid(65534)
try:
    with Library(Path(sys.argv[1]), create=True) as library:
        with library.writing(), library.transaction():
            library.note("key", "value")
    print("written")
except LibraryError as error:
    print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.parametrize("there_already", [False, True])
def test_a_folder_that_may_not_be_written_to(there_already):
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "library.db"
        if there_already:
            Library(path, create=True).close()
        folder.chmod(0o555)
        done = subprocess.run([sys.executable, "-c", OPEN, path], capture_output=True, text=True)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
    assert done.stderr == ""
    assert done.stdout.startswith("LibraryError: cannot ")
    assert done.stdout.endswith("check its folder and permissions\n")


# Transactions


def test_a_failing_transaction_harms_nothing(library):
    fill(library, 2)
    before = list(logical_dump(library))
    with pytest.raises(ZeroDivisionError), library.transaction() as db:
        save(db, (capture(f"https://new.example/{1 // left}") for left in (1, 0)))
    assert list(logical_dump(library)) == before
    fill(library, 1, start=2)
    assert len(list(logical_dump(library))) > len(before)


def test_foreign_keys_hold_at_once(library):
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), library.transaction() as db:
        db.execute("INSERT INTO bands VALUES (1, 'no such text')")
    assert list(logical_dump(library)) == []


def test_a_transaction_that_cannot_be_committed_is_rolled_back(library):
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), library.transaction() as db:
        db.execute("INSERT INTO policies VALUES ('a', 'u', 'd', 'no such version', NULL, NULL)")  # deferred
    assert list(logical_dump(library)) == []
    fill(library, 1)
    assert library.db.execute("SELECT count(*) FROM policies").fetchone()[0] == 1


def test_a_full_disk_loses_nothing_that_was_committed(library):
    fill(library, 5)
    before = list(logical_dump(library))
    room = pragma(library, "page_count") + 3
    assert pragma(library, f"max_page_count = {room}") == room
    with pytest.raises(LibraryFull, match=r"no room on the disk for .*library.db; free some and run"):
        fill(library, 200, start=5)
    assert list(logical_dump(library)) == before
    with Library(library.path) as again:
        assert pragma(again, "integrity_check") == "ok"
        assert list(logical_dump(again)) == before
        fill(again, 200, start=5)
        assert again.db.execute("SELECT count(*) FROM policies").fetchone()[0] == 205


# Writers


def test_only_one_writes(library):
    message = (
        f"another command is writing to {library.path}; run this again when it has ended (reading works meanwhile)"
    )
    with Library(library.path) as other, library.writing():
        with pytest.raises(LibraryBusy) as error, other.writing():
            pass
        assert str(error.value) == message
        assert list(logical_dump(other)) == []
    with Library(library.path) as other, other.writing():
        fill(other, 1)


def test_who_writes_may_ask_again_and_keeps_the_lock(library):
    with Library(library.path) as other:
        with library.writing():
            with library.writing():
                pass
            with pytest.raises(LibraryBusy), other.writing():
                pass
        with other.writing():
            pass


def test_a_lock_is_let_go_of_when_its_work_fails(library):
    with pytest.raises(ZeroDivisionError), library.writing():
        raise ZeroDivisionError
    with Library(library.path) as other, other.writing(), other.transaction():
        other.note("key", "value")
    assert library.fact("key") == "value"


def test_a_reader_sees_the_last_commit_while_another_writes(library):
    fill(library, 1)
    before = list(logical_dump(library))
    with Library(library.path) as reader:
        with library.transaction() as db:
            save(db, [capture("https://new.example/privacy")])
            assert list(logical_dump(reader)) == before
        assert len(list(logical_dump(reader))) > len(before)


def test_a_copy_that_is_not_in_wal_mode_is_put_into_it(library, tmp_path):
    fill(library, 2)
    path = tmp_path / "copy.db"
    library.db.execute("VACUUM INTO ?", (str(path),))
    with Library(path) as copy:
        assert pragma(copy, "journal_mode") == "wal"
        assert pragma(copy, "busy_timeout") == 1000 * file.BUSY_SECONDS


def test_while_somebody_reads_a_copy_its_mode_stays_and_it_can_be_read(library, tmp_path):
    fill(library, 2)
    path = tmp_path / "copy.db"
    library.db.execute("VACUUM INTO ?", (str(path),))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM policies").fetchone()
        with Library(path) as copy:
            assert pragma(copy, "journal_mode") == "delete"
            assert reading.status(copy).policies == 2


def test_opening_it_twice_in_a_process_keeps_the_locks_of_the_first(library):
    """Locks of POSIX end when any handle of a file is closed; another process would then take the log away."""
    fill(library, 1)
    log = library.path.with_name(f"{library.path.name}-wal")
    with Library(library.path):
        pass
    code = f"import sqlite3; db = sqlite3.connect({str(library.path)!r}); db.execute('SELECT * FROM facts').fetchall()"
    subprocess.run([sys.executable, "-c", f"{code}; db.close()"], check=True)
    assert log.exists()
    fill(library, 1, start=1)
    assert reading.status(library).policies == 2
