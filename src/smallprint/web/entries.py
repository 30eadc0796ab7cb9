"""Hits in, what a list of results says of each out: words for measures, and snippets with the query's words marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from markupsafe import Markup

from smallprint.library.findable import Shown
from smallprint.search.language import understand
from smallprint.search.request import Request
from smallprint.search.results import Results
from smallprint.search.snippets import Snippet, lacking
from smallprint.sectors import sector
from smallprint.view.permalinks import Fields, policy_path
from smallprint.web.addresses import is_web
from smallprint.web.dates import day
from smallprint.web.marks import Mark, marked
from smallprint.web.modes import PATH
from smallprint.web.rendering import share


@dataclass(frozen=True, slots=True)
class Passage:
    """A snippet, and where on the policy's page it stands."""

    words: Markup
    address: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy in a list. `source` is where the page itself is on the web; None where it never was.

    `lacks` has the words that were asked for and are not in it. Of a damaged text no passage is shown.
    """

    rank: int
    title: str
    address: str
    url: str
    source: str | None
    seen: str
    day: str
    facts: tuple[str, ...]
    passages: tuple[Passage, ...] = ()
    lacks: tuple[str, ...] = ()
    alike: int = 0
    alike_address: str = ""
    is_damaged: bool = False


def entries(found: Results) -> Iterator[Entry]:
    """Lay out the hits of a page."""
    request = found.request
    fields = to_mark(request)
    # A page with its furniture has words that the policy's own text, which is at hand here, has not.
    asked = understand(request.text, request.where).asked if request.index == "policy" else ()
    for hit in found.hits:
        passages = tuple(
            Passage(quotation(hit.text, one), policy_path(hit.policy.policy_id, fields=fields, ordinal=one.ordinal))
            for one in hit.snippets
        )
        yield replace(
            listed(hit.policy, hit.rank, fields),
            passages=passages,
            lacks=() if hit.is_damaged else tuple(map(_typed, lacking((hit.policy.title, hit.text), asked))),
            alike=hit.alike,
            alike_address=alike_address(request, hit.policy.group) if hit.alike else "",
            is_damaged=hit.is_damaged,
        )


def listed(policy: Shown, rank: int, fields: Fields) -> Entry:
    """Lay out a policy by itself; `fields` are what its page is told (`to_mark`)."""
    return Entry(
        rank,
        policy.title or policy.domain,
        policy_path(policy.policy_id, fields=fields),
        policy.url,
        policy.url if is_web(policy.url) else None,
        policy.seen,
        day(policy.seen),
        facts(policy),
    )


def to_mark(request: Request) -> Fields:
    """Give what a policy's page is told of a search: its words, if there are any that a text can have."""
    return [("q", request.text)] if understand(request.text, request.where).highlights else []


def alike_address(request: Request, group: str) -> str:
    """Give the address of the list of a group's near-duplicates that a search finds."""
    query = request.on_page(1).address()
    return f"{PATH}/alike?{query}{'&' if query else ''}group={quote(group, safe='')}"


def facts(policy: Shown) -> tuple[str, ...]:
    """Say a policy's sector and measures in words; what is not known is left out."""
    said = ["sector unknown" if policy.sector == "unknown" else sector(policy.sector).name]
    if policy.grade is not None:
        said.append(f"reading grade {policy.grade:.0f}")
    if policy.vague is not None:
        said.append(f"{share(policy.vague, 1)} of sentences vague")
    return tuple(said)


def _typed(run: tuple[str, ...]) -> str:
    return run[0] if len(run) == 1 else f"“{' '.join(run)}”"


def quotation(text: str, one: Snippet) -> Markup:
    """Write a snippet with its words marked, and a sign where the passage goes on before or after it."""
    words = marked(text, one.start, one.end, [Mark(mark.start, mark.end, "hit-word") for mark in one.marks])
    before = "… " if one.start and text[one.start - 1] != "\n" else ""
    after = " …" if one.end < len(text) and text[one.end] != "\n" else ""
    return Markup("{}{}{}").format(before, words, after)
