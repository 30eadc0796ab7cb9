"""One passage in two wordings, told apart word by word: what stayed, what went, what came, and what nobody reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from smallprint.records import Span
from smallprint.view.alignment import Pair, align
from smallprint.view.pairing import Stretch
from smallprint.view.tokens import Tokens

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


class Run(NamedTuple):
    """Tokens of both texts that all stayed, or that went and came in one another's place."""

    same: bool
    a: int
    b: int
    c: int
    d: int


def runs(old: Tokens, new: Tokens, stretch: Stretch) -> list[Run]:
    """Tell what stayed from what did not, in runs as long as can be."""
    a, b, c, d, same = stretch
    if same:
        return [Run(True, a, b, c, d)]
    found: list[Run] = []
    i, j = a, c
    for pair in [*align(old.keys[a:b], new.keys[c:d], old.worth[a:b]), Pair(b - a, d - c)]:
        k, m = a + pair.old, c + pair.new
        if k > i or m > j:
            found.append(Run(False, i, k, j, m))
        i, j = k, m
        if k < b:
            i, j = k + 1, m + 1
            if found and found[-1].same:
                _, p, _, q, _ = found.pop()
                found.append(Run(True, p, i, q, j))
            else:
                found.append(Run(True, k, i, m, j))
    return _without_islands(old, new, found)


def is_one(old: Tokens, new: Tokens, found: list[Run]) -> bool:
    """Tell whether these are two wordings of one passage, rather than two passages."""
    stayed = sum(old.weight(run.a, run.b) for run in found if run.same)
    ours = sum(old.weight(run.a, run.b) for run in found)
    theirs = sum(new.weight(run.c, run.d) for run in found)
    changed = sum(not run.same for run in found)
    within = stayed >= WITHIN * min(ours, theirs) and changed <= FEW
    return not changed or (stayed > 0 and (within or 2 * stayed >= ALIKE * (ours + theirs)))


def pieces(old: Tokens, new: Tokens, found: list[Run]) -> Iterator[Piece]:
    """Write runs down as pieces, which lie end to end in both texts."""
    if not found:
        return
    i, j = old.starts[found[0].a], new.starts[found[0].c]
    for number, run in enumerate(found):
        ours, theirs = Span(i, old.starts[run.b]), Span(j, new.starts[run.d])
        if not run.same:
            yield from _differing(old.text, new.text, ours, theirs)
        else:
            if number < len(found) - 1:  # the blanks before what changed are looked at together with it
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


def _stayed(old: Tokens, new: Tokens, run: Run, ours: Span, theirs: Span) -> Iterator[Piece]:
    """Give a run that stayed: as a whole, or token by token where something quiet is in it."""
    whole = stayed(old.text, new.text, ours, theirs)
    if whole.kind == "same":
        yield whole
        return
    ends = [*zip(old.starts[run.a + 1 : run.b], new.starts[run.c + 1 : run.d], strict=True), (ours.end, theirs.end)]
    first = before = (ours.start, theirs.start)
    for end in ends:
        one = stayed(old.text, new.text, Span(before[0], end[0]), Span(before[1], end[1]))
        if one.kind == "quiet":
            if before > first:
                yield Piece("same", Span(first[0], before[0]), Span(first[1], before[1]))
            yield one
            first = end
        before = end
    if before > first:
        yield Piece("same", Span(first[0], before[0]), Span(first[1], before[1]))


def _differing(old: str, new: str, ours: Span, theirs: Span) -> Iterator[Piece]:
    """Give what went and what came; blanks that both sides have around it are left out of what is marked."""
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
    """Say how many characters to leave out of what went and what came, before and after: ", and" to " and" lost ","."""
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
    """Give a span without the blanks at its end."""
    return Span(span.start, span.start + len(text[span.start : span.end].rstrip()))


def _without_islands(old: Tokens, new: Tokens, found: list[Run]) -> list[Run]:
    kept: list[Run] = []
    for run in found:
        kept.append(run)
        while len(kept) > 2 and not run.same and _is_island(old, new, *kept[-3:]):
            before, _, after = kept[-3:]
            kept[-3:] = [Run(False, before.a, after.b, before.c, after.d)]
    return kept


def _is_island(old: Tokens, new: Tokens, before: Run, island: Run, after: Run) -> bool:
    words = old.words(island.a, island.b)
    if words > ISLAND:
        return False
    gone = old.words(before.a, before.b) + old.words(after.a, after.b)
    came = new.words(before.c, before.d) + new.words(after.c, after.d)
    return min(gone, came) >= max(1, 2 * words)
