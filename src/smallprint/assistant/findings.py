"""What was measured of policies, with sentences: what one is vague about, what surprises in it, which are vaguest."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from statistics import fmean

from smallprint.annotate.registry import Annotations
from smallprint.ask.ranking.units import sentence_at
from smallprint.assistant.across.gathering import AT_FIRST, Gathered
from smallprint.assistant.across.parsing import LibraryQuestion
from smallprint.assistant.replies import NamedCitation, named
from smallprint.errors import DamagedText
from smallprint.library import Library, reading
from smallprint.library.annotations import read_annotations
from smallprint.library.directory import Listed, sector
from smallprint.library.statistics import LibraryRates, vaguest
from smallprint.models.labels import HALF, column
from smallprint.records import Segment, Span
from smallprint.sectors import sector as sector_named
from smallprint.taxonomy import CATEGORY_LABELS, Label, category
from smallprint.view.labels import GENERAL, percent
from smallprint.view.policy import read_version
from smallprint.view.unusual import SILENCE, Unusual, unusual

MOST = 3
# So many policies, the vaguest as a whole, are looked at for how vague they are about one practice.
MOST_READ = 150
# Of fewer sentences on a practice nobody can say how vague they are.
LEAST_SENTENCES = 2
# What is said of a policy, in lines, and sentences of it that show it.
Told = tuple[tuple[str, ...], tuple[NamedCitation, ...]]
# Vague words by sentence: the row of its segment, and its place.
Counts = dict[tuple[int, Span], int]


def vague_parts(library: Library, policy: Listed) -> Told:
    """Return what a policy is vague about: the practices whose sentences are vague most often, and the vaguest ones."""
    text, segments, annotations = read_version(library, policy.version_id)
    vagueness = annotations.vagueness
    if vagueness is None:
        return ("How vague this policy is was not measured; 'smallprint annotate' does so.",), ()
    if not vagueness.vague:
        return ("None of its sentences is vague.",), ()
    counts = vague_counts(annotations, segments)
    shares = {}
    for practice in (label.category for label in CATEGORY_LABELS if label.category not in GENERAL):
        own = _on(practice, annotations, counts)
        if len(own) >= LEAST_SENTENCES and any(own.values()):
            shares[practice] = fmean(map(bool, own.values()))
    leading = sorted(shares, key=lambda name: (-shares[name], name))[:MOST]
    lines = [f"{vagueness.vague} of its {vagueness.sentences} sentences are vague."]
    if leading:
        named_shares = (f"{category(name).plain} ({shares[name]:.0%})" for name in leading)
        lines.append(f"It is vaguest on: {'; '.join(named_shares)}.")
    places = sorted(counts, key=lambda place: (-counts[place], place[1].start))[:MOST]
    return tuple(lines), tuple(named(policy, sentence_at(text, segments[row], span)) for row, span in places)


def surprises(library: Library, policy: Listed, rates: LibraryRates) -> Told:
    """Return what departs from the rates of a policy's sector, with the passages that say what few others say."""
    text, segments, annotations = read_version(library, policy.version_id)
    result = unusual(annotations, segments, sector(library, policy.version_id).sector, rates)
    if result.basis == "too few in library":
        return (f"The library has {result.policies} policies, too few to say what is unusual.",), ()
    lines = _apart(result)
    if not lines:
        return (f"Nothing sets it apart from {_others(result)}.",), ()
    by_ordinal = {segment.ordinal: segment for segment in segments}
    passages = [by_ordinal[rare.segments[0]] for rare in result.rare[:MOST]]
    return (
        (*lines, *((SILENCE,) if result.missing else ())),
        tuple(named(policy, sentence_at(text, passage, (passage.sentences or (passage,))[0])) for passage in passages),
    )


def _apart(result: Unusual) -> tuple[str, ...]:
    """Return what sets a policy apart, in sentences that can be read aloud."""
    rare, missing = result.rare[:MOST], result.missing[:MOST]
    lines = [f"Of them {percent(claim.share)} say something like this: {_spoken(claim.name)}." for claim in rare]
    lines += [f"Of them {percent(gap.share)} speak of this, and it does not: {_spoken(gap.name)}." for gap in missing]
    for outlier in result.outliers:
        more = outlier.value > outlier.high
        share = percent(outlier.below if more else 1 - outlier.below)
        if outlier.measure == "grade":
            lines.append(f"It is {'harder' if more else 'easier'} to read than {share} of them.")
        else:
            how = "more" if more else "fewer"
            lines.append(f"Of its sentences {percent(outlier.value)} are vague, {how} than in {share} of them.")
    return (f"This sets it apart from {_others(result)}:", *lines) if lines else ()


def _others(result: Unusual) -> str:
    """Name those that a policy is set against."""
    if result.sector:
        return f"{result.policies:,} other policies of its sector ({sector_named(result.sector).name})"
    return f"the {result.policies:,} other policies of the library"


def _spoken(name: str) -> str:
    """Return a label's name as people say it: "what you can choose (how you choose: settings)"."""
    of, _, what = name.partition(" · ")
    return f"{of} ({what})" if what else of


def vague_counts(annotations: Annotations, segments: tuple[Segment, ...]) -> Counts:
    """Count the vague words of every sentence, by the row of its segment and its place."""
    assert annotations.vagueness is not None
    starts = sorted(word.start for word in annotations.vagueness.words)
    return {
        (row, span): bisect_left(starts, span.end) - bisect_left(starts, span.start)
        for row, segment in enumerate(segments)
        for span in segment.sentences
    }


def _on(practice: str, annotations: Annotations, counts: Counts) -> Counts:
    """Return the counts of the sentences on a practice."""
    if annotations.practices is None:
        return {}
    own = annotations.practices[:, column(Label(practice))] >= HALF
    return {place: count for place, count in counts.items() if own[place[0]]}


def vaguest_policies(library: Library, known: Mapping[str, Listed], question: LibraryQuestion, skip: int) -> Gathered:
    """Return policies by the share of their sentences on the practice that are vague, each with its vaguest one."""
    practice = question.category
    ids = vaguest(library, practice, question.sectors, MOST_READ, plainest=question.plainest)
    policies = [known[policy_id] for policy_id in ids if policy_id in known]
    versions = [policy.version_id for policy in policies]
    texts, segments = reading.texts(library, versions), reading.segments_of(library, versions)
    measured = []
    damaged = 0
    for policy in policies:
        text, own = texts.get(policy.version_id), segments.get(policy.version_id)
        try:
            if text is None or own is None:
                raise DamagedText(policy.version_id)
            measure = _measured(library, policy, practice, text, own)
        except DamagedText:
            damaged += 1
            continue
        if measure is not None:
            measured.append(measure)
    sign = 1 if question.plainest else -1
    measured.sort(key=lambda measure: (sign * measure[0], -measure[1], measure[2].policy_id or ""))
    citations = [citation for _, _, citation in measured]
    first = {citation.text: citation for citation in reversed(citations)}  # others in the same words come last
    ordered = sorted(citations, key=lambda citation: first[citation.text] is not citation)
    return Gathered(tuple(ordered[skip : skip + AT_FIRST]), len(policies) - damaged, len(policies), damaged=damaged)


def _measured(
    library: Library, policy: Listed, practice: str | None, text: str, segments: tuple[Segment, ...]
) -> tuple[float, int, NamedCitation] | None:
    """Return the share of a policy's sentences on a practice that are vague, how many these are, and the vaguest."""
    annotations = read_annotations(library, policy.version_id)
    if annotations.vagueness is None:
        return None
    counts = vague_counts(annotations, segments)
    if practice is not None:
        counts = _on(practice, annotations, counts)
    if len(counts) < LEAST_SENTENCES:
        return None
    row, span = max(counts, key=lambda place: (counts[place], -place[1].start))
    return fmean(map(bool, counts.values())), len(counts), named(policy, sentence_at(text, segments[row], span))
