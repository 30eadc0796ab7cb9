"""Two texts in, what changed out, by sentences and by words: to be read, and to make either text of the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from smallprint.records import Span
from smallprint.view.alignment import Pair, Stretch, align
from smallprint.view.pairing import Tokens, paired, tokens

PieceKind = Literal["same", "added", "removed", "quiet"]
# So few words that stayed, among at least twice as many that went and came, are taken along with them: a "the" left
# standing between two changes makes nobody wiser.
ISLAND = 2
# From this share of common words on, weighed by letters, a passage is shown as changed; or if nearly all of the shorter
# wording stayed and there are few places to look at.
ALIKE = 0.5
WITHIN, FEW = 0.8, 3


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of a change. `removed` and `added` are what one text has and the other has not.

    A quiet piece differs only in blanks or in the shape of quotes and dashes, and is not to be shown as a change.
    """

    kind: PieceKind
    old: Span | None
    new: Span | None
    removed: str = ""
    added: str = ""


def runs(old: Tokens, new: Tokens, stretch: Stretch) -> list[Stretch]:
    """Return what stayed, and what went and came in its place, in runs of tokens as long as can be."""
    a, b, c, d, same = stretch
    if same:
        return [stretch]
    stretches: list[Stretch] = []
    i, j = a, c
    for pair in [*align(old.keys[a:b], new.keys[c:d], old.worth[a:b]), Pair(b - a, d - c)]:
        k, m = a + pair.old, c + pair.new
        if k > i or m > j:
            stretches.append(Stretch(i, k, j, m))
        i, j = k, m
        if k < b:
            i, j = k + 1, m + 1
            if stretches and stretches[-1].same:
                k, _, m, *_ = stretches.pop()
            stretches.append(Stretch(k, i, m, j, same=True))
    return _without_islands(old, new, stretches)


def is_one(old: Tokens, new: Tokens, stretches: list[Stretch]) -> bool:
    """Return whether these are two wordings of one passage, rather than two passages."""
    stayed = sum(old.weight(run.a, run.b) for run in stretches if run.same)
    ours = sum(old.weight(run.a, run.b) for run in stretches)
    theirs = sum(new.weight(run.c, run.d) for run in stretches)
    changed = sum(not run.same for run in stretches)
    within = stayed >= WITHIN * min(ours, theirs) and changed <= FEW
    return not changed or (stayed > 0 and (within or 2 * stayed >= ALIKE * (ours + theirs)))


def pieces(old: Tokens, new: Tokens, stretches: list[Stretch]) -> Iterator[Piece]:
    """Write runs down as pieces, which lie end to end in both texts."""
    if not stretches:
        return
    i, j = old.starts[stretches[0].a], new.starts[stretches[0].c]
    for number, run in enumerate(stretches):
        ours, theirs = Span(i, old.starts[run.b]), Span(j, new.starts[run.d])
        if not run.same:
            yield from _differing(old.text, new.text, ours, theirs)
        else:
            if number < len(stretches) - 1:  # the blanks before what changed are looked at together with it
                ours, theirs = _bare(old.text, ours), _bare(new.text, theirs)
            yield from _stayed(old, new, run, ours, theirs)
        i, j = ours.end, theirs.end


def gone_or_come(text: str, old: Span | None, new: Span | None) -> Piece:
    """Write down what only the old text has, or only the new one."""
    if old:
        return Piece("removed", old, None, removed=text[old.start : old.end])
    assert new
    return Piece("added", None, new, added=text[new.start : new.end])


def stayed(old: str, new: str, ours: Span, theirs: Span) -> Piece:
    """Write down what is the same, to the letter or but for what nobody reads."""
    removed, added = old[ours.start : ours.end], new[theirs.start : theirs.end]
    return Piece("same", ours, theirs) if removed == added else Piece("quiet", ours, theirs, removed, added)


def _stayed(old: Tokens, new: Tokens, run: Stretch, ours: Span, theirs: Span) -> Iterator[Piece]:
    """Yield a run that stayed: as a whole, or token by token where something quiet is in it."""
    whole = stayed(old.text, new.text, ours, theirs)
    if whole.kind == "same":
        yield whole
        return
    starts = zip(old.starts[run.a + 1 : run.b], new.starts[run.c + 1 : run.d], strict=True)
    places = [(ours.start, theirs.start), *starts, (ours.end, theirs.end)]
    quiet = [old.text[i:k] != new.text[j:m] for (i, j), (k, m) in pairwise(places)]
    borders = (place for place, *sides in zip(places, [True, *quiet], [*quiet, True], strict=True) if any(sides))
    for (i, j), (k, m) in pairwise(borders):
        yield stayed(old.text, new.text, Span(i, k), Span(j, m))


def _differing(old: str, new: str, ours: Span, theirs: Span) -> Iterator[Piece]:
    """Yield what went and what came; blanks that both sides have around it are left out of what is marked."""
    gone, come = old[ours.start : ours.end], new[theirs.start : theirs.end]
    head, tail = _blanks_apart(gone, come)
    inner = Span(ours.start + head[0], ours.end - tail[0]), Span(theirs.start + head[1], theirs.end - tail[1])
    if any(head):
        yield stayed(old, new, Span(ours.start, inner[0].start), Span(theirs.start, inner[1].start))
    if inner[0].start < inner[0].end:
        yield gone_or_come(old, inner[0], None)
    if inner[1].start < inner[1].end:
        yield gone_or_come(new, None, inner[1])
    if any(tail):
        yield stayed(old, new, Span(inner[0].end, ours.end), Span(inner[1].end, theirs.end))


def _blanks_apart(gone: str, come: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return how many characters to leave out of what went and came, before and after: ", and" to " and" lost ","."""
    before = len(gone) - len(gone.lstrip()), len(come) - len(come.lstrip())
    after = len(gone) - len(gone.rstrip()), len(come) - len(come.rstrip())
    if gone.strip() and come.strip():
        return before if all(before) else (0, 0), after if all(after) else (0, 0)
    words, blanks = (gone, come) if gone.strip() else (come, gone)
    if not blanks:
        return (0, 0), (0, 0)
    if words.endswith(blanks) and not words.startswith(blanks):
        return (0, 0), (len(blanks), len(blanks))
    return before, (0, 0)


def _bare(text: str, span: Span) -> Span:
    """Return a span without the blanks at its end."""
    return Span(span.start, span.start + len(text[span.start : span.end].rstrip()))


def _without_islands(old: Tokens, new: Tokens, stretches: list[Stretch]) -> list[Stretch]:
    kept: list[Stretch] = []
    for run in stretches:
        kept.append(run)
        while len(kept) > 2 and not run.same:
            before, island, after = kept[-3:]
            words = old.words(island.a, island.b)
            gone = old.words(before.a, before.b) + old.words(after.a, after.b)
            came = new.words(before.c, before.d) + new.words(after.c, after.d)
            if words > ISLAND or min(gone, came) < max(1, 2 * words):
                break
            kept[-3:] = [Stretch(before.a, after.b, before.c, after.d)]
    return kept


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
    """Return what changed; sentences may be given where they are known, which saves splitting."""
    ours, theirs = tokens(old, old_sentences), tokens(new, new_sentences)
    changes = list(_changes(ours, theirs))
    before = Span(0, ours.starts[0]), Span(0, theirs.starts[0])  # blanks before the first word are of no sentence
    if before[0].end or before[1].end:
        changes.insert(0, Change("same", *before, (stayed(old, new, *before),)))
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


def _changes(old: Tokens, new: Tokens) -> Iterator[Change]:
    for stretch in paired(old, new):
        a, b, c, d, same = stretch
        if a < b and c < d:
            stretches = runs(old, new, stretch)
            if is_one(old, new, stretches):
                kind: ChangeKind = "same" if same or all(run.same for run in stretches) else "changed"
                yield Change(kind, old.span(a, b), new.span(c, d), tuple(pieces(old, new, stretches)))
                continue
        yield from _apart(old, new, stretch)


def _apart(old: Tokens, new: Tokens, stretch: Stretch) -> Iterator[Change]:
    """Yield the sentences of a stretch as gone and come."""
    for span in _cut(old, stretch.a, stretch.b):
        yield Change("removed", span, None, (gone_or_come(old.text, span, None),))
    for span in _cut(new, stretch.c, stretch.d):
        yield Change("added", None, span, (gone_or_come(new.text, None, span),))


def _cut(text: Tokens, start: int, end: int) -> Iterator[Span]:
    if start < end:
        inner = text.firsts[bisect_right(text.firsts, start) : bisect_left(text.firsts, end)]
        yield from (text.span(*ends) for ends in pairwise([start, *inner, end]))


def _moved(changes: list[Change]) -> list[Change]:
    """Link what went in one place and came in another, where it is plain which is which."""
    places: dict[str, dict[str, int | None]] = {"removed": {}, "added": {}}
    for place, change in enumerate(changes):
        if change.kind in places:
            words = (change.pieces[0].removed + change.pieces[0].added).split()
            if len(words) >= MOVED_WORDS:
                known, key = places[change.kind], " ".join(words)
                known[key] = None if key in known else place
    linked = list(changes)
    for key, old in places["removed"].items():
        if old is not None and (new := places["added"].get(key)) is not None:
            linked[old] = replace(changes[old], twin=new)
            linked[new] = replace(changes[new], twin=old)
    return linked


def _summary(changes: list[Change]) -> Summary:
    kinds = Counter("moved" if change.twin is not None else change.kind for change in changes)
    real = [piece for change in changes if change.twin is None for piece in change.pieces]
    return Summary(
        **{kind: kinds[kind] for kind in ("same", "added", "removed", "changed")},
        moved=kinds["moved"] // 2,
        words_added=sum(len(piece.added.split()) for piece in real if piece.kind == "added"),
        words_removed=sum(len(piece.removed.split()) for piece in real if piece.kind == "removed"),
        quiet=sum(piece.kind == "quiet" for piece in real),
    )
