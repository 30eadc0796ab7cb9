from __future__ import annotations

from dataclasses import replace

import pytest

from smallprint.annotate.kinds import Annotator
from smallprint.annotate.registry import Annotation
from smallprint.library import Library, reading
from smallprint.library.annotations import document, read_annotations, save_annotations
from smallprint.library.annotations import pack as pack_annotation
from smallprint.library.dump import logical_dump
from smallprint.library.likeness import settle
from smallprint.library.packing import Packed
from smallprint.library.reading import captures
from smallprint.library.rereading import (
    KeptVersion,
    kept_versions,
    outdated_policies,
    outdated_rejections,
    outdated_versions,
    replace_versions,
)
from smallprint.library.writing import save
from smallprint.records import Link, Page, Reason, Rejection, SectorGuess

from .making import capture, prose, rejection
from .test_rejected import turned_away

URL = "https://one.example/privacy"
A, B, C = prose(1), prose(2), prose(3)
OLD, NEW, NEWEST = 1, 2, 3
NOW = "2026-01-01T00:00:00Z"


def read(text: str, at: str = "2024-01-01", *, cleaner: int, page: str | None = None, url: str = URL) -> Packed:
    """Read a page as a text, whatever is on it."""
    new = capture(url, text, at)
    return replace(new, page_id=capture(url, page or text).page_id, cleaner=cleaner)


def store(library: Library, *results: Packed | Rejection) -> None:
    with library.transaction() as db:
        save(db, results, rejected_bytes=1_000_000)


def reread(library: Library, readings: dict[str, Packed | Rejection], cleaner: int = NEW) -> int:
    """Put readings, by old text's version, in the place of the old ones."""
    policy_id = capture(URL).policy_id
    with library.transaction() as db:
        return replace_versions(db, policy_id, readings, cleaner, NOW)


def id_of(text: str) -> str:
    return capture(URL, text).version_id


def history(library: Library) -> list[tuple[str, str]]:
    return [(one.captured_at, one.version_id) for one in captures(library, capture(URL).policy_id)]


def successors(library: Library) -> dict[str, str | None]:
    return dict(library.db.execute("SELECT version_id, successor FROM versions").fetchall())


def test_what_an_older_cleaner_read_is_listed_with_its_page(library):
    store(library, read(A, "2024-01-01", cleaner=OLD), read(A, "2025-01-01", cleaner=OLD), read(B, "2026", cleaner=NEW))
    policy_id = capture(URL).policy_id
    assert outdated_policies(library, NEW) == {policy_id: 1}
    (version,) = outdated_versions(library, policy_id, NEW)
    assert (version.policy_id, version.version_id, version.title) == (policy_id, id_of(A), None)
    assert version.page == Page(URL, f"<p>{A}</p>".encode(), "html", "test", "2024-01-01")
    assert outdated_policies(library, OLD) == {}


def test_a_title_of_which_nobody_knows_who_gave_it_stays(library):
    store(library, replace(read(A, cleaner=OLD), given_title=None, title="As it was"))
    (version,) = outdated_versions(library, capture(URL).policy_id, NEW)
    assert (version.title, version.page.title) == ("As it was", None)


def test_a_title_that_the_source_gave_is_given_again(library):
    store(library, replace(read(A, cleaner=OLD), given_title="Our policy"))
    (version,) = outdated_versions(library, capture(URL).policy_id, NEW)
    assert (version.title, version.page.title) == (None, "Our policy")


def test_a_page_is_read_under_the_address_that_was_asked_for_unless_it_led_elsewhere(library):
    asked = "http://www.one.example/privacy"
    store(
        library,
        replace(read(A, cleaner=OLD), asked_url=asked),
        replace(read(B, cleaner=OLD), asked_url="https://one.example/pp"),
    )
    pages = {v.version_id: v.page.url for v in outdated_versions(library, capture(URL).policy_id, NEW)}
    assert pages == {id_of(A): asked, id_of(B): URL}


def test_a_changed_text_gets_a_new_id_and_the_old_id_leads_to_it(library):
    store(library, read(A, "2024", cleaner=OLD), read(A, "2025", cleaner=OLD))
    assert reread(library, {id_of(A): read(B, "2024", cleaner=NEW)}) == 1
    assert history(library) == [("2024", id_of(B)), ("2025", id_of(B))]
    assert successors(library) == {id_of(A): id_of(B), id_of(B): None}
    assert reading.find_policy(library, URL).current_version == id_of(B)
    assert [version.version_id for version in reading.find_policy(library, URL).versions] == [id_of(B)]
    assert reading.text(library, id_of(A)) == A
    assert len(reading.segments(library, id_of(A))) == 1
    assert outdated_policies(library, NEW) == {}


def test_an_unchanged_text_keeps_its_id_and_its_annotations(library):
    store(library, read(A, cleaner=OLD))
    with library.transaction() as db:
        db.execute("INSERT INTO measures (version_id, grade) VALUES (?, 9.0)", (id_of(A),))
    before = [line for line in logical_dump(library) if not line.startswith("versions")]
    assert reread(library, {id_of(A): read(A, cleaner=NEW)}) == 0
    assert [line for line in logical_dump(library) if not line.startswith("versions")] == before
    assert library.db.execute("SELECT cleaner FROM versions").fetchone()[0] == NEW


def test_links_that_an_older_cleaner_dropped_are_kept_and_only_what_was_said_of_links_goes(library):
    old = capture(URL, A)
    store(library, old)
    library.db.execute("UPDATE versions SET links = NULL")
    said = [("sector", SectorGuess("media", 0.5)), ("links", ())]
    with library.transaction() as db:
        save_annotations(
            db, old.version_id, [pack_annotation(Annotation(Annotator(kind, "m", "1"), one)) for kind, one in said]
        )
    new = replace(old, links='[[0,2,"https://one.example/opt-out"]]', cleaner=old.cleaner + 1)
    with library.transaction() as db:
        replace_versions(db, old.policy_id, {old.version_id: new}, new.cleaner, "2026-01-01T00:00:00Z")
    assert document(library, old.version_id).links == (Link(0, 2, "https://one.example/opt-out"),)
    assert set(read_annotations(library, old.version_id).made_by) == {"sector"}


def test_annotations_go_where_the_same_text_is_cut_otherwise(library):
    store(library, read(A, cleaner=OLD))
    with library.transaction() as db:
        db.execute("INSERT INTO measures (version_id, grade) VALUES (?, 9.0)", (id_of(A),))
    new = read(A, cleaner=NEW)
    cut = replace(new, segments=((*new.segments[0][:2], 0, 10, *new.segments[0][4:]),))
    assert reread(library, {id_of(A): cut}) == 0
    assert library.db.execute("SELECT count(*) FROM measures").fetchone()[0] == 0
    assert [segment.end for segment in reading.segments(library, id_of(A))] == [10]


def test_two_that_read_alike_now_become_one(library):
    store(library, read(A, "2024", cleaner=OLD), read(B, "2025", cleaner=OLD))
    assert (
        reread(
            library, {id_of(A): read(C, "2024", page=A, cleaner=NEW), id_of(B): read(C, "2025", page=B, cleaner=NEW)}
        )
        == 2
    )
    assert history(library) == [("2024", id_of(C)), ("2025", id_of(C))]
    assert successors(library) == {id_of(A): id_of(C), id_of(B): id_of(C), id_of(C): None}
    assert reading.find_policy(library, URL).current.page_id == capture(URL, A).page_id  # that of the earliest capture


def test_two_that_change_places_keep_both_ids(library):
    store(library, read(A, "2024", cleaner=OLD), read(B, "2025", cleaner=OLD))
    assert (
        reread(
            library, {id_of(A): read(B, "2024", page=A, cleaner=NEW), id_of(B): read(A, "2025", page=B, cleaner=NEW)}
        )
        == 0
    )
    assert history(library) == [("2024", id_of(B)), ("2025", id_of(A))]
    assert successors(library) == {id_of(A): None, id_of(B): None}


def test_one_that_reads_like_another_that_is_up_to_date_joins_it(library):
    store(library, read(A, "2024", cleaner=OLD), read(B, "2025", cleaner=NEW))
    assert reread(library, {id_of(A): read(B, "2024", page=A, cleaner=NEW)}) == 1
    assert history(library) == [("2024", id_of(B)), ("2025", id_of(B))]


def test_a_chain_ends_in_the_latest_and_a_text_that_returns_is_revived(library):
    store(library, read(A, "2024", cleaner=OLD))
    reread(library, {id_of(A): read(B, "2024", page=A, cleaner=NEW)})
    reread(library, {id_of(B): read(C, "2024", page=A, cleaner=NEWEST)}, NEWEST)
    assert successors(library) == {id_of(A): id_of(B), id_of(B): id_of(C), id_of(C): None}
    reread(library, {id_of(C): read(A, "2024", page=A, cleaner=4)}, 4)
    assert successors(library) == {id_of(A): None, id_of(B): id_of(C), id_of(C): id_of(A)}
    assert reading.find_policy(library, URL).current_version == id_of(A)


def test_what_would_be_turned_away_is_kept_as_it_was_and_named(library):
    store(library, read(A, "2024", cleaner=OLD), read(B, "2025", cleaner=OLD))
    before = [line for line in logical_dump(library) if not line.startswith("versions")]
    away = rejection(URL, Reason.NOT_POLICY)
    assert reread(library, {id_of(A): away, id_of(B): away}) == 0
    assert [line for line in logical_dump(library) if not line.startswith("versions")] == before
    assert kept_versions(library, NEW) == tuple(
        KeptVersion(version_id, "not a policy: because it is not a policy") for version_id in sorted(map(id_of, (A, B)))
    )
    assert outdated_policies(library, NEW) == {}
    assert sum(outdated_policies(library, NEWEST).values()) == 2
    reread(library, {id_of(A): read(A, "2024", cleaner=NEWEST), id_of(B): read(B, "2025", cleaner=NEWEST)}, NEWEST)
    assert kept_versions(library, NEW) == kept_versions(library, NEWEST) == ()


def test_a_replaced_text_is_no_near_duplicate_any_more(library):
    other = "https://two.example/privacy"
    store(library, read(A, cleaner=OLD), read(A + " and more", url=other, cleaner=NEW))
    assert settle(library, 0.9).folded == 1
    reread(library, {id_of(A): read(B, page=A, cleaner=NEW)})
    assert settle(library, 0.9).folded == 0
    assert library.db.execute("SELECT count(*) FROM alike").fetchone()[0] == 0
    assert library.db.execute("SELECT count(*) FROM banded").fetchone()[0] == 2


@pytest.mark.parametrize("at", ["2024-01-01", "2025"])
def test_a_page_that_was_read_again_and_comes_again_is_no_change(library, at):
    store(library, read(A, cleaner=OLD))
    store(library, read(B, at, page=A, cleaner=NEW))  # before it was read again: it stays with its version
    assert {version for _, version in history(library)} == {id_of(A)}
    reread(library, {id_of(A): read(B, page=A, cleaner=NEW)})
    store(library, read(C, at, page=A, cleaner=NEW))
    assert {version for _, version in history(library)} == {id_of(B)}


def test_rejected_pages_are_listed_as_they_came(library):
    old = turned_away(A)
    old = replace(old, page=replace(old.page, cleaner=OLD))
    store(library, old, rejection("https://y.example/"))
    url = "https://x.example/terms"
    (page,) = outdated_rejections(library, NEW)
    assert page == Page(url, f"<p>{A}</p>".encode(), "html", "test", "2024-01-01", f"{url}/moved", None, "Terms")
    assert list(outdated_rejections(library, OLD)) == []
