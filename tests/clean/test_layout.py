from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.clean.layout import lay_out
from smallprint.clean.tables import HEADS, UNDER_HEADS

TAGS = "div p h1 h2 ul ol li table tr td th b a br form svg title button select template dl dt dd x-y span pre".split()
MARKUP = st.lists(
    st.sampled_from(
        [f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + ["word ", " ", "<", "&amp;", "&#0;"]
    ),
    max_size=40,
).map("".join)


def laid(html: str) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, block.text) for block in lay_out(html).blocks]


def test_headings_and_paragraphs():
    assert laid("<h1>Privacy</h1><p>We care.</p><h3> Your \n data</h3>Loose words<h2><div>Deep</div></h2>") == [
        ("heading", 1, "Privacy"),
        ("paragraph", 0, "We care."),
        ("heading", 3, "Your data"),
        ("paragraph", 0, "Loose words"),
        ("heading", 2, "Deep"),
    ]


@pytest.mark.parametrize(
    "html", ["Just words", "<body>Just words</body>", "<div></div>Just words", "<b></b>Just <i>words"]
)
def test_words_right_in_the_body(html):
    assert laid(html) == [("paragraph", 0, "Just words")]


def test_lists_know_their_depth():
    html = "<p>We keep:</p><ul><li>names<ol><li>first<li>last</ol></li><li><p>mail</p></li></ul><p>That is all.</p>"
    assert laid(html) == [
        ("paragraph", 0, "We keep:"),
        ("item", 1, "names"),
        ("item", 2, "first"),
        ("item", 2, "last"),
        ("item", 1, "mail"),
        ("paragraph", 0, "That is all."),
    ]


def test_a_list_of_definitions():
    assert laid("<dl><dt>Cookies</dt><dd>Small files</dd><dt>Logs</dt><dd>Large files</dd></dl>") == [
        ("paragraph", 0, "Cookies"),
        ("item", 1, "Small files"),
        ("paragraph", 0, "Logs"),
        ("item", 1, "Large files"),
    ]


def test_a_row_of_data_stays_one_block():
    html = """<table><thead><tr><th>Data</th><th>Use</th></tr></thead>
        <tr><td><p>Your name</p></td><td>To <b>greet</b><br>you<ul><li>daily</li></ul></td></tr></table><p>After</p>"""
    assert laid(html) == [
        ("row", HEADS, "Data | Use"),
        ("row", UNDER_HEADS, "Your name | To greet you • daily"),
        ("paragraph", 0, "After"),
    ]


def test_empty_cells_leave_no_bars_at_the_ends():
    assert laid("<table><tr><td></td><td>Name</td><td></td><td>Use</td><td></td></tr></table>") == [
        ("row", HEADS, "Name | | Use"),
    ]


def test_a_table_that_lays_out_the_page_is_taken_apart():
    long = "We keep your data safe. " * 80
    html = f"""<table><tr><td>Menu</td><td><h2>Privacy</h2><p>We care.</p></td></tr>
        <tr><td>Left</td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr>
        <tr><td>Only cell</td></tr><tr><td>Left</td><td>{long}</td></tr></table>"""
    assert laid(html) == [
        ("paragraph", 0, "Menu"),
        ("heading", 2, "Privacy"),
        ("paragraph", 0, "We care."),
        ("paragraph", 0, "Left"),
        ("row", HEADS, "a | b"),
        ("paragraph", 0, "Only cell"),
        ("paragraph", 0, "Left"),
        ("paragraph", 0, long.strip()),
    ]


def levels(*rows):
    return [level for kind, level, _ in laid(f"<table>{''.join(rows)}</table>") if kind == "row"]


LONG = "<td>We keep what you tell us for as long as you have an account with us, and a year more.</td>"


def test_heads_may_be_marked_or_told_by_being_short():
    below = f"<tr><td>Name</td>{LONG}</tr>"
    assert levels("<tr><td>Data</td><td>Kept for</td></tr>", below) == [HEADS, UNDER_HEADS]
    assert levels(f"<tr>{LONG}<td>At all</td></tr>", below) == [0, 0]
    marked = "<th>What we call the data that you give to us when you order</th>"
    assert levels(f"<tr>{marked}<th>1.</th></tr>", below) == [HEADS, UNDER_HEADS]
    assert levels(f"<thead><tr>{marked.replace('th>', 'td>')}<td>1.</td></tr></thead>", below) == [HEADS, UNDER_HEADS]


def test_heads_head_their_own_table_only():
    html = "<table><tr><th>Data</th><th>Use</th></tr></table><table><tr>" + 2 * LONG + "</tr></table>"
    assert [level for _, level, _ in laid(html)] == [HEADS, 0]


@pytest.mark.parametrize(("tag", "kinds"), [("th", ["row", "row"]), ("td", ["row", "paragraph", "paragraph", "item"])])
def test_a_long_row_is_data_where_heads_are_marked(tag, kinds):
    long = "We keep your data safe. " * 80
    html = f"""<table><tr><{tag}>Purpose</{tag}><{tag}>Why</{tag}></tr>
        <tr><td>Parcels</td><td><p>{long}</p><ul><li>Post offices</li></ul></td></tr></table>"""
    assert [kind for kind, _, _ in laid(html)] == kinds


def test_a_first_row_in_bold_has_the_heads():
    heads = "<td><b>Who else may learn of what you have told to us?</b></td><td><strong>Why</strong></td>"
    bold = "<td><b>Carriers</b></td><td><b>To deliver</b></td>"
    assert levels(f"<tr>{heads}</tr>", f"<tr>{bold}</tr>") == [HEADS, UNDER_HEADS]


def test_a_list_that_the_last_item_of_another_introduces_stands_below_it():
    html = "<ul><li>Staff</li><li>Others, so as to:</li></ul><ol><li>obey a court</li></ol><ul><li>Nobody</li></ul>"
    assert [level for _, level, _ in laid(html)] == [1, 1, 2, 1]


def test_two_breaks_make_a_paragraph_and_one_a_line():
    assert laid("<div>One.<br><br>Two<br>lines.<br/> <br/>\n<br>Three.<br></div>") == [
        ("paragraph", 0, "One."),
        ("paragraph", 0, "Two\nlines."),
        ("paragraph", 0, "Three."),
    ]


def test_bold_lines_are_headings_and_bold_sentences_are_not():
    html = """<p><b>Who we are</b></p><p><strong>We</strong> <b>share</b></p><p><b>We never sell data.</b></p>
        <p><b>Note</b> well</p><p><b>one two three four five six seven eight nine ten eleven twelve thirteen</b></p>
        <ul><li><b>An item</b></li></ul>"""
    assert laid(html) == [
        ("heading", 6, "Who we are"),
        ("heading", 6, "We share"),
        ("paragraph", 0, "We never sell data."),
        ("paragraph", 0, "Note well"),
        ("paragraph", 0, "one two three four five six seven eight nine ten eleven twelve thirteen"),
        ("item", 1, "An item"),
    ]


def test_inline_tags_do_not_part_words_and_custom_elements_do():
    html = "<p>un<b>break</b>able wo&shy;rds, zero\u200bwidth&nbsp;blanks <unknown>too</unknown>."
    html += "</p><x-p>Own</x-p><x-p>tags</x-p>"
    assert laid(html) == [
        ("paragraph", 0, "unbreakable words, zerowidth blanks too."),
        ("paragraph", 0, "Own"),
        ("paragraph", 0, "tags"),
    ]


def test_what_nobody_sees_is_left_out():
    html = """<p>We<script>bad()</script><style>p{}</style><noscript>no</noscript><!-- comment --> see
        <select><option>One</option></select><textarea>box</textarea><button>Press</button><svg><text>t</text></svg></p>
        <template><p>later</p></template>"""
    assert laid(html) == [("paragraph", 0, "We see")]


def test_templates_that_hold_most_of_the_text_are_the_page():
    policy = "<p>We keep your name and your address for as long as your account is open.</p>"
    shown = ("paragraph", 0, policy[3:-4])
    assert laid(f"<p>Loading</p><template id=app><main>{policy}</main></template>") == [
        ("paragraph", 0, "Loading"),
        shown,
    ]
    assert laid(f"<template>{policy * 2}</template>{policy}") == [shown]  # a copy of what is shown
    assert laid(f"<template><template>{policy}</template></template>") == [shown]


def test_a_button_in_a_heading_is_its_text():
    assert laid("<h3><button>Cookies</button></h3><p>We use some.</p><button>Accept</button>") == [
        ("heading", 3, "Cookies"),
        ("paragraph", 0, "We use some."),
    ]


def test_links_away_are_counted_and_jumps_within_are_not():
    html = """<p><a href="/a">two words</a> here</p><p><a href="#b">a jump</a></p>
        <p><a href="#">press</a></p><p><a>anchor</a></p>"""
    assert [(block.words, block.linked) for block in lay_out(html).blocks] == [(3, 2), (2, 0), (1, 1), (1, 0)]


def test_containers_tell_where_a_block_stands():
    layout = lay_out('<div id="page" class="wide"><nav role="navigation"><a href="/">Home</a></nav><p>Text</p></div>')
    chains = []
    for block in layout.blocks:
        chain, container = [], block.container
        while container is not None:
            if container.tag != "p":  # a paragraph may have a container of its own or not
                chain.append((container.tag, container.name.strip(), container.role))
            container = container.parent
        chains.append(chain)
    page = [("div", "page wide", ""), ("body", "", "")]
    assert chains == [[("nav", "", "navigation"), *page], page]


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> Privacy\n Policy </title><p>x</p>", "Privacy Policy"),
        ("<p>x</p>", ""),
        ("<body><svg><title>Facebook</title></svg><p>x</p>", ""),
        ("<body><svg><g><title>Facebook</title></g></svg><div><title>Privacy</title></div>", "Privacy"),
        ("<title>One</title><title>Two</title>", "One"),
    ],
)
def test_title(html, title):
    assert lay_out(html).title == title


@pytest.mark.parametrize("html", ["", " ", "<", "<!doctype html>", "<html><head></head></html>", "<!-- <p>x</p>"])
def test_pages_without_words(html):
    assert laid(html) in ([], [("paragraph", 0, "<")])


@settings(deadline=None, max_examples=200)
@given(MARKUP | st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=60))
def test_no_markup_is_too_broken(html):
    layout = lay_out(html)
    assert layout.containers[0].tag == "body"
    for block in layout.blocks:
        assert block.text == block.text.strip() != ""
        assert 0 <= block.linked <= block.words == len(block.text.split())
        assert block.container in layout.containers
        assert "\0" not in block.text


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.sampled_from(["<div>", "</div>", "<p>", "<ul>", "<li>", "</ul>", "<b>", "</b>", "<br>"]), max_size=30)
)
def test_every_word_is_laid_out_once_and_in_order(tags):
    html = "".join(f"{tag} w{number} " for number, tag in enumerate(tags))
    found = " ".join(text for _, _, text in laid(html)).split()
    assert found == [f"w{number}" for number in range(len(tags))]
