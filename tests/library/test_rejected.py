from __future__ import annotations

from dataclasses import replace

import pytest

from smallprint.library.dump import logical_dump
from smallprint.library.packing import CLEANER, JUDGED_AGAIN, pack_page
from smallprint.library.reading import KeptRejections, status
from smallprint.library.writing import save
from smallprint.records import Page, Reason

from .making import capture, prose, rejection

URL = "https://x.example/terms"
ROOM = 1_000_000


def turned_away(text: str, url: str = URL, reason: Reason = Reason.NOT_POLICY, at: str = "2024-01-01"):
    page = Page(url, f"<p>{text}</p>".encode(), "html", "test", at, final_url=f"{url}/moved", title="Terms")
    return replace(rejection(url, reason, at), page=pack_page(page))


def store(library, *results, room: int = ROOM) -> None:
    with library.transaction() as db:
        save(db, results, rejected_bytes=room)


def pages(library) -> set[str]:
    return {row[0] for row in library.db.execute("SELECT page_id FROM pages")}


def test_a_rejected_page_is_kept_with_what_its_source_said_of_it(library):
    new = turned_away(prose(1))
    store(library, new)
    (row,) = library.db.execute("SELECT * FROM rejections").fetchall()
    assert tuple(row) == (
        "test", URL, "2024-01-01", "not a policy", "because it is not a policy", new.page.page_id, f"{URL}/moved",
        "Terms", len(new.page.content), CLEANER,
    )  # fmt: skip
    assert pages(library) == {new.page.page_id}
    assert status(library).kept_rejections == KeptRejections(1, len(new.page.content), 0)


def test_the_same_rejection_again_changes_nothing(library):
    store(library, turned_away(prose(1)))
    before = list(logical_dump(library))
    store(library, turned_away(prose(1)), turned_away(prose(1)), room=len(turned_away(prose(1)).page.content))
    assert list(logical_dump(library)) == before


def test_what_has_no_room_is_noted_without_its_page(library):
    results = [turned_away(prose(number), f"{URL}/{number}") for number in range(3)]
    sizes = [len(result.page.content) for result in results]
    store(library, *results, room=sizes[0] + sizes[1])
    kept = [row[0] for row in library.db.execute("SELECT page_id FROM rejections ORDER BY url")]
    assert kept == [results[0].page.page_id, results[1].page.page_id, None]
    assert pages(library) == {results[0].page.page_id, results[1].page.page_id}
    assert status(library).kept_rejections == KeptRejections(2, sizes[0] + sizes[1], 1)


def test_one_byte_too_little_is_no_room(library):
    new = turned_away(prose(1))
    store(library, new, room=len(new.page.content) - 1)
    assert status(library).kept_rejections == KeptRejections(0, 0, 1)
    store(library, new, room=len(new.page.content))
    assert status(library).kept_rejections == KeptRejections(1, len(new.page.content), 0)


def test_without_room_none_is_kept(library):
    store(library, turned_away(prose(1)), room=0)
    assert pages(library) == set()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_pages_at_one_time_the_same_is_kept_whichever_came_first(library, order):
    both = sorted((turned_away(prose(number)) for number in range(2)), key=lambda one: one.page.page_id)
    for number in order:
        store(library, both[number])
    assert pages(library) == {both[0].page.page_id}


def test_a_page_that_is_kept_after_all_has_no_rejection_and_its_page_stays(library):
    new = capture("https://x.example/privacy", prose(1))
    store(library, turned_away(prose(1), "https://x.example/privacy"), new)
    assert library.db.execute("SELECT count(*) FROM rejections").fetchone()[0] == 0
    assert pages(library) == {new.page_id}


def test_the_page_of_a_rejection_goes_with_it(library):
    store(library, turned_away(prose(1), "https://x.example/privacy"))
    new = capture("https://x.example/privacy", prose(2))
    store(library, new)
    assert pages(library) == {new.page_id}


def test_a_page_that_another_rejection_has_stays(library):
    other = turned_away(prose(1), "https://y.example/privacy")
    store(library, turned_away(prose(1), "https://x.example/privacy"), other)
    new = capture("https://x.example/privacy", prose(2))
    store(library, new)
    assert pages(library) == {new.page_id, other.page.page_id}


def test_what_was_never_read_as_a_page_is_not_judged_again():
    assert set(Reason) - JUDGED_AGAIN == {
        Reason.TOO_LARGE, Reason.NOT_CANDIDATE, Reason.NOT_FETCHED, Reason.COPY,
    }  # fmt: skip
