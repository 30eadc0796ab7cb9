from __future__ import annotations

from smallprint.datasets.documents import PageDocument, read_pages


def test_what_is_there():
    pages = read_pages()
    assert (len(pages), len({page.id for page in pages})) == (263, 263)
    assert sum(page.has_several for page in pages) == 99
    assert {split: sum(page.split == split for page in pages) for split in ("tuning", "test")} == {
        "tuning": 136,
        "test": 127,
    }
    archive = [page for page in pages if page.id.startswith("ota:")]
    assert (len(archive), sum(page.has_several for page in archive)) == (124, 46)


def test_no_service_is_in_both_halves():
    halves: dict[str, set[str]] = {}
    for page in read_pages():
        if page.id.startswith("ota:"):
            halves.setdefault(page.id.split("/")[1], set()).add(page.split)
    assert {service for service, own in halves.items() if len(own) > 1} == set()


def test_documents_follow_one_another():
    pages = read_pages()
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
