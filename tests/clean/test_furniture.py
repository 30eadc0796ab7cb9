from __future__ import annotations

import pytest

from smallprint.clean.furniture import mark
from smallprint.clean.layout import lay_out

COLLECT = "We collect the information that you give to us when you place an order, and nothing that you do not."
SHARE = "We share your address with the carrier who brings the parcel to your door, and with nobody else at all."
KEEP = "We keep the records of your orders for seven years because the tax office asks that of every shop."
POLICY = f"<h1>Privacy policy</h1><p>{COLLECT}</p><h2>Sharing</h2><p>{SHARE}</p><p>{KEEP}</p>"
KEPT = ["Privacy policy", COLLECT, "Sharing", SHARE, KEEP]
MENU = '<ul><li><a href="/">Home</a></li><li><a href="/shoes">Shoes</a></li><li><a href="/cart">Cart</a></li></ul>'


def kept(html: str) -> list[str]:
    layout = lay_out(html)
    return [block.text for block, furniture in zip(layout.blocks, mark(layout), strict=True) if not furniture]


@pytest.mark.parametrize(
    "furniture",
    [
        f"<nav>{MENU}</nav>",
        f'<div role="navigation">{MENU}</div>',
        MENU,
        '<div class="site-footer"><p>Acme Shoes, 1 High Street</p></div>',
        '<div id="mainNav"><p>Shoes and boots</p></div>',
        "<footer><p>Acme Shoes, 1 High Street</p><p>© 2024 Acme</p></footer>",
        "<aside><p>Read also: boots for the winter</p></aside>",
        '<div class="cookie-banner"><p>We use cookies to make this site work better for you.</p></div>',
        '<div id="onetrust-consent-sdk"><p>Your choices</p></div>',
        '<div class="modal"><p>Sign up for our letters and get ten percent off.</p></div>',
        "<dialog open><p>Sign up for our letters</p></dialog>",
        '<div class="sr-only">Skip to the content</div>',
        "<p>Copyright 2024 Acme Shoes. All rights reserved.</p>",
        "<div>(c) 2024 Acme</div>",
    ],
)
def test_furniture_goes_wherever_it_stands(furniture):
    assert kept(f"<body>{furniture}<div>{POLICY}</div></body>") == KEPT
    assert kept(f"<body><div>{POLICY}</div>{furniture}</body>") == KEPT


@pytest.mark.parametrize(
    "name", ["sidebar", "sharing-settings", "social-share", "page-footer", "modal popup", "no-print"]
)
def test_the_policy_stays_whatever_its_container_is_called(name):
    assert kept(f'<nav>{MENU}</nav><div class="{name}">{POLICY}</div><footer>Acme</footer>') == KEPT


@pytest.mark.parametrize("tag", ["aside", "footer", "dialog", "nav"])
def test_the_policy_stays_whatever_its_tag_is(tag):
    assert kept(f"<body><{tag}>{POLICY}</{tag}></body>") == KEPT


def test_a_name_that_only_sounds_like_furniture():
    assert kept(f'<div class="canavan navigable"><p>Short words</p>{POLICY}</div>') == ["Short words", *KEPT]


def test_a_chapter_inside_the_policy_is_not_judged_by_its_name():
    chapter = f'<div class="newsletter"><h2>Letters</h2><p>{COLLECT}</p><p>{SHARE}</p><p>{KEEP}</p></div>'
    assert kept(f"<main>{POLICY}{chapter}<p>{KEEP}</p></main>") == [*KEPT, "Letters", COLLECT, SHARE, KEEP, KEEP]


def test_a_small_named_box_inside_the_policy_goes():
    box = '<div class="share-buttons"><span>Tell a friend</span></div>'
    assert kept(f"<main><h1>Privacy policy</h1>{box}<p>{COLLECT}</p><p>{SHARE}</p></main>") == [*KEPT[:2], SHARE]


def test_a_policy_inside_a_form():
    page = f'<div id="menu">{MENU}</div><div>{POLICY}</div><div id="footer">Acme</div>'
    assert kept(f'<body><form id="aspnetForm">{page}</form></body>') == KEPT


def test_a_policy_with_no_container_of_its_own():
    assert kept(f"<body>{MENU}{POLICY}<p>© 2024 Acme</p></body>") == KEPT


def test_a_policy_in_a_table_that_lays_out_the_page():
    html = f"<table><tr><td>{MENU}</td><td>{POLICY}</td></tr><tr><td>Acme Shoes</td></tr></table>"
    assert kept(html) == KEPT


def test_what_stands_outside_the_main_content_goes():
    html = (
        f"<body><div><p>Ten percent off boots!</p></div><div><div>{POLICY}</div></div><div><p>Call us</p></div></body>"
    )
    assert kept(html) == KEPT


def test_the_title_above_the_main_content_stays():
    html = f"<body><div><h1>Privacy policy</h1><p>Print</p></div><div><p>{COLLECT}</p><p>{SHARE}</p></div></body>"
    assert kept(html) == ["Privacy policy", COLLECT, SHARE]


def test_links_in_a_sentence_and_two_links_are_no_menu():
    links = '<p><a href="/a">Our partners</a></p><p><a href="/b">Their policies</a></p>'
    sentence = f'<p>{SHARE} <a href="/c">See the list</a>.</p>'
    assert kept(f"<main>{POLICY}{links}{sentence}</main>") == [
        *KEPT,
        "Our partners",
        "Their policies",
        f"{SHARE} See the list.",
    ]


def test_a_table_of_contents_stays():
    contents = '<ul><li><a href="#a">Data</a></li><li><a href="#b">Use</a></li><li><a href="#c">Rights</a></li></ul>'
    assert kept(f"<main><h1>Privacy policy</h1>{contents}<p>{COLLECT}</p></main>") == [
        "Privacy policy",
        "Data",
        "Use",
        "Rights",
        COLLECT,
    ]


@pytest.mark.parametrize("html", ["", "<nav>Home</nav>", "<p>Short</p>", MENU])
def test_pages_without_prose(html):
    layout = lay_out(html)
    assert len(mark(layout)) == len(layout.blocks)
