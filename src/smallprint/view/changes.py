"""Two texts in, what changed out, by sentences and by words: to be read, and to make either text of the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from smallprint.records import Span
from smallprint.view.pairing import Stretch, paired
from smallprint.view.tokens import Tokens, tokens
from smallprint.view.wording import Piece, gone_or_come, is_one, pieces, runs, stayed

ChangeKind = Literal["same", "added", "removed", "changed"]
# A sentence that went in one place and came in another was moved; a shorter one may well be another of the same words.
MOVED_WORDS = 5


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence, or what became of it. Changes lie end to end in both texts, blanks after them included.

    `twin` is the number of the change in which the same sentence, moved, goes or comes.
    """

    kind: ChangeKind
    old: Span | None
    new: Span | None
    pieces: tuple[Piece, ...]
    twin: int | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """How much changed: sentences, and words within them and of those that came and went. Moved ones count apart.

    `quiet` counts the places that differ in blanks or in the shape of quotes and dashes only.
    """

    same: int
    added: int
    removed: int
    changed: int
    moved: int
    words_added: int
    words_removed: int
    quiet: int

    @property
    def is_empty(self) -> bool:
        """Whether nobody would see a difference."""
        return not (self.added or self.removed or self.changed or self.moved)


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed from one text to another."""

    changes: tuple[Change, ...]
    summary: Summary


def diff(
    old: str, new: str, old_sentences: Sequence[Span] | None = None, new_sentences: Sequence[Span] | None = None
) -> Diff:
    """Tell what changed; sentences may be given where they are known, which saves splitting."""
    ours, theirs = tokens(old, old_sentences), tokens(new, new_sentences)
    changes = [*_leading(ours, theirs), *_changes(ours, theirs)]
    changes = _moved(changes)
    return Diff(tuple(changes), _summary(changes))


def apply(changes: Iterable[Change], old: str) -> str:
    """Make the new text of the old one."""
    return "".join(
        old[piece.old.start : piece.old.end] if piece.kind == "same" and piece.old else piece.added
        for change in changes
        for piece in change.pieces
    )


def undo(changes: Iterable[Change], new: str) -> str:
    """Make the old text of the new one."""
    return "".join(
        new[piece.new.start : piece.new.end] if piece.kind == "same" and piece.new else piece.removed
        for change in changes
        for piece in change.pieces
    )


def _leading(old: Tokens, new: Tokens) -> Iterator[Change]:
    """Give the blanks before the first word, which belong to no sentence."""
    ours, theirs = Span(0, old.starts[0]), Span(0, new.starts[0])
    if ours.end or theirs.end:
        yield Change("same", ours, theirs, (stayed(old.text, new.text, ours, theirs),))


def _changes(old: Tokens, new: Tokens) -> Iterator[Change]:
    for stretch in paired(old, new):
        a, b, c, d, same = stretch
        if a < b and c < d:
            found = runs(old, new, stretch)
            if is_one(old, new, found):
                kind: ChangeKind = "same" if same or all(run.same for run in found) else "changed"
                yield Change(kind, old.span(a, b), new.span(c, d), tuple(pieces(old, new, found)))
                continue
        yield from _apart(old, new, stretch)


def _apart(old: Tokens, new: Tokens, stretch: Stretch) -> Iterator[Change]:
    """Give the sentences of a stretch as gone and come."""
    for a, b in _cut(old, stretch.a, stretch.b):
        span = old.span(a, b)
        yield Change("removed", span, None, (gone_or_come(old.text, span, None),))
    for c, d in _cut(new, stretch.c, stretch.d):
        span = new.span(c, d)
        yield Change("added", None, span, (gone_or_come(new.text, None, span),))


def _cut(text: Tokens, start: int, end: int) -> Iterator[tuple[int, int]]:
    if start < end:
        inner = text.firsts[bisect_right(text.firsts, start) : bisect_left(text.firsts, end)]
        yield from pairwise([start, *inner, end])


def _moved(changes: list[Change]) -> list[Change]:
    """Link what went in one place and came in another, where it is plain which is which."""
    gone, come = _by_words(changes, "removed"), _by_words(changes, "added")
    linked = list(changes)
    for words, place in gone.items():
        if place is not None and (other := come.get(words)) is not None:
            linked[place] = replace(changes[place], twin=other)
            linked[other] = replace(changes[other], twin=place)
    return linked


def _by_words(changes: list[Change], kind: ChangeKind) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    for place, change in enumerate(changes):
        if change.kind == kind:
            words = (change.pieces[0].removed + change.pieces[0].added).split()
            if len(words) >= MOVED_WORDS:
                key = " ".join(words)
                found[key] = None if key in found else place
    return found


def _summary(changes: list[Change]) -> Summary:
    kinds = Counter("moved" if change.twin is not None else change.kind for change in changes)
    real = [piece for change in changes if change.twin is None for piece in change.pieces]
    return Summary(
        same=kinds["same"],
        added=kinds["added"],
        removed=kinds["removed"],
        changed=kinds["changed"],
        moved=kinds["moved"] // 2,
        words_added=sum(len(piece.added.split()) for piece in real if piece.kind == "added"),
        words_removed=sum(len(piece.removed.split()) for piece in real if piece.kind == "removed"),
        quiet=sum(piece.kind == "quiet" for piece in real),
    )
