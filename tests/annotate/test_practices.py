from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from smallprint.annotate.practices import LEAST, QUOTED_WORDS, Practice, label, passage, practices, quoted
from smallprint.models.labels import COLUMNS, HALF, ONE, PARENT, column, holding, joint
from smallprint.records import Document, Segment, Span
from smallprint.taxonomy import CATEGORY_LABELS, DOES_NOT, LABELS, POLARITY, Label

FIRST, THIRD, SECURITY = Label("first-party"), Label("third-party"), Label("security")
CONTACT = Label("first-party", "Personal Information Type", "Contact")
DENIED = Label("third-party", "Does/Does Not", DOES_NOT)

TEXT = "What we collect\nWe collect:\nyour name\nNobody else gets it."
SEGMENTS = (
    Segment(0, "heading", 0, 15),
    Segment(1, "paragraph", 16, 27, ("What we collect",)),
    Segment(2, "item", 28, 37, ("What we collect",), Span(16, 27)),
    Segment(3, "paragraph", 38, 58, ("What we collect",)),
)
DOCUMENT = Document("v", "https://one.example/privacy", "Privacy", TEXT, f"Menu\n{TEXT}", SEGMENTS)


class Says:
    """Gives every text the probabilities it was told, remembers what it was asked."""

    def __init__(self, *said: dict[Label, float]) -> None:
        self.said = said
        self.asked: list[list[str]] = []

    def labels(self, texts):
        self.asked.append(list(texts))
        found = np.zeros((len(texts), len(COLUMNS)), dtype=np.float32)
        for row, said in zip(found, self.said, strict=True):
            for name, probability in said.items():
                row[column(name)] = probability
        return found


def table(*rows: dict[Label, int]) -> np.ndarray:
    found = np.zeros((len(rows), len(COLUMNS)), dtype=np.uint8)
    for row, said in zip(found, rows, strict=True):
        for name, value in said.items():
            row[column(name)] = value
    return found


def shown(probabilities: np.ndarray) -> list[dict[Label, int]]:
    return [{COLUMNS[place]: int(row[place]) for place in np.flatnonzero(row)} for row in probabilities]


# Columns


def test_a_column_for_every_label_in_the_taxonomys_order():
    assert (*LABELS, *POLARITY) == COLUMNS
    assert len(set(COLUMNS)) == len(COLUMNS)
    assert COLUMNS[: len(CATEGORY_LABELS)] == CATEGORY_LABELS
    assert [column(one) for one in COLUMNS] == list(range(len(COLUMNS)))
    with pytest.raises(KeyError):
        column(Label("alchemy"))


def test_every_labels_parent_is_its_category():
    assert PARENT.shape == (len(COLUMNS),)
    assert [COLUMNS[parent] for parent in PARENT] == [Label(one.category) for one in COLUMNS]
    assert PARENT[: len(CATEGORY_LABELS)].tolist() == list(range(len(CATEGORY_LABELS)))


# Passages


def test_a_passage_is_read_with_its_lead_in_and_a_heading_not_at_all():
    assert [passage(TEXT, segment) for segment in SEGMENTS] == [
        "",
        "We collect:",
        "We collect: your name",
        "Nobody else gets it.",
    ]
    assert passage(TEXT, replace(SEGMENTS[0], lead_in=Span(16, 27))) == ""


# Labels


def test_every_segment_gets_a_row_but_headings_and_bare_words_are_not_read():
    labeller = Says({FIRST: 0.5, CONTACT: 0.25}, {THIRD: 0.9, DENIED: 0.99})
    found = label(DOCUMENT, labeller)
    assert labeller.asked == [["We collect: your name", "Nobody else gets it."]]
    assert (found.dtype, found.shape) == (np.uint8, (4, len(COLUMNS)))
    assert shown(found) == [{}, {}, {FIRST: 128, CONTACT: 64}, {THIRD: 230, DENIED: 252}]


def test_what_is_hardly_likely_is_nothing():
    said = {FIRST: 4.4 / 255, THIRD: 4.6 / 255, SECURITY: 5 / 255}
    document = replace(DOCUMENT, segments=SEGMENTS[2:3])
    assert LEAST == 5
    assert shown(label(document, Says(said))) == [{THIRD: 5, SECURITY: 5}]


@pytest.mark.parametrize("segments", [(), SEGMENTS[:1]])
def test_without_passages_nobody_is_asked(segments):
    labeller = Says()
    found = label(replace(DOCUMENT, segments=segments), labeller)
    assert labeller.asked == []
    assert (found.shape, found.any()) == ((len(segments), len(COLUMNS)), np.False_)
    assert practices(found, segments) == ()


# What holds


def test_a_value_holds_where_its_category_does():
    probabilities = table(
        {FIRST: 128, CONTACT: 128},
        {FIRST: 127, CONTACT: 255},
        {FIRST: 255, CONTACT: 127},
        {THIRD: 255, CONTACT: 255, DENIED: 200},
    )
    assert (HALF, ONE) == (128, 255)
    assert [[COLUMNS[place] for place in np.flatnonzero(row)] for row in holding(probabilities)] == [
        [FIRST, CONTACT],
        [],
        [FIRST],
        [THIRD, DENIED],
    ]


def test_a_values_probability_by_itself_is_that_with_its_category():
    found = joint(table({FIRST: 204, CONTACT: 51, DENIED: 255}))
    assert found.dtype == np.float32
    assert found[0, column(FIRST)] == pytest.approx(0.8)
    assert found[0, column(CONTACT)] == pytest.approx(0.8 * 0.2)
    assert found[0, column(DENIED)] == 0


@given(arrays(np.uint8, (3, len(COLUMNS)), elements=st.sampled_from([0, 127, 128, 255])))
def test_what_holds_and_how_likely_agree(probabilities):
    held, said = holding(probabilities), joint(probabilities)
    assert (held <= held[:, PARENT]).all()
    assert (said <= said[:, PARENT]).all()
    assert ((said >= 0) & (said <= 1)).all()
    found = practices(probabilities, SEGMENTS[:3])
    assert [one.label for one in found] == [COLUMNS[place] for place in np.flatnonzero(held.any(axis=0))]
    for one in found:
        rows = [segment.ordinal for segment in SEGMENTS[:3] if held[segment.ordinal, column(one.label)]]
        assert sorted(one.segments) == rows
        likely = [said[row, column(one.label)] for row in one.segments]
        assert likely == sorted(likely, reverse=True)
        assert one.probability == pytest.approx(likely[0], abs=0.0005)


def test_practices_in_the_taxonomys_order_with_the_likeliest_segments_first():
    probabilities = table(
        {SECURITY: 200},
        {FIRST: 153, CONTACT: 255, SECURITY: 255},
        {FIRST: 255, CONTACT: 128, SECURITY: 200},
        {FIRST: 255, CONTACT: 127},
    )
    assert practices(probabilities, SEGMENTS) == (
        Practice(FIRST, 1.0, (2, 3, 1)),
        Practice(SECURITY, 1.0, (1, 0, 2)),
        Practice(CONTACT, 0.6, (1, 2)),
    )


def test_segments_are_named_by_their_ordinals():
    later = [replace(segment, ordinal=segment.ordinal + 10) for segment in SEGMENTS[:2]]
    assert practices(table({FIRST: 130}, {FIRST: 140}), later) == (Practice(FIRST, 0.549, (11, 10)),)


# What is quoted

LINES = (
    ("row", "Login records | to detect fraud and abuse | 18 months from then"),
    ("item", "your name and address;"),
    ("paragraph", "We collect your name so that we can answer you."),
    ("item", "We collect your address so that we can deliver."),
    ("paragraph", "We may ask for more."),
)
WHOLE = "\n".join(line for _, line in LINES)
PLACES = [sum(len(line) + 1 for _, line in LINES[:number]) for number in range(len(LINES))]
BY_ORDINAL = {
    10 + number: Segment(10 + number, kind, start, start + len(line))
    for number, ((kind, line), start) in enumerate(zip(LINES, PLACES, strict=True))
}


@pytest.mark.parametrize(
    ("likeliest_first", "expected"),
    [
        ((12, 13), 12),
        ((13, 12), 13),
        ((10, 11, 14, 13, 12), 13),
        ((11, 10), 11),
        ((10, 11), 10),
        ((14,), 14),
    ],
)
def test_a_whole_sentence_is_quoted_before_scraps_and_rows(likeliest_first, expected):
    assert quoted(Practice(FIRST, 0.9, likeliest_first), WHOLE, BY_ORDINAL) == BY_ORDINAL[expected]


def test_eight_words_are_enough():
    text = "one two three four five six seven\none two three four five six seven eight"
    segments = {0: Segment(0, "paragraph", 0, 33), 1: Segment(1, "paragraph", 34, 73)}
    assert QUOTED_WORDS == 8
    assert quoted(Practice(FIRST, 0.9, (0, 1)), text, segments) == segments[1]
