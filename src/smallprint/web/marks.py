"""Words and the places to mark in them in, markup out: marks nest, in whatever way their places cross."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from markupsafe import Markup, escape

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
    waiting = [(max(one.start, start), -min(one.end, end), one) for one in marks]
    waiting = [one for one in waiting if one[0] < -one[1]]
    heapify(waiting)
    parts: list[str] = []
    ends: list[int] = []  # of the marks that are open, falling: each lies within the one before it
    at = start
    while waiting or ends:
        if ends and (not waiting or ends[-1] <= waiting[0][0]):
            parts += (escape(text[at : ends[-1]]), _CLOSE)
            at = ends.pop()
            continue
        begins, negative, one = heappop(waiting)
        until = -negative
        if ends and until > ends[-1]:
            heappush(waiting, (ends[-1], negative, one))
            until = ends[-1]
        parts += (escape(text[at:begins]), one.opening)
        ends.append(until)
        at = begins
    parts.append(escape(text[at:end]))
    return Markup("".join(parts))  # noqa: S704 - every part is escaped above or a tag of ours
