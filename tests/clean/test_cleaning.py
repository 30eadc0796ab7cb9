from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from smallprint import limits
from smallprint.clean import cleaning
from smallprint.clean.cleaning import clean, guarded, read
from smallprint.records import Block, Capture, Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.text import hashed, shingles, words

SETTINGS = Settings()
URL = "https://www.acme.example/privacy"
BODY = """
<h1>Privacy Policy</h1>
<p>Effective date: May 25, 2018. Last updated: 3 March 2021.</p>
<p>This privacy policy says what personal information Acme Shoes collects, how we use it, and with whom we share it.</p>
<h2>What we collect</h2>
<p>We collect personal information that you give to us:</p>
<ul><li>your name and your e-mail address;</li><li>your postal address and your telephone number.</li></ul>
<p>We also use cookies and similar technologies to remember what is in your cart. You can switch cookies off.</p>
<h2>How we share it</h2>
<p>We do not sell your personal information. We share it with third parties only to deliver your order, or when the law
requires us to disclose it.</p>
<h2>Security and retention</h2>
<p>We protect your personal data with encryption, and we keep it for as long as your account is open.</p>
<h2>Your rights</h2>
<p>You may ask us for access to your personal data, to correct it or to delete it, and you may opt out of our letters at
any time. Contact us at privacy@acme.example if you have questions about this privacy policy.</p>
"""
MENU = "<nav><a href='/'>Home</a> <a href='/boots'>Wellington Boots</a> <a href='/cart'>Cart</a></nav>"
FOOTER = "<footer><p>Acme Shoes, 1 High Street</p><p>© 2021 Acme</p></footer>"
POLICY = f"<html><head><title>Privacy Policy | Acme</title></head><body>{MENU}<main>{BODY}</main>{FOOTER}</body></html>"
TERMS = """\
<title>Terms of Service</title><h1>Terms of Service</h1>
<p>These terms are an agreement between you and Acme Shoes. By ordering from the shop you accept these
terms.</p>
<h2>Orders and shipping</h2><p>Prices include tax. Shipping takes three to five days. Refunds are paid within
thirty days after the shoes have come back to us unworn, and the cost of sending them back is borne by the
buyer.</p>
<h2>Warranty and liability</h2><p>The shoes are sold as is, without warranty of any kind. To the fullest
extent that the law allows, Acme is not liable for damages of any kind. The buyer shall indemnify Acme against
all claims.</p>
<h2>Licence</h2><p>All pictures on the site are under copyright. You are granted a limited licence to look at
them, and you may not copy, sell or modify them.</p>
<h2>Arbitration</h2><p>Any dispute that arises from this agreement shall be settled by arbitration, under the
law of Ruritania. If a part of these terms is void, the rest of the agreement remains in force.</p>"""
GERMAN = """\
<html lang="en"><title>Privacy Policy</title><h1>Datenschutzerklärung</h1><p>Wir freuen uns über deinen Besuch. Der
Schutz deiner personenbezogenen Daten liegt uns am Herzen. Wir erheben deinen Namen und den Wohnort, wenn du bei uns
bestellst, und geben beides nur an das Unternehmen weiter, das dir die Schuhe bringt. Du hast das Recht, Auskunft über
die eigenen Daten zu verlangen und alles löschen zu lassen. Unsere Seite verwendet Cookies; das tun viele.</p>"""
FRENCH = """\
<html lang="en"><title>Privacy Policy</title><h1>Politique de confidentialité</h1><p>Nous attachons une grande
importance à la protection de vos données personnelles. Nous recueillons votre nom et votre courriel lorsque
vous passez une commande, et nous ne les transmettons qu’au transporteur qui vous apporte le colis. Vous avez
le droit de consulter vos données et de les faire effacer. Notre site utilise des cookies que vous pouvez
refuser dans votre navigateur.</p>"""


def page(content: bytes | str, **changes: object) -> Page:
    raw = content.encode() if isinstance(content, str) else content
    return replace(Page(URL, raw, "html", "test", "2024-05-01"), **changes)


def rejected(given_: Page, settings: Settings = SETTINGS) -> tuple[Reason, str]:
    found = clean(given_, settings)
    assert isinstance(found, Rejection), found
    assert (found.url, found.source, found.fetched_at) == (given_.url, given_.source, given_.fetched_at)
    return found.reason, found.detail


def kept(given_: Page, settings: Settings = SETTINGS) -> Capture:
    found = clean(given_, settings)
    assert isinstance(found, Capture), found
    return found


def test_a_policy_is_kept_with_all_that_is_known_of_it():
    found = kept(page(POLICY))
    tokens = words(found.text)
    assert replace(found, text="", page_text="", segments=(), bands=(), p_policy=0.9) == Capture(
        policy_id="acme.example-c6f01c0e",
        url=URL,
        domain="acme.example",
        page=page(POLICY),
        title="Privacy Policy | Acme",
        text="",
        page_text="",
        segments=(),
        p_policy=0.9,
        effective_on="2018-05-25",
        updated_on="2021-03-03",
        shingles=len(shingles(hashed(tokens))),
        bands=(),
        language="en",
        links=(),
    )
    assert SETTINGS.policy_threshold <= found.p_policy <= 1
    assert len(found.bands) == 16


def test_the_text_is_the_policys_and_the_page_text_has_the_menu_too():
    found = kept(page(POLICY))
    menu = {"home", "wellington", "boots", "high", "street"}
    assert menu & set(words(found.text)) == set()
    assert menu <= set(words(found.page_text))
    assert len(found.page_text) > len(found.text)
    assert set(words(found.text)) <= set(words(found.page_text))


def test_the_segments_are_places_in_the_text():
    found = kept(page(POLICY))
    said = [(s.kind, found.text[s.start : s.end], s.headings) for s in found.segments]
    assert said[0] == ("heading", "Privacy Policy", ())
    assert ("item", "your name and your e-mail address;", ("Privacy Policy", "What we collect")) in said
    lead_ins = {found.text[s.lead_in.start : s.lead_in.end] for s in found.segments if s.lead_in}
    assert lead_ins == {"We collect personal information that you give to us:"}


def test_cleaning_is_the_same_every_time():
    assert clean(page(POLICY), SETTINGS) == clean(page(POLICY), SETTINGS)


def test_text_without_tags_is_a_policy_too():
    plain = "\n".join(block.text for block in read(page(POLICY)).policy_blocks())
    found = kept(page(f"Home\nShop\nLogin\n{plain}\n© 2021 Acme", kind="text"))
    assert found.title == "Privacy Policy"
    assert found.effective_on == "2018-05-25"
    assert "Login" not in found.text
    assert "Login" in found.page_text


@pytest.mark.parametrize(
    ("content", "given_title", "title"),
    [
        (POLICY, "Our\n policy", "Our policy"),
        (POLICY, None, "Privacy Policy | Acme"),
        (BODY, None, "Privacy Policy"),
        (
            BODY.replace("<h1>Privacy Policy</h1>", "<h1>Hello</h1><p>Acme's Privacy Notice</p>"),
            None,
            "Acme's Privacy Notice",
        ),
        (BODY.replace("<h1>Privacy Policy</h1>", ""), None, "Privacy policy of acme.example"),
        (POLICY, "x" * 5000, "x" * 200),
        (POLICY, "lone \ud800 surrogate", "lone ? surrogate"),
    ],
)
def test_titles(content, given_title, title):
    assert kept(page(content, title=given_title)).title == title


def test_a_page_in_the_wrong_charset():
    curly = POLICY.replace("e-mail", "“e‑mail”".replace("‑", "-")).encode("windows-1252")
    assert "“e-mail”" in kept(page(curly, charset="utf-8")).text


@pytest.mark.parametrize(
    ("content", "kind", "expected"),
    [
        (b"", "html", (Reason.UNREADABLE, "the page is empty")),
        (b" \n\t", "text", (Reason.UNREADABLE, "the page is empty")),
        (b"<title>Privacy</title><body></body>", "html", (Reason.UNREADABLE, "the page shows no text")),
        (b"<!-- nothing -->", "html", (Reason.UNREADABLE, "the page shows no text")),
        (b"%PDF-1.4 privacy policy", "html", (Reason.UNREADABLE, "the content is binary, not a page")),
        (bytes(range(256)) * 50, "text", (Reason.UNREADABLE, "the content is binary, not a page")),
        (b"<p>Privacy policy: we collect nothing.</p>", "html", (Reason.TOO_SHORT, "5 words, at least 50 are needed")),
        (b"Privacy policy: we collect nothing at all.", "text", (Reason.TOO_SHORT, "7 words, at least 50 are needed")),
        (b"what do you do with my personal data", "text", (Reason.TOO_SHORT, "8 words, at least 50 are needed")),
        (b"Privacy", "text", (Reason.TOO_SHORT, "1 word, at least 50 are needed")),
        (
            b"<nav>" + b"<a href=/x>Shoes and boots</a> " * 30 + b"</nav><p>We collect nothing.</p>",
            "html",
            (Reason.TOO_SHORT, "3 words besides menus and footers, at least 50 are needed"),
        ),
        (GERMAN.encode(), "html", (Reason.NOT_ENGLISH, "the text is in 'de'")),
        (FRENCH.encode(), "html", (Reason.NOT_ENGLISH, "the text is in 'fr'")),
        (b"12345 " * 100, "html", (Reason.NOT_ENGLISH, "the text is in 'und'")),
    ],
)  # fmt: skip
def test_pages_that_are_turned_away(content, kind, expected):
    assert rejected(page(content, kind=kind)) == expected


def test_terms_are_no_policy():
    reason, detail = rejected(page(TERMS, url="https://acme.example/terms"))
    assert reason == Reason.NOT_POLICY
    assert detail.startswith("P = 0.")
    assert detail.endswith(f", less than {SETTINGS.policy_threshold}")


def test_the_settings_decide():
    assert rejected(page(POLICY), replace(SETTINGS, min_words=1000))[0] == Reason.TOO_SHORT
    assert rejected(page(POLICY), replace(SETTINGS, policy_threshold=1.0))[0] == Reason.NOT_POLICY
    assert rejected(page(POLICY), replace(SETTINGS, max_page_bytes=99)) == (
        Reason.TOO_LARGE,
        f"{len(POLICY.encode()):,} bytes, more than 99",
    )
    assert kept(page(TERMS), replace(SETTINGS, policy_threshold=0.0)).title == "Terms of Service"


@pytest.mark.parametrize(
    "url", ["", "privacy", "ftp://acme.example/privacy", "https://[acme/privacy", "https://a b/", "\ud800"]
)
def test_an_address_that_is_none(url):
    assert rejected(page(POLICY, url=url))[0] == Reason.UNREADABLE
    assert rejected(page(POLICY, final_url=url or "x"))[0] == Reason.UNREADABLE
    assert rejected(page(POLICY, url=url, final_url=URL))[0] == Reason.UNREADABLE


@pytest.mark.parametrize(
    ("asked", "final", "detail"),
    [
        ("https://acme.example/privacy", "https://other.test/privacy", "another site, other.test"),
        (
            "https://acme.example/privacy",
            "https://acme.example/",
            "https://acme.example/, which is no policy's address",
        ),
        (
            "https://acme.example/privacy",
            "https://www.acme.example/shoes",
            "https://www.acme.example/shoes, which is no policy's address",
        ),
        (
            "https://legal.example/privacy",
            "https://legal.example/",
            "https://legal.example/, which is no policy's address",
        ),
    ],
)
def test_a_page_that_has_moved(asked, final, detail):
    assert rejected(page(POLICY, url=asked, final_url=final)) == (Reason.MOVED, f"led to {detail}")


@pytest.mark.parametrize(
    ("asked", "final"),
    [
        ("http://acme.example/privacy", "https://www.acme.example/privacy/"),
        ("http://acme.example/pp", "https://www.acme.example/pp/#top"),
        ("https://acme.example/privacy", "https://acme.example/en/legal/pp.html"),
        ("https://acme.example/privacy", "https://privacy.acme.example/"),
        ("https://acme.example/privacy", "https://help.acme.example/?page=Datenschutz&en=Data%20Protection"),
        ("https://acme.example/privacy", None),
    ],
)
def test_a_page_that_is_still_the_sites_policy(asked, final):
    assert kept(page(POLICY, url=asked, final_url=final)).url == cleaning.normal_url(final or asked)


def test_pages_from_a_folder_have_no_site():
    found = kept(page(POLICY, url="file:///tmp/acme.html"))
    assert (found.policy_id.rpartition("-")[0], found.domain) == ("local", "")


@pytest.mark.parametrize("cut", range(1, 10))
def test_a_page_cut_off_anywhere(cut):
    content = POLICY.encode()[: len(POLICY) * cut // 10]
    assert isinstance(clean(page(content), SETTINGS), Capture | Rejection)


def test_null_bytes_are_dropped():
    content = POLICY.replace("Security", "Secu\0rity")
    for kind in ("html", "text"):
        found = kept(page(content, kind=kind))
        assert "\0" not in found.text + found.page_text
        assert "Security and retention" in found.text


def test_characters_that_are_none_become_the_replacement():
    content = POLICY.replace("Security", "Security &#xD800; &#0; &#x110000;").encode() + b"\xed\xa0\x80"
    found = kept(page(content, charset="utf-8"))
    found.page_text.encode("utf-8")
    assert "Security \ufffd \ufffd \ufffd" in found.text


def test_a_page_too_large_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(cleaning, "read", lambda page: pytest.fail("it was read"))
    content = b"We collect personal information. " * 1_600_000
    assert rejected(page(content, kind="text")) == (Reason.TOO_LARGE, "52,800,000 bytes, more than 10,000,000")


def test_a_page_that_nests_too_deep_is_never_parsed(monkeypatch):
    monkeypatch.setattr(cleaning, "lay_out", lambda html: pytest.fail("it was parsed"))
    said = (Reason.UNREADABLE, "its tags nest too deep, or are left open too often")
    assert rejected(page("<div>" * 100_000 + POLICY)) == said


def test_nesting_that_is_just_not_too_deep():
    assert kept(page("<div>" * 9_000 + BODY + "</div>" * 9_000)).text.startswith("Privacy Policy")


def test_a_long_page_of_sloppy_formatting_is_read():
    sloppy = "<p><b>Note</b> <font color=red>We <i>share</font> nothing</i> with anybody at all, <b>ever.</p>" * 1_000
    assert kept(page(f"<main>{BODY}{sloppy}</main>")).text.startswith("Privacy Policy")


def test_reading_marks_what_is_furniture():
    found = read(page("<nav>Menu</nav><main><p>We collect what you give us, and nothing else but that.</p></main>"))
    assert found == cleaning.Reading(
        "",
        [
            Block("paragraph", "Menu", 0, furniture=True),
            Block("paragraph", "We collect what you give us, and nothing else but that."),
        ],
    )
    assert found.policy_blocks() == found.blocks[1:]


@pytest.mark.parametrize(
    "hidden",
    [
        '<noscript><iframe src="https://tags.test/ns.html"/></noscript>{}',
        '<noscript><iframe src="https://tags.test/ns.html"></noscript>{}',
        '<x-page><template shadowrootmode="open">{}</template></x-page>',
        '<x-page><template shadowroot="open"><slot></slot></template>{}</x-page>',
        "<div id=root></div><template id=app>{}</template>",
    ],
)
def test_a_policy_behind_frames_and_templates_is_read(hidden):
    plain = kept(page(POLICY))
    found = kept(page(POLICY.replace(BODY, hidden.format(BODY))))
    assert (found.text, found.segments, found.title) == (plain.text, plain.segments, plain.title)


def test_what_goes_wrong_with_a_document_is_its_own_rejection():
    def fail() -> Capture:
        raise ZeroDivisionError("by nought\nand more")

    assert guarded(fail, page("")) == Rejection(
        URL, Reason.UNREADABLE, "cleaning failed (ZeroDivisionError: by nought)", "test", "2024-05-01"
    )
    rejection = Rejection(URL, Reason.COPY, "", "test", "")
    assert guarded(lambda: rejection, page("")) is rejection


SNIPPETS = st.lists(
    st.sampled_from(
        [
            *(b"<%s>" % tag for tag in b"p /p table tr td li h1 title !-- button svg".split()),
            *b"&# \0 \xff \xed\xa0\x80 ]( [ #".split(),
            b" ",
            b"\r",
            b"privacy ",
            b"We collect personal information that you give us. ",
            b"Effective date: 31/02/2020",
        ]
    ),
    max_size=60,
).map(b"".join)


@hypothesis_settings(deadline=None, max_examples=60)
@given(
    content=st.binary(max_size=400) | SNIPPETS,
    kind=st.sampled_from(["html", "text"]),
    charset=st.sampled_from([None, "utf-8", "utf-16", "shift_jis", "unicode_escape", "x"]) | st.text(max_size=8),
    final_url=st.none() | st.text(max_size=20) | st.text(max_size=20).map(URL.__add__),
    title=st.none() | st.text(max_size=20),
)
def test_cleaning_never_fails(content, kind, charset, final_url, title):
    loose = replace(SETTINGS, min_words=0, policy_threshold=0.0)
    given_ = page(content, kind=kind, charset=charset, final_url=final_url, title=title)
    for settings in (SETTINGS, loose):
        found = clean(given_, settings)
        assert isinstance(found, Capture | Rejection)
        if isinstance(found, Capture):
            (found.title + found.text + found.page_text + found.url).encode("utf-8")


@pytest.mark.parametrize(
    ("limit", "unit", "own", "detail"),
    [
        ("MAX_BLOCKS", "<p>We keep your personal data.</p>", 14, "more than 40 paragraphs, headings, items and rows"),
        ("MAX_HEADINGS", "<h3>Your personal data</h3>", 5, "41 headings, more than 40"),
        ("MAX_SEGMENTS", "<p>We keep your personal data.</p>", 14, "41 passages, more than 40"),
    ],
)
def test_a_page_of_too_many_parts_is_too_large(monkeypatch, limit, unit, own, detail):
    monkeypatch.setattr(limits, limit, 40)
    assert kept(page(f"<main>{BODY}{unit * (40 - own)}</main>")).title == "Privacy Policy"
    assert rejected(page(f"<main>{BODY}{unit * (41 - own)}</main>")) == (Reason.TOO_LARGE, detail)


def test_long_headings_over_many_passages_are_too_large(monkeypatch):
    html = f"<main><h1>Privacy Policy of {'Acme ' * 100}</h1>{BODY.partition('</h1>')[2]}</main>"
    length = sum(len(heading) for segment in kept(page(html)).segments for heading in segment.headings)
    monkeypatch.setattr(limits, "MAX_HEADING_TEXT", length)
    assert kept(page(html)).text.startswith("Privacy Policy of Acme")
    monkeypatch.setattr(limits, "MAX_HEADING_TEXT", length - 1)
    assert rejected(page(html)) == (
        Reason.TOO_LARGE, "its headings are too long for the number of passages under them"
    )  # fmt: skip


def test_the_walk_stops_at_the_first_block_too_many(monkeypatch):
    monkeypatch.setattr(limits, "MAX_BLOCKS", 40)
    assert len(read(page("<p>x</p>" * 10_000)).blocks) == 41


def test_a_tag_with_too_many_attributes_is_never_parsed(monkeypatch):
    monkeypatch.setattr(cleaning, "lay_out", lambda html: pytest.fail("it was parsed"))
    html = f"<div{''.join(f' a{number}=1' for number in range(123_000))}>{BODY}</div>"
    assert rejected(page(html)) == (Reason.UNREADABLE, "a tag has more than 1,000 attributes")
