from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.errors import DamagedText
from smallprint.library import Library, reading
from smallprint.library.dump import logical_dump
from smallprint.library.likeness import settle
from smallprint.library.packing import Packed
from smallprint.library.writing import Progress, forget_progress, note_progress, progress, save
from smallprint.records import Reason, Rejection, Segment, Span

from .making import capture, changed, prose, rejection

ONE = "https://one.example/privacy"
A, B, C = prose(1), prose(2), prose(3)


def store(library: Library, *results: Packed | Rejection) -> None:
    with library.transaction() as db:
        save(db, results)


def seen(library: Library, wanted: str = ONE) -> tuple[str, list[tuple[str, str, str]]]:
    """Give the current text and every version's text with when it was seen first and last."""
    found = reading.find_policy(library, wanted)
    versions = [(reading.text(library, v.version_id), v.first_seen, v.last_seen) for v in found.versions]
    return reading.text(library, found.current_version), versions


def test_a_capture_is_given_back_as_it_was(library):
    new = capture(ONE, A, "2024-05-06", title="Privacy at One", p_policy=0.75)
    store(library, new)
    found = reading.find_policy(library, ONE)
    assert found.current == reading.VersionEntry(
        new.version_id, new.text_id, new.page_id, "Privacy at One", 0.75, None, None, 400, "2024-05-06", "2024-05-06"
    )
    assert (found.url, found.domain, found.copy_of, found.folded_under) == (ONE, "one.example", None, None)
    assert reading.text(library, new.version_id) == A
    assert reading.page_text(library, new.version_id) == f"Menu\n{A}"
    assert reading.page(library, new.page_id) == f"<p>{A}</p>".encode()
    assert reading.segments(library, new.version_id) == (
        Segment(0, "paragraph", 0, len(A), ("Data",), None, (Span(0, len(A)),)),
    )


def test_the_same_page_again_changes_nothing(library):
    store(library, capture(ONE, A))
    before = list(logical_dump(library))
    store(library, capture(ONE, A))
    assert list(logical_dump(library)) == before


def test_the_same_page_later_is_no_new_version(library):
    store(library, capture(ONE, A, "2024-01-01"), capture(ONE, A, "2024-02-01"))
    assert seen(library) == (A, [(A, "2024-01-01", "2024-02-01")])


def test_a_changed_text_is_a_new_version(library):
    store(library, capture(ONE, A, "2024-01-01"), capture(ONE, B, "2024-02-01"))
    assert seen(library) == (B, [(A, "2024-01-01", "2024-01-01"), (B, "2024-02-01", "2024-02-01")])


def test_an_older_capture_that_arrives_later_stays_the_older(library):
    store(library, capture(ONE, B, "2024-02-01"), capture(ONE, A, "2023-12"))
    assert seen(library) == (B, [(A, "2023-12", "2023-12"), (B, "2024-02-01", "2024-02-01")])


def test_a_policy_that_goes_back_goes_back_to_its_version(library):
    store(library, *(capture(ONE, text, at) for text, at in ((A, "2021"), (B, "2022"), (A, "2023"))))
    assert seen(library) == (A, [(A, "2021", "2023"), (B, "2022", "2022")])
    store(library, capture(ONE, B, "2024"))
    assert seen(library) == (B, [(A, "2021", "2023"), (B, "2022", "2024")])


def test_other_markup_around_the_same_text_is_no_new_version(library):
    first = capture(ONE, A, "2024-01-01", markup="<p>{}</p>", title="Old title")
    second = capture(ONE, A, "2024-02-01", markup="<main>{}</main>", title="New title")
    store(library, second, first)
    (version,) = reading.find_policy(library, ONE).versions
    assert (version.page_id, version.title) == (first.page_id, "Old title")  # told by the earliest capture
    assert {row[0] for row in library.db.execute("SELECT page_id FROM pages")} == {first.page_id, second.page_id}


def test_http_https_and_www_are_one_policy(library):
    urls = ("http://www.one.example/privacy", "https://one.example/privacy/", "https://www.one.example/privacy")
    store(library, *(capture(url, A, f"2024-0{n}-01") for n, url in enumerate(urls, 1)))
    assert seen(library) == (A, [(A, "2024-01-01", "2024-03-01")])
    assert reading.status(library).captures == 3


def test_a_page_without_a_date_is_older_than_any(library):
    store(library, capture(ONE, A, ""), capture(ONE, B, "1999"))
    assert seen(library)[0] == B


def test_rejections_are_kept_once_for_each_reading(library):
    store(library, rejection("https://x.example/"), rejection("https://x.example/"))
    store(library, rejection("https://x.example/", at="2024-02-01"), rejection("https://y.example/", source="other"))
    assert [(r.source, r.url, r.fetched_at) for r in reading.rejections(library)] == [
        ("other", "https://y.example/", "2024-01-01"),
        ("test", "https://x.example/", "2024-01-01"),
        ("test", "https://x.example/", "2024-02-01"),
    ]


def test_a_later_reading_of_the_same_page_says_its_own_reason(library):
    store(library, rejection("https://x.example/", Reason.TOO_SHORT))
    store(library, rejection("https://x.example/", Reason.NOT_POLICY))
    assert list(reading.rejections(library)) == [rejection("https://x.example/", Reason.NOT_POLICY)]


def test_a_page_that_is_kept_after_all_is_no_longer_rejected(library):
    store(library, rejection(ONE), rejection("https://two.example/privacy"))
    store(library, capture(ONE, A))
    assert list(reading.rejections(library)) == [rejection("https://two.example/privacy")]


def test_progress_is_noted_and_forgotten(library):
    assert progress(library, "print") == Progress(0, finished=False)
    with library.transaction() as db:
        note_progress(db, "print", "jsonl:x", 32)
        note_progress(db, "print", "jsonl:x", 64)
        note_progress(db, "other", "jsonl:y", 5, finished=True)
    assert progress(library, "print") == Progress(64, finished=False)
    assert progress(library, "other") == Progress(5, finished=True)
    assert reading.status(library).unfinished == ("jsonl:x",)
    forget_progress(library, "other")
    assert progress(library, "other") == Progress(0, finished=False)


# The order of arrival

LIKE_A = changed(A, 50, 150, 250)
ARRIVALS: tuple[Packed | Rejection, ...] = (
    capture(ONE, A, "2021-01-01"),
    capture(ONE, B, "2022-01-01"),
    capture(ONE, A, "2023-01-01", source="archive"),
    capture(ONE, A, "2023-01-01", markup="<div>{}</div>"),  # twice at the same time, on another page
    capture("http://www.one.example/privacy", A, "2021-01-01", p_policy=0.8),  # the same page by another address
    capture(ONE, A, "2021-01-01", title="Called otherwise", source="other"),
    capture(ONE, C, "2023-01-01"),  # and another text at that time
    capture(ONE, LIKE_A, "2019"),
    capture("https://copy.example/privacy", A, "2023-01-01"),
    capture("https://earlier.example/privacy", LIKE_A, "2020-06", charset="utf-8"),
    capture("https://earlier.example/privacy", LIKE_A, "2020-06", charset="latin-1", kind="text"),
    capture("https://like.example/privacy", changed(LIKE_A, 20, 120, 320), "2020-12-31T10:00:00+00:00"),
    capture("https://alone.example/privacy", C, ""),
    rejection("https://x.example/"),
    rejection("https://x.example/", Reason.NOT_POLICY, at="2025"),
    rejection(ONE, at="2025"),
)


def dump_of(batches: Iterable[tuple[list[Packed | Rejection], bool]]) -> list[str]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Library(Path(folder) / "library.db", create=True) as library,
    ):
        library.db.execute("PRAGMA synchronous = OFF")
        for batch, settled in batches:
            store(library, *batch)
            if settled:
                settle(library, 0.9)
        settle(library, 0.9)
        return list(logical_dump(library))


@pytest.fixture(scope="module")
def in_order():
    return dump_of([(list(ARRIVALS), False)])


@settings(max_examples=60, deadline=None)
@given(order=st.permutations(ARRIVALS), ends=st.lists(st.tuples(st.integers(0, len(ARRIVALS)), st.booleans())))
def test_the_library_does_not_depend_on_the_order_of_arrival(in_order, order, ends):
    batches, start = [], 0
    for end, settled in sorted(ends):
        batches.append((list(order[start:end]), settled))
        start = end
    batches.append((list(order[start:]), False))
    assert dump_of(batches) == in_order


@settings(max_examples=20, deadline=None)
@given(again=st.lists(st.sampled_from(ARRIVALS)))
def test_arriving_again_changes_nothing(in_order, again):
    assert dump_of([(list(ARRIVALS), True), (again, False)]) == in_order


def test_a_text_that_another_policy_takes_up_is_compared_anew(library):
    one, other = capture(ONE, LIKE_A, "2019"), capture(ONE, A, "2021")
    store(library, one, other)
    assert settle(library, 0.9).groups == 0  # versions of one policy
    store(library, capture("https://late.example/privacy", LIKE_A, "2022"))
    assert settle(library, 0.9).groups == 1


def test_the_time_of_day_is_no_part_of_the_dump(library):
    store(library, capture(ONE, A, "2024-01-01T10:00:00+00:00"), rejection("https://x.example/", at="2024-01-01T10:00"))
    other = [
        replace(capture(ONE, A), captured_at="2024-01-01T23:59:59+00:00"),
        rejection("https://x.example/", at="2024-01-01T11:00"),
    ]
    settle(library, 0.9)
    assert dump_of([(other, False)]) == list(logical_dump(library))


def test_a_damaged_text_or_page_is_mended_when_its_source_is_read_again(library):
    new = capture(text="We never sell your data.")
    with library.transaction() as db:
        save(db, [new])
        before = list(logical_dump(library))
        db.execute("UPDATE texts SET content = zeroblob(20), characters = 3")
        db.execute("UPDATE pages SET content = zeroblob(20), bytes = 3")
    with pytest.raises(DamagedText):
        reading.text(library, new.version_id)
    with pytest.raises(DamagedText):
        reading.page(library, new.page_id)
    with library.transaction() as db:
        save(db, [new])
    assert reading.text(library, new.version_id) == "We never sell your data."
    assert list(logical_dump(library)) == before
