"""One library for many threads."""

from __future__ import annotations

import sqlite3
import threading
import time

import pytest

from smallprint.errors import LibraryBusy, LibraryError, NoSuchPolicy, NotALibrary, TooSlow
from smallprint.library import Library
from smallprint.library.pool import Memory, Pool
from smallprint.library.reading import find_policy, status
from smallprint.library.writing import save

from .making import capture

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"


@pytest.fixture
def pool(library):
    pool = Pool(library.path, seconds=20)
    yield pool
    pool.close()


def write(library, name):
    with library.transaction() as db:
        save(db, [capture(f"https://{name}.example/privacy", f"We keep the data of {name}.")])


def test_a_library_that_was_given_back_is_lent_again_to_whichever_thread(pool):
    with pool.library() as first:
        pass
    lent = []

    def borrow():
        with pool.library() as again:
            lent.append((again, status(again).policies))

    thread = threading.Thread(target=borrow)
    thread.start()
    thread.join()
    assert lent == [(first, 0)]


def test_what_is_given_back_after_the_end_is_closed(pool):
    with pool.library() as library:
        pool.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        library.db.execute("SELECT 1")


def test_no_two_borrow_the_same(pool):
    with pool.library() as one, pool.library() as other:
        assert one is not other


def test_many_threads_read_while_one_writes(pool, library):
    failures, counts = [], []

    def read():
        try:
            for _ in range(30):
                with pool.library() as lent:
                    counts.append(status(lent).policies)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told below
            failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(12)]
    for thread in threads:
        thread.start()
    for number in range(10):
        write(library, f"site{number}")
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(counts) == 360
    with pool.library() as lent:
        assert status(lent).policies == 10


def test_only_so_many_are_open_and_who_waits_too_long_is_told(library):
    pool = Pool(library.path, seconds=0.05, size=1)
    with pool.library() as lent:
        with pytest.raises(LibraryBusy, match="too many at once"), pool.library():
            pass
        assert status(lent).policies == 0
    with pool.library():
        pass
    pool.close()


def test_a_query_without_end_is_ended_and_the_next_is_not(pool):
    started = time.monotonic()
    with pytest.raises(TooSlow, match=r"^this took longer than 0.1 seconds"), pool.library(seconds=0.1) as lent:
        lent.db.execute(ENDLESS)
    assert time.monotonic() - started < 5
    with pool.library() as lent:
        assert status(lent).policies == 0


def test_a_library_with_time_to_spare_is_not_ended(pool):
    with pool.library(seconds=0.05) as lent:
        time.sleep(0.1)
    with pool.library(seconds=0) as again:
        assert again is lent
        assert again.db.execute("SELECT 1").fetchone()[0] == 1


def test_errors_pass_through_and_nothing_half_done_is_lent_again(pool):
    with pytest.raises(NoSuchPolicy), pool.library() as failed:
        find_policy(failed, "nobody.example")
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        failed.db.execute("SELECT 1")
    with pool.library() as left:
        left.db.execute("BEGIN")
    with pool.library() as lent:
        assert lent is not left
        assert not lent.db.in_transaction


def test_failures_of_the_file_are_said_in_our_words(tmp_path):
    with pytest.raises(LibraryError, match="there is no library at"), Pool(tmp_path / "none.db").library():
        pass
    (tmp_path / "notes.db").write_text("A list of things to do. " * 99)
    with pytest.raises(NotALibrary), Pool(tmp_path / "notes.db").library():
        pass
    with pytest.raises(LibraryError, match="there is no library at"):
        Pool(tmp_path / "none.db").state()


def test_the_state_changes_with_every_write_and_with_nothing_else(pool, library):
    before = pool.state()
    with pool.library() as lent:
        status(lent)
    assert pool.state() == before
    write(library, "one")
    after = pool.state()
    assert after != before
    assert pool.state() == after


def test_what_is_written_aside_leaves_the_state_as_it_is(pool, library):
    before = pool.state()
    with library.transaction(aside=True) as db:
        db.execute("INSERT INTO facts VALUES ('aside', 'x')")
    assert pool.state() == before
    with pool.library() as lent:
        assert lent.fact("aside") == "x"


def test_a_library_put_in_its_place_is_read(pool, library, tmp_path):
    with Library(tmp_path / "other.db", create=True) as other:
        write(other, "other")
        other.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = pool.state()
    with pool.library() as lent:
        assert status(lent).policies == 0
    library.close()
    pool.close()
    pool.open()
    (tmp_path / "other.db").replace(library.path)
    assert pool.state() != before
    with pool.library() as lent:
        assert status(lent).policies == 1


# What was counted


def test_a_count_is_made_once_for_each_state(pool, library):
    memory, asked = Memory(pool), []

    def count(lent):
        asked.append(1)
        return status(lent).policies

    assert [memory.recall("a", count) for _ in range(3)] == [0, 0, 0]
    assert len(asked) == 1
    write(library, "one")
    assert [memory.recall("a", count) for _ in range(3)] == [1, 1, 1]
    assert len(asked) == 2


def test_many_who_ask_at_once_wait_for_one_count(pool):
    memory, asked, found = Memory(pool), [], []

    def count(_):
        asked.append(1)
        time.sleep(0.1)
        return "counted"

    threads = [threading.Thread(target=lambda: found.append(memory.recall("a", count))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(asked), found) == (1, ["counted"] * 6)


def test_only_so_much_is_kept_and_what_was_asked_last_stays(pool):
    memory, asked = Memory(pool, entries=2), []

    def recall(key):
        return memory.recall(key, lambda _: asked.append(key) or key)

    for key in "abacab":
        assert recall(key) == key
    assert "".join(asked) == "abcb"


def test_a_count_that_fails_is_made_again(pool):
    memory = Memory(pool)

    def fail(_):
        raise TooSlow("not today")

    with pytest.raises(TooSlow):
        memory.recall("a", fail)
    assert memory.recall("a", lambda _: 7) == 7
