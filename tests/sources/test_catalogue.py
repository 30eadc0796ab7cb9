from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
import zstandard

from smallprint.errors import BadSource
from smallprint.records import FrontierItem, Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.sources.catalogue import kind_of, open_source
from smallprint.sources.jsonl import FieldMap

SETTINGS = Settings()
ROW = b'{"url": "https://a.example/privacy", "text": "a"}\n'
WARC = (
    b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: https://a.example/%s\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n"
    b"Content-Type: text/plain\r\nContent-Length: 4\r\n\r\ntext\r\n\r\n"
)
CDX = b'com,example)/privacy 2024 {"url": "https://example.com/privacy", "mime": "text/html", "status": "200"}\n'


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.jsonl", ROW, "jsonl"),
        ("a.jsonl.zst", zstandard.compress(ROW), "jsonl"),
        ("a.ndjson.gz", gzip.compress(ROW), "jsonl"),
        ("a.json", ROW, "jsonl"),
        ("a", ROW, "jsonl"),
        ("a.jsonl", b"", "jsonl"),
        ("a.jsonl.zst", ROW, "jsonl"),
        ("a.warc", WARC, "warc"),
        ("a.warc.gz", gzip.compress(WARC), "warc"),
        ("a.warc.wet.gz", gzip.compress(WARC), "warc"),
        ("a.wet.gz", gzip.compress(WARC)[:3], "warc"),
        ("download", gzip.compress(WARC), "warc"),
        ("a.txt", WARC, "warc"),
        ("a.cdx", CDX, "cdx"),
        ("cdx-00000.gz", gzip.compress(CDX), "cdx"),
        ("index", b" CDX N b a m s k r M S V g\n", "cdx"),
        ("a.csv", b"domain\na.example\n", "domains"),
        ("a.csv.zst", zstandard.compress(b"1,a.example\n"), "domains"),
        ("a.txt", b"# sites\na.example\nb.example\n", "domains"),
        ("a.txt", b"\xef\xbb\xbfhttps://a.example/privacy\r\n\r\nHTTP://b.example/\r\n", "urls"),
        ("urls", b"https://a.example/privacy", "urls"),
        ("a.txt", b"a.example\nThis policy says how we use data.\n", "folder"),
        ("a.txt", b"", "folder"),
        ("a.md", b"# Privacy", "folder"),
        ("a.html", b"<p>", "folder"),
        ("a.HTM", b"", "folder"),
        ("page", b"\n<!doctype html>", "folder"),
    ],
)
def test_the_kind_of_a_file(tmp_path, name, content, kind):
    (tmp_path / name).write_bytes(content)
    assert kind_of(tmp_path / name) == kind


@pytest.mark.parametrize(
    ("name", "content"), [("a.pdf", b"%PDF-1.7\n"), ("a", b""), ("a.json", b'["a"]'), ("a.zip", b"PK\3\4")]
)
def test_an_unknown_kind(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadSource) as caught:
        open_source(tmp_path / name, SETTINGS)
    assert str(caught.value) == (
        f"{tmp_path / name} is of an unknown kind; a source is a folder or file of HTML or text, JSON lines, "
        "a WARC or WET archive, a list of URLs or domains, a CDX index"
    )


def test_what_only_calls_itself_an_archive(tmp_path):
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(b"<html>Not found</html>"))
    with pytest.raises(BadSource, match=r"a\.warc\.gz is not a web archive, although it is named like one"):
        open_source(tmp_path / "a.warc.gz", SETTINGS)


def test_what_cannot_be_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "a.jsonl").write_bytes(ROW)

    def refuse(*_: object, **__: object):
        raise PermissionError(13, "Permission denied")

    for spec, message in (
        (tmp_path / "gone.jsonl", f"{tmp_path}/gone.jsonl does not exist; check the spelling"),
        (tmp_path / "pipe.jsonl", f"{tmp_path}/pipe.jsonl is a pipe or a device; save it to a file first"),
        (tmp_path / "a.jsonl" / "b", f"{tmp_path}/a.jsonl/b cannot be opened (Not a directory)"),
        (tmp_path / ("x" * 300), f"{tmp_path}/{'x' * 300} cannot be opened (File name too long)"),
        ("a\0b", "a\0b cannot be the name of a file; check how it is spelled"),
    ):
        with pytest.raises(BadSource) as caught:
            open_source(spec, SETTINGS)
        assert str(caught.value) == message
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(os, "scandir", refuse)
    for spec in (tmp_path / "a.jsonl", tmp_path):
        with pytest.raises(BadSource) as caught:
            open_source(spec, SETTINGS)
        assert str(caught.value) == f"{spec} may not be read by you; change its permissions"


def test_json_lines(tmp_path):
    path = tmp_path / "pages.2024.jsonl.gz"
    path.write_bytes(gzip.compress(ROW * 3))
    opened = open_source(str(path), SETTINGS)
    page = Page("https://a.example/privacy", b"a", "text", "jsonl:pages.2024", "", charset="utf-8")
    assert (opened.kind, opened.name, opened.total, opened.fraction()) == (
        "jsonl",
        "jsonl:pages.2024",
        path.stat().st_size,
        0.0,
    )
    assert list(opened.items()) == [(1, page), (2, page), (3, page)]
    assert opened.fraction() == 1.0
    assert list(opened.items(skip=2)) == [(3, page)]


def test_a_folder(tmp_path):
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_bytes(b"<p>")
    opened = open_source(tmp_path, SETTINGS)
    assert (opened.kind, opened.name, opened.total) == ("folder", f"folder:{tmp_path.name}", 2)
    fractions = [(item.url, opened.fraction()) for _, item in opened.items()]
    assert fractions == [((tmp_path / "a.html").as_uri(), 0.5), ((tmp_path / "b.html").as_uri(), 1.0)]
    assert [position for position, _ in opened.items(skip=1)] == [2]


def test_an_archive(tmp_path):
    path = tmp_path / "CC-MAIN-1.warc.wet.gz"
    path.write_bytes(b"".join(gzip.compress(WARC % name) for name in (b"shop", b"privacy", b"about")))
    opened = open_source(path, SETTINGS)
    date = "2024-05-01T12:00:00Z"
    page = Page("https://a.example/privacy", b"text", "text", "warc:CC-MAIN-1", date, charset="utf-8")
    assert list(opened.items()) == [(2, page)]
    assert (opened.name, opened.only_candidates, opened.passed_over) == ("warc:CC-MAIN-1", True, 2)
    assert list(opened.items(skip=2)) == []
    assert opened.passed_over == 1


@pytest.mark.parametrize(
    ("name", "content", "items"),
    [
        (
            "a.txt",
            b"https://a.example/privacy\nhttps://a.example/shop\n",
            [
                (1, FrontierItem("https://a.example/privacy")),
                (
                    2,
                    Rejection(
                        "https://a.example/shop",
                        Reason.NOT_CANDIDATE,
                        "the address names no privacy policy",
                        "urls:a",
                        "",
                    ),
                ),
            ],
        ),
        ("a.csv", b"rank,domain\n1,a.example\n", [(2, FrontierItem("https://a.example/", home=True))]),
        ("a.cdxj.gz", gzip.compress(CDX), [(1, FrontierItem("https://example.com/privacy"))]),
    ],
)
def test_lists(tmp_path, name, content, items):
    (tmp_path / name).write_bytes(content)
    assert list(open_source(tmp_path / name, SETTINGS).items()) == items


def test_the_choice_of_candidates(tmp_path):
    jsonl, urls = tmp_path / "a.jsonl", tmp_path / "a.txt"
    jsonl.write_bytes(
        b'{"url": "https://a.example/shop", "text": "a"}\n'
        b'{"url": "https://a.example/x", "final_url": "https://a.example/privacy", "text": "a"}\n'
    )
    urls.write_bytes(b"https://a.example/shop\n")

    def kinds(path: Path, choice: str) -> list[str]:
        return [type(item).__name__ for _, item in open_source(path, Settings(candidates=choice)).items()]

    assert {choice: (kinds(jsonl, choice), kinds(urls, choice)) for choice in ("auto", "url", "any")} == {
        "auto": (["Page", "Page"], ["Rejection"]),
        "url": (["Rejection", "Page"], ["Rejection"]),
        "any": (["Page", "Page"], ["FrontierItem"]),
    }


def test_the_fingerprint_changes_with_content_and_reading(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(ROW)
    os.utime(path, (1, 1))
    seen = [open_source(path, SETTINGS).fingerprint, open_source(path, SETTINGS).fingerprint]
    assert seen[0] == seen[1]
    seen.append(open_source(path, SETTINGS, FieldMap.declared(["html=text"])).fingerprint)
    seen.append(open_source(path, Settings(candidates="url")).fingerprint)
    os.utime(path, (2, 2))
    seen.append(open_source(path, SETTINGS).fingerprint)
    path.write_bytes(ROW.replace(b"a.", b"b."))
    os.utime(path, (2, 2))
    seen.append(open_source(path, SETTINGS).fingerprint)
    assert len(set(seen)) == len(seen) - 1
    seen = [open_source(tmp_path, SETTINGS).fingerprint]
    (tmp_path / "b.html").write_bytes(b"")
    seen.append(open_source(tmp_path, SETTINGS).fingerprint)
    assert len(set(seen)) == 2


def test_a_source_left_half_way_is_closed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(ROW * 2)
    items = open_source(path, SETTINGS).items()
    next(items)
    items.close()  # an open file would be a ResourceWarning, and so an error
