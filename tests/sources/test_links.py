from __future__ import annotations

import pytest

from smallprint.sources.links import policy_links

HOME = "https://www.shop.example/en/"


def links(*anchors: str, base: str = HOME) -> list[str]:
    return policy_links("<html><body>" + "\n".join(anchors) + "</body></html>", base)


def test_a_plain_footer_link():
    footer = '<footer><a href="/terms">Terms</a> <a href="/legal/privacy">Privacy Policy</a></footer>'
    assert links('<a href="/shoes">Shoes</a>', footer) == ["https://www.shop.example/legal/privacy"]


def test_a_link_after_a_frame_that_is_left_open():
    frame = '<noscript><iframe src="https://tags.test/ns.html"/></noscript>'
    assert links(frame, '<a href="/privacy">Privacy Policy</a>') == ["https://www.shop.example/privacy"]


@pytest.mark.parametrize(
    "text",
    [
        "Privacy Policy",
        "PRIVACY NOTICE",
        "Privacy",
        "Privacy &amp; Cookies",
        "Privacy & Cookie Policy",
        "Privacy statement »",
        "<span>Our</span> <b>Privacy</b> Policy",
        "[ Privacy&nbsp;policy ]",
        "Data Protection",
        "Data protection notice",
    ],
)
def test_what_sites_call_it(text):
    assert links(f'<a href="/doc?id=7">{text}</a>') == ["https://www.shop.example/doc?id=7"]


@pytest.mark.parametrize(
    "anchor",
    [
        '<a href="/datenschutz">Datenschutz</a>',
        '<a href="/cookies">Cookies</a>',
        '<a href="/privacy/cookies">Cookie policy</a>',
        '<a href="mailto:privacy@shop.example">Privacy</a>',
        '<a href="javascript:void(0)">Privacy Policy</a>',
        '<a href="#privacy">Privacy Policy</a>',
        '<a href="/en/#privacy">Privacy Policy</a>',
        '<a href="">Privacy Policy</a>',
        "<a>Privacy Policy</a>",
        '<a href="tel:5550100">Privacy</a>',
        '<a href="http://[broken/">Privacy Policy</a>',
        '<a href="ftp://shop.example/privacy">Privacy Policy</a>',
    ],
)
def test_what_is_no_link_to_a_policy(anchor):
    assert links(anchor) == []


def test_exact_words_go_before_mentions_and_the_address_helps():
    found = links(
        '<a href="/a">Privacy</a>',
        '<a href="/b">Read our privacy policy</a>',
        '<a href="/privacy-policy">Privacy Policy</a>',
    )
    assert found == [f"https://www.shop.example/{path}" for path in ("privacy-policy", "b", "a")]


def test_the_footer_breaks_a_tie():
    found = links(
        '<a href="/one">Privacy Policy</a>', '<div class="site-footer"><p><a href="/two">Privacy Policy</a></div>'
    )
    assert found[0] == "https://www.shop.example/two"


def test_settings_and_requests_are_left_out_where_the_policy_is_at_hand():
    policy = '<a href="/privacy">Privacy</a>'
    asides = (
        '<a href="/privacy-settings">Privacy settings</a>',
        '<a href="/choices">Your Privacy Choices</a>',
        '<a href="/ccpa/privacy">Do Not Sell My Personal Information</a>',
        '<a href="/policy.pdf">Privacy Policy</a>',
    )
    assert links(*asides, policy) == ["https://www.shop.example/privacy"]
    assert links(asides[1], asides[3])[0] == "https://www.shop.example/policy.pdf"


def test_other_sites_only_count_where_ones_own_has_none():
    elsewhere = '<a href="https://captcha.com/privacy">Privacy Policy</a>'
    own = '<a href="https://legal.shop.co.uk/p">Privacy</a>'
    home = "https://www.shop.co.uk/"
    assert links(elsewhere, own, base=home) == ["https://legal.shop.co.uk/p"]
    assert links(elsewhere, base=home) == ["https://captcha.com/privacy"]


def test_teasers_that_speak_of_privacy_do_not_come_along():
    teaser = (
        '<a href="/post/9">Why privacy matters to everybody who has ever bought a pair of shoes, and what we think</a>'
    )
    assert links(teaser, '<a href="/p">Privacy Policy</a>') == ["https://www.shop.example/p"]


def test_a_picture_or_a_label_can_name_the_link():
    assert links('<a href="/p1"><img src="lock.png" alt="Privacy Policy"></a>') == ["https://www.shop.example/p1"]
    assert links('<a href="/p2" aria-label="Privacy notice"><svg></svg></a>') == ["https://www.shop.example/p2"]
    assert links('<a href="/privacy-policy"><i></i></a>') == ["https://www.shop.example/privacy-policy"]


def test_addresses_are_resolved_against_the_base_and_made_normal():
    anchors = '<base href="https://www.shop.example/legal/"><a href="../privacy?utm_source=home#top">Privacy Policy</a>'
    assert links(anchors) == ["https://www.shop.example/privacy"]
    assert links('<a href="//shop.example/privacy">Privacy</a>') == ["https://shop.example/privacy"]
    assert links('<base href="data:,x"><a href="privacy">Privacy</a>') == ["https://www.shop.example/en/privacy"]


def test_at_most_three_and_none_twice():
    many = [f'<a href="/privacy-policy/{number}">Privacy Policy</a>' for number in range(9)]
    assert links(*many, *many) == [f"https://www.shop.example/privacy-policy/{number}" for number in range(3)]


@pytest.mark.parametrize("html", [b"", "", b"\xff\xfe\x00", "<a href", "<a href='/privacy'>" * 5_000])
def test_bad_pages_do_no_harm(html):
    assert len(policy_links(html, HOME)) <= 1
