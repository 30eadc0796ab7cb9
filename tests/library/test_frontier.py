from __future__ import annotations

import time

from smallprint.library import Library
from smallprint.library.frontier import StoredFrontier
from smallprint.records import FrontierItem

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"


def filled(library: Library) -> StoredFrontier:
    frontier = StoredFrontier(library)
    frontier.add([FrontierItem(A, home=True), FrontierItem(B), FrontierItem(C)])
    return frontier


def test_addresses_are_numbered_and_remembered_once(library):
    frontier = StoredFrontier(library)
    assert frontier.add([FrontierItem(A, home=True), FrontierItem(B), FrontierItem(A)]) == 2
    assert frontier.add([FrontierItem(B), FrontierItem(C)]) == 1
    assert frontier.due(10) == [
        FrontierItem(A, home=True, number=1),
        FrontierItem(B, number=2),
        FrontierItem(C, number=3),
    ]


def test_due_goes_on_after_a_number(library):
    frontier = filled(library)
    assert [item.url for item in frontier.due(2)] == [A, B]
    assert [item.url for item in frontier.due(2, after=2)] == [C]
    assert frontier.due(2, after=3) == frontier.due(0) == []


def test_what_is_done_is_not_due(library):
    frontier = filled(library)
    frontier.done(A, "links")
    frontier.done(B, "page", etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")
    assert [item.url for item in frontier.due(10)] == [C]
    assert frontier.counts() == (1, 2)
    assert frontier.add([FrontierItem(A)]) == 0


def test_what_is_put_off_is_due_later(library):
    frontier = filled(library)
    frontier.retry(A, time.time() + 3600)
    frontier.retry(B, time.time() - 1)
    assert frontier.due(10) == [FrontierItem(B, attempts=1, number=2), FrontierItem(C, number=3)]
    assert frontier.counts() == (3, 0)


def test_again_asks_for_what_was_visited_with_its_conditions(library):
    frontier = filled(library)
    frontier.retry(A, 0)
    frontier.done(A, "page", etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")
    frontier.retry(C, time.time() + 3600)
    assert frontier.again() == 1
    visited = FrontierItem(A, home=True, etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT", number=1)
    assert frontier.due(10) == [visited, FrontierItem(B, number=2)]


def test_the_frontier_outlives_the_process(library):
    filled(library).done(A, "page")
    with Library(library.path) as again:
        assert [item.url for item in StoredFrontier(again).due(10)] == [B, C]
