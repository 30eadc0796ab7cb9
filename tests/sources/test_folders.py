from __future__ import annotations

import bz2
import gzip
import os
from pathlib import Path

import pytest

from smallprint.records import Page, Reason, Rejection
from smallprint.sources.folders import _date_time, listing, page_files, read_folder, read_page, stated_address

LIMIT = 10_000
WHEN, DATE = 1_714_564_800, "2024-05-01T12:00:00+00:00"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "pages"
    for name, content in {
        "b.html": b"<p>bee</p>",
        "a/z.HTM": b"<p>zed</p>",
        "a/y.txt": b"why",
        "c.md": b"# see",
        "empty.html": b"",
        "ignored.png": b"\x89PNG",
        ".hidden.html": b"<p>hidden</p>",
        ".git/c.html": b"<p>hidden</p>",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (WHEN, WHEN))
    return root


def names(root: Path) -> list[str]:
    return [str(path.relative_to(root)) for path in page_files(root)]


def test_one_page_a_file_in_order(folder):
    pages = list(read_folder(folder, "folder:pages", max_bytes=LIMIT))
    assert pages == [
        (number, Page((folder / name).as_uri(), content, kind, "folder:pages", DATE))
        for number, name, content, kind in (
            (1, "a/y.txt", b"why", "text"),
            (2, "a/z.HTM", b"<p>zed</p>", "html"),
            (3, "b.html", b"<p>bee</p>", "html"),
            (4, "c.md", b"# see", "text"),
            (5, "empty.html", b"", "html"),
        )
    ]


def test_skipping_gives_the_rest(folder):
    everything = list(read_folder(folder, "folder:pages", max_bytes=LIMIT))
    for skip in range(7):
        assert list(read_folder(folder, "folder:pages", max_bytes=LIMIT, skip=skip)) == everything[skip:]


def test_a_single_file_is_a_folder_of_one(folder):
    assert [number for number, _ in read_folder(folder / "b.html", "x", max_bytes=LIMIT)] == [1]


def test_links_that_lead_in_a_circle_are_followed_once(folder):
    (folder / "a" / "round").symlink_to(folder, target_is_directory=True)
    (folder / "d.html").symlink_to(folder / "b.html")
    assert names(folder) == ["a/y.txt", "a/z.HTM", "b.html", "c.md", "d.html", "empty.html"]


@pytest.mark.parametrize(
    ("head", "address"),
    [
        (b"<!-- saved from url=(0029)https://a.example/privacy.html -->", "https://a.example/privacy.html"),
        (b"<!doctype html>\n<!--saved from url=http://a.example/?x=1&y=2-->", "http://a.example/?x=1&y=2-->"),
        (b"<link href='https://a.example/p?a=1&amp;b=2' rel='canonical'>", "https://a.example/p?a=1&b=2"),
        (b"<LINK REL=Canonical HREF=https://a.example/p>", "https://a.example/p"),
        (b'<meta property="og:url" content=" https://a.example/p ">', "https://a.example/p"),
        (
            b'<meta property="og:url" content="https://a.example/og"><link rel=canonical href="https://a.example/c">',
            "https://a.example/c",
        ),
        (
            b'<link rel=canonical href="/p"><meta property="og:url" content="https://a.example/og">',
            "https://a.example/og",
        ),
        (
            b"<!-- saved from url=(0014)about:internet --><link rel=canonical href=https://a.example/>",
            "https://a.example/",
        ),
        (b'<link rel=canonical href="/privacy">', None),
        (b'<link rel=canonical href="javascript:alert(1)">', None),
        (b'<link rel=canonical href="https://">', None),
        (b'<link rel=canonical href="https://a.example:x/">', None),
        (b'<!-- <link rel=canonical href="https://a.example/"> -->', None),
        (b"<link rel=canonical><meta property=og:url>", None),
        (b"\xff\xfe\x00nothing", None),
        (b"", None),
    ],
)
def test_the_address_a_page_states(head, address):
    assert stated_address(head) == address


def test_the_stated_address_is_the_pages_own(tmp_path):
    page = b"<html><link rel=canonical href=https://a.example/privacy><p>text"
    (tmp_path / "a.html").write_bytes(page)
    (tmp_path / "a.txt").write_bytes(page)
    (tmp_path / "late.html").write_bytes(b" " * (1 << 16) + page)
    urls = [page.url for _, page in read_folder(tmp_path, "x", max_bytes=1 << 20)]
    assert urls == ["https://a.example/privacy", (tmp_path / "a.txt").as_uri(), (tmp_path / "late.html").as_uri()]


def test_large_files_are_turned_away_unread(tmp_path, monkeypatch):
    path = tmp_path / "large.html"
    path.write_bytes(b"x" * (LIMIT + 1))
    os.utime(path, (WHEN, WHEN))
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("it was opened"))
    assert read_page(path, "x", max_bytes=LIMIT) == Rejection(
        path.as_uri(), Reason.TOO_LARGE, "10,001 bytes", "x", DATE
    )


def test_compressed_pages(tmp_path):
    whole, bomb, cut = tmp_path / "a.html", tmp_path / "b.html", tmp_path / "c.html"
    whole.write_bytes(bz2.compress(b"<p>a</p>"))
    bomb.write_bytes(gzip.compress(b"x" * (LIMIT + 1)))
    cut.write_bytes(gzip.compress(b"<p>a</p>")[:-5])
    for path in (whole, bomb, cut):
        os.utime(path, (WHEN, WHEN))
    assert [item for _, item in read_folder(tmp_path, "x", max_bytes=LIMIT)] == [
        Page(whole.as_uri(), b"<p>a</p>", "html", "x", DATE),
        Rejection(bomb.as_uri(), Reason.TOO_LARGE, "more than 10,000 bytes", "x", DATE),
        Rejection(cut.as_uri(), Reason.UNREADABLE, "the file ends in the middle of its compressed data", "x", DATE),
    ]


def test_a_link_to_nothing_and_a_pipe_are_rejections(tmp_path):
    (tmp_path / "gone.html").symlink_to(tmp_path / "nowhere.html")
    os.mkfifo(tmp_path / "pipe.html")
    assert [item for _, item in read_folder(tmp_path, "x", max_bytes=LIMIT)] == [
        Rejection(
            (tmp_path / "gone.html").as_uri(),
            Reason.UNREADABLE,
            "the file cannot be read (No such file or directory)",
            "x",
            "",
        ),
        Rejection(
            (tmp_path / "pipe.html").as_uri(),
            Reason.UNREADABLE,
            f"{tmp_path / 'pipe.html'} is a pipe or a device; save it to a file first",
            "x",
            "",
        ),
    ]


def test_what_may_not_be_read_is_a_rejection(folder, monkeypatch):
    """The tests may run as root, who may read anything: the refusal is made by hand."""
    real_open, real_scandir = Path.open, os.scandir

    def refuse(path: Path, *args: object, **kwargs: object):
        if path.name == "b.html":
            raise PermissionError(13, "Permission denied")
        return real_open(path, *args, **kwargs)

    def refuse_folder(path: Path):
        if Path(path).name == "a":
            raise PermissionError(13, "Permission denied")
        return real_scandir(path)

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(os, "scandir", refuse_folder)
    rejections = [item for _, item in read_folder(folder, "x", max_bytes=LIMIT) if isinstance(item, Rejection)]
    assert rejections == [
        Rejection(
            (folder / "a").as_uri(), Reason.UNREADABLE, f"{folder / 'a'} is a folder; name a file in it", "x", ""
        ),
        Rejection(
            (folder / "b.html").as_uri(),
            Reason.UNREADABLE,
            f"{folder / 'b.html'} may not be read by you; change its permissions",
            "x",
            "",
        ),
    ]


def test_names_that_are_no_text(tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xe9t\xe9.html"))
    path.write_bytes(b"<p>a</p>")
    ((_, page),) = read_folder(tmp_path, "x", max_bytes=LIMIT)
    assert page.url == f"{tmp_path.as_uri()}/%E9t%E9.html"


def test_a_clock_gone_wild():
    assert [_date_time(seconds) for seconds in (WHEN, 1e20, -1e20)] == [DATE, "", ""]


def test_the_listing_changes_with_any_file(folder):
    count, digest = listing(folder)
    assert count == 5
    assert listing(folder) == (count, digest)
    os.utime(folder / "a" / "y.txt", (WHEN + 1, WHEN + 1))
    assert listing(folder)[1] != digest
    (folder / "gone.html").symlink_to("nowhere")
    assert listing(folder)[0] == 6


@pytest.fixture
def elsewhere(tmp_path):
    """Return a folder beside that of the pages."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.html").write_bytes(b"<p>secret</p>")
    return outside


def test_links_that_lead_out_of_the_folder_are_not_followed(folder, elsewhere):
    (folder / "a" / "out").symlink_to(elsewhere, target_is_directory=True)
    (folder / "out.html").symlink_to(elsewhere / "secret.html")
    (folder / "b2.html").symlink_to(folder / "b.html")
    (folder / "up").symlink_to(folder.parent, target_is_directory=True)
    pages = [page for _, page in read_folder(folder, "folder:pages", max_bytes=LIMIT)]
    refused = [page for page in pages if isinstance(page, Rejection)]
    detail = "a link that leads out of the folder is not followed; name its target as a source of its own"
    assert refused == [
        Rejection((folder / name).as_uri(), Reason.UNREADABLE, detail, "folder:pages", fetched_at="")
        for name in ("a/out", "out.html", "up")
    ]
    assert not any(b"secret" in page.content for page in pages if isinstance(page, Page))
    assert (folder / "b2.html").as_uri() in {page.url for page in pages}


def test_a_link_that_is_named_itself_is_followed(folder, tmp_path):
    (tmp_path / "named").symlink_to(folder, target_is_directory=True)
    pages = [page for _, page in read_folder(tmp_path / "named", "x", max_bytes=LIMIT)]
    assert len(pages) == 5
    assert all(isinstance(page, Page) for page in pages)


def test_links_to_one_another_end(folder):
    (folder / "m.html").symlink_to(folder / "n.html")
    (folder / "n.html").symlink_to(folder / "m.html")
    refused = [page for _, page in read_folder(folder, "x", max_bytes=LIMIT) if isinstance(page, Rejection)]
    assert [page.url for page in refused] == [(folder / name).as_uri() for name in ("m.html", "n.html")]


def test_the_listing_does_not_look_behind_a_link_that_leads_out(folder, elsewhere):
    (folder / "out.html").symlink_to(elsewhere / "secret.html")
    before = listing(folder)
    (elsewhere / "secret.html").write_bytes(b"<p>another secret</p>")
    assert listing(folder) == before
