"""Where the links of a policy are: the places of their words in a text, and the addresses they lead to.

Tidying a text moves its characters, but keeps all that can be seen, in their order. A link is therefore carried from
raw to tidy text as a range of visible characters: the 12th to the 20th, say.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate, pairwise
from urllib.parse import urljoin, urlsplit

from smallprint import limits
from smallprint.controls import tidy
from smallprint.records import Block, Link

MARKDOWN = re.compile(r"(!?)\[([^\[\]]*)\]\(((?:[^()\s]|\([^()]*\))*)(?:\s+\"[^\"]*\")?\)")


def visible(text: str, tidied: Callable[[str], str] = tidy) -> int:
    """Return how many visible characters of a text are left when it is tidied."""
    return len(tidied(text).replace(" ", ""))


def located(links: Iterable[Link], text: str, first: int = 0) -> tuple[Link, ...]:
    """Return the links in `text` by their places; they come as ranges of visible characters, counted from `first`."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    kept = []
    for link in links:
        start, end = max(link.start - first, 0), min(link.end - first, len(places))
        if start < end:
            kept.append(Link(places[start], places[end - 1] + 1, link.url))
    return tuple(kept)


def without_markdown(text: str) -> tuple[str, list[Link]]:
    """Return a text with the words of its markdown links alone, and the links as ranges of visible characters."""
    text, links = _unlinked(text, [])
    text, links = _unlinked(text, links)  # twice: an image may stand in a link
    links = _innermost(links)[: limits.MAX_POLICY_LINKS]
    bounds = sorted({0, *(link.start for link in links), *(link.end for link in links)})
    counts = [0, *accumulate(visible(text[start:end]) for start, end in pairwise(bounds))]
    number = dict(zip(bounds, counts, strict=True))
    return text, [Link(number[link.start], number[link.end], link.url) for link in links]


def _unlinked(text: str, links: list[Link]) -> tuple[str, list[Link]]:
    parts: list[str] = []
    moved = []
    # From each of these places on, so many characters before are gone.
    places, gone = [0], [0]
    for link in MARKDOWN.finditer(text):
        parts += text[places[-1] : link.start()], link[2]
        before = gone[-1] + link.start(2) - link.start()
        places += link.start(2), link.end()
        gone += before, before + link.end() - link.end(2)
        if not link[1] and link[2]:
            moved.append(Link(link.start(2) - before, link.end(2) - before, link[3]))
    for earlier in links:
        start, end = (place - gone[bisect_right(places, place) - 1] for place in (earlier.start, earlier.end - 1))
        moved.append(Link(start, end + 1, earlier.url))
    return "".join([*parts, text[places[-1] :]]), moved


def _innermost(links: list[Link]) -> list[Link]:
    """Return the links that have no other within them, in the order of the text."""
    kept: list[Link] = []
    for link in sorted(links, key=lambda link: (link.end, -link.start)):
        if not kept or link.start >= kept[-1].end:
            kept.append(link)
    return kept


def in_policy(blocks: Iterable[Block], text: str, url: str, base: str) -> tuple[Link, ...]:
    """Return the links of a policy by their places in its text; `base` is what its page declares in <base>."""
    base = _address(base, url, "") or url
    links: list[Link] = []
    place = 0
    for block in blocks:
        place = text.index(block.text, place)
        for link in block.links:
            address = _address(link.url, base, url)
            if address:
                links.append(Link(place + link.start, place + link.end, address))
        place += len(block.text)
    return tuple(links[: limits.MAX_POLICY_LINKS])


def _address(href: str, base: str, page: str) -> str:
    """Return the absolute web or mail address of a link; nothing for the page itself and for other schemes."""
    href = tidy(href)
    if not href or href.startswith("#") or len(href) > limits.MAX_ADDRESS:
        return ""
    try:
        address = urljoin(base, href).replace(" ", "%20")
        parts = urlsplit(address)
    except ValueError:
        return ""
    leads_away = "@" in parts.path if parts.scheme == "mailto" else parts.scheme in {"http", "https"} and parts.netloc
    leads_away = leads_away and address.partition("#")[0] != page
    return address if leads_away and len(address) <= limits.MAX_ADDRESS else ""
