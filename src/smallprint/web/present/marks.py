"""How pages mark words, however the marked places cross; and categories, by a colour and a code of two letters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from markupsafe import Markup, escape

from smallprint.taxonomy import CATEGORIES

_OPEN = Markup('<mark class="{}">')
_OPEN_TITLED = Markup('<mark class="{}" title="{}">')
_CLOSE = Markup("</mark>")


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A place in a policy's text, the class that marks it, and what it is, to be told when pointed at."""

    start: int
    end: int
    css: str
    title: str = ""

    @property
    def opening(self) -> Markup:
        """The tag that begins it."""
        return _OPEN_TITLED.format(self.css, self.title) if self.title else _OPEN.format(self.css)


def marked(text: str, start: int, end: int, marks: Iterable[Mark]) -> Markup:
    """Write text[start:end] with its marks; of a mark that reaches beyond, the part within.

    Where two cross, the one that begins later is cut in two where the other ends: elements cannot cross.
    """
    # Of those that begin together the longest comes first, so that the others lie within it.
    clipped = [(max(mark.start, start), -min(mark.end, end), mark) for mark in marks]
    waiting = [entry for entry in clipped if entry[0] < -entry[1]]
    heapify(waiting)
    parts: list[str] = []
    ends: list[int] = []  # of the marks that are open, falling: each lies within the one before it
    at = start
    while waiting or ends:
        if ends and (not waiting or ends[-1] <= waiting[0][0]):
            parts += (escape(text[at : ends[-1]]), _CLOSE)
            at = ends.pop()
            continue
        begins, negative, mark = heappop(waiting)
        until = -negative
        if ends and until > ends[-1]:
            heappush(waiting, (ends[-1], negative, mark))
            until = ends[-1]
        parts += (escape(text[at:begins]), mark.opening)
        ends.append(until)
        at = begins
    parts.append(escape(text[at:end]))
    return Markup("".join(parts))  # noqa: S704 - every part is escaped above or a tag of ours


# Letters of the dataset's own names, which whoever knows it will recognise; in the order of the categories.
_CODES = "Fp Tp Ch Ac Re Se Pc Dt Au In Co Nc".split()


@dataclass(frozen=True, slots=True)
class Hue:
    """How a category is marked: by a colour of the style sheet, and by a code for who sees no colours."""

    id: str
    code: str
    plain: str

    @property
    def css(self) -> str:
        """The class that gives an element this colour."""
        return f"hue-{self.id}"


_BY_ID = {
    category.id: Hue(category.id, code, category.plain) for category, code in zip(CATEGORIES, _CODES, strict=True)
}
HUES = tuple(_BY_ID.values())


def hue(category: str) -> Hue:
    """Return how a category is marked, by its id; KeyError if there is none."""
    return _BY_ID[category]
