"""The page of results: what is asked stands in the address, all of it, and whoever has the address sees the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, RedirectResponse, Response

from smallprint import limits
from smallprint.addresses import NEAR_DUPLICATES, SEARCH, Fields
from smallprint.errors import BadQuery, NoSuchPolicy
from smallprint.server.dependencies import ShelfHere
from smallprint.server.failures import sentence
from smallprint.shelf import records
from smallprint.shelf.records import Ranking, Request, Result, Results, parse_query, read_request
from smallprint.web.present.marks import Mark, marked
from smallprint.web.present.narrowing import narrowing
from smallprint.web.rendering import VARY, page, wants_part

router = APIRouter(include_in_schema=False)

_PHRASE = re.compile(r'"[^"]*"?')
ORDERS = {
    Ranking.CUSTOM: ("best match", "Relevance × popularity × policy probability."),
    Ranking.RELEVANCE: ("relevance", "How well the words match. Rare words count more than common ones."),
    Ranking.POPULARITY: ("popularity", "How well known the site is, measured by links to it."),
    Ranking.PROBABILITY: ("policy probability", "How likely it is that the page is a privacy policy."),
    Ranking.DATE: ("date", "When this text was last seen, the latest first."),
}
# Near-duplicates that are listed under a result; the page of the group has them all.
MOST_ALIKE = 10
# Pages that are linked on each side of the one that is shown.
AROUND = 2
# What can be otherwise, its links (words, address, whether it is so now), and a line on how it is.
Mode = tuple[str, list[tuple[str, str, bool]], str]


@router.api_route(SEARCH, methods=["GET", "HEAD"])
def results(request: HttpRequest, shelf: ShelfHere) -> Response:
    """Answer a search with a page, or with the part of it that changes."""
    part = wants_part(request)
    try:
        asked = read_request(request.query_params.multi_items())
    except BadQuery as error:
        if not part:
            raise
        # Say what is wrong where the count stands; the results stay as they are.
        head = {**VARY, "HX-Retarget": "#count", "HX-Reswap": "innerHTML", "HX-Push-Url": "false"}
        return HTMLResponse(f'<p class="note">{escape(sentence(error))}</p>', headers=head)
    if not part and request.query_params.multi_items() != parse_qsl(asked.address()):
        # Forms send every field: the short spelling is the one to be kept and mailed.
        return RedirectResponse(address(asked), 303)
    context = _context(shelf.results(asked))
    answer = page(request, "_searched.html" if part else "results.html", **context)
    answer.headers.update({**VARY, "HX-Push-Url": address(asked)} if part else VARY)
    return answer


@router.api_route(NEAR_DUPLICATES, methods=["GET", "HEAD"])
def near_duplicates(request: HttpRequest, shelf: ShelfHere) -> Response:
    """List the near-duplicates that were folded under a result."""
    pairs = request.query_params.multi_items()
    group = "".join(value for key, value in pairs if key == "group")
    if not group:
        raise BadQuery("group is missing; follow the link under a result")
    asked = read_request((key, value) for key, value in pairs if key != "group")
    members = shelf.near_duplicates(asked, group)
    if not members:
        raise NoSuchPolicy("this search finds no policy of that group")
    fields = to_mark(asked, parse_query(asked.text, asked.where))
    context: dict[str, Any] = {"to_mark": fields, "back": address(asked), "every": alike_address(asked, group)}
    if not wants_part(request):
        return page(request, "alike.html", members=members, **context)
    # The first is the one that they are folded under.
    more = max(0, len(members) - 1 - MOST_ALIKE)
    return page(request, "_alike.html", members=members[1 : MOST_ALIKE + 1], more=more, **context)


def _context(found: Results) -> dict[str, Any]:
    asked = found.request
    facets, scales = narrowing(found)
    # What the form must send along because no field of it shows it.
    kept = Request(rank=asked.rank, index=asked.index, match=asked.match, fold=asked.fold, size=asked.size)
    return {
        "found": found,
        "q": asked.text,
        "where": asked.where,
        "to_mark": to_mark(asked, found.parsed),
        "lacks": partial(lacks, found),
        "alike_address": partial(alike_address, asked),
        "quotation": quotation,
        "facets": facets,
        "scales": scales,
        "chips": list(chips(asked)),
        "clear": address(asked.unnarrowed()),
        "modes": list(modes(asked)),
        "paging": paging(found),
        "kept": parse_qsl(kept.address()),
        "ways": [(way.what, address(way.request), way.count) for way in found.ways_out],
        # An export has all results on one page.
        "query": replace(asked, page=1, size=records.PAGE_SIZE).address(),
    }


def address(request: Request) -> str:
    """Return the address of a search's page."""
    query = request.address()
    return f"{SEARCH}?{query}" if query else SEARCH


def modes(request: Request) -> Iterator[Mode]:
    """Return the order, which of the words must be there, which text is searched, and how near-duplicates are shown."""
    first = request.on_page(1)

    def links(name: str, **choices: Any) -> list[tuple[str, str, bool]]:
        others = ((words.replace("_", " "), replace(first, **{name: value})) for words, value in choices.items())
        return [(words, address(other), other == first) for words, other in others]

    yield "Order", links("rank", **{words: rank for rank, (words, _) in ORDERS.items()}), ORDERS[request.rank][1]
    if " " in _PHRASE.sub("phrase", request.text):
        yield "Words", links("match", any_of_them="any", all_of_them="all"), ""
    yield "Text", links("index", **{"policy text only": "policy", "whole page, with menus and footers": "page"}), ""
    yield "Near-duplicates", links("fold", grouped=True, listed_separately=False), ""


def chips(request: Request) -> Iterator[tuple[str, str, str]]:
    """Return the filters that are chosen: of what, which, and where the search is without it."""
    for facet in records.FACETS:
        for value in request.chosen.get(facet.key, ()):
            yield facet.label, _label(facet, value), address(request.toggled(facet.key, value))
    for field in records.RANGES:
        if field.key in request.ranges:
            yield field.label, spoken(request.ranges[field.key]), address(request.without(field.key))


def spoken(limits: records.Range) -> str:
    """Return a range in words: "8 to 12", "from 8", "up to 12"."""
    low, high = limits
    if low is None:
        return f"up to {high:g}"
    return f"from {low:g}" if high is None else f"{low:g} to {high:g}"


def _label(facet: records.Field, value: str) -> str:
    """Return a value in words; a practice's detail with the practice, since it cannot stand alone."""
    known = {choice.value: choice for choice in facet.choices()}
    choice = known.get(value)
    if choice is None:
        return facet.label_of(value)
    return f"{known[choice.under].label} · {choice.label}" if choice.under else choice.label


@dataclass(frozen=True, slots=True)
class Paging:
    """The pages of a result; `beyond` counts the results that no page shows.

    A step has a page's number and its address: the page that is shown has no address, a gap no number either.
    """

    previous: str | None
    next: str | None
    steps: tuple[tuple[int | None, str | None], ...]
    last: int
    beyond: int


def paging(results: Results) -> Paging:
    """Lay out the pages of a result."""
    request = results.request
    every = -(-results.groups // request.size)
    last = min(every, limits.MAX_RESULT_PAGES)

    def at(page: int | None) -> str | None:
        return address(request.on_page(page)) if page and 1 <= page <= last else None

    steps = tuple((number, at(number) if number != request.page else None) for number in _numbers(request.page, last))
    # From beyond the last page one step back leads to it.
    back = at(min(request.page - 1, last))
    beyond = results.groups - last * request.size if every > last else 0
    return Paging(back, at(request.page + 1), steps if last > 1 else (), last, beyond)


def _numbers(current: int, last: int) -> Iterator[int | None]:
    """Yield the first page, the last, and those around the current one; None where some are left out."""
    wanted = sorted({1, last, *range(current - AROUND, current + AROUND + 1)} & set(range(1, last + 1)))
    before = 0
    for number in wanted:
        if number - before == 2:
            yield number - 1  # a gap of one page takes no less room than the page
        elif number - before > 2:
            yield None
        yield number
        before = number


def lacks(results: Results, hit: Result) -> list[str]:
    """Return the words that were asked for and are not in a policy found, each as it was typed."""
    # A whole page, with menus, has words that the policy's own text, which is at hand here, has not.
    if hit.is_damaged or results.request.index != "policy":
        return []
    missing = records.lacking((hit.policy.title, hit.text), results.parsed.wanted)
    return [run[0] if len(run) == 1 else f"“{' '.join(run)}”" for run in missing]


def to_mark(request: Request, parsed: records.ParsedQuery) -> Fields:
    """Return what a policy's page is told of a search: its words, if there are any that a text can have."""
    return [("q", request.text)] if parsed.highlights else []


def alike_address(request: Request, group: str) -> str:
    """Return the address of the list of a group's near-duplicates that a search finds."""
    query = request.on_page(1).address()
    return f"{NEAR_DUPLICATES}?{query}{'&' if query else ''}group={quote(group, safe='')}"


def quotation(text: str, snippet: records.Snippet) -> Markup:
    """Write a snippet with its words marked, and a sign where the passage goes on before or after it."""
    marks = [Mark(mark.start, mark.end, "hit-word") for mark in snippet.marks]
    before = "… " if snippet.start and text[snippet.start - 1] != "\n" else ""
    after = " …" if snippet.end < len(text) and text[snippet.end] != "\n" else ""
    return Markup("{}{}{}").format(before, marked(text, snippet.start, snippet.end, marks), after)
