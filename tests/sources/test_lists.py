from __future__ import annotations

import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.records import FrontierItem, Reason, Rejection
from smallprint.sources.items import Source
from smallprint.sources.lists import domain_in, read_domains, read_index, read_urls
from smallprint.sources.streams import ByteStream


def stream(data: bytes) -> ByteStream:
    return ByteStream(io.BytesIO(data), len(data))


def urls(data: bytes, skip: int = 0, *, only_candidates: bool = False):
    return list(read_urls(stream(data), Source(name="x", only_candidates=only_candidates), skip=skip))


def domains(data: bytes, skip: int = 0):
    return list(read_domains(stream(data), Source(name="x"), skip=skip))


def index(data: bytes, source: Source | None = None, skip: int = 0):
    return list(read_index(stream(data), source or Source(name="x", only_candidates=True), skip=skip))


def rejected(number: int, detail: str) -> tuple[int, Rejection]:
    return number, Rejection(f"urn:smallprint:x:{number}", Reason.UNREADABLE, detail, "x", "")


def home(number: int, domain: str) -> tuple[int, FrontierItem]:
    return number, FrontierItem(f"https://{domain}/", home=True)


URLS = (
    b"\xef\xbb\xbfhttps://a.example/privacy\r\n\r\n# a comment\n  http://b.example:80/p?utm_source=x#top  \nb.example\n"
    b"ftp://c.example/\nurn:isbn:1\nhttps://\xe9t\xe9.example/\nhttps://d.example"
)


def test_urls():
    assert urls(URLS) == [
        (1, FrontierItem("https://a.example/privacy")),
        (4, FrontierItem("http://b.example/p")),
        rejected(5, "line 5: 'b.example' is not a web address; write it as https://site/path"),
        rejected(6, "line 6: 'ftp://c.example/' is not a web address; write it as https://site/path"),
        rejected(7, "line 7: 'urn:isbn:1' is not on the web"),
        rejected(8, "line 8: '�t�.example' is not a host name"),
        (9, FrontierItem("https://d.example/")),
    ]
    assert urls(URLS, skip=6) == urls(URLS)[4:]


def test_urls_that_are_no_candidates_are_turned_away():
    assert urls(b"https://a.example/privacy\nhttps://a.example/shop\n", only_candidates=True) == [
        (1, FrontierItem("https://a.example/privacy")),
        (
            2,
            Rejection("https://a.example/shop", Reason.NOT_CANDIDATE, "the address names no privacy policy", "x", ""),
        ),
    ]


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (b"domain\na.example\n", [home(2, "a.example")]),
        (b'name,Website,country\n"A, Inc.",http://www.A.example/about?x=1,us\n', [home(2, "www.a.example")]),
        (b"url;domain\nhttps://b.example/;a.example\n", [home(2, "a.example")]),
        (b"rank\tdomain\n1\ta.example\n", [home(2, "a.example")]),
        (b"1,a.example\n2,b.example\n", [home(1, "a.example"), home(2, "b.example")]),
        (b"a.example\n\n# b.example\nc.example", [home(1, "a.example"), home(4, "c.example")]),
        (b"\xef\xbb\xbfdomain\r\na.example\r\n", [home(2, "a.example")]),
        ("domain\nbücher.example\n".encode(), [home(2, "xn--bcher-kva.example")]),
        (
            b"position,place\n1,a.example\n",
            [rejected(1, "line 1 has no domain in it: 'position,place'"), home(2, "a.example")],
        ),
        (
            b"name,domain\nA\nB,\nC,not a domain\nD,1.5\nE,127.0.0.1\nF,localhost\nG,g.example\n",
            [
                rejected(2, "line 2 has no domain in it: 'A'"),
                rejected(3, "line 3 has no domain in it: 'B,'"),
                rejected(4, "line 4 has no domain in it: 'C,not a domain'"),
                rejected(5, "line 5 has no domain in it: 'D,1.5'"),
                rejected(6, "line 6 has no domain in it: 'E,127.0.0.1'"),
                rejected(7, "line 7 has no domain in it: 'F,localhost'"),
                home(8, "g.example"),
            ],
        ),
        (b'domain\n"a.example\nb.example\n', [home(2, "a.example"), home(3, "b.example")]),
        (
            b"domain\n" + b"x" * 200_000 + b"\nb.example\n",
            [rejected(2, f"line 2 has no domain in it: '{'x' * 80}'"), home(3, "b.example")],
        ),
        (b"", []),
    ],
)
def test_domains(table, found):
    assert domains(table) == found
    for skip in range(10):
        assert domains(table, skip=skip) == [numbered for numbered in found if numbered[0] > skip]


@pytest.mark.parametrize(
    ("cell", "domain"),
    [
        ("a.example", "a.example"),
        ("A.Example.", "a.example"),
        ("https://a.example:8080/x", "a.example"),
        ("a.example/path", "a.example"),
        ("user@a.example", "a.example"),
        ("example", None),
        ("", None),
        ("-a.example", None),
        ("a..example", None),
        ("a" * 64 + ".example", None),
        ("[::1", None),
        ("http://", None),
    ],
)
def test_the_domain_in_a_cell(cell, domain):
    assert domain_in(cell) == domain


def entry(path: str, **more: str) -> str:
    row = {"url": f"https://example.com{path}", "mime": "text/html", "status": "200", "languages": "eng"} | more
    return f"com,example){path} 20240501120000 {json.dumps(row)}"


INDEX = "\n".join(
    [
        entry("/privacy"),
        entry("/privacy2", **{"mime": "unk", "mime-detected": "application/xhtml+xml"}),
        entry("/privacy3", status="301"),
        entry("/privacy.pdf", mime="application/pdf"),
        entry("/shop"),
        " CDX N b a m s k r M S V g",
        "com,example)/data-protection 2024 http://example.com/data-protection text/html 200 ABC - - 123 456 x.warc.gz",
        "",
        entry("/privacy")[:-20],
        entry("/privacy", url=5),
        entry("/", url="https://example.com/privacy?\ud800"),
        "no line of an index",
        entry("/privacy", url="https:///privacy"),
    ]
).encode("utf-8", "surrogatepass")
FOUND = [
    (1, FrontierItem("https://example.com/privacy")),
    (2, FrontierItem("https://example.com/privacy2")),
    (7, FrontierItem("http://example.com/data-protection")),
    rejected(9, "line 9 is not a line of a CDX index"),
    rejected(10, "line 10 is not a line of a CDX index"),
    rejected(11, r"line 11: 'https://example.com/privacy?\ud800' contains half a character (a lone surrogate)"),
    rejected(12, "line 12 is not a line of a CDX index"),
    rejected(13, "line 13: 'https:///privacy' is not a web address; write it as https://site/path"),
]


def test_an_index_gives_candidates_and_counts_the_rest():
    source = Source(name="x", only_candidates=True)
    assert index(INDEX, source) == FOUND
    assert source.passed_over == 3
    assert index(gzip.compress(INDEX), skip=7) == FOUND[3:]


@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_no_bytes_raise(data):
    for start in (b"", b"domain\n", b"https://", b"com,example)/privacy 20240501120000 "):
        for items in (urls(start + data), domains(start + data), index(start + data)):
            assert all(isinstance(item, FrontierItem | Rejection) for _, item in items)
