from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from smallprint import limits
from smallprint.domains import host_of, normal_url, policy_id, registrable_domain, same_site
from smallprint.errors import BadAddress

# Pieces that addresses are made of, in any order: closer to trouble than text at random.
ADDRESSES = st.lists(
    st.sampled_from(
        [
            *"http https file urn : // / www. a.example bücher.de [ ] ::1 @ ? # & = utm_source=x privacy".split(),
            *"% %20 . 。 .. :80 :99999 é |".split(),
            *" \t\x00\ud800",
        ]
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://Shop.Example/Privacy", "https://shop.example/Privacy"),
        ("https://shop.example", "https://shop.example/"),
        ("  https://shop.example/p\n", "https://shop.example/p"),
        ("https://shop.example/pri\nvacy", "https://shop.example/privacy"),
        ("https://shop.example/p#cookies", "https://shop.example/p"),
        ("https://shop.example./p", "https://shop.example/p"),
        ("https://user:secret@shop.example/p", "https://shop.example/p"),
        ("http://shop.example:80/p", "http://shop.example/p"),
        ("https://shop.example:443/p", "https://shop.example/p"),
        ("http://shop.example:443/p", "http://shop.example:443/p"),
        ("https://shop.example:8443/p", "https://shop.example:8443/p"),
        ("http://[::1]:8000/p", "http://[::1]:8000/p"),
        ("https://bücher.de/", "https://xn--bcher-kva.de/"),
        ("https://xn--bcher-kva.de/", "https://xn--bcher-kva.de/"),
        ("https://shop。example。/", "https://shop.example/"),
        ("https://shop.example/política de privacidad", "https://shop.example/pol%C3%ADtica%20de%20privacidad"),
        ("https://shop.example/a%20b", "https://shop.example/a%20b"),
        ("https://shop.example/p?q=é b", "https://shop.example/p?q=%C3%A9%20b"),
        ("https://shop.example/?privacy", "https://shop.example/?privacy"),
        ("https://shop.example/?privacy=", "https://shop.example/?privacy="),
        ("https://shop.example/?utm_source=x&privacy&gclid=1", "https://shop.example/?privacy"),
        ("https://shop.example/p?UTM_Medium=x", "https://shop.example/p"),
        ("https://shop.example/p?a=1%202&fbclid=x&b=%26", "https://shop.example/p?a=1%202&b=%26"),
        ("https://shop.example/p?utm=1&gclidx=2", "https://shop.example/p?utm=1&gclidx=2"),
        ("https://shop.example/p\ud800?q=\udfff", "https://shop.example/p%EF%BF%BD?q=%EF%BF%BD"),
        ("file:///tmp/a b.html#x", "file:///tmp/a b.html"),
        ("urn:smallprint:1", "urn:smallprint:1"),
    ],
)
def test_normal_url(url, expected):
    assert normal_url(url) == expected
    assert normal_url(expected) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "privacy",
        "shop.example/privacy",
        "//shop.example/privacy",
        "https://",
        "https:///privacy",
        "https://:80/",
        "https://./",
        "https://shop..example/",
        "https://shop example/",
        "https://<your site>/privacy",
        "https://shop.example:port/",
        "https://shop.example:99999/",
        "https://[::1/",
        "https://[nonsense]/",
        "https://bü" + "x" * 70 + ".de/",
        "mailto:privacy@shop.example",
        "javascript:alert(1)",
        "ftp://shop.example/privacy",
    ],
)
def test_what_is_no_address(url):
    with pytest.raises(BadAddress):
        normal_url(url)
    with pytest.raises(BadAddress):
        policy_id(url)


def test_the_message_names_the_address_but_not_all_of_it():
    with pytest.raises(
        BadAddress, match=r"^'shop\.example/x+' is not a web address; write it as https://site/path$"
    ) as caught:
        normal_url("shop.example/" + "x" * 10_000)
    assert len(str(caught.value)) < 300


def test_an_address_has_so_many_characters_at_most():
    room = limits.MAX_STORED_ADDRESS - len("https://a.example/")
    longest = "https://a.example/" + "x" * room
    assert normal_url(longest) == longest
    with pytest.raises(BadAddress, match=r"… has 16,001 characters; an address has 16,000 at most$"):
        normal_url(longest + "x")
    assert len(normal_url("https://a.example/" + "é" * (room // 6))) <= limits.MAX_STORED_ADDRESS
    with pytest.raises(BadAddress, match=r"… is too long; an address has 16,000 characters at most$"):
        normal_url("https://a.example/" + "é" * (room // 6 + 1))


@settings(deadline=None)
@given(st.text() | ADDRESSES | ADDRESSES.map("https://a.example/".__add__))
@example("https://a.example/?a=\ud800&gclid=1")
@example("file:///\ud800")
def test_anything_is_an_address_or_a_bad_one(text):
    try:
        normal = normal_url(text)
    except BadAddress:
        with pytest.raises(BadAddress):
            policy_id(text)
        return
    assert normal_url(normal) == normal
    assert policy_id(normal) == policy_id(text)
    normal.encode("utf-8")


@settings(deadline=None)
@given(st.text() | ADDRESSES)
def test_the_domain_of_anything_is_a_domain_or_an_error_of_ours(text):
    try:
        domain = registrable_domain(text)
    except BadAddress:
        return
    assert domain == domain.lower()


def test_one_policy_has_one_id_however_its_address_is_spelt():
    spellings = [
        "http://shop.example/privacy",
        "https://shop.example/privacy",
        "https://www.shop.example/privacy",
        "https://WWW.SHOP.EXAMPLE/privacy/",
        "http://shop.example:80/privacy#top",
        "https://shop.example/privacy?utm_campaign=mail",
        "https://shop.example./privacy",
    ]
    assert {policy_id(url) for url in spellings} == {"shop.example-c164ee97"}


def test_different_policies_have_different_ids():
    urls = [
        "https://shop.example/",
        "https://shop.example/privacy",
        "https://shop.example/Privacy",
        "https://shop.example/privacy?lang=en",
        "https://shop.example/?privacy",
        "https://shop.example:8443/privacy",
        "https://app.shop.example/privacy",
        "https://shop.test/privacy",
        "file:///privacy",
        "urn:privacy",
    ]
    assert len({policy_id(url) for url in urls}) == len(urls)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.bbc.co.uk/privacy", "bbc.co.uk"),
        ("https://bücher.de/", "xn--bcher-kva.de"),
        ("http://[::1]:8000/p", "::1"),
        ("http://127.0.0.1/p", "127.0.0.1"),
        ("http://localhost:8000/p", "localhost"),
        ("file:///tmp/a.html", "local"),
    ],
)
def test_an_id_starts_with_the_site(url, site):
    assert policy_id(url).rpartition("-")[0] == site


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("bbc.co.uk", "bbc.co.uk"),
        ("https://news.bbc.co.uk/x", "bbc.co.uk"),
        ("co.uk", "co.uk"),
        ("a.b.shop.example", "shop.example"),
        ("https://a.shop.example/", "shop.example"),
        ("Shop.Example:8080", "shop.example"),
        ("bücher.de", "xn--bcher-kva.de"),
        ("192.168.0.1", "192.168.0.1"),
        ("https://192.168.0.1:8000/p", "192.168.0.1"),
        ("::1", "::1"),
        ("https://[2001:DB8::1]/p", "2001:db8::1"),
        ("localhost", "localhost"),
        ("http://localhost:8000/", "localhost"),
        ("file:///tmp/x", ""),
        ("urn:a:b", ""),
        ("", ""),
    ],
)
def test_registrable_domain(given_, expected):
    assert registrable_domain(given_) == expected


def test_host_of():
    assert host_of("https://WWW.Bücher.de:8080/x") == "www.xn--bcher-kva.de"
    assert host_of("/privacy") == ""


def test_same_site():
    assert same_site("https://www.bbc.co.uk/a", "http://news.bbc.co.uk/b")
    assert not same_site("https://shop.co.uk/", "https://bbc.co.uk/")
