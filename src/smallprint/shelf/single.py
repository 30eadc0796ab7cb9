"""Of one policy: what it is vague about, and what in it is surprising for its sector, each with sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smallprint.annotate.practices import HALF, column
from smallprint.annotate.sentences import Sentence
from smallprint.library import Library, reading
from smallprint.library.annotations import Annotations, read_annotations
from smallprint.library.companies import sector
from smallprint.library.findable import shown
from smallprint.library.rates import LibraryRates
from smallprint.records import Segment, Span
from smallprint.sectors import sector as sector_named
from smallprint.shelf.gathering import PolicySaid, policy_said
from smallprint.taxonomy import CATEGORY_LABELS, Label, category
from smallprint.view.labels import GENERAL
from smallprint.view.unusual import SILENCE, Unusual, unusual

MOST = 3


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of a policy, in lines, and sentences of it that show it."""

    lines: tuple[str, ...]
    sentences: tuple[PolicySaid, ...] = ()


def vague_parts(library: Library, policy_id: str, most: int = MOST) -> Told:
    """Say what a policy is vague about: the practices whose sentences are vague most often, and the vaguest ones."""
    policy = shown(library, policy_id)
    found = read_annotations(library, policy.version_id)
    if found.vagueness is None:
        return Told(("How vague this policy is was not measured; 'smallprint annotate' does so.",))
    if not found.vagueness.vague:
        return Told(("None of its sentences is vague.",))
    text = reading.text(library, policy.version_id)
    segments = reading.segments(library, policy.version_id)
    counts = vague_counts(found, segments)
    by_practice: dict[str, list[int]] = {}
    for (row, _), count in counts.items():
        for practice in _practices(found, row):
            by_practice.setdefault(practice, []).append(count)
    shares = {
        name: sum(map(bool, some)) / len(some) for name, some in by_practice.items() if len(some) > 1 and any(some)
    }
    leading = sorted(shares, key=lambda name: (-shares[name], name))[:MOST]
    lines = [f"{found.vagueness.vague} of its {found.vagueness.sentences} sentences are vague."]
    if leading:
        lines.append(
            "It is vaguest on: " + "; ".join(f"{category(one).plain} ({shares[one]:.0%})" for one in leading) + "."
        )
    vaguest = sorted(counts, key=lambda one: (-counts[one], one[1].start))[:most]
    return Told(
        tuple(lines),
        tuple(policy_said(library, policy, as_sentence(text, segments[row], span)) for row, span in vaguest),
    )


def surprises(library: Library, policy_id: str, rates: LibraryRates) -> Told:
    """Say what departs from the rates of a policy's sector, with the passages that say what few others say."""
    policy = shown(library, policy_id)
    found = read_annotations(library, policy.version_id)
    segments = reading.segments(library, policy.version_id)
    text = reading.text(library, policy.version_id)
    result = unusual(found, segments, sector(library, policy.version_id).sector, rates)
    if result.basis == "too few in library":
        return Told((f"The library has {result.policies} policies, too few to say what is unusual.",))
    lines = _apart(result)
    if not lines:
        return Told((f"Nothing sets it apart from {_others(result)}.",))
    by_ordinal = {one.ordinal: one for one in segments}
    passages = [by_ordinal[one.segments[0]] for one in result.rare[:MOST]]
    return Told(
        (*lines, *((SILENCE,) if result.missing else ())),
        tuple(
            policy_said(library, policy, as_sentence(text, one, (one.sentences or (Span(one.start, one.end),))[0]))
            for one in passages
        ),
    )


def _apart(found: Unusual) -> tuple[str, ...]:
    """Say what sets a policy apart, in sentences that can be read aloud."""
    lines = [
        f"Of them {_percent(one.share)} say something like this: {_spoken(one.name)}." for one in found.rare[:MOST]
    ]
    lines += [
        f"Of them {_percent(one.share)} speak of this, and it does not: {_spoken(one.name)}."
        for one in found.missing[:MOST]
    ]
    for one in found.outliers:
        more = one.value > one.high
        share = _percent(one.below if more else 1 - one.below)
        if one.measure == "grade":
            lines.append(f"It is {'harder' if more else 'easier'} to read than {share} of them.")
        else:
            how = "more" if more else "fewer"
            lines.append(f"Of its sentences {_percent(one.value)} are vague, {how} than in {share} of them.")
    return (f"This sets it apart from {_others(found)}:", *lines) if lines else ()


def _others(found: Unusual) -> str:
    """Name those that a policy is set against."""
    if found.sector:
        return f"{found.policies:,} other policies of its sector ({sector_named(found.sector).name})"
    return f"the {found.policies:,} other policies of the library"


def _spoken(name: str) -> str:
    """Say a label's name as one says it: "what you can choose (how you choose: settings)"."""
    of, _, what = name.partition(" · ")
    return f"{of} ({what})" if what else of


def _percent(share: float) -> str:
    """Write a share so that neither none nor all is claimed where it is not so."""
    if 0 < share < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < share < 1 else f"{share:.0%}".replace("%", " %")


def vague_counts(found: Annotations, segments: tuple[Segment, ...]) -> dict[tuple[int, Span], int]:
    """Count the vague words of every sentence, by the row of its segment and its place."""
    assert found.vagueness is not None
    starts = np.array(sorted(word.start for word in found.vagueness.words))
    return {
        (row, span): int(np.searchsorted(starts, span.end) - np.searchsorted(starts, span.start))
        for row, segment in enumerate(segments)
        for span in segment.sentences
    }


def as_sentence(text: str, segment: Segment, span: Span) -> Sentence:
    """Give a stretch of a segment as a sentence with its place."""
    lead_in = text[segment.lead_in.start : segment.lead_in.end] if segment.lead_in else ""
    return Sentence(text[span.start : span.end], segment.headings, segment.ordinal, span.start, span.end, lead_in)


def _practices(found: Annotations, row: int) -> list[str]:
    if found.practices is None:
        return []
    return [
        label.category
        for label in CATEGORY_LABELS
        if label.category not in GENERAL and found.practices[row, column(Label(label.category))] >= HALF
    ]
