from __future__ import annotations

import shutil

import pytest

from smallprint.index.embedded import FORMAT
from smallprint.index.opening import WHICH, delete_indexes, index_folder, open_engine
from smallprint.library import Library
from smallprint.pipeline import indexing
from smallprint.pipeline.indexing import UP_TO_DATE, Lag, bring_up_to_date, lag_of
from smallprint.settings import Settings


@pytest.fixture
def copied(copy_sample, tmp_path):
    return copy_sample(tmp_path)


@pytest.fixture
def library(copied):
    with Library(copied) as library:
        yield library


@pytest.fixture
def counts(monkeypatch):
    """Give the list of the counts that are made."""
    made = []
    count = indexing.count_lag
    monkeypatch.setattr(indexing, "count_lag", lambda *both: made.append(count(*both)) or made[-1])
    monkeypatch.setattr(indexing, "SHARE", 1e9)  # so that no count stands in for a later one
    return made


def change(library: Library, count: int) -> None:
    with library.transaction() as db:
        db.execute(
            "UPDATE versions SET title = title || '!' WHERE version_id IN (SELECT current_version FROM policies "
            "WHERE copy_of IS NULL ORDER BY policy_id LIMIT ?)", (count,)
        )  # fmt: skip


def remove(library: Library, count: int) -> None:
    with library.transaction() as db:
        db.execute(
            "UPDATE policies SET copy_of = (SELECT max(policy_id) FROM policies) WHERE policy_id IN (SELECT policy_id "
            "FROM policies WHERE copy_of IS NULL AND folded_under IS NULL ORDER BY policy_id LIMIT ?)", (count,)
        )  # fmt: skip


def test_an_index_just_made_is_not_behind(library, counts):
    for which in WHICH:
        engine = open_engine(Settings(library=library.path), which)
        bring_up_to_date(library, engine, which)
        assert engine.library_state() == library.state()
        assert lag_of(library, engine) == UP_TO_DATE
    assert counts == []


def test_what_changed_is_counted_once_a_state(library, counts):
    engine = open_engine(Settings(library=library.path))
    change(library, 3)
    assert [lag_of(library, engine) for _ in range(5)] == [Lag(0, 3, 0)] * 5
    remove(library, 2)
    assert [lag_of(library, engine) for _ in range(5)] == [Lag(0, 1, 2)] * 5
    assert counts == [Lag(0, 3, 0), Lag(0, 1, 2)]
    bring_up_to_date(library, engine, "policy")
    assert lag_of(library, engine) == UP_TO_DATE
    assert len(counts) == 2


def test_a_state_that_changes_nothing_of_the_index_is_no_lag(library, counts):
    engine = open_engine(Settings(library=library.path))
    bring_up_to_date(library, engine, "policy")
    with library.transaction():
        library.note("weather", "fine")
    assert engine.library_state() != library.state()
    assert [lag_of(library, engine) for _ in range(3)] == [UP_TO_DATE] * 3
    assert counts == [UP_TO_DATE]


def test_an_index_made_anew_in_place_of_a_lost_one_is_behind_by_all(library):
    engine = open_engine(Settings(library=library.path))
    bring_up_to_date(library, engine, "policy")
    # The commit is lost, but what was noted of it is not.
    (index_folder(library.path, "policy") / FORMAT / "meta.json").unlink()
    empty = open_engine(Settings(library=library.path), create=True)
    assert list(empty.stamps()) == []
    kept = library.db.execute("SELECT count(*) FROM policies WHERE copy_of IS NULL").fetchone()[0]
    assert lag_of(library, empty) == Lag(missing=kept)


def test_a_library_put_in_the_place_of_another_is_not_taken_for_it(library, tmp_path):
    older = tmp_path / "older.db"
    library.db.execute("VACUUM INTO ?", (str(older),))
    with Library(older) as other:
        change(library, 1)
        change(other, 4)
        engine = open_engine(Settings(library=library.path))
        bring_up_to_date(library, engine, "policy")
        assert other.fact("revision") == library.fact("revision")
        assert lag_of(library, engine) == UP_TO_DATE
        assert lag_of(other, engine).policies == 3


def test_a_count_that_took_long_stands_in_for_a_while(library, counts, monkeypatch):
    monkeypatch.setattr(indexing, "SHARE", 1e-9)
    engine = open_engine(Settings(library=library.path))
    change(library, 3)
    assert lag_of(library, engine) == Lag(changed=3)
    change(library, 5)
    assert lag_of(library, engine) == Lag(changed=3)
    assert len(counts) == 1


@pytest.mark.parametrize(
    ("policies", "note"),
    [
        (0, ""),
        (1, "The search index is behind the library by 1 policy, so some results may be missing."),
        (1234, "The search index is behind the library by 1,234 policies, so some results may be missing."),
    ],
)
def test_the_note_for_readers(policies, note):
    assert Lag(missing=policies).note == note


def test_indexes_thrown_away_and_made_again(library):
    delete_indexes(Settings(library=library.path))
    assert not index_folder(library.path, "policy").exists()
    for which in WHICH:
        bring_up_to_date(library, open_engine(Settings(library=library.path), which, create=True), which)
        assert lag_of(library, open_engine(Settings(library=library.path), which)) == UP_TO_DATE


def test_a_copy_of_library_and_index_is_not_behind(library, tmp_path):
    for which in WHICH:
        bring_up_to_date(library, open_engine(Settings(library=library.path), which), which)
    to = tmp_path / "elsewhere"
    to.mkdir()
    library.db.execute("VACUUM INTO ?", (str(to / "copy.db"),))
    shutil.copytree(f"{library.path}.index", to / "copy.db.index")
    with Library(to / "copy.db") as other:
        assert open_engine(Settings(library=other.path)).library_state() == other.state()
