from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import tracemalloc
from functools import partial

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from smallprint import limits
from smallprint.errors import BadSource
from smallprint.records import Page, Reason, Rejection
from smallprint.sources.items import Source
from smallprint.sources.jsonl import FieldMap, read_jsonl
from smallprint.sources.streams import ByteStream, open_stream

LIMIT = 1000
DEFAULT = FieldMap()


def read(data: bytes, mapping: FieldMap = DEFAULT, skip: int = 0) -> list[tuple[int, Page | Rejection]]:
    with ByteStream(io.BytesIO(data), len(data)) as stream:
        return list(read_jsonl(stream, Source(name="jsonl:x", mapping=mapping, max_bytes=LIMIT), skip=skip))


def row(**values: object) -> bytes:
    return json.dumps(values).encode() + b"\n"


def page(url: str, content: str, kind: str = "text", **more: str) -> Page:
    return Page(
        **({"fetched_at": ""} | more), url=url, content=content.encode(), kind=kind, source="jsonl:x", charset="utf-8"
    )


def rejected(line: int, detail: str) -> Rejection:
    return Rejection(f"urn:smallprint:jsonl:x:{line}", Reason.UNREADABLE, f"line {line} {detail}", "jsonl:x", "")


def test_rows_become_pages():
    data = (
        row(url="https://a.example/", html="<p>é</p>", text="é", fetched_at="2026-08-22T13:13:08+00:00", title="A")
        + row(final_url="https://b.example/", markdown="# b", date="2020-12")
        + row(url="http://c.example/", final_url="https://c.example/", html="", text="c", date="last week")
        + row(url="https://d.example/", html="", date=2020)
    )
    assert read(data) == [
        (1, page("https://a.example/", "<p>é</p>", "html", fetched_at="2026-08-22T13:13:08+00:00", title="A")),
        (2, page("https://b.example/", "# b", fetched_at="2020-12")),
        (3, page("http://c.example/", "c", final_url="https://c.example/")),
        (4, page("https://d.example/", "", "html")),
    ]


@pytest.mark.parametrize(
    ("date", "kept"),
    [
        ("2020", True),
        ("2020-12", True),
        ("2020-12-31", True),
        ("2020-12-31T23:59Z", True),
        ("2020-05-21T02:04:23-04:00", True),
        ("2020-05-21 02:04:23.123456", True),
        ("2020-13", False),
        ("20201231", False),
        ("31/12/2020", False),
        ("2020-12-31T", False),
        ("2020-12\n", False),
        ("", False),
        (None, False),
    ],
)
def test_dates_are_kept_as_given_if_they_are_iso(date, kept):
    ((_, item),) = read(row(url="https://a.example/", text="a", date=date))
    assert item.fetched_at == (date if kept else "")


def test_rows_without_an_address_get_one():
    data = (
        row(url="", id="news/1 é?#", text="a")
        + row(url=None, id=7, text="b")
        + b"\n"
        + row(text="c", id=[1])
        + row(text="d", id="")
    )
    assert [(number, item.url) for number, item in read(data)] == [
        (1, "urn:smallprint:jsonl:x:news/1%20%C3%A9%3F%23"),
        (2, "urn:smallprint:jsonl:x:7"),
        (4, "urn:smallprint:jsonl:x:4"),
        (5, "urn:smallprint:jsonl:x:5"),
    ]


def test_declared_fields():
    mapping = FieldMap.declared(["html=body", "url=address", "id=service/doc", "id=service", "fetched_at=seen"])
    data = (
        row(address="https://a.example/", body="<p>a", text="not this", seen="2024", date="2023")
        + row(service="S", doc="Privacy Policy", body="b")
        + row(service="S", body="c", url="https://not.this.example/")
        + row(text="no body")
    )
    assert read(data, mapping) == [
        (1, page("https://a.example/", "<p>a", "html", fetched_at="2024")),
        (2, page("urn:smallprint:jsonl:x:S/Privacy%20Policy", "b", "html")),
        (3, page("urn:smallprint:jsonl:x:S", "c", "html")),
        (4, rejected(4, "has no field body")),
    ]


@pytest.mark.parametrize("declaration", ["html", "html=", "=body", "body=html", ""])
def test_a_bad_declaration_says_how_to_write_it(declaration):
    with pytest.raises(BadSource, match=r"maps no field; write it as html=body, with one of url, html, text"):
        FieldMap.declared([declaration])


BROKEN = {
    b'{"url": "https://a.example/", "te': "is not JSON, or is cut short",
    b"[" * 100_000: "is not JSON, or is cut short",
    b'{"n": ' + b"9" * 5000 + b"}": "is not JSON, or is cut short",
    b'{"text": "\xe9t\xe9"}': "is not UTF-8",
    b"\x00\x00": "is not JSON, or is cut short",
    b'["text"]': "is not a JSON object",
    b"null": "is not a JSON object",
    b'{"url": "https://a.example/"}': "has no field html or text or markdown",
    b'{"html": null}': "has no field html or text or markdown",
    b'{"html": 5}': "has a number as 'html', where text should be",
    b'{"text": ["a"]}': "has a list as 'text', where text should be",
    b'{"text": "a", "url": {}}': "has an object as 'url', where text should be",
    b'{"text": "a", "url": true}': "has a truth value as 'url', where text should be",
    b'{"text": "a", "url": "urn:a", "final_url": 1.5}': "has a number as 'final_url', where text should be",
    b'{"text": "a", "url": "a.example"}': (
        "has a bad address: 'a.example' is not a web address; write it as https://site/path"
    ),
    b'{"text": "\\ud800"}': "contains half a character (a lone surrogate)",
    b'{"text": "a", "id": "\\ud800"}': "contains half a character (a lone surrogate)",
    b'{"text": "a", "title": "\\ud800"}': "contains half a character (a lone surrogate)",
    b'{"text": "a", "url": "https://a.example/?\\ud800"}': (
        "has a bad address: 'https://a.example/?\\ud800' contains half a character (a lone surrogate)"
    ),
}


@pytest.mark.parametrize(("line", "detail"), BROKEN.items(), ids=lambda value: str(value)[:40])
def test_a_broken_line_is_one_rejection_and_the_run_goes_on(line, detail):
    good = row(url="https://a.example/", text="a")
    kept = page("https://a.example/", "a")
    assert read(good + line + b"\n" + good) == [(1, kept), (2, rejected(2, detail)), (3, kept)]


def test_large_rows_and_lines(monkeypatch):
    data = row(url="https://a.example/", text="é" * 501, date="2024") + row(url="https://b.example/", text="é" * 500)
    large, whole = read(data)
    assert large == (1, Rejection("https://a.example/", Reason.TOO_LARGE, "1,002 bytes", "jsonl:x", "2024"))
    assert whole == (2, page("https://b.example/", "é" * 500))
    monkeypatch.setattr(ByteStream.lines, "__defaults__", (100,))
    overlong = Rejection("urn:smallprint:jsonl:x:1", Reason.TOO_LARGE, "line 1 is longer than 64 MB", "jsonl:x", "")
    assert read(b"x" * 101 + b"\n" + row(text="b")) == [
        (1, overlong),
        (2, page("urn:smallprint:jsonl:x:2", "b")),
    ]


def test_a_byte_order_mark_and_windows_line_ends():
    data = b"\xef\xbb\xbf" + row(url="https://a.example/", text="a").replace(b"\n", b"\r\n") + b"\r\n"
    assert read(data) == [(1, page("https://a.example/", "a"))]


@pytest.mark.parametrize("skip", range(6))
def test_skipping_gives_the_rest(skip):
    data = row(text="a") + b"\n" + b"broken\n" + row(text="b")
    assert read(data, skip=skip) == [numbered for numbered in read(data) if numbered[0] > skip]


@pytest.mark.parametrize("compress", [gzip.compress, partial(bz2.compress, compresslevel=1), zstandard.compress])
def test_a_file_cut_short_gives_what_it_can_then_says_so(compress):
    noise = random.Random(1)
    rows = [row(url=f"https://a{n}.example/", text=noise.randbytes(200).hex()) for n in range(2000)]
    data = compress(b"".join(rows))
    data = data[: len(data) // 2]
    *pages, (number, last) = read(data)
    assert [item.url for _, item in pages] == [f"https://a{n}.example/" for n in range(len(pages))]
    assert len(pages) > 500
    assert last == Rejection(
        f"urn:smallprint:jsonl:x:{number}",
        Reason.UNREADABLE,
        f"the file ends in the middle of its compressed data, after line {len(pages)}",
        "jsonl:x",
        "",
    )
    assert read(data, skip=number) == []


def test_a_damaged_file_gives_what_it_can_then_says_so():
    good = gzip.compress(row(url="https://a.example/", text="a"))
    (kept, (number, last)) = read(good + b"\x1f\x8b\x08 and then nonsense")
    assert kept == (1, page("https://a.example/", "a"))
    assert (number, last.reason) == (2, Reason.UNREADABLE)
    assert last.detail.startswith("the file's compressed data are damaged (")


def test_members_one_after_the_other_are_one_file():
    data = row(url="https://a.example/", text="a") + row(url="https://b.example/", text="b")
    whole = read(data)
    assert read(gzip.compress(data[:30]) + gzip.compress(data[30:])) == whole
    assert read(gzip.compress(data) + b"\0" * 1000) == whole
    assert read(zstandard.compress(data[:30]) + zstandard.compress(data[30:])) == whole


def test_reading_holds_one_row_at_a_time(tmp_path):
    """200 MB pass through some tens of MB: a portion of what was compressed, all too well, and one row."""
    path, line = tmp_path / "large.jsonl.zst", row(url="https://a.example/privacy", text="personal data " * 14_000)
    with path.open("wb") as file, zstandard.ZstdCompressor(level=1).stream_writer(file) as writer:
        for _ in range(1000):
            writer.write(line)
    tracemalloc.start()
    with open_stream(path) as stream:
        rows = read_jsonl(stream, Source(name="x", max_bytes=1 << 20))
        assert sum(len(item.content) for _, item in rows) == 196_000_000
        assert stream.done == stream.size
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40_000_000


def test_an_endless_line_is_not_held(tmp_path):
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(100):
            file.write(bytes(1_000_000))
        file.write(b"\n" + row(url="https://a.example/", text="a"))
    tracemalloc.start()
    with open_stream(path) as stream:
        assert list(stream.lines(limit=10_000_000)) == [None, row(url="https://a.example/", text="a").strip()]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50_000_000


@given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
def test_no_bytes_raise(data):
    for item in read(data) + read(b'{"text": ' + data + b"}\n"):
        assert isinstance(item[1], Page | Rejection)


@pytest.mark.real_data("corpus/dmoz_policies.jsonl.zst", "corpus/ota_pages_html.jsonl.zst")
@pytest.mark.parametrize(
    ("name", "count", "without_url", "first", "last"),
    [
        (
            "dmoz_policies.jsonl.zst",
            24_738,
            0,
            ("https://1streadingseascoutgroup.org.uk/privacy-policy/", "text", "2020-12"),
            ("http://www.yumasun.com/site/privacy.html", "text", "2020-12"),
        ),
        (
            "ota_pages_html.jsonl.zst",
            1_029,
            87,
            ("https://myspace.com/pages/terms", "html", "2026-08-22T13:13:08+00:00"),
            ("https://www.airbnb.fr/help/article/2827", "html", "2026-08-22T12:31:21+00:00"),
        ),
    ],
)
def test_the_research_corpus(data_dir, name, count, without_url, first, last):
    with open_stream(data_dir / "corpus" / name) as stream:
        items = [item for _, item in read_jsonl(stream, Source(name="jsonl:x", max_bytes=10_000_000))]
    summary = [(item.url, item.kind, item.fetched_at) for item in items if isinstance(item, Page)]
    assert len(summary) == count
    assert sum(url.startswith("urn:") for url, _, _ in summary) == without_url
    assert (summary[0], summary[-1]) == (first, last)


@pytest.mark.parametrize("field", ["url", "id"])
def test_an_overlong_name_is_refused_in_one_line(field):
    name = "https://a.example/" + "x" * 60_000 if field == "url" else "x" * 60_000
    ((_, item),) = read(row(**{field: name}, text="We keep your data."))
    assert item.reason == Reason.UNREADABLE
    assert "characters; an address has 16,000 at most" in item.detail
    assert len(item.url) < 100
    assert len(item.detail) < 300


def test_an_overlong_title_is_cut():
    ((_, item),) = read(row(url="https://a.example/", text="We keep it.", title="Our  policy " * 10_000))
    assert len(item.title) == limits.MAX_TITLE
    assert item.title.startswith("Our policy Our policy")
