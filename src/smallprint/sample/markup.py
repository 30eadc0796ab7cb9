"""Lay a composed document out as the HTML page of a company, in one of several house styles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files

# A link in a clause: "see [our page](https://a.example/)".
LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
REPEATED = re.compile(r"\{\{#menu\}\}(.*?)\{\{/menu\}\}", re.DOTALL)
FIELD = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, empty for the opening of a document, and the HTML of what stands under it."""

    heading: str
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A policy before it is laid out."""

    title: str
    dated: str
    dated_last: bool
    contents: bool
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class House:
    """How a layout writes titles, headings, paragraphs and lists; "%s" is the text."""

    title: str = "<h1>%s</h1>"
    heading: str = "<h2>%s</h2>"
    paragraph: str = "<p>%s</p>"
    items: str = "<ul>\n%s\n</ul>"
    item: str = "<li>%s</li>"

    def prose(self, *sentences: str) -> str:
        """Return the HTML of sentences that stand together; empty ones are left out."""
        return self.paragraph % _inline(" ".join(filter(None, sentences)))

    def listing(self, lead: str, items: Iterable[str]) -> str:
        """Return the HTML of a lead-in and the items it introduces."""
        listed = "\n".join(self.item % _inline(item) for item in items)
        return f"{self.prose(lead)}\n{self.items % listed}"

    def table(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
        """Return the HTML of a table."""
        head = "".join(f"<th>{_inline(cell)}</th>" for cell in header)
        body = "\n".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table>\n<tr>{head}</tr>\n{body}\n</table>"


HOUSES = {
    "semantic": House(),
    "wordpress": House(title='<h1 class="entry-title">%s</h1>', heading='<h2 class="wp-block-heading">%s</h2>'),
    "portal": House(heading="<h3>%s</h3>"),
    "sidebar": House(heading="<p><strong>%s</strong></p>"),
    "shop": House(items="<ol>\n%s\n</ol>"),
    "table": House("<H3>%s</H3>", "<B>%s</B><BR>", "%s<BR><BR>", items="%s<BR>", item="&#8226; %s<BR>"),
    "landing": House(heading='<h2 class="Legal-h2">%s</h2>', paragraph='<p class="Legal-p">%s</p>'),
    "divs": House('<div class="t">%s</div>', '<div class="h"><b>%s</b></div>', '<div class="p">%s</div>'),
    "minimal": House(),
}


def page(document: Document, layout: str, words: Mapping[str, str], menu: Sequence[str]) -> str:
    """Return the whole page. `words` are the fields of the layout other than its title and body."""
    template = REPEATED.sub(lambda match: "".join(_menu_item(match[1], label) for label in menu), _template(layout))
    fields = {name: escape(text, quote=False) for name, text in words.items()}
    fields |= {"title": escape(document.title, quote=False), "body": _body(document, HOUSES[layout])}
    return FIELD.sub(lambda match: fields[match[1]], template)


def plain_text(text: str) -> str:
    """Return a text as it reads on the page: links are only their words."""
    return LINK.sub(r"\1", text)


def _body(document: Document, house: House) -> str:
    dated = house.prose(document.dated)
    lines = [house.title % _inline(document.title)]
    lines += [] if document.dated_last else [dated]
    named = [section.heading for section in document.sections if section.heading]
    for position, section in enumerate(document.sections):
        if section.heading:
            lines.append(house.heading % _inline(section.heading))
        lines += section.blocks
        if document.contents and position == 0:
            lines.append(house.items % "\n".join(house.item % f'<a href="#">{_inline(name)}</a>' for name in named))
    lines += [dated] if document.dated_last else []
    return "\n".join(lines)


def _inline(text: str) -> str:
    return LINK.sub(r'<a href="\2">\1</a>', escape(text, quote=False))


def _menu_item(pattern: str, label: str) -> str:
    address = "/" + re.sub(r"[^a-z]+", "-", label.lower()).strip("-")
    return pattern.replace("{{href}}", address).replace("{{label}}", escape(label, quote=False))


@cache
def _template(layout: str) -> str:
    return (files(__package__) / "layouts" / f"{layout}.html").read_text(encoding="utf-8")
