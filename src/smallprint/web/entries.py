"""Hits in, what a list of results says of each out: words for measures, and snippets with the query's words marked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import quote

from markupsafe import Markup

from smallprint.library.findable import Shown
from smallprint.search.request import Request
from smallprint.search.results import Result
from smallprint.search.snippets import Snippet
from smallprint.sectors import sector
from smallprint.web.addresses import is_web, policy_path
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
    """A policy in a list. `source` is where the page itself is on the web; None where it never was."""

    rank: int
    title: str
    address: str
    url: str
    source: str | None
    seen: str
    day: str
    facts: tuple[str, ...]
    passages: tuple[Passage, ...] = ()
    alike: int = 0
    alike_address: str = ""


def entry(hit: Result, request: Request) -> Entry:
    """Lay out a hit."""
    own = listed(hit.policy, hit.rank)
    passages = tuple(
        Passage(quotation(hit.text, one), policy_path(hit.policy.policy_id, ordinal=one.ordinal))
        for one in hit.snippets
    )
    others = alike_address(request, hit.policy.group) if hit.alike else ""
    return replace(own, passages=passages, alike=hit.alike, alike_address=others)


def listed(policy: Shown, rank: int = 0) -> Entry:
    """Lay out a policy by itself."""
    return Entry(
        rank,
        policy.title or policy.domain,
        policy_path(policy.policy_id),
        policy.url,
        policy.url if is_web(policy.url) else None,
        policy.seen,
        day(policy.seen),
        facts(policy),
    )


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


def quotation(text: str, one: Snippet) -> Markup:
    """Write a snippet with its words marked, and a sign where the passage goes on before or after it."""
    words = marked(text, one.start, one.end, [Mark(mark.start, mark.end, "hit-word") for mark in one.marks])
    before = "… " if one.start and text[one.start - 1] != "\n" else ""
    after = " …" if one.end < len(text) and text[one.end] != "\n" else ""
    return Markup("{}{}{}").format(before, words, after)
