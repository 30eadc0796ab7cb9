"""Policies of several passages made by hand, with what is said of them; and marks read back from a page."""

from __future__ import annotations

from html.parser import HTMLParser

from selectolax.lexbor import LexborHTMLParser

from smallprint.annotate.kinds import Annotator
from smallprint.annotate.registry import Annotation
from smallprint.clean.duplicates import bands
from smallprint.clean.segments import compose
from smallprint.domains import normal_url, policy_id, registrable_domain
from smallprint.library.annotations import pack as pack_annotation
from smallprint.library.annotations import save_annotations
from smallprint.library.packing import pack
from smallprint.library.writing import save
from smallprint.records import Block, Capture, Page
from smallprint.text import hashed, shingles, words


def add_policy(library, url, blocks, at="2024-01-01", *, title="Privacy policy", asked=None, source="test", said=()):
    """Store a policy of these blocks; `said` are pairs of a kind and an annotation's content."""
    text, segments = compose(blocks)
    found = shingles(hashed(words(text)))
    packed = pack(
        Capture(
            policy_id=policy_id(url),
            url=normal_url(url),
            domain=registrable_domain(url),
            page=Page(asked or url, f"<main>{text}</main>".encode(), "html", source, at),
            title=title,
            text=text,
            page_text=text,
            segments=segments,
            p_policy=0.9,
            shingles=len(found),
            bands=bands(found),
        )
    )
    with library.transaction() as db:
        save(db, [packed])
        made = [pack_annotation(Annotation(Annotator(kind, "by", "1"), one)) for kind, one in said]
        save_annotations(db, packed.version_id, made)
    return packed


def paragraphs(*texts):
    return [Block("paragraph", text) for text in texts]


def tree_of(answer, status=200):
    """Give the tree of a page, which must have answered so."""
    assert answer.status_code == status, answer.text[:500]
    return LexborHTMLParser(answer.text)


def words_of(node):
    """Give the words of a node with single blanks."""
    return " ".join(node.text().split())


class Marked(HTMLParser):
    """Reads the words of a passage: their text, and the places of the marks in it by class, parts put together."""

    def __init__(self, html, start=0):
        super().__init__()
        self.text, self.marks, self.start = "", [], start
        self._open = []
        self.feed(str(html))  # escaped text, which would escape again what is added to it
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        if tag == "mark":
            self._open.append((len(self.text), dict(attributes)))

    def handle_endtag(self, tag):
        if tag == "mark":
            begun, attributes = self._open.pop()
            place = (self.start + begun, self.start + len(self.text))
            self.marks.append((attributes["class"], *place, attributes.get("title", "")))

    def handle_data(self, data):
        self.text += data

    def covered(self, css):
        """Give the characters that a class covers."""
        return {at for kind, start, end, _ in self.marks if kind == css for at in range(start, end)}


def buttons(tree):
    """Give what the buttons of a conversation say."""
    return [words_of(node) for node in tree.css(".next button")]
