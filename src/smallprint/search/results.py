"""A search answered: hits with snippets, facets with counts, and what to let go of where nothing is found."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from smallprint.errors import DamagedText, NoSuchPolicy
from smallprint.index.engine import Engine, Explanation, Hit
from smallprint.index.tree import EVERYTHING, AnyOf, Between, Facet, Filter, OneOf, Query
from smallprint.library import Library, reading
from smallprint.library.findable import Shown, shown, shown_if_there
from smallprint.pipeline.lag import count_lag, lag_of
from smallprint.search.facets import SCALES, Choice, Choices, Scale, facets
from smallprint.search.language import Understood, understand
from smallprint.search.request import Request
from smallprint.search.snippets import Snippet, snippets


@dataclass(frozen=True, slots=True)
class Result:
    """A policy found. `alike` counts the near-duplicates that match as well and are folded under it.

    Where `is_damaged`, the stored text does not match its hash: there is no text and no snippet to show.
    """

    rank: int
    policy: Shown
    score: float
    text: str
    snippets: tuple[Snippet, ...]
    alike: int = 0
    is_damaged: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """A facet's value with its matches; `share` is the part of all policies with that value that match."""

    choice: Choice
    count: int
    share: float
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """A facet with the counts of its values, the most frequent first; its own choice does not lower them."""

    facet: Choices
    values: tuple[Counted, ...]


@dataclass(frozen=True, slots=True)
class ScaleCounts:
    """A measure with the counts of its bars."""

    scale: Scale
    counts: tuple[int, ...]
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class WayOut:
    """Something to let go of, and how many policies would then be found."""

    what: str
    request: Request
    count: int


@dataclass(frozen=True, slots=True)
class Results:
    """A page of results. `groups` counts near-duplicates once and is what pages go by; `seconds` is the time taken.

    `behind` is how many policies the index is behind the library by; where it is, one of the notes says so.
    """

    request: Request
    total: int
    groups: int
    hits: tuple[Result, ...]
    facets: tuple[FacetCounts, ...]
    scales: tuple[ScaleCounts, ...]
    notes: tuple[str, ...]
    ways_out: tuple[WayOut, ...]
    seconds: float
    behind: int = 0


def search(library: Library, engine: Engine, request: Request, *, with_facets: bool = True) -> Results:
    """Answer a request."""
    started = time.perf_counter()
    understood = understand(request.text, request.where, request.match)
    query = asked(request, understood)
    found = engine.find(query, request.rank, request.size, (request.page - 1) * request.size, fold=request.fold)
    lag = lag_of(library, engine)
    hits = tuple(_hits(library, engine, query, found.hits, (request.page - 1) * request.size, understood))
    gone = len(found.hits) - len(hits)
    if gone and not lag.policies:  # they were removed since the lag was counted
        lag = count_lag(library, engine)
    free = [one.facet for one in facets() if one.key not in request.chosen] if with_facets else []
    scales = [scale for scale in SCALES if scale.key not in request.ranges] if with_facets else []
    tally = engine.tally(query, sorted(set(free)), [scale.bars for scale in scales])
    return Results(
        request,
        found.total - gone,
        (tally.groups if request.fold else found.total) - gone,
        hits,
        _facet_counts(engine, request, understood, tally.values) if with_facets else (),
        _scale_counts(engine, request, understood, dict(zip(scales, tally.bars, strict=True))) if with_facets else (),
        (*understood.notes, *([lag.note] if lag.policies else [])),
        tuple(_ways_out(engine, request, understood)) if not found.total else (),
        time.perf_counter() - started,
        lag.policies,
    )


def asked(request: Request, understood: Understood | None = None, *, but: str | None = None) -> Query:
    """Turn a request into a query tree; `but` leaves out one facet's or measure's own choice."""
    query = (understood or understand(request.text, request.where, request.match)).query
    return replace(query, filters=(*query.filters, *_filters(request, but)))


def every_hit(engine: Engine, request: Request, most: int) -> Iterator[tuple[str, float]]:
    """Go through all policies that a request matches, in its order, none folded away."""
    found = engine.find(asked(request), request.rank, most, fold=False)  # now, whenever they are gone through
    return ((hit.policy_id, hit.score) for hit in found.hits)


def alike(library: Library, engine: Engine, request: Request, group: str) -> tuple[Shown, ...]:
    """Give all matches of one group of near-duplicates, the best first."""
    query = asked(request)
    narrowed = replace(query, filters=(*query.filters, OneOf("group", (group,))))
    hits = engine.find(narrowed, request.rank, 1000, fold=False).hits
    return tuple(policy for hit in hits if (policy := shown_if_there(library, hit.policy_id)))


def explained(engine: Engine, request: Request, policy_id: str) -> Explanation | None:
    """Say how a policy comes by its place in the custom order."""
    return engine.explain(asked(request), policy_id)


def _hits(
    library: Library, engine: Engine, query: Query, hits: Sequence[Hit], before: int, understood: Understood
) -> Iterator[Result]:
    """Read what is shown of each hit; one that the library has no more is left out, since the index is behind then."""
    for rank, hit in enumerate(hits, before + 1):
        try:
            yield _result(library, engine, query, hit.policy_id, hit.score, rank, understood)
        except NoSuchPolicy:
            continue


def _result(
    library: Library, engine: Engine, query: Query, policy_id: str, score: float, rank: int, understood: Understood
) -> Result:
    policy = shown(library, policy_id)
    try:
        text, is_damaged = reading.text(library, policy.version_id), False
    except DamagedText:
        text, is_damaged = "", True
    chosen = snippets(text, reading.places(library, policy.version_id), understood.highlights) if text else ()
    others = 0
    if policy.is_grouped:
        group = replace(query, filters=(*query.filters, OneOf("group", (policy.group,))))
        others = engine.count(group) - 1
    return Result(rank, policy, score, text, chosen, others, is_damaged)


def _filters(request: Request, but: str | None) -> Iterator[Filter]:
    for one in facets():
        if one.key != but and request.chosen.get(one.key):
            yield OneOf(one.facet, request.chosen[one.key])
    for scale in SCALES:
        if scale.key != but and scale.key in request.ranges:
            yield Between(scale.measure, *request.ranges[scale.key])


def _facet_counts(
    engine: Engine, request: Request, understood: Understood, free: Mapping[Facet, Mapping[str, int]]
) -> tuple[FacetCounts, ...]:
    """Give the counts of all facets; those by which it is narrowed are counted without their own choice."""
    totals = engine.tally(Query(), sorted({one.facet for one in facets()})).values
    made = []
    for one in facets():
        if one.key in request.chosen:
            own = engine.tally(asked(request, understood, but=one.key), [one.facet]).values[one.facet]
        else:
            own = free[one.facet]
        made.append(FacetCounts(one, _counted(one, own, totals[one.facet], request.chosen.get(one.key, ()))))
    return tuple(made)


def _counted(
    one: Choices, counts: Mapping[str, int], totals: Mapping[str, int], chosen: tuple[str, ...]
) -> tuple[Counted, ...]:
    choices = one.choices or tuple(Choice(value, value) for value in sorted(totals, reverse=True))
    made = [
        Counted(choice, counts.get(choice.value, 0), counts.get(choice.value, 0) / max(1, totals.get(choice.value, 0)),
                choice.value in chosen)
        for choice in choices
        if totals.get(choice.value) or choice.value in chosen
    ]  # fmt: skip
    by_name = not one.choices  # years stand in their own order
    return tuple(made if by_name else sorted(made, key=lambda value: -value.count))


def _scale_counts(
    engine: Engine, request: Request, understood: Understood, free: Mapping[Scale, tuple[int, ...]]
) -> tuple[ScaleCounts, ...]:
    """Give the bars of all measures; those by which it is narrowed are counted without their own range."""
    counts = dict(free)
    for scale in SCALES:
        if scale.key in request.ranges:
            (counts[scale],) = engine.tally(asked(request, understood, but=scale.key), (), [scale.bars]).bars
    return tuple(ScaleCounts(scale, counts[scale], *request.ranges.get(scale.key, (None, None))) for scale in SCALES)


def _ways_out(engine: Engine, request: Request, understood: Understood) -> Iterator[WayOut]:
    """Say what to let go of where nothing is found: one filter, all filters, or words."""
    named: dict[str, str] = {one.key: one.plain for one in facets()} | {scale.key: scale.plain for scale in SCALES}
    ways = [(named[key], request.without(key)) for key in (*request.chosen, *request.ranges)]
    if len(ways) > 1:
        ways.append(("all filters", request.unnarrowed()))
    if request.match == "all":
        ways.append(("that all words must be there", replace(request, match="any", page=1)))
    if request.where == "url":
        ways.append(("that words must be in the address", replace(request, where="text", page=1)))
    bare = request.text
    if understood.query.filters or understood.query.unwanted:
        kept = understood.query.wanted
        bare = " ".join(_typed(run) for run in understood.highlights) if kept not in (EVERYTHING, AnyOf(())) else ""
        ways.append(("what is excluded or filtered in the box", replace(request, text=bare, page=1)))
    found = [way for what, other in ways if (way := WayOut(what, other, engine.count(asked(other)))).count]
    if not found and len(ways) > 1:  # none of them alone is to blame
        alone = replace(request.unnarrowed(), text=bare, match="any", where="text")
        found = [WayOut("all but the words", alone, engine.count(asked(alone)))]
    yield from (way for way in found if way.count)


def _typed(run: tuple[str, ...]) -> str:
    return run[0] if len(run) == 1 else f'"{" ".join(run)}"'
