"""Pages that were just read: how long and how many of them are remembered."""

from __future__ import annotations

from smallprint import limits
from smallprint.records import Page
from smallprint.server.remembered import SECONDS, Recent


def page(content=b"x"):
    return Page("https://one.example/", content, "html", "test", "2024-01-01")


def test_a_page_is_remembered_for_a_while():
    now = [0.0]
    recent = Recent(clock=lambda: now[0])
    recent.put("a", page(b"1"))
    now[0] = SECONDS - 1
    assert recent.get("a") == page(b"1")
    recent.put("b", page(b"2"))
    now[0] = SECONDS
    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (None, page(b"2"), None)
    recent.put("b", page(b"3"))
    now[0] = 2 * SECONDS - 1
    assert recent.get("b") == page(b"3")


def test_no_more_than_a_few_are_and_none_that_is_large():
    recent = Recent()
    for number in range(limits.MAX_RECENT_PAGES + 1):
        recent.put(str(number), page())
    assert [recent.get(str(number)) for number in (0, 1, limits.MAX_RECENT_PAGES)] == [None, page(), page()]
    recent.put("1", page(b"x" * (limits.MAX_RECENT_BYTES + 1)))
    assert recent.get("1") is None
