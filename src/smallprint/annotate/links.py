"""The links of a policy by what a reader can do there: opt out, ask for their data, write to somebody, read on.

A link's own words decide first, then its address. Words that name nothing ("here", an address) are read together with
what stands before them in their sentence. The patterns are data, `links.toml`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache
from typing import Literal, get_args
from urllib.parse import urlsplit

from smallprint.annotate.kinds import Annotator, Kind, table, to_json
from smallprint.records import Document

LinkKind = Literal["opt-out", "request", "contact", "policy", "other"]
LINK_KINDS: tuple[LinkKind, ...] = get_args(LinkKind)
# Raised whenever the same link would be given another kind.
VERSION = "1"
LONGEST_WORDS = 200
SCHEMES = frozenset(("http", "https", "mailto"))
# How many characters before a link that names nothing are read with it.
BEFORE = 80


@dataclass(frozen=True, slots=True)
class PolicyLink:
    """A link of a policy: its kind, its words and their place in the text, and where it leads (web or mail)."""

    kind: LinkKind
    words: str
    url: str
    start: int
    end: int

    @property
    def host(self) -> str:
        """The site or the mail address that it leads to."""
        parts = urlsplit(self.url)
        return parts.path if parts.scheme == "mailto" else (parts.hostname or "").removeprefix("www.")


# Cloudflare hides mail addresses from whoever runs no scripts: these lead nowhere.
_NOWHERE = "/cdn-cgi/l/email-protection"


def find_links(document: Document) -> tuple[PolicyLink, ...]:
    """Return the links of a policy with their kinds, in the order of the text."""
    starts = [span.start for segment in document.segments for span in segment.sentences]
    links = []
    for link in document.links:
        words = " ".join(document.text[link.start : link.end].split())
        place = bisect_right(starts, link.start)
        sentence = max(starts[place - 1] if place else 0, link.start - BEFORE)
        kind = kind_of(words, link.url, document.text[sentence : link.start], document.url)
        links.append(PolicyLink(kind, words[:LONGEST_WORDS], link.url, link.start, link.end))
    return tuple(links)


def by_kind(links: Iterable[PolicyLink]) -> dict[LinkKind, tuple[PolicyLink, ...]]:
    """Return what a reader can do, by kind: every address once, and no link of the kind "other"."""
    groups: dict[LinkKind, dict[str, PolicyLink]] = {kind: {} for kind in LINK_KINDS[:-1]}
    for link in links:
        if link.kind != "other" and urlsplit(link.url).scheme in SCHEMES:
            groups[link.kind].setdefault(link.url, link)
    return {kind: tuple(group.values()) for kind, group in groups.items() if group}


def kind_of(words: str, url: str, before: str, page: str = "") -> LinkKind:
    """Return the kind of a link from its words, its address and the words before it; `page` is the policy's address."""
    if _NOWHERE in url.lower() or (page and url.partition("#")[0] == page):
        return "other"
    names_nothing = _first("nothing", words)
    by_words = None if names_nothing else _first("words", words)
    return by_words or _first("address", url) or (names_nothing and _first("sentence", before)) or "other"


def _first(source: str, text: str) -> LinkKind | None:
    return next((kind for kind, pattern in _patterns()[source].items() if pattern.search(text)), None)


@cache
def _patterns() -> dict[str, dict[LinkKind, re.Pattern[str]]]:
    """Return the patterns of each source by kind, in the order in which they are tried."""
    return {
        source: {kind: re.compile("|".join(own).replace(" ", r"\s"), re.IGNORECASE) for kind, own in kinds.items()}
        for source, kinds in table("links").items()
    }


KIND = Kind(
    name="links",
    annotator=lambda quality: Annotator("links", "patterns", VERSION),
    make=lambda document, model: find_links(document),
    encode=lambda links: to_json([astuple(link) for link in links]),
    decode=lambda content: tuple(PolicyLink(*link) for link in json.loads(content)),
    reads_links=True,
)
