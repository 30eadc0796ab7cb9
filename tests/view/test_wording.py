from __future__ import annotations

import pytest

from smallprint.records import Span
from smallprint.view.alignment import Stretch
from smallprint.view.changes import Piece, is_one, pieces, runs
from smallprint.view.pairing import tokens


def compared(old: str, new: str):
    ours, theirs = tokens(old, []), tokens(new, [])
    found = runs(ours, theirs, Stretch(0, len(ours.keys), 0, len(theirs.keys)))
    return ours, theirs, found


def test_runs_are_as_long_as_can_be():
    *_, found = compared("We keep your old data", "We keep your new data")
    assert found == [Stretch(0, 3, 0, 3, same=True), Stretch(3, 4, 3, 4), Stretch(4, 5, 4, 5, same=True)]


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("alpha beta the gamma delta", "one two the three four", 1),  # an island of one word among many
        ("alpha beta gamma delta omega", "one beta gamma delta four", 3),  # three words are no island
        ("name the address", "name the email the address", 3),  # nothing went, so nothing is marked as gone
        ("alpha , beta", "one , two", 1),  # a mark alone is an island
    ],
)
def test_islands_go_with_what_is_around_them(old, new, count):
    *_, found = compared(old, new)
    assert len(found) == count


@pytest.mark.parametrize(
    ("old", "new", "one"),
    [
        ("We keep data", "We keep data", True),
        ("We keep your data for a year", "We keep your data for a month", True),
        ("We keep your data", "They sell our stuff", False),
        ("We keep your data", "We keep your data and much else of which nobody told you or ever will, in truth", True),
        (
            "alpha beta gamma delta epsilon zeta",
            "one alpha other thing between gamma another word after delta further more zeta at last",
            False,
        ),
    ],
)
def test_two_wordings_of_one_passage(old, new, one):
    assert is_one(*compared(old, new)) is one


def written(old: str, new: str) -> list[Piece]:
    return list(pieces(*compared(old, new)))


def test_what_stayed_to_the_letter_is_one_piece():
    assert written("We keep data.", "We keep data.") == [Piece("same", Span(0, 13), Span(0, 13))]


def test_what_nobody_reads_is_quiet():
    assert written("We keep\nall data.", "We keep all data.") == [
        Piece("same", Span(0, 3), Span(0, 3)),
        Piece("quiet", Span(3, 8), Span(3, 8), "keep\n", "keep "),
        Piece("same", Span(8, 17), Span(8, 17)),
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # Blanks that both sides have are not marked.
        ("a x c", "a y c", ["a", " ", "-x", "+y", " ", "c"]),
        # What one side alone has is marked with its blank.
        ("a x c", "a c", ["a", " ", "-x ", "c"]),
        ("a x", "a", ["a", "- x"]),
        ("a", "a x", ["a", "+ x"]),
        ("a, c", "a c", ["a", "-,", " ", "c"]),
        ("a c", "a, c", ["a", "+,", " ", "c"]),
        ("a and c", "a, c", ["a", "- and", "+,", " ", "c"]),
    ],
)
def test_where_marks_begin_and_end(old, new, expected):
    signs = {"removed": "-", "added": "+", "same": "", "quiet": "~"}
    found = [signs[one.kind] + (one.removed or one.added or old[one.old.start : one.old.end])
             for one in written(old, new)]  # fmt: skip
    assert found == expected


def test_a_blank_that_changed_beside_a_word_that_came_is_quiet():
    assert written("a\nb c d e", "a x b c d e")[:3] == [
        Piece("same", Span(0, 1), Span(0, 1)),
        Piece("quiet", Span(1, 2), Span(1, 2), "\n", " "),
        Piece("added", None, Span(2, 4), "", "x "),
    ]
