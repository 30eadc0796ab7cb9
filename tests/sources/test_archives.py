from __future__ import annotations

import gzip
import io
import tracemalloc
import zlib
from functools import partial

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from smallprint.records import Page, Reason, Rejection
from smallprint.sources.archives import read_archive
from smallprint.sources.items import Source
from smallprint.sources.streams import ByteStream

LIMIT = 100_000
DATE = "2024-05-01T12:00:00Z"
PAGE = b"<p>We value your privacy.</p>"


def record(
    kind: str, url: str, block: bytes, *, media: str = "application/http; msgtype=response", length=None
) -> bytes:
    header = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {DATE}\r\n"
        f"WARC-Record-ID: <urn:uuid:12345678-1234-1234-1234-123456789012>\r\nContent-Type: {media}\r\n"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return header.encode() + block + b"\r\n\r\n"


def answer(url: str, body: bytes = PAGE, *, status: str = "200 OK", media: str = "text/html", more: str = "") -> bytes:
    content_type = f"Content-Type: {media}\r\n" if media else ""
    return record("response", url, f"HTTP/1.1 {status}\r\n{content_type}{more}\r\n".encode() + body)


def url(site: str) -> str:
    return f"https://{site}.example/privacy"


def page(site: str, content: bytes = PAGE, kind: str = "html", charset: str | None = None) -> Page:
    return Page(url(site), content, kind, "warc:x", DATE, charset=charset)


def rejected(site: str, reason: Reason, detail: str) -> Rejection:
    return Rejection(url(site), reason, detail, "warc:x", DATE)


def broken(position: int, detail: str) -> tuple[int, Rejection]:
    return position, Rejection(f"urn:smallprint:warc:x:{position}", Reason.UNREADABLE, detail, "warc:x", "")


def source(*, only_candidates: bool = True) -> Source:
    return Source(name="warc:x", max_bytes=LIMIT, only_candidates=only_candidates)


def read(data: bytes, own: Source | None = None, *, skip: int = 0):
    with ByteStream(io.BytesIO(data), len(data)) as stream:
        return list(read_archive(stream, own or source(), skip=skip))


RECORDS = [
    record("warcinfo", "x", b"software: test", media="application/warc-fields"),
    record("request", url("a"), b"GET /privacy HTTP/1.1\r\n\r\n", media="application/http; msgtype=request"),
    answer(url("a"), media='text/html; charset="ISO-8859-1"'),
    record("metadata", url("a"), b"fetchTimeMs: 3", media="application/warc-fields"),
    record("revisit", url("b"), b"HTTP/1.1 200 OK\r\n\r\n"),
    answer("https://b.example/shop"),
    answer(url("c"), b"We value\nyour privacy", media="text/plain;charset=utf-8"),
    answer(url("d"), status="404 Not Found"),
    answer(url("e"), b"%PDF", media="application/pdf"),
    answer(f"<{url('f')}>", media=""),
    record("response", "dns:privacy.example", b"20240501 privacy.example. 1 IN A 1.2.3.4", media="text/dns"),
    record("conversion", url("g"), "Ihre Privatsphäre".encode(), media="text/plain"),
]
ITEMS = [
    (3, page("a", charset="iso-8859-1")),
    (7, page("c", b"We value\nyour privacy", "text", "utf-8")),
    (8, rejected("d", Reason.NOT_FETCHED, "status 404")),
    (10, page("f")),
    (12, page("g", "Ihre Privatsphäre".encode(), "text", "utf-8")),
]


@pytest.mark.parametrize(
    "data",
    [
        b"".join(RECORDS),
        b"".join(map(gzip.compress, RECORDS)),
        gzip.compress(b"".join(RECORDS)),
        b"".join(map(zstandard.compress, RECORDS)),
    ],
    ids=["plain", "a member each", "one member", "zstd"],
)
def test_an_archive_gives_its_candidates_and_counts_the_rest(data):
    own = source()
    assert read(data, own) == ITEMS
    assert own.passed_over == 2
    for skip in range(14):
        assert read(data, skip=skip) == [numbered for numbered in ITEMS if numbered[0] > skip]


def in_wide_window(data: bytes) -> bytes:
    """Pack by zstd, so that unpacking asks for 128 MiB: more than a server may ask of the crawler."""
    parameters = zstandard.ZstdCompressionParameters(window_log=27, write_content_size=False)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return compressor.compress(data) + compressor.flush()


def test_any_address_may_be_wanted():
    assert [position for position, _ in read(b"".join(RECORDS), source(only_candidates=False))] == [3, 6, 7, 8, 10, 12]


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (gzip.compress(PAGE), "Content-Encoding: gzip"),
        (gzip.compress(PAGE), "content-encoding: X-GZip"),
        (gzip.compress(PAGE) + bytes(50), "Content-Encoding: gzip"),  # padding, which browsers pass over too
        (zlib.compress(PAGE), "Content-Encoding: deflate"),
        (zlib.compress(PAGE)[2:-4], "Content-Encoding: deflate"),
        (brotli.compress(PAGE), "Content-Encoding: br"),
        (zstandard.compress(PAGE), "Content-Encoding: zstd"),
        (in_wide_window(PAGE), "Content-Encoding: zstd"),
        (gzip.compress(brotli.compress(PAGE)), "Content-Encoding: br, gzip"),
        (b"4\r\n<p>W\r\n19\r\ne value your privacy.</p>\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
        (PAGE, "Content-Encoding: identity"),
        (PAGE, "Content-Encoding: utf-8"),
        (PAGE, "Content-Encoding: gzip"),
        (PAGE, "Content-Encoding: deflate"),
        (PAGE, "Content-Encoding: br"),
        (PAGE, "Transfer-Encoding: chunked"),
    ],
)
def test_encodings_are_undone_if_they_are_what_the_header_says(body, more):
    data = answer(url("a"), body, more=f"{more}\r\n") + answer(url("b"))
    assert read(data) == [(1, page("a")), (2, page("b"))]


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("zstd", zstandard.compress),
        ("br", partial(brotli.compress, quality=1)),
    ],
)
def test_a_bomb_is_too_large_and_never_held(encoding, compress):
    data = answer(url("a"), compress(bytes(30_000_000)), more=f"Content-Encoding: {encoding}\r\n") + answer(url("b"))
    tracemalloc.start()
    items = read(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert items == [(1, rejected("a", Reason.TOO_LARGE, "more than 100,000 bytes")), (2, page("b"))]
    assert peak < 5_000_000


def test_large_records_are_passed_by():
    data = (
        answer(url("a"), bytes(30_000_000))
        + answer(url("b"), bytes(LIMIT + 1))
        + record("conversion", url("c"), bytes(LIMIT + 1), media="text/plain")
        + answer(url("d"))
    )
    assert read(gzip.compress(data)) == [
        (position, rejected(site, Reason.TOO_LARGE, "more than 100,000 bytes"))
        for position, site in enumerate("abc", 1)
    ] + [(4, page("d"))]


@pytest.mark.parametrize(
    ("bad", "item"),
    [
        (
            record("response", url("a"), b"no answer at all"),
            rejected("a", Reason.UNREADABLE, "the record holds no HTTP answer"),
        ),
        (record("response", url("a"), b""), rejected("a", Reason.UNREADABLE, "the record holds no HTTP answer")),
        (answer(url("a"), status="2xx"), rejected("a", Reason.UNREADABLE, "the record holds no HTTP answer")),
        (
            answer("privacy"),
            Rejection(
                "privacy",
                Reason.UNREADABLE,
                "'privacy' is not a web address; write it as https://site/path",
                "warc:x",
                DATE,
            ),
        ),
        (
            answer(url("a"), more="X: " + "x" * 40_000 + "\r\n"),
            rejected("a", Reason.UNREADABLE, "the record cannot be read (Maximum header length exceeded.)"),
        ),
    ],
)
def test_a_bad_record_is_one_rejection(bad, item):
    good = answer(url("b"))
    assert read(good + bad + good) == [(1, page("b")), (2, item), (3, page("b"))]


CUT = "the record cannot be read (it ends in the middle)"
ENDS = "the file ends in the middle of its compressed data"


def test_an_archive_cut_short():
    first, last = answer(url("a")), answer(url("b"))
    cut = [(1, page("a")), (2, rejected("b", Reason.UNREADABLE, CUT))]
    assert read(first + last[:-10]) == [*cut, broken(3, "the archive ends in the middle of a record, after record 2")]
    gzipped = gzip.compress(first) + gzip.compress(last)[:-20]
    assert read(gzipped) == [*cut, broken(3, f"{ENDS}, after record 2")]
    assert read(gzipped, skip=2) == [broken(3, f"{ENDS}, after record 2")]
    assert read(gzipped, skip=3) == []


def test_an_archive_cut_short_where_nothing_was_wanted():
    first, last = answer(url("a")), answer("https://b.example/shop")
    assert read(first + last[:-10]) == [
        (1, page("a")),
        broken(3, "the archive ends in the middle of a record, after record 2"),
    ]
    assert read(first + last[:40]) == [
        (1, page("a")),
        broken(2, "a record's header is cut short or has no length, after record 1"),
    ]
    assert read(first + last[:3]) == [
        (1, page("a")),
        broken(2, "the archive cannot be read further (Invalid WARC header), after record 1"),
    ]
    for cut in (1, 5, 15, 60):
        assert read(gzip.compress(first) + gzip.compress(last)[:cut])[0] == (1, page("a"))
        assert read(gzip.compress(first) + gzip.compress(last)[:cut])[-1][1].reason == Reason.UNREADABLE


def test_a_damaged_member_does_not_hide_those_after_it():
    members = [gzip.compress(answer(url(site), bytes(range(256)) * 20)) for site in "abc"]
    middle = bytearray(members[1])
    middle[20:60] = b"\xff" * 40
    items = read(members[0] + bytes(middle) + members[2])
    assert [item.url for _, item in items] == [url("a"), "urn:smallprint:warc:x:2", url("c")]
    assert items[1][1].detail.startswith("the file's compressed data are damaged (")
    cut = members[0] + members[1][:100] + members[2]
    assert [item.url for _, item in read(cut)][-1] == url("c")


def test_a_record_that_claims_too_much_does_not_eat_the_next():
    greedy = record("response", url("a"), b"HTTP/1.1 200 OK\r\n\r\n" + PAGE, length=5000)
    assert read(gzip.compress(greedy) + gzip.compress(answer(url("b")))) == [
        (1, rejected("a", Reason.UNREADABLE, CUT)),
        broken(2, "the archive ends in the middle of a record, after record 1"),
        (3, page("b")),
    ]


@pytest.mark.parametrize("length", [-5, "many", ""])
def test_a_record_without_a_length(length):
    bad = record("response", url("a"), b"HTTP/1.1 200 OK\r\n\r\n" + PAGE, length=length)
    assert read(gzip.compress(bad) + gzip.compress(answer(url("b")))) == [
        broken(1, "a record's header is cut short or has no length, after record 0"),
        (2, page("b")),
    ]


def test_nothing_comes_of_nothing():
    assert read(b"") == []
    assert read(gzip.compress(b"")) == []


mutations = st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=12), st.integers(0, 20)), max_size=6)


@given(mutations, st.booleans())
def test_no_bytes_raise(changes, gzipped):
    data = b"".join(map(gzip.compress, RECORDS[5:9])) if gzipped else b"".join(RECORDS[5:9])
    for place, new, dropped in changes:
        data = data[:place] + new + data[place + dropped :]
    assert all(isinstance(item, Page | Rejection) for _, item in read(data, source(only_candidates=False)))


@given(st.binary(max_size=300))
def test_no_random_bytes_raise(data):
    for start in (b"", b"WARC/1.0\r\n", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"BZh9"):
        assert all(isinstance(item, Rejection) for _, item in read(start + data))
