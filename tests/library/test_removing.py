from __future__ import annotations

import pytest

from smallprint.errors import NoSuchPolicy
from smallprint.library import Library, reading
from smallprint.library.dump import logical_dump
from smallprint.library.feedback import Feedback, Place, feedback, give
from smallprint.library.frontier import StoredFrontier
from smallprint.library.likeness import settle
from smallprint.library.removing import Removal, remove_policies
from smallprint.library.writing import save
from smallprint.records import FrontierItem

from .making import capture, changed, prose, read_again
from .test_rejected import turned_away

URL, OTHER = "https://one.example/privacy", "https://two.example/privacy"
A, B, C = prose(1), prose(2), prose(3)
ID = capture(URL).policy_id


def store(library: Library, *results) -> None:
    with library.transaction() as db:
        save(db, results, rejected_bytes=1_000_000)
    settle(library, 0.9)


def dumped(library: Library) -> list[str]:
    return [line for line in logical_dump(library) if not line.startswith("facts")]


def annotate(library: Library, version_id: str) -> None:
    with library.transaction() as db:
        db.execute("INSERT INTO annotations VALUES (?, 'sector', 'm', '1', ?, '2026-01-01')", (version_id, b"x"))
        db.execute("INSERT INTO measures (version_id, grade) VALUES (?, 9)", (version_id,))
        db.execute("INSERT INTO mentioned VALUES (?, 'gdpr', 1)", (version_id,))
        db.execute("INSERT INTO practised VALUES (?, 'Other', 1, 0.9)", (version_id,))
        db.execute("INSERT INTO set_aside VALUES (?, 'too large', '', '')", (version_id,))


def test_a_policy_goes_with_all_that_belongs_to_it(library, tmp_path):
    first, second = capture(URL, A, "2021"), capture(URL, B, "2022")
    store(library, first, second, turned_away(C, URL, at="2020"))
    read_again(library, first, C)
    annotate(library, second.version_id)
    store(library, capture(OTHER, A + " and more"))
    assert remove_policies(library, [ID]) == Removal((ID,), 3, 2, 6, 3, 1, 0)
    with Library(tmp_path / "other.db", create=True) as other:
        store(other, capture(OTHER, A + " and more"))
        assert dumped(library) == dumped(other)
    assert library.db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_texts_and_pages_that_another_policy_has_stay(library):
    both = [capture(URL, A, "2021"), capture(OTHER, A, "2021")]
    store(library, *both)
    removal = remove_policies(library, [ID])
    assert (removal.texts, removal.pages) == (0, 0)
    assert reading.text(library, both[1].version_id) == A
    assert reading.page(library, both[1].page_id) == f"<p>{A}</p>".encode()


def test_a_copy_of_a_removed_policy_comes_back(library):
    store(library, capture(URL, A, "2022"), capture(OTHER, A, "2021"))
    assert reading.find_policy(library, OTHER).copy_of == ID
    remove_policies(library, [ID])
    assert reading.find_policy(library, OTHER).copy_of is None
    assert reading.status(library).policies == 1


def test_near_duplicates_of_a_removed_policy_are_folded_anew(library):
    third = "https://three.example/privacy"
    store(
        library,
        capture(URL, A, "2023"),
        capture(OTHER, changed(A, 100), "2022"),
        capture(third, changed(A, 200), "2021"),
    )
    assert reading.find_policy(library, third).folded_under == ID
    remove_policies(library, [ID])
    leader = reading.find_policy(library, OTHER)
    assert (leader.folded_under, reading.find_policy(library, third).folded_under) == (None, leader.policy_id)


def test_feedback_that_quotes_it_goes(library):
    one, other = capture(URL, A), capture(OTHER, B)
    store(library, one, other)
    about = Feedback("2026-01-02T03:04:05+00:00", "wrong", ID, one.version_id, "Do you sell?", "answered", "It does.")
    many = Feedback("2026-01-03T03:04:05+00:00", "wrong", None, None, "Who sells?", "policies", "These:",
                    (Place(other.version_id, 0, 5), Place(one.version_id, 0, 5)))  # fmt: skip
    kept = Feedback("2026-01-04T03:04:05+00:00", "right", other.policy_id, other.version_id, "Do you?", "silent", "No.")
    for said in (about, many, kept):
        give(library, said)
    assert remove_policies(library, [ID]).feedback == 2
    assert list(feedback(library)) == [kept]


def test_the_crawler_forgets_where_it_was(library):
    store(library, capture(URL, A))
    frontier = StoredFrontier(library)
    with library.transaction():
        frontier.add([FrontierItem(URL), FrontierItem(OTHER)])
        frontier.done(URL, "page", etag='"1"')
    remove_policies(library, [ID])
    assert [row[0] for row in library.db.execute("SELECT url FROM frontier")] == [OTHER]


def test_a_site_goes_with_what_was_turned_away_there(library):
    store(library, capture(URL, A), capture("https://help.one.example/privacy", B), capture(OTHER, C))
    store(library, *(turned_away(prose(5), f"https://{site}.example/terms") for site in ("one", "two")))
    ids = reading.policies_of(library, "one.example", copies=True)
    assert len(ids) == 2
    assert remove_policies(library, ids, ["one.example"]).rejections == 1
    assert [rejection.url for rejection in reading.rejections(library)] == ["https://two.example/terms"]
    assert list(reading.policies(library)) == [capture(OTHER).policy_id]


def test_words_that_were_removed_are_nowhere_in_the_files(library):
    secret = b"Zyxwvutsrq"
    new = capture(URL, f"We keep {secret.decode()}.", title=secret.decode())
    store(library, new, capture(OTHER, B))
    at = "2026-01-02T03:04:05+00:00"
    give(library, Feedback(at, "wrong", ID, new.version_id, "Do you sell?", "answered", secret.decode()))
    library.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert secret in library.path.read_bytes()
    remove_policies(library, [ID])
    wal = library.path.with_name(f"{library.path.name}-wal")
    assert secret not in library.path.read_bytes() + (wal.read_bytes() if wal.exists() else b"")


def test_who_reads_sees_the_state_before_and_then_the_state_after(library):
    store(library, capture(URL, A), capture(OTHER, B))
    with Library(library.path) as reader:
        with reader.reading():
            entry = reading.find_policy(reader, URL)
            remove_policies(library, [ID])
            assert reading.find_policy(reader, URL) == entry
            assert reading.text(reader, entry.current_version) == A
            assert len(reading.segments(reader, entry.current_version)) == 1
        with pytest.raises(NoSuchPolicy, match="the library has no policy"):
            reading.find_policy(reader, URL)
        with pytest.raises(NoSuchPolicy, match="no version"):
            reading.text(reader, entry.current_version)


def test_a_removal_that_fails_removes_nothing(library, monkeypatch):
    store(library, capture(URL, A), capture(OTHER, A))
    before, secure = dumped(library), library.db.execute("PRAGMA secure_delete").fetchone()[0]

    def failing(db):
        raise OSError("stopped")

    monkeypatch.setattr("smallprint.library.removing.regroup", failing)
    with pytest.raises(OSError, match="stopped"):
        remove_policies(library, [ID])
    assert dumped(library) == before
    assert library.db.execute("PRAGMA secure_delete").fetchone()[0] == secure
