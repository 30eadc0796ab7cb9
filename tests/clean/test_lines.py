from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.clean.lines import read_lines
from smallprint.clean.tables import HEADS, UNDER_HEADS
from smallprint.records import Block, Link

COLLECT = "We collect the information that you give to us when you place an order with us."
SHARE = "We share your address with the carrier who brings the parcel to your door."


def kept(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read_lines(text) if not block.furniture]


def texts(text: str) -> list[str]:
    return [block.text for block in read_lines(text)]


def test_headings_items_and_paragraphs():
    text = f"Privacy Policy\n\n{COLLECT}\nWhat we share\n{SHARE}\n• your name, and\n2. your address.\n"
    assert read_lines(text) == [
        Block("heading", "Privacy Policy", 3),
        Block("paragraph", COLLECT),
        Block("heading", "What we share", 3),
        Block("paragraph", SHARE),
        Block("item", "your name, and", 1),
        Block("item", "2. your address.", 1),
    ]


def test_lines_run_together_are_cut():
    text = f"Collection And UseWe collect data that you give us, for our own use.{SHARE}\nCollection And Use\nWe do."
    assert texts(text) == [
        "Collection And Use",
        "We collect data that you give us, for our own use.",
        SHARE,
        "Collection And Use",
        "We do.",
    ]


@pytest.mark.parametrize(
    "brand", ["YouTube", "PayPal", "LinkedIn", "JavaScript", "TikTok", "WhatsApp", "AdSense", "WordPress"]
)
def test_brands_are_not_cut(brand):
    # Every half of every name stands alone too, so that nothing but the list of brands saves it.
    halves = "You Tube Pay Pal Linked In Java Script Tik Tok What App Apps Ad Sense Word Press and what they are to us."
    assert texts(f"We work with {brand} and with others.\n{halves}") == [
        f"We work with {brand} and with others.",
        halves,
    ]


def test_words_that_stand_nowhere_alone_are_not_cut():
    assert texts("We use eBay and McAfee, and the PrivaSeer engine, to find policies.") == [
        "We use eBay and McAfee, and the PrivaSeer engine, to find policies."
    ]


def test_wrapped_lines_are_joined():
    text = "We collect the information that you\ngive to us when you place an\norder with us.\nAnd more is\nnot asked."
    assert texts(text) == [COLLECT, "And more is", "not asked."]


def test_a_wrapped_line_is_joined_before_what_was_glued_to_it():
    text = "We collect the information that you\ngive to us.We share it with nobody at all.\nWe share."
    assert texts(text) == [
        "We collect the information that you give to us.",
        "We share it with nobody at all.",
        "We share.",
    ]


def test_menus_around_the_policy_go():
    menu = "Home\nShop\nAbout us\nContact\nMy account\n"
    footer = "Sitemap\nFollow us on Facebook\n© 2024 Acme Shoes. All rights reserved.\nPowered by Words\n"
    text = f"{menu}Privacy Policy\n{COLLECT}\n{SHARE}\n{footer}"
    assert kept(text) == [("heading", "Privacy Policy"), ("paragraph", COLLECT), ("paragraph", SHARE)]
    assert [block.furniture for block in read_lines(text)] == [True] * 5 + [False] * 3 + [True] * 4


def test_a_menu_in_the_middle_goes():
    links = "Boots\nSandals\nSlippers\nTrainers\nLaces\nSoles\nHeels\nYour rights\n"
    text = f"{COLLECT}\n{SHARE}\n{links}{COLLECT} Twice.\n{SHARE} Twice.\n"
    assert [line for _, line in kept(text)] == [COLLECT, SHARE, "Your rights", f"{COLLECT} Twice.", f"{SHARE} Twice."]


def test_a_menu_set_in_one_line_goes():
    names = (
        "shoes boots sandals slippers trainers laces soles heels brands sale about help jobs news press login us now"
    )
    things = names.split()
    menu, bars = " ".join(things).title(), " | ".join(things)
    assert kept(f"{menu}\n{COLLECT}\n{bars}\n{SHARE}") == [("paragraph", COLLECT), ("paragraph", SHARE)]


def test_a_label_said_over_and_over_goes():
    text = f"{COLLECT}\nBack up\n{SHARE}\nBack up\n{COLLECT}\nBack up\n{SHARE}"
    assert [line for _, line in kept(text)] == [COLLECT, SHARE, COLLECT, SHARE]


def test_markdown():
    text = f"""# Privacy Policy #

{COLLECT} See [our *partners*](https://acme.example/a_(b) "All of them") and ![a picture](x.png).

### **Your data** ###

[![Badge](badge.png)](https://acme.example/) stands for the rules that we follow here.

* one thing, and
- another
"""
    start = len(f"{COLLECT} See ")
    partners = Link(start, start + len("our *partners*"), "https://acme.example/a_(b)")
    badge = Link(0, 5, "https://acme.example/")
    assert read_lines(text) == [
        Block("heading", "Privacy Policy", 1),
        Block("paragraph", f"{COLLECT} See our *partners* and a picture.", links=(partners,)),
        Block("heading", "Your data", 3),
        Block("paragraph", "Badge stands for the rules that we follow here.", links=(badge,)),
        Block("item", "one thing, and", 1),
        Block("item", "another", 1),
    ]


@pytest.mark.parametrize("text", ["#hashtag is what we call it", "[not a link] (here)", "C# and F#"])
def test_what_only_looks_like_markdown(text):
    assert texts(text) == [text]


@pytest.mark.parametrize("text", ["", "\n \n", "\u3000"])
def test_nothing(text):
    assert read_lines(text) == []


def test_text_without_a_sentence_is_all_furniture():
    assert kept("Home\nShop\nContact\n") == []


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("aB. \n#*-[]()|©:•1'\"wW")) | st.text(max_size=100))
def test_no_word_is_lost_and_none_is_made_up(text):
    blocks = read_lines(text)
    assert all(block.text == " ".join(block.text.split()) for block in blocks)
    assert all(block.level in range(7) for block in blocks)
    if "](" not in text:  # of a link the address goes, as it should
        letters = "".join(c for c in text if c.isalpha())
        assert "".join(c for block in blocks for c in block.text if c.isalpha()) == letters


def test_lost_quotes_and_blanks_are_mended():
    text = "The site (?us? or ?we?) keeps your?data. Bob?s data is his, as the?law says.".replace("?", "\ufffd")
    (block,) = read_lines(text)
    assert block.text == "The site (“us” or “we”) keeps your data. Bob’s data is his, as the law says."


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Privacy\n=======\n\nWe collect the data that you give us when you sign up for it.", ("Privacy", 1)),
        ("We keep the data that you give us for as long as the law asks.\n\nSharing\n---\n\nMore.", ("Sharing", 2)),
    ],
)
def test_a_title_over_a_rule_is_one_heading(text, heading):
    headings = [(block.text, block.level) for block in read_lines(text) if block.kind == "heading"]
    assert headings == [heading]


@pytest.mark.parametrize(
    "line", ["We never sell your data!", "* what you buy from us", "We sell nothing.", "We share it\nand sell it"]
)
def test_a_sentence_or_an_item_over_a_rule_is_no_title(line):
    blocks = read_lines(f"Here is all that we do with the data that you give us.\n\n{line}\n-----\n\nThat is all.")
    said = line.removeprefix("* ").split("\n")[-1]
    assert not [block for block in blocks if block.text == said and block.level in {1, 2} and block.kind == "heading"]


TABLE = """
| **Data** | Kept for |
| :--- | --- |
| Your e-mail | As long as you<br><br>read [our letters](https://shop.example/letters) |
| | a year |
"""


def test_a_table_in_markdown_has_rows_under_heads():
    *_, heads, first, last = read_lines(f"# Privacy Policy\n\n{COLLECT}\n\n{SHARE}\n{TABLE}")
    assert heads == Block("row", "Data | Kept for", HEADS)
    link = Link(34, 45, "https://shop.example/letters")
    assert first == Block("row", "Your e-mail | As long as you read our letters", UNDER_HEADS, links=(link,))
    assert (last.text, last.level) == ("a year", UNDER_HEADS)


@pytest.mark.parametrize(("first", "levels"), [("Data | Kept for", [HEADS, UNDER_HEADS]), ("We keep all. | 1", [0, 0])])
def test_a_table_in_markdown_whose_heads_are_empty_may_have_them_in_its_first_row(first, levels):
    rows = read_lines(f"{COLLECT}\n\n|     |     |\n| --- | --- |\n| {first} |\n| Mail | A year |\n\n{SHARE}")[1:-1]
    assert [(row.kind, row.level) for row in rows] == [("row", level) for level in levels]


def test_what_follows_a_table_is_no_part_of_its_last_row():
    text = f"{COLLECT}\n{TABLE}| Words that a row ends with to be long | in the table |\nand what follows it, is prose."
    assert texts(text)[-1] == "and what follows it, is prose."


def test_bars_in_other_text_make_no_table():
    blocks = read_lines(f"| Home | Shop |\n{COLLECT}\n| a | b |\n|| c ||")
    assert "row" not in {block.kind for block in blocks}


def test_bold_words_in_markdown_lose_their_stars():
    assert texts(f"**Security.** {COLLECT} 2 ** 3 and **") == [f"Security. {COLLECT} 2 ** 3 and **"]


def test_items_stand_as_deep_as_they_are_indented():
    text = f"{COLLECT}\n\n*   names, such as\n    *   the first\n    *   the last\n*   mail\n\n{SHARE}\n    * another"
    assert [block.level for block in read_lines(text) if block.kind == "item"] == [1, 2, 2, 1, 1]


def test_an_underlined_title_of_a_markdown_source_heads_what_follows():
    blocks = read_lines(f"Privacy Policy\n==============\n\n{COLLECT}\n\nCookies\n-------\n\n{SHARE}")
    assert [(block.kind, block.level) for block in blocks] == [
        ("heading", 1), ("paragraph", 0), ("heading", 2), ("paragraph", 0),
    ]  # fmt: skip
