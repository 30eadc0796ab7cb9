"""A page's HTML, laid out as blocks in reading order, each in the container that holds it; nothing is judged here."""

from __future__ import annotations

import gc
import re
from dataclasses import dataclass, field
from itertools import accumulate

from selectolax.lexbor import LexborHTMLParser, LexborNode

from smallprint import limits
from smallprint.clean.link_places import located, visible
from smallprint.clean.tables import BULLET, Table
from smallprint.controls import CONTROLS
from smallprint.markup import as_shown
from smallprint.records import BlockKind, Link

UNSEEN = frozenset(
    "script style noscript template svg iframe object embed audio video canvas math map head title meta link base "
    "select option datalist textarea input button img picture source track param applet frame frameset noframes".split()
)
# Whatever is not named here runs on within its line, as browsers have it; so do unknown tags, but for custom elements.
BLOCK = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section summary table "
    "tbody td tfoot th thead tr ul".split()
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))
ITEMS = frozenset(("li", "dd"))
BOLD = frozenset(("b", "strong"))
MARKING = BOLD | {"a"}
# Elements that hold one block each; what they are called says nothing of what they hold.
BARE = frozenset(("p", "dt", "pre", "hr", "caption", "legend", "summary", "figcaption", "address"))
CELLS = frozenset(("td", "th"))
BREAK = "\0"  # a <br>; no parsed page holds this character
INVISIBLE = re.compile(f"[\u00ad\u200b-\u200f\u2060\ufeff{CONTROLS}]")
# A table row longer than this is a page laid out in a table, not data: OPP-115's data rows end near 100 words.
ROW_CHARACTERS = 1500
# Where heads are marked as such, it is a table of data with lists in its cells.
LONG_ROW_CHARACTERS = 4 * ROW_CHARACTERS
PSEUDO_HEADING_WORDS = 12
# Words a block needs to count as prose: below it menus and headings are as common as sentences.
PROSE_WORDS = 10
# Templates are read if no more than this share of the prose is outside them; some pages hold their text a second time.
TEMPLATE_SHARE = 0.2


@dataclass(slots=True, eq=False)
class Container:
    """A block-level element that holds blocks; the last fields are for whoever judges the page."""

    tag: str
    parent: Container | None
    name: str = ""
    role: str = ""
    prose: int = 0
    lost: int = 0
    furniture: bool = False
    inside: bool = False


@dataclass(slots=True, eq=False)
class Laid:
    """A block as it stands on the page: its words, how many of them are links away, and its container."""

    kind: BlockKind
    text: str
    level: int
    words: int
    linked: int
    container: Container
    links: tuple[Link, ...] = ()

    def is_prose(self) -> bool:
        """Return whether this is running text, and not a label, a menu or a heading."""
        return self.words >= PROSE_WORDS and 2 * self.linked < self.words and self.kind != "heading"


@dataclass(slots=True)
class Layout:
    """A whole page: its title, the address in its <base>, and its blocks and containers in document order."""

    title: str
    base: str = ""
    blocks: list[Laid] = field(default_factory=list)
    containers: list[Container] = field(default_factory=list)

    def prose(self) -> int:
        """Return the number of words of running text."""
        return sum(block.words for block in self.blocks if block.is_prose())


def lay_out(html: str) -> Layout:
    """Read a page's HTML into blocks; never fails, whatever the markup.

    A template is not shown unless a script takes it up, so templates are read only where hardly any prose is outside.
    """
    tree = LexborHTMLParser(html)
    layout = _walked(tree)
    if tree.css_first("template") is not None and layout.prose() < TEMPLATE_SHARE * len(html.split()):
        opened = _walked(LexborHTMLParser(as_shown(html, all_templates=True)))
        return opened if layout.prose() < TEMPLATE_SHARE * opened.prose() else layout
    return layout


def _walked(tree: LexborHTMLParser) -> Layout:
    # An icon drawn in the page has a title too: <svg><title>Facebook</title>.
    title = tree.css_first("head > title") or tree.css_first("title:not(svg *)")
    base = tree.css_first("base[href]")
    href = (base.attributes.get("href") or "") if base else ""
    layout = Layout(" ".join(title.text().split()) if title else "", href)
    if tree.body is not None:
        # The walk makes thousands of small objects and no garbage; looking for some takes a quarter of its time.
        collecting = gc.isenabled()
        gc.disable()
        try:
            _Walk(layout).run(tree.body)
        finally:
            if collecting:
                gc.enable()
    return layout


class _Walk:
    """Goes through the tree once, without recursion: pages nest deeper than Python's stack."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.container = Container("body", None)
        layout.containers.append(self.container)
        self.parts: list[str] = []
        self.linked: list[str] = []
        self.href = ""  # where the words to come lead
        self.first_part = 0  # of the link around them
        self.links: list[tuple[int, int, str]] = []  # the links since the last flush: their parts and address
        self.kept_links = 0
        # How many of them are around the node; of a heading, its level.
        self.item = self.heading = self.row = self.bold = 0
        self.lists: list[int] = []  # the levels of the lists around the node
        self.tables: list[Table] = []
        self.has_marked_heads = False  # the row around the node
        self.link = False
        self.spoken = self.plain = False  # there are words since the last flush; some of them are not bold

    def run(self, body: LexborNode) -> None:
        opened: list[tuple[LexborNode, str, Container]] = []  # the elements around the node; their ends are to come
        node = body.first_child
        # One block beyond the limit is enough to tell that there are too many.
        while node is not None and len(self.layout.blocks) <= limits.MAX_BLOCKS:
            child = None
            if node.is_text_node:
                self.say(node.text_content or "")
            else:
                tag = node.tag or ""
                if tag == "br":
                    self.break_line()
                # A button is no text, but in a heading it is what opens the chapter: <h3><button>Cookies</button></h3>.
                elif (tag not in UNSEEN or (tag == "button" and self.heading)) and node.is_element_node:
                    opened.append((node, tag, self.container))
                    if tag in BLOCK or "-" in tag:
                        self.enter(tag, node)
                    elif tag in MARKING:
                        self.begin(tag, node)
                    child = node.first_child
                    if child is None:
                        self.end(*opened.pop()[1:])
            if child is not None:
                node = child
                continue
            following = node.next
            while following is None and opened:
                parent, tag, before = opened.pop()
                self.end(tag, before)
                following = parent.next
            node = following
        self.flush()  # text right in the body, after its last block

    def say(self, text: str) -> None:
        if not text.isspace():
            self.parts.append(text)
            self.spoken, self.plain = True, self.plain or not self.bold
            if self.link:
                self.linked.append(text)
        elif self.parts:
            self.parts.append(" ")

    def break_line(self) -> None:
        if self.row:
            self.parts.append(" ")
        elif next((part for part in reversed(self.parts) if not part.isspace()), "") == BREAK:
            self.flush()  # two breaks make a paragraph
        else:
            self.parts.append(BREAK)

    def begin(self, tag: str, node: LexborNode) -> None:
        if tag == "a":
            # A jump to a named place is part of the text: a policy's own table of contents. A bare "#" is a button.
            href = node.attributes.get("href") or ""
            self.link = bool(href) and not href.partition("#")[2]
            self.end_link()
            self.href, self.first_part = href, len(self.parts)
        else:
            self.bold += 1

    def enter(self, tag: str, node: LexborNode) -> None:
        if self.row:
            self.row += tag == "tr"
            self.parts.append(" | " if tag in CELLS and self.spoken else f" {BULLET} " if tag in ITEMS else " ")
            return
        if self.parts:
            self.flush()
        if tag in HEADINGS:
            self.heading = HEADINGS[tag]
        elif tag in ITEMS:
            self.item += 1
        elif tag not in BARE:
            if tag in LISTS:
                self.lists.append(self.list_level())
            elif tag == "table":
                self.tables.append(Table())
            elif tag == "tr":
                self.enter_row(node)
            attributes = node.attributes
            name = f"{attributes.get('id') or ''} {attributes.get('class') or ''}" if attributes else ""
            self.container = Container(tag, self.container, name, attributes.get("role") or "")
            self.layout.containers.append(self.container)

    def list_level(self) -> int:
        """Return the level of a list that begins: "For legal reasons:" may be a list's last item, before this list."""
        level = self.lists[-1] + 1 if self.lists else 1
        last = self.layout.blocks[-1] if self.layout.blocks else None
        introduced = last is not None and not self.item and last.kind == "item" and last.text.endswith(":")
        return max(level, last.level + 1) if last and introduced else level

    def enter_row(self, row: LexborNode) -> None:
        """Begin a row of data; the cells of others are read as blocks."""
        has_heads = bool(self.tables) and self.tables[-1].has_marked_heads
        if _is_data(row, LONG_ROW_CHARACTERS if has_heads else ROW_CHARACTERS):
            self.row = 1
            is_head = row.parent is not None and row.parent.tag == "thead"
            self.has_marked_heads = is_head or all(cell.tag != "td" for cell in row.iter())

    def end(self, tag: str, before: Container) -> None:
        if tag in BLOCK or "-" in tag:
            self.leave(tag, before)
        elif tag == "a":
            self.link = False
            self.end_link()
        elif tag in BOLD:
            self.bold -= 1

    def end_link(self) -> None:
        if self.href and len(self.parts) > self.first_part and self.kept_links < limits.MAX_POLICY_LINKS:
            self.links.append((self.first_part, len(self.parts), self.href))
            self.kept_links += 1
        self.href = ""

    def leave(self, tag: str, before: Container) -> None:
        if self.row:
            self.row -= tag == "tr"
            if self.row:
                return
            self.flush("row")
        else:
            if self.parts:
                self.flush()
            if tag in HEADINGS:
                self.heading = 0
            elif tag in ITEMS:
                self.item -= 1
            elif tag in LISTS:
                self.lists.pop()
            elif tag == "table":
                self.tables.pop()
        self.container = before

    def flush(self, kind: BlockKind | None = None) -> None:
        tidied = "\n".join(filter(None, map(_line, "".join(self.parts).split(BREAK))))
        text = tidied.strip(" |")
        href = self.href
        self.end_link()
        if text:
            words = 1 + text.count(" ") + text.count("\n")
            linked = sum(len(part.split()) for part in self.linked)
            level = self.heading
            if kind is None:
                kind = "heading" if level else "item" if self.item else "paragraph"
            if kind == "paragraph" and not self.plain and words <= PSEUDO_HEADING_WORDS and text[-1] not in ".,;":
                kind, level = "heading", 6
            elif kind == "item":
                level = self.lists[-1] if self.lists else 0
            elif kind == "row" and self.tables:
                table = self.tables[-1]
                is_marked = self.has_marked_heads or (not self.plain and not table.has_rows)
                level = table.level(text, is_marked=is_marked)
            links = self.place_links(text, tidied) if self.links else ()
            self.layout.blocks.append(Laid(kind, text, level, words, min(linked, words), self.container, links))
        self.parts.clear()
        self.linked.clear()
        self.links.clear()
        self.href, self.first_part = href, 0  # a link may hold several blocks
        self.plain = self.spoken = False

    def place_links(self, text: str, tidied: str) -> tuple[Link, ...]:
        counts = [0, *accumulate(visible(part, _line) for part in self.parts)]
        skipped = tidied[: tidied.index(text)].count("|")  # bars of empty cells before the first words
        return located((Link(counts[first], counts[last], href) for first, last, href in self.links), text, skipped)


def _line(raw: str) -> str:
    line = " ".join(raw.split())
    return line if line.isprintable() else " ".join(INVISIBLE.sub("", line).split())


def _is_data(row: LexborNode, longest: int) -> bool:
    """Return whether a row holds data, and does not just lay out the page."""
    if row.css_first("table, h1, h2, h3, h4") is not None:
        return False
    cells = [cell for cell in row.iter() if cell.tag in CELLS]
    return len(cells) > 1 and len(row.text(deep=True)) <= longest
