from __future__ import annotations

from smallprint.datasets.documents import PageDocument, read_pages


def test_what_is_there():
    pages = read_pages()
    assert (len(pages), len({page.id for page in pages})) == (170, 170)
    assert sum(page.has_several for page in pages) == 43
    assert {split: sum(page.split == split for page in pages) for split in ("tuning", "test")} == {
        "tuning": 94,
        "test": 76,
    }
    assert pages[0].documents[0] == PageDocument("privacy", 0, pages[0].documents[0].end)
    for page in pages:
        ends = [0, *(document.end for document in page.documents)]
        assert all(
            before <= document.start < document.end for before, document in zip(ends, page.documents, strict=False)
        )


def test_two_readers_agree_on_which_pages_hold_several():
    twice = [page for page in read_pages() if page.second]
    assert len(twice) == 39
    for page in twice:
        several = sum(document.kind not in {"links", "page"} for document in page.second) > 1
        assert several == page.has_several
