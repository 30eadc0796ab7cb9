"""Which policies are vaguest about a practice: of the vaguest that speak of it, the sentences on it are counted."""

from __future__ import annotations

from smallprint.annotate.practices import HALF, column
from smallprint.ask.library_questions import LibraryQuestion
from smallprint.errors import DamagedText
from smallprint.library import Library, reading
from smallprint.library.annotations import read_annotations
from smallprint.library.findable import shown
from smallprint.library.vaguest import vaguest
from smallprint.shelf.gathering import AT_FIRST, Gathered, PolicySaid, policy_said
from smallprint.shelf.single import as_sentence, vague_counts
from smallprint.taxonomy import Label

# So many policies, the vaguest as a whole, are looked at for how vague they are about one practice.
MOST_READ = 150
# Of fewer sentences on a practice nobody can say how vague they are.
LEAST = 2


def vaguest_policies(library: Library, question: LibraryQuestion, most: int = AT_FIRST, skip: int = 0) -> Gathered:
    """Give policies by the share of their sentences on the practice that are vague, each with its vaguest one."""
    practice = question.topic.category if question.topic else question.labels[0].category if question.labels else None
    ids = vaguest(library, practice, question.sectors, MOST_READ, plainest=question.plainest)
    found = []
    damaged = 0
    for policy_id in ids:
        try:
            one = _measured(library, policy_id, practice)
        except DamagedText:
            damaged += 1
            continue
        if one is not None:
            found.append(one)
    sign = 1 if question.plainest else -1
    found.sort(key=lambda one: (sign * one[0], -one[1], one[2].policy_id))
    ordered = _others_last([said for _, _, said in found])
    return Gathered(tuple(ordered[skip : skip + most]), len(ids) - damaged, len(ids), damaged=damaged)


def _others_last(found: list[PolicySaid]) -> list[PolicySaid]:
    """Put last those that say it in the same words as one before."""
    seen: set[str] = set()
    first: list[PolicySaid] = []
    others: list[PolicySaid] = []
    for one in found:
        (others if one.text in seen else first).append(one)
        seen.add(one.text)
    return [*first, *others]


def _measured(library: Library, policy_id: str, practice: str | None) -> tuple[float, int, PolicySaid] | None:
    policy = shown(library, policy_id)
    said = read_annotations(library, policy.version_id)
    if said.vagueness is None:
        return None
    segments = reading.segments(library, policy.version_id)
    counts = vague_counts(said, segments)
    if practice is not None:
        if said.practices is None:
            return None
        own = said.practices[:, column(Label(practice))] >= HALF
        counts = {key: count for key, count in counts.items() if own[key[0]]}
    if len(counts) < LEAST:
        return None
    row, span = max(counts, key=lambda one: (counts[one], -one[1].start))
    share = sum(map(bool, counts.values())) / len(counts)
    text = reading.text(library, policy.version_id)
    return share, len(counts), policy_said(library, policy, as_sentence(text, segments[row], span))
