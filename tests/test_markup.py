from __future__ import annotations

import pytest

from smallprint import limits
from smallprint.markup import as_shown, has_too_many_attributes, nests_too_deep, refusal

from .growth import grows_linearly


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>" * 10_000,
        "<div>" * 100_000,
        "<div class=x>\n" * 100_000 + "<p>We collect your name.</p>",
        "<b>" * 200_000,
        "".join(f"<p><b id={n}>" for n in range(2_000)),
        "".join(f"<P><FONT size={n}>" for n in range(2_000)),
        "".join(f"<font size={n}>" for n in range(900)) + "<p>x" * 1_000,
        "".join(f"<div><b id={n}></div>" for n in range(2_000)) + "</b>" * 2_000,
    ],
    ids=["tables", "divs", "divs around", "bold", "made anew", "in capitals", "fonts first", "closed at the end"],
)
def test_too_deep(html):
    assert nests_too_deep(html)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "no tags at all, 1 < 2",
        "<div>" * 9_000 + "</div>" * 9_000,
        "<div></div>" * 100_000,
        "<br>" * 50_000,
        "<p>" * 20_000,
        "<li>" * 20_000,
        "<img src=x />" * 20_000,
        "<p><strong class=x>Note</strong></p>" * 20_000,
        "<p><b>never closed" * 5_000,
        "<script>" + "if (a<b && c) { x = 1 } " * 20_000 + "</script>",
    ],
)
def test_not_too_deep(html):
    assert not nests_too_deep(html)


def with_attributes(count: int, before: str = "<div", between: str = " ", after: str = ">") -> str:
    return before + "".join(f"{between}a{number}" for number in range(count)) + after


@pytest.mark.parametrize(
    ("before", "between", "after"),
    [
        ("<div", " ", ">"),
        ("<DIV", "\n", ""),
        ("<p", "/", "/>"),
        ("<script", " ", "></script>"),
        ('<div title=">" ', " ", ">"),
        ("<div title='<p>' ", " ", ">"),
        ("<div b' c=\"'>\" ", " ", ">"),
        ("<div = ", " ", ">"),
        ("<!-- <p a=' --><div", " ", ">"),
        ("<script>if (a<b && c == ' ') {}</script><div", " ", ">"),
    ],
)
def test_attributes_are_counted_as_a_parser_reads_them(monkeypatch, before, between, after):
    monkeypatch.setattr(limits, "MAX_ATTRIBUTES", 100)
    assert has_too_many_attributes(with_attributes(101, before, between, after))
    assert not has_too_many_attributes(with_attributes(90, before, between, after))


@pytest.mark.parametrize(
    "html",
    [
        "<script>" + "if (a<b && c) { x = 1 } " * 20_000 + "</script>",
        "<!-- " + "<p a b c " * 20_000 + "-->",
        '<div title="' + "word " * 20_000 + '">',
        "<p>" + "word " * 20_000,
        "<div a=1>" * 20_000,
    ],
    ids=["script", "comment", "value", "text", "many tags"],
)
def test_what_is_no_attribute_is_not_counted(html):
    assert not has_too_many_attributes(html)


def test_a_tag_with_a_quoted_bracket_counts_for_the_depth():
    assert nests_too_deep('<div title="<">' * 11_000)
    assert not nests_too_deep('<div title="<">' * 9_000)


def test_the_reason_of_a_refusal():
    assert refusal(with_attributes(limits.MAX_ATTRIBUTES + 1)) == "a tag has more than 1,000 attributes"
    assert refusal("<div>" * 100_000) == "its tags nest too deep, or are left open too often"
    assert refusal("<p>We collect your name.</p>") == ""


OPEN_FRAME = '<noscript><iframe src="https://tags.test/ns.html" height="0"/></noscript>'


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        (f"<p>a</p>{OPEN_FRAME}<p>b</p>", "<p>a</p><noscript></noscript><p>b</p>"),
        ("<NOSCRIPT class=x><IFRAME src=x></NOSCRIPT ><p>b", "<NOSCRIPT class=x></NOSCRIPT ><p>b"),
        (f"{OPEN_FRAME}<p>a</p>{OPEN_FRAME}", "<noscript></noscript><p>a</p><noscript></noscript>"),
        (f"<!-- {OPEN_FRAME} -->{OPEN_FRAME}", f"<!-- {OPEN_FRAME} --><noscript></noscript>"),
        (f"<script>'{OPEN_FRAME}'</script><p>{OPEN_FRAME}", f"<script>'{OPEN_FRAME}'</script><p><noscript></noscript>"),
        (f'<p title="{OPEN_FRAME[:10]}"><p>{OPEN_FRAME}', f'<p title="{OPEN_FRAME[:10]}"><p><noscript></noscript>'),
        ('<x-a><template shadowrootmode="open">x</template>y</x-a>', '<x-a><div shadowrootmode="open">x</div>y</x-a>'),
        ("<TEMPLATE shadowroot=open>x</TEMPLATE>", "<div shadowroot=open>x</div>"),
        (
            "<template shadowrootmode=open><template>x</template>y</template></template>",
            "<div shadowrootmode=open><template>x</template>y</div></template>",
        ),
    ],
)  # fmt: skip
def test_what_a_browser_shows_is_parsed(html, shown):
    assert as_shown(html) == shown


@pytest.mark.parametrize(
    "html",
    [
        "<noscript><iframe src=x></iframe></noscript><p>x",
        "<noscript>Please switch scripts on.</noscript><iframe src=x></iframe>",
        "<noscript><iframe src=x><p>never closed",
        "<!-- <noscript><iframe/></noscript> --><p>x",
        "<script>'<noscript><iframe/></noscript>'</script><p>x",
        "<template><p>x</p></template>",
        '<template class="shadowroot">x</template>',
        "</noscript><iframe/></noscript></template>",
        "<p>shadowroot",
        "",
    ],
)
def test_other_pages_are_parsed_as_they_are(html):
    assert as_shown(html) == html


def test_all_templates_are_opened_where_that_is_asked():
    assert as_shown("<template><template id=a>x</template>", all_templates=True) == "<div><div id=a>x</div>"


def test_what_a_frame_hid_is_counted():
    hidden = "<div>" * 100_000
    assert refusal(OPEN_FRAME + hidden) == ""
    assert refusal(as_shown(OPEN_FRAME + hidden)) != ""


@pytest.mark.parametrize(
    "unit",
    ["<noscript>", "</noscript>", OPEN_FRAME, "<noscript><iframe>", "<template shadowroot=x>", "</template>", "<!--"],
)
def test_mending_takes_time_in_proportion_to_the_page(unit):
    start = f"{OPEN_FRAME}<template shadowroot=x>"
    assert grows_linearly(as_shown, lambda size: start + unit * (size // len(unit)), 800_000)
