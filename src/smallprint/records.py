"""The frozen records that cross the borders between stages, and the protocols by which a pure stage is lent memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

PageKind = Literal["html", "text"]
BlockKind = Literal["heading", "paragraph", "item", "row"]
MentionGroup = Literal["technology", "body", "regulation"]
DocumentKind = Literal["privacy", "cookies", "terms", "other"]


class Reason(StrEnum):
    """Why a page is not kept as a policy."""

    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    NOT_CANDIDATE = "not a candidate"
    NOT_FETCHED = "not fetched"
    TOO_SHORT = "too short"
    NOT_ENGLISH = "not English"
    NOT_POLICY = "not a policy"
    MOVED = "moved"
    COPY = "exact duplicate"


class SetAsideReason(StrEnum):
    """Why a version could not be annotated."""

    TOO_LARGE = "too large"
    TOO_SLOW = "too slow"
    FAILED = "failed"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it arrived, before anything is understood of it.

    `url` is the address asked for, `final_url` where redirects led. A page whose address nobody knows has a `file:` or
    `urn:` one. `fetched_at` is ISO 8601, as exact as the source has it: "2020-12" is a value.
    """

    url: str
    content: bytes
    kind: PageKind
    source: str
    fetched_at: str
    final_url: str | None = None
    charset: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class PackedPage:
    """What is needed to read a page again: its bytes, compressed, and what its source said of it.

    `cleaner` is the number of the cleaner that read it; `title` is empty where the source gave none.
    """

    page_id: str
    kind: PageKind
    charset: str | None
    size: int
    content: bytes = field(repr=False)
    final_url: str | None
    title: str
    cleaner: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """A page that was not kept, and why; `page` is there only on its way into the library."""

    url: str
    reason: Reason
    detail: str
    source: str
    fetched_at: str
    page: PackedPage | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character range in a policy version's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a policy: the half-open range of its words in the text, and the absolute address it leads to."""

    start: int
    end: int
    url: str


class Block(NamedTuple):
    """The smallest unit a page is laid out in: one heading, paragraph, list item or table row.

    A tuple, since pages have hundreds and a frozen dataclass takes three times as long to make.

    `level` is 1-6 for headings and the depth of the list for items. `furniture` marks what belongs to the page and not
    to the policy: menus, banners, footers. `links` are places in `text`, with addresses as the page writes them.
    """

    kind: BlockKind
    text: str
    level: int = 0
    furniture: bool = False
    links: tuple[Link, ...] = ()


class Place(NamedTuple):
    """Where a segment is, and no more: lists of results look at thousands of them."""

    ordinal: int
    kind: BlockKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A passage that can be read by itself: a paragraph, a table row, or a list item with its lead-in.

    `start` and `end` are the passage's own place; `lead_in` is where the words are that introduce a list item;
    `headings` is the path of headings above it, outermost first.
    """

    ordinal: int
    kind: BlockKind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    lead_in: Span | None = None
    sentences: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A legal document that stands on the policy's page and is no part of it; `title` is empty where it has none."""

    kind: DocumentKind
    title: str


@dataclass(frozen=True, slots=True)
class Capture:
    """What the clean stage makes of a page that it keeps; `language` is an ISO 639 code.

    `documents` are the other legal documents on the page, which the text leaves out.
    """

    policy_id: str
    url: str
    domain: str
    page: Page
    title: str
    text: str
    page_text: str
    segments: tuple[Segment, ...]
    p_policy: float
    effective_on: str | None = None
    updated_on: str | None = None
    shingles: int = 0
    bands: tuple[bytes, ...] = field(default=(), repr=False)
    language: str = "en"
    links: tuple[Link, ...] = ()
    documents: tuple[NamedDocument, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A version of a policy as the annotate stage reads it."""

    version_id: str
    url: str
    title: str
    text: str
    page_text: str
    segments: tuple[Segment, ...]
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Popularity:
    """How well known a domain is: 1 for the least known, 1 more for every tenfold PageRank."""

    value: float
    estimated: bool


@dataclass(frozen=True, slots=True)
class DomainRank:
    """A domain's PageRank, measured or estimated."""

    domain: str
    pagerank: float
    estimated: bool


@dataclass(frozen=True, slots=True)
class Company:
    """Who stands behind a domain, from a list of companies; `industry` is the list's own word for it."""

    domain: str
    name: str
    industry: str | None = None
    founded: int | None = None
    size: str | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A technology, self-regulatory body or regulation that a policy names, and where."""

    group: MentionGroup
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SectorGuess:
    """The sector a text and its address speak of, "unknown" where the classifier is not sure, and how sure it is."""

    sector: str
    probability: float


UNKNOWN_DOMAIN = Popularity(1.0, estimated=True)


@dataclass(frozen=True, slots=True)
class FrontierItem:
    """An address the crawler has still to visit; `home` marks a home page on which to look for the policy's link.

    `number` is the frontier's own, given when the address is added and rising from 1; 0 on what was not added yet.
    `attempts` counts how often a visit was put off.
    """

    url: str
    home: bool = False
    attempts: int = 0
    etag: str | None = None
    last_modified: str | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that may answer, its place in the text and its `segment`; `lead_in` introduces a list item."""

    text: str
    headings: tuple[str, ...] = ()
    segment: int = 0
    start: int = 0
    end: int = 0
    lead_in: str = ""

    @property
    def spoken(self) -> str:
        """The sentence as it can be read by itself, a list item with its lead-in."""
        return f"{self.lead_in} {self.text}" if self.lead_in else self.text

    @property
    def under_heading(self) -> str:
        """The sentence behind the heading it stands under, as the finder reads it."""
        return f"{self.headings[-1]}. {self.spoken}" if self.headings else self.spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Words of a policy, word for word, with their place in the version's text (half-open, in characters).

    `lead_in` is what they need to be understood: the words that introduce a list item, or the sentence before that
    "they" or "this" refers to. `permalink` is the path of the passage on the site; a policy that is not stored has
    neither that nor ids.
    """

    policy_id: str | None
    version_id: str | None
    segment: int
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    lead_in: str | None = None
    permalink: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote(Citation):
    """A sentence that is quoted for what it says, and how likely it says so: 0 to 1.

    `practice` is what it is about, `answer` the part of it that answers, `refers_to` the place of its lead-in; `earns`
    tells that the answer's line rests on it.
    """

    probability: float
    practice: str | None = None
    answer: Span | None = None
    refers_to: Span | None = None
    earns: bool = False
