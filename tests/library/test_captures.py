from __future__ import annotations

import pytest

from smallprint.errors import NoSuchVersion
from smallprint.library.packing import CLEANER, name
from smallprint.library.reading import CaptureEntry, captures, cleaner
from smallprint.library.writing import save

from .making import capture

SEEN = [
    capture(text="We keep data.", at="2021-05-01"),
    capture(text="We keep all data.", at="2023-02"),
    capture(text="We keep data.", at="2024-01-01", markup="<div>{}</div>"),
    capture("https://two.example/privacy", "Another's.", at="2022-01-01"),
]


@pytest.fixture
def filled(library):
    with library.transaction() as db:
        save(db, SEEN)
    return library


def test_captures_of_a_policy_are_its_own_in_order(filled):
    found = captures(filled, SEEN[0].policy_id)
    assert [one.captured_at for one in found] == ["2021-05-01", "2023-02", "2024-01-01"]
    assert found[0] == CaptureEntry(
        SEEN[0].version_id, "2021-05-01", "https://one.example/privacy", "test", name(b"<p>We keep data.</p>")
    )
    assert found[2].page_id == name(b"<div>We keep data.</div>")


def test_captures_of_a_version(filled):
    assert [one.captured_at for one in captures(filled, SEEN[0].policy_id, SEEN[0].version_id)] == [
        "2021-05-01",
        "2024-01-01",
    ]
    assert captures(filled, SEEN[0].policy_id, "no such version") == ()
    assert captures(filled, "no such policy") == ()


def test_who_read_a_version(filled):
    assert cleaner(filled, SEEN[0].version_id) == CLEANER
    with pytest.raises(NoSuchVersion, match="no version 'nobody@1' is in the library"):
        cleaner(filled, "nobody@1")
