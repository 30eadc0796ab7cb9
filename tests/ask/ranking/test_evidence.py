from __future__ import annotations

import numpy as np

from smallprint.ask.ranking.evidence import packed, sentences_of, unpacked, vectors_of
from smallprint.records import Document, Segment, Span


def test_sentences_of_a_policy_leave_out_headings_and_keep_rows_whole():
    parts = ["Sharing", "We share it.", "We sell it too.", "Cell one | cell two | three", "Ok.", "your name"]
    text = "\n".join(parts)
    heading, first, second, row, short, item = (
        Span(start, start + len(part)) for part in parts for start in [text.index(part)]
    )
    segments = [
        Segment(0, "heading", heading.start, heading.end),
        Segment(1, "paragraph", first.start, second.end, ("Sharing",), None, (first, second)),
        Segment(2, "row", row.start, row.end, ("Sharing",), None, (Span(row.start, row.start + 8),)),
        Segment(3, "paragraph", short.start, short.end, ("Sharing",), None, (short,)),
        Segment(4, "item", item.start, item.end, ("Sharing",), first, (item,)),
    ]
    found = sentences_of(text, segments)
    assert [one.text for one in found] == [*parts[1:4], parts[5]]
    assert found[-1].spoken == "We share it. your name"
    assert all(text[one.start : one.end] == one.text for one in found)
    assert found[-1].under_heading == "Sharing. We share it. your name"


class Letters:
    """Turns a text into the counts of three letters."""

    def vectors(self, texts):
        counts = np.array([[text.count(letter) + 0.01 for letter in "wes"] for text in texts], dtype=np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def test_vectors_in_bytes_point_where_they_did():
    text = "We share these with others. We use cookies."
    segments = (Segment(0, "paragraph", 0, len(text), (), None, (Span(0, 27), Span(28, len(text)))),)
    rows = vectors_of(Document("", "", "", text, text, segments), Letters())
    own = Letters().vectors([text[:27], text[28:]])
    assert rows.dtype == np.int8
    assert np.abs(rows).max(axis=1).tolist() == [127, 127]
    assert np.allclose(unpacked(rows), own, atol=0.01)


def test_no_sentences_have_no_vectors():
    none = np.zeros((0, 4), dtype=np.float32)
    assert packed(none).shape == unpacked(packed(none)).shape == (0, 4)
