"""What changed between two versions in, the page's paragraphs out: what went and came marked, what stayed folded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from markupsafe import Markup, escape

from smallprint.view.changes import Change
from smallprint.view.revisions import Paragraph, Revision

Kind = Literal["same", "added", "removed", "changed", "moved"]
# So many unchanged paragraphs are shown rather than folded: a fold takes as much room.
SHORT = 1
_ADDED, _REMOVED = Markup("<ins{}>{}</ins>"), Markup("<del{}>{}</del>")
# What a quiet change was before is kept for whoever looks for it; it is not to be seen.
_QUIET = Markup('<span class="quiet" data-was="{}">{}</span>')


@dataclass(frozen=True, slots=True)
class Redlined:
    """A paragraph with its marks. `above` is the path of headings, where the page does not show it already.

    `twins` are the numbers of the paragraphs to or from which sentences moved; `heading` is what a heading says.
    """

    number: int
    kind: Kind
    block: str
    words: Markup
    above: tuple[str, ...]
    old_ordinal: int | None
    new_ordinal: int | None
    twins: tuple[int, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Paragraphs in a row: changed ones, or unchanged ones that are folded away."""

    folded: bool
    paragraphs: tuple[Redlined, ...]


def redline(found: Revision) -> tuple[Stretch, ...]:
    """Set out what changed, paragraph by paragraph."""
    home = {
        one.first + offset: number for number, one in enumerate(found.paragraphs) for offset in range(len(one.changes))
    }
    lines = [_redlined(number, one, found, home) for number, one in enumerate(found.paragraphs)]
    return tuple(_placed(list(_stretches(lines))))


def _placed(stretches: list[Stretch]) -> Iterator[Stretch]:
    """Say where a paragraph stands only where that is not plain from what is shown before it."""
    plain: tuple[str, ...] = ()
    for stretch in stretches:
        shown = []
        for line in stretch.paragraphs:
            needed = not stretch.folded and line.kind != "same" and line.block != "heading" and line.above != plain
            shown.append(line if needed else replace(line, above=()))
            if not stretch.folded and line.block == "heading":
                plain = (*line.above, line.heading)
            elif needed:
                plain = line.above
        yield Stretch(stretch.folded, tuple(shown))


def _stretches(lines: list[Redlined]) -> Iterator[Stretch]:
    for same, run in groupby(lines, key=lambda line: line.kind == "same"):
        some = tuple(run)
        # A heading right before something changed says where one is, and stays in sight.
        head = 1 if same and some[-1].block == "heading" and some[-1] is not lines[-1] else 0
        hidden, seen = (some[: len(some) - head], some[len(some) - head :]) if same else ((), some)
        if hidden:
            yield Stretch(len(hidden) > SHORT, hidden)
        if seen:
            yield Stretch(False, seen)


def _redlined(number: int, one: Paragraph, found: Revision, home: dict[int, int]) -> Redlined:
    twins = {home[change.twin] for change in one.changes if change.twin is not None}
    return Redlined(
        number=number,
        kind=_kind(one),
        block=one.kind,
        words=Markup("").join(_written(change, found) for change in one.changes),
        above=one.headings,
        old_ordinal=one.old_ordinal,
        new_ordinal=one.new_ordinal,
        twins=tuple(sorted(twins - {number})),
        heading=_heading(one, found) if one.kind == "heading" else "",
    )


def _heading(one: Paragraph, found: Revision) -> str:
    """Give a heading as it is named in the paths of what stands under it."""
    new = "".join(found.new_text[c.new.start : c.new.end] for c in one.changes if c.new)
    old = "".join(found.old_text[c.old.start : c.old.end] for c in one.changes if c.old)
    return " ".join((new or old).split())


def _kind(one: Paragraph) -> Kind:
    kinds = {change.kind for change in one.changes}
    if kinds == {"same"}:
        return "same"
    if all(change.twin is not None for change in one.changes):
        return "moved"
    return "removed" if kinds == {"removed"} else "added" if kinds == {"added"} else "changed"


def _written(change: Change, found: Revision) -> Markup:
    """Write a sentence so that without <ins> it is the old one, to the letter, and without <del> the new one."""
    moved = Markup(' class="moved"') if change.twin is not None else Markup("")
    parts = []
    for piece in change.pieces:
        if piece.kind == "same" and piece.new:
            parts.append(escape(found.new_text[piece.new.start : piece.new.end]))
        elif piece.kind == "quiet":
            parts.append(_QUIET.format(piece.removed, piece.added))
        elif piece.kind == "removed":
            parts.append(_REMOVED.format(moved, piece.removed))
        else:
            parts.append(_ADDED.format(moved, piece.added))
    return Markup("").join(parts)
