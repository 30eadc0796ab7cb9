from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint import limits
from smallprint.clean.segments import LONGEST_WORDS, compose
from smallprint.records import Block, Segment, Span

TEXTS = st.lists(
    st.sampled_from(["We", "share", "data.", "such as:", "e.g.", "Why?", "it,", "\n", "  ", "é", "word " * 60, "\n\n"]),
    max_size=12,
).map(" ".join)
BLOCKS = st.lists(
    st.builds(
        Block,
        kind=st.sampled_from(["heading", "paragraph", "item", "row"]),
        text=TEXTS | st.text(max_size=20),
        level=st.integers(0, 6),
    ),
    max_size=12,
)


def paragraph(text: str) -> Block:
    return Block("paragraph", text)


def item(text: str, level: int = 1) -> Block:
    return Block("item", text, level)


def heading(text: str, level: int) -> Block:
    return Block("heading", text, level)


def leads(*blocks: Block) -> list[tuple[str, str | None]]:
    text, segments = compose(blocks)
    return [(text[s.start : s.end], text[s.lead_in.start : s.lead_in.end] if s.lead_in else None) for s in segments]


def test_a_whole_policy():
    blocks = [heading("Privacy", 1), paragraph("We care. We keep:"), item("names"), item("mail."), paragraph("Bye.")]
    lead = Span(18, 26)
    assert compose(blocks) == (
        "Privacy\n\nWe care. We keep:\n\nnames\nmail.\n\nBye.",
        (
            Segment(0, "heading", 0, 7, (), None, (Span(0, 7),)),
            Segment(1, "paragraph", 9, 26, ("Privacy",), None, (Span(9, 17), lead)),
            Segment(2, "item", 28, 33, ("Privacy",), lead, (Span(28, 33),)),
            Segment(3, "item", 34, 39, ("Privacy",), lead, (Span(34, 39),)),
            Segment(4, "paragraph", 41, 45, ("Privacy",), None, (Span(41, 45),)),
        ),
    )


def test_nothing():
    assert compose([]) == ("", ())
    assert compose(iter([paragraph("")])) == ("", ())


def test_rows_of_a_table_stand_close():
    assert compose([Block("row", "a | b"), Block("row", "c | d"), item("e")])[0] == "a | b\nc | d\n\ne"


def test_headings_make_a_path():
    blocks = [
        heading("Policy", 1), paragraph("a"), heading("Data", 2), heading("Names", 3), paragraph("b"),
        heading("Sharing\nit", 2), paragraph("c"), heading("Other", 1), paragraph("d"),
    ]  # fmt: skip
    text, segments = compose(blocks)
    assert [(text[s.start : s.end], s.headings) for s in segments] == [
        ("Policy", ()),
        ("a", ("Policy",)),
        ("Data", ("Policy",)),
        ("Names", ("Policy", "Data")),
        ("b", ("Policy", "Data", "Names")),
        ("Sharing\nit", ("Policy",)),
        ("c", ("Policy", "Sharing it")),
        ("Other", ()),
        ("d", ("Other",)),
    ]


def test_list_items_keep_their_lead_in():
    assert leads(paragraph("We care. We collect"), item("names;"), item("mail."), paragraph("Bye."), item("alone")) == [
        ("We care. We collect", None),
        ("names;", "We collect"),
        ("mail.", "We collect"),
        ("Bye.", None),
        ("alone", None),
    ]


def test_nested_items_are_led_in_by_the_item_above():
    found = leads(
        paragraph("We collect:"), item("names, such as", 1), item("first", 2), item("last", 2), item("mail.", 1),
        item("home", 2), item("phone", 1),
    )  # fmt: skip
    assert found == [
        ("We collect:", None),
        ("names, such as", "We collect:"),
        ("first", "names, such as"),
        ("last", "names, such as"),
        ("mail.", "We collect:"),
        ("home", "We collect:"),
        ("phone", "We collect:"),
    ]


def test_rows_are_led_in_by_the_heads_of_their_columns():
    rows = [
        Block("row", text, level) for text, level in (("Data | Use", 1), ("mail | news", 2), ("c | d", 0), ("e | f", 2))
    ]
    found = leads(rows[0], heading("For shops", 6), rows[1], item("a list in a cell"), rows[1], *rows[2:])
    assert [lead for _, lead in found] == [None, None, "Data | Use", None, "Data | Use", None, None]
    assert leads(rows[0], heading("Another chapter", 2), rows[1])[-1] == ("mail | news", None)
    assert leads(Block("row", f"{'so many words | ' * 30}", 1), rows[1])[-1] == ("mail | news", None)


def test_a_heading_ends_a_lead_in():
    assert leads(paragraph("We collect:"), heading("Data", 2), item("names")) == [
        ("We collect:", None),
        ("Data", None),
        ("names", None),
    ]


def test_a_paragraph_too_long_is_no_lead_in():
    long = "word " * 81 + "as follows:"
    assert leads(paragraph(long), item("names")) == [(long, None), ("names", None)]


def test_long_passages_are_cut_between_sentences():
    sentence = "We keep the records of your orders for seven years and no longer than that, as the law asks."
    whole = " ".join([sentence] * 30)
    text, segments = compose([heading("Keeping", 2), paragraph(whole), paragraph("Bye.")])
    middle = segments[1:-1]
    assert len(middle) == 3
    assert " ".join(text[s.start : s.end] for s in middle) == whole
    assert all(len(text[s.start : s.end].split()) <= LONGEST_WORDS for s in middle)
    assert [(s.ordinal, s.kind, s.headings) for s in segments] == [
        (0, "heading", ()),
        (1, "paragraph", ("Keeping",)),
        (2, "paragraph", ("Keeping",)),
        (3, "paragraph", ("Keeping",)),
        (4, "paragraph", ("Keeping",)),
    ]


def test_the_same_words_twice_have_two_places():
    _, segments = compose([paragraph("We care."), item("We"), paragraph("We care.")])
    assert [(s.start, s.end) for s in segments] == [(0, 8), (10, 12), (14, 22)]


@settings(deadline=None, max_examples=200)
@given(BLOCKS)
def test_places_are_right_whatever_the_blocks(blocks):
    text, segments = compose(blocks)
    assert [s.ordinal for s in segments] == list(range(len(segments)))
    assert all(before.end <= after.start for before, after in pairwise(segments))
    for segment in segments:
        spans = segment.sentences
        assert (segment.start, segment.end) == (spans[0].start, spans[-1].end)
        assert all(before.end <= after.start for before, after in pairwise(spans))
        passage = "".join(text[segment.start : segment.end].split())
        assert passage == "".join("".join(text[s.start : s.end].split()) for s in spans) != ""
        if segment.lead_in:
            assert segment.kind in {"item", "row"}
            assert 0 <= segment.lead_in.start < segment.lead_in.end <= segment.start
    # Block by block, the segments are its words, all of them.
    said = iter(segments)
    for block in blocks:
        wanted = "".join(block.text.split())
        found = ""
        while len(found) < len(wanted):
            segment = next(said)
            assert segment.kind == block.kind
            found += "".join(text[segment.start : segment.end].split())
        assert found == wanted
    assert next(said, None) is None


def test_an_overlong_sentence_introduces_no_list():
    longest = "we keep " + "x" * (limits.MAX_LEAD_IN - 9) + ":"
    assert leads(paragraph(longest), item("names"))[1] == ("names", longest)
    assert leads(paragraph(f"{longest}:"), item("names"))[1] == ("names", None)


def test_lists_thousands_deep_take_their_lead_ins_from_the_level_above():
    steps = [*range(1, 3_000), *range(2_999, 0, -1)]
    blocks = [paragraph("We keep:"), *(item(f"thing {level}:", level) for level in steps)]
    read = leads(*blocks)
    assert read[1:3] == [("thing 1:", "We keep:"), ("thing 2:", "thing 1:")]
    assert read[-1] == ("thing 1:", "We keep:")
