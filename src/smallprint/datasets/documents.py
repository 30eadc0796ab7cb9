"""Pages with the legal documents that stand on them, read by us: 263 pages, 99 of them with several documents.

Drawn by seeds from Open Terms Archive (124 pages, 46 with several) and DMOZ, mostly pages with titles of two kinds of
documents. Places are counted in words (runs of letters and digits) over what cleaning leaves of a page, so that they
outlive changes of how blocks are cut. Half of the services are for tuning. Some pages were read a second time by
somebody who had not seen the first reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from smallprint.datasets.corpus import listed

# "links" only names and links to documents, "page" is no legal text at all.
Kind = Literal["privacy", "cookies", "terms", "other", "links", "page"]
Split = Literal["tuning", "test"]


@dataclass(frozen=True, slots=True)
class PageDocument:
    """A document on a page: its kind, and its half-open range of words."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page by its id in the corpus, the documents on it, and those that a second reader found, if there was one."""

    id: str
    split: Split
    documents: tuple[PageDocument, ...]
    second: tuple[PageDocument, ...] | None

    @property
    def has_several(self) -> bool:
        """Whether several legal documents stand on the page."""
        return sum(document.kind not in {"links", "page"} for document in self.documents) > 1


def read_pages() -> list[ReadPage]:
    """Return the pages that were read."""
    return [
        ReadPage(row["id"], row["split"], _documents(row["documents"]), _documents(row["second_reading"]) or None)  # type: ignore[arg-type]  # our own table
        for row in listed("documents")
    ]


def _documents(cell: str) -> tuple[PageDocument, ...]:
    documents = []
    for words in filter(None, cell.split("; ")):
        kind, _, places = words.partition(" ")
        start, _, end = places.partition("-")
        documents.append(PageDocument(kind, int(start), int(end)))  # type: ignore[arg-type]  # our own table
    return tuple(documents)
