"""A search answered: hits with snippets, facets with counts, and what to remove where nothing is found."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from smallprint.index.engine import Count, Engine, Explanation, Hit, Tally
from smallprint.index.fields import FACETS, RANGES, Choice, Field
from smallprint.index.ordering import find
from smallprint.index.tree import EVERYTHING, AnyOf, Between, OneOf, Query
from smallprint.library import Library, reading
from smallprint.library.findable import PolicySummary, summaries
from smallprint.pipeline.indexing import count_lag, lag_of
from smallprint.search.language import ParsedQuery, parse_query
from smallprint.search.request import Request
from smallprint.search.snippets import Snippet, snippets


@dataclass(frozen=True, slots=True)
class Result:
    """A policy found. `alike` counts the near-duplicates that match as well and are folded under it.

    Where `is_damaged`, the stored text does not match its hash: there is no text and no snippet to show.
    """

    rank: int
    policy: PolicySummary
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

    facet: Field
    values: tuple[Counted, ...]


@dataclass(frozen=True, slots=True)
class RangeCounts:
    """A field to choose a range of, with the counts of its bars."""

    field: Field
    counts: tuple[int, ...]
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class WayOut:
    """Something to remove from a search, and how many policies would then be found."""

    what: str
    request: Request
    count: int


@dataclass(frozen=True, slots=True)
class Results:
    """A page of results. `groups` counts near-duplicates once and is what pages go by; `seconds` is the time taken.

    `behind` is how many policies the index is behind the library by; where it is, one of the notes says so. `parsed` is
    the text of the request as it was read.
    """

    request: Request
    parsed: ParsedQuery
    total: int
    groups: int
    hits: tuple[Result, ...]
    facets: tuple[FacetCounts, ...]
    ranges: tuple[RangeCounts, ...]
    notes: tuple[str, ...]
    ways_out: tuple[WayOut, ...]
    seconds: float
    behind: int = 0


def search(library: Library, engine: Engine, request: Request, *, with_facets: bool = True) -> Results:
    """Return the page of results that a request asks for."""
    started = time.perf_counter()
    parsed = parse_query(request.text, request.where, request.match)
    query = query_of(request, parsed)
    before = (request.page - 1) * request.size
    page = find(engine, query, request.rank, request.size, before, fold=request.fold)
    lag = lag_of(library, engine)
    hits = tuple(_results(library, engine, query, page.hits, before, parsed))
    gone = len(page.hits) - len(hits)
    if gone and not lag.policies:  # they were removed since the lag was counted
        lag = count_lag(library, engine)
    tally, facets, ranges = _counts(engine, request, parsed, query, with_facets=with_facets)
    groups = (tally.groups if request.fold else page.total) - gone
    notes = (*parsed.notes, *([lag.note] if lag.policies else []))
    ways_out = _ways_out(engine, request, parsed) if not page.total else ()
    seconds = time.perf_counter() - started
    return Results(
        request, parsed, page.total - gone, groups, hits, facets, ranges, notes, ways_out, seconds, lag.policies
    )


def as_plain(results: Results, explanations: Mapping[int, Explanation | None] | None = None) -> dict[str, Any]:
    """Return results as JSON has them, for commands and API alike; explanations are by rank."""
    return {
        "query": results.request.address(),
        "total": results.total,
        "groups": results.groups,
        "seconds": round(results.seconds, 4),
        "notes": list(results.notes),
        "behind": results.behind,
        "hits": [_plain_hit(hit, (explanations or {}).get(hit.rank)) for hit in results.hits],
        "facets": {
            counts.facet.key: [
                {"value": value.choice.value, "name": value.choice.label, "under": value.choice.under,
                 "count": value.count, "share": round(value.share, 4), "chosen": value.is_chosen}
                for value in counts.values
            ]
            for counts in results.facets
        },
        "scales": {
            counts.field.key: {"low": bars.low, "step": bars.step, "counts": list(counts.counts)}
            for counts in results.ranges
            if (bars := counts.field.bars)
        },
        "ways_out": [
            {"remove": way.what, "query": way.request.address(), "count": way.count} for way in results.ways_out
        ],
    }  # fmt: skip


def _plain_hit(hit: Result, explanation: Explanation | None) -> dict[str, Any]:
    """Return a hit as JSON has it: snippets with the places of the query's words in them."""
    return {
        "rank": hit.rank,
        "score": hit.score,
        **asdict(hit.policy),
        "near_duplicates": hit.alike,
        "snippets": [
            {"start": snippet.start, "end": snippet.end, "segment": snippet.segment,
             "text": hit.text[snippet.start : snippet.end],
             "marks": [[mark.start - snippet.start, mark.end - snippet.start] for mark in snippet.marks]}
            for snippet in hit.snippets
        ],
        "damaged": hit.is_damaged,
        **({"explanation": asdict(explanation)} if explanation else {}),
    }  # fmt: skip


def query_of(request: Request, parsed: ParsedQuery | None = None, *, but: str | None = None) -> Query:
    """Return the query tree of a request; `but` leaves out one facet's or measure's own choice."""
    query = (parsed or parse_query(request.text, request.where, request.match)).query
    facets = (facet for facet in FACETS if facet.key != but and request.chosen.get(facet.key))
    ranges = (field for field in RANGES if field.key != but and field.key in request.ranges)
    chosen = (OneOf(facet.name, request.chosen[facet.key]) for facet in facets)
    within = (Between(field.name, *request.ranges[field.key]) for field in ranges)
    return replace(query, filters=(*query.filters, *chosen, *within))


def near_duplicates(library: Library, engine: Engine, request: Request, group: str) -> tuple[PolicySummary, ...]:
    """Return all matches of one group of near-duplicates, the best first."""
    hits = find(engine, _of_group(query_of(request), group), request.rank, 1000, fold=False).hits
    known = summaries(library, (hit.policy_id for hit in hits))
    return tuple(known[hit.policy_id] for hit in hits if hit.policy_id in known)


def _results(
    library: Library, engine: Engine, query: Query, hits: Sequence[Hit], before: int, parsed: ParsedQuery
) -> Iterator[Result]:
    """Read what is shown of each hit; one that the library has no more is left out, since the index is behind then."""
    policies = summaries(library, (hit.policy_id for hit in hits))
    versions = [policy.version_id for policy in policies.values()]
    texts, places = reading.texts(library, versions), reading.places(library, versions)
    grouped = [policy for policy in policies.values() if policy.is_grouped]
    members = engine.counts([_of_group(query, policy.group) for policy in grouped])
    others = {policy.policy_id: count - 1 for policy, count in zip(grouped, members, strict=True)}
    for rank, hit in enumerate(hits, before + 1):
        policy = policies.get(hit.policy_id)
        if policy is None:
            continue
        text = texts.get(policy.version_id)
        passages = snippets(text, places[policy.version_id], parsed.highlights) if text else ()
        yield Result(rank, policy, hit.score, text or "", passages, others.get(hit.policy_id, 0), text is None)


def _of_group(query: Query, group: str) -> Query:
    return replace(query, filters=(*query.filters, OneOf("group", (group,))))


def _counts(
    engine: Engine, request: Request, parsed: ParsedQuery, query: Query, *, with_facets: bool
) -> tuple[Tally, tuple[FacetCounts, ...], tuple[RangeCounts, ...]]:
    """Count the matches, and with facets by field; one that narrows them is counted without its own choice."""
    if not with_facets:
        return engine.tallies([Count(query)])[0], (), ()
    fields = (*FACETS, *RANGES)
    own = [field for field in fields if field.key in request.chosen or field.key in request.ranges]
    main = _count(query, [field for field in fields if field not in own])
    totals = _count(Query(), FACETS)
    alone = [_count(query_of(request, parsed, but=field.key), (field,)) for field in own]
    tally, total, *rest = engine.tallies([main, totals, *alone])
    of_field = dict.fromkeys(fields, (main, tally)) | dict(zip(own, zip(alone, rest, strict=True), strict=True))
    facets = tuple(
        FacetCounts(facet, _counted(facet, of_field[facet][1].values[facet.name], total.values[facet.name],
                                    request.chosen.get(facet.key, ())))
        for facet in FACETS
    )  # fmt: skip
    ranges = tuple(
        RangeCounts(field, counted.bars[count.bars.index(field.bars)], *request.ranges.get(field.key, (None, None)))
        for field in RANGES
        for count, counted in (of_field[field],)
    )
    return tally, facets, ranges


def _count(query: Query, fields: Sequence[Field]) -> Count:
    names = tuple(sorted({field.name for field in fields if field.is_choice}))
    return Count(query, names, tuple(field.bars for field in fields if field.bars))


def _counted(
    facet: Field, counts: Mapping[str, int], totals: Mapping[str, int], chosen: tuple[str, ...]
) -> tuple[Counted, ...]:
    choices = facet.choices() or tuple(Choice(value, facet.label_of(value)) for value in sorted(totals))
    values = [
        Counted(choice, counts.get(choice.value, 0), counts.get(choice.value, 0) / max(1, totals.get(choice.value, 0)),
                choice.value in chosen)
        for choice in choices
        if totals.get(choice.value) or choice.value in chosen
    ]  # fmt: skip
    order = facet.order
    return tuple(sorted(values, key=lambda value: order(value.choice.value) if order else -value.count))


def _ways_out(engine: Engine, request: Request, parsed: ParsedQuery) -> tuple[WayOut, ...]:
    """Return what to remove where nothing is found: one filter, all filters, or words."""
    labels = {field.key: field.label for field in (*FACETS, *RANGES)}
    ways = [(labels[key], request.without(key)) for key in (*request.chosen, *request.ranges)]
    if len(ways) > 1:
        ways.append(("all filters", request.unnarrowed()))
    if request.match == "all":
        ways.append(("that all words must be there", replace(request, match="any", page=1)))
    if request.where == "url":
        ways.append(("that words must be in the address", replace(request, where="text", page=1)))
    bare = request.text
    if parsed.query.filters or parsed.query.unwanted:
        kept = parsed.query.wanted
        runs = parsed.highlights if kept not in (EVERYTHING, AnyOf(())) else ()
        bare = " ".join(run[0] if len(run) == 1 else f'"{" ".join(run)}"' for run in runs)
        ways.append(("what is excluded or filtered in the box", replace(request, text=bare, page=1)))
    open_ways = _open_ways(engine, ways)
    if not open_ways and len(ways) > 1:  # none of them alone is to blame
        alone = replace(request.unnarrowed(), text=bare, match="any", where="text")
        open_ways = _open_ways(engine, [("all but the words", alone)])
    return open_ways


def _open_ways(engine: Engine, ways: Sequence[tuple[str, Request]]) -> tuple[WayOut, ...]:
    """Return the ways by which something is found."""
    counts = engine.counts([query_of(request) for _, request in ways])
    return tuple(WayOut(what, request, count) for (what, request), count in zip(ways, counts, strict=True) if count)
