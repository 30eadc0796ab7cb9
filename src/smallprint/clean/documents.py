"""A page's blocks in, its legal documents out: privacy policy, cookie policy, terms and whatever else stands there.

A page is cut where a title names another kind of document and the words after it are of that kind: the likeliest
sequence of kinds (Viterbi) over its blocks. A page that no title divides is one document, and costs next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smallprint.models import documents as model
from smallprint.models.documents import KINDS
from smallprint.records import Block, DocumentKind

PRIVACY, COOKIES, OTHER = range(len(KINDS))
_DOCUMENT = r"(?:polic(?:y|ies)|notices?|statements?|declaration|charter|terms|guidelines|practices)"
_CONTRACTS = "user|licen[cs]e|service|membership|customer|subscription|merchant|website|processing|publisher|level"
_MATTERS = (
    "copyright|returns?|refunds?|shipping|security|use|delivery|cancellation|dmca|warranty|payment|exchange|content"
    "|social media|email|accessibility|editorial|data act|linking|safety|moderation|conduct|infringement"
)
# Titles that name a document, and those that may only head a chapter.
NAMED = (
    re.compile(
        rf"\b(?:privacy|data protection|personal data|confidentiality)\b.{{0,30}}\b{_DOCUMENT}\b", re.IGNORECASE
    ),
    re.compile(rf"\b(?:cookies?|trackers?)\b.{{0,20}}\b{_DOCUMENT}\b", re.IGNORECASE),
    re.compile(
        r"\bterms (?:and|&) conditions\b|\b(?:terms|conditions) of (?:use|service|sale|business|supply)\b|\bterms$"
        rf"|\b(?:{_CONTRACTS})s? agreement\b|\b(?:{_MATTERS})\b.{{0,20}}\b(?:policy|policies|notice|statement)\b"
        r"|^(?:legal )?(?:terms|notices?|imprint|impressum|warranty|shipping|returns)$|\bdisclaimers?\b|\bcopyright\b"
        r"|^(?:appendix|annex|schedule|exhibit|attachment)\b|\bguidelines$|\blegal (?:notices?|information)\b"
        r"|\bcode of conduct\b|\baddendum\b",
        re.IGNORECASE,
    ),
)
MENTIONED = (
    re.compile(r"\b(?:privacy|data protection|personal (?:data|information))\b", re.IGNORECASE),
    re.compile(r"\bcookies?\b", re.IGNORECASE),
    re.compile(
        r"\b(?:licen[cs]e|ownership|liability|warrant(?:y|ies)|intellectual property|trademarks?|governing law"
        r"|indemni\w+|acceptance of (?:the )?terms|(?:acceptable|site|permitted|prohibited) use|termination"
        r"|use of (?:the |this |our )?(?:web ?)?(?:site|content|materials)|arbitration)\b",
        re.IGNORECASE,
    ),
)
# So many chapters of a contract open a page to being cut, though no title names another document.
CONTRACT_CHAPTERS = 2
TERMS = re.compile(r"\b(?:terms|conditions|agreement|eula)\b", re.IGNORECASE)
# "Changes to this privacy policy", "About these terms": chapters of the document they stand in.
CHAPTER = re.compile(
    r"^\W*(?:changes?|updat\w+|modif\w+|amend\w*|revis\w+|scope|about|purpose|accept\w*|summary|effective|last|how|what"
    r"|when|why|who|questions|contact|view|see|read|notice of|definitions?|introduction|general|entire|other|additional"
    r"|more|compliance|application)\b"
    r"|\b(?:this|these|acceptance|please|click|changes|updates|modification|third[- ]part(?:y|ies)'?|of others)\b"
    r"|^https?:|[.?!;,]$|\|",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"^\W*(?:(?:section|article|chapter)\s+)?(?:\d{1,2}(?:\.\d+)*|[a-z]|[ivx]+)[.):\s]\s*", re.IGNORECASE
)
TITLE_WORDS, TITLE_CHARACTERS = 12, 120
# The level of a paragraph in bold, which is none.
BOLD = 6
# A title of the first words names what the page is, and divides nothing.
OPENING_WORDS = 60


@dataclass(frozen=True, slots=True)
class Part:
    """A legal document on a page: its kind, its title, which may be empty, and its blocks.

    `is_named` tells whether a title names or mentions its kind, or it goes by its first heading.
    """

    kind: DocumentKind
    title: str
    blocks: tuple[Block, ...]
    is_named: bool


class Title(NamedTuple):
    """What a block is as a title: the kind it tells, if any, and whether it names a document or only mentions it."""

    kind: int = -1
    names: bool = False


class Costs(NamedTuple):
    """What it costs to begin another document at a block, and to read on over a title that names another kind.

    In units of log-probability; chosen on the tuning pages of datasets/splits/documents.tsv. `worth` and `power` weigh
    the words of a block: neighbours say the same, so that ten blocks are no tenfold evidence.
    """

    named: float = 2.5
    mentioned: float = 4.0
    elsewhere: float = 8.5  # headings that tell no kind are no better than paragraphs
    passed_over: float = 0.2
    worth: float = 0.12
    power: float = 0.65


def cut(blocks: Sequence[Block], costs: Costs = Costs()) -> tuple[Part, ...]:  # noqa: B008 - it cannot be changed
    """Return the documents on a page in their order; none where nothing divides it."""
    titles = _titles(blocks)
    if not any(title.names for title in titles):
        return ()
    counts = [block.text.count(" ") + 1 for block in blocks]
    if not _is_divided(titles, counts) and titles.count(Title(OTHER)) < CONTRACT_CHAPTERS:
        return ()
    kinds = _kinds(blocks, titles, counts, costs)
    parts = tuple(_parts(blocks, titles, kinds))
    return parts if len(parts) > 1 else ()


def _titles(blocks: Sequence[Block]) -> list[Title]:
    titles = [_title(block) for block in blocks]
    above = 0  # the level of the last heading that names a document: what is below it is a chapter of that
    for place, (block, title) in enumerate(zip(blocks, titles, strict=True)):
        if title.kind >= 0 and block.kind == "heading" and block.level < BOLD:
            if 0 < above < block.level:
                titles[place] = Title()
            elif title.names:
                above = block.level
    return titles


def _title(block: Block) -> Title:
    text = block.text
    if len(text) > TITLE_CHARACTERS or block.kind not in {"heading", "paragraph"} or text.count(" ") >= TITLE_WORDS:
        return Title()
    text = " ".join(text.split()).rstrip(": ")
    kinds = [kind for kind, pattern in enumerate(NAMED) if pattern.search(text)]
    mentioned = [kind for kind, pattern in enumerate(MENTIONED) if pattern.search(text)]
    if mentioned == [OTHER] and not kinds:
        return Title(OTHER)
    # "Privacy and Cookie Policy" is a policy, "Terms & Privacy Policy" heads both.
    kind = min(kinds + mentioned, default=-1)
    if kind < 0 or CHAPTER.search(text) or (kind != OTHER and (OTHER in kinds or TERMS.search(text))):
        return Title()
    return Title(kind, kind in kinds and not NUMBER.match(text))


def _is_divided(titles: Sequence[Title], counts: Sequence[int]) -> bool:
    """Return whether a title may begin another document: one that is no policy, or a policy after other words."""
    words = 0
    for title, count in zip(titles, counts, strict=True):
        if title.names and words and (title.kind != PRIVACY or words > OPENING_WORDS):
            return True
        words += count
    return False


def _kinds(blocks: Sequence[Block], titles: Sequence[Title], counts: Sequence[int], costs: Costs) -> list[int]:
    """Return the likeliest kind of each block."""
    worths = costs.worth * np.array(counts, dtype=np.float64) ** costs.power
    gains = model.log_probabilities([block.text for block in blocks]) * worths[:, None]
    best, origins = gains[0], []
    for title, gain in zip(titles[1:], gains[1:], strict=True):
        cost, stay = np.full(len(KINDS), costs.elsewhere), best
        if title.kind >= 0:
            cost[title.kind] = costs.named if title.names else costs.mentioned
        if title.names:
            stay = best - costs.passed_over
            stay[title.kind] = best[title.kind]
        likeliest = int(best.argmax())
        is_cut = best[likeliest] - cost > stay
        origins.append(np.where(is_cut, likeliest, np.arange(len(KINDS))))
        best = np.where(is_cut, best[likeliest] - cost, stay) + gain
    kinds = [int(best.argmax())]
    for origin in reversed(origins):
        kinds.append(int(origin[kinds[-1]]))
    return kinds[::-1]


def _parts(blocks: Sequence[Block], titles: Sequence[Title], kinds: Sequence[int]) -> Iterator[Part]:
    starts = [
        place
        for place, (title, kind) in enumerate(zip(titles, kinds, strict=True))
        if not place or kind != kinds[place - 1] or (title.names and title.kind == kind == OTHER)
    ]
    for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True):
        own = range(start, end)
        told = [place for place in own if titles[place].kind == kinds[start]]
        named = [blocks[place].text for place in told if place == start or titles[place].names]
        headings = [blocks[place].text for place in own if blocks[place].kind == "heading"]
        title = " ".join(next(iter(named + headings), "").split())[:TITLE_CHARACTERS].rstrip(": ")
        yield Part(_kind_name(kinds[start], title), title, tuple(blocks[start:end]), bool(named))


def _kind_name(kind: int, title: str) -> DocumentKind:
    if kind == OTHER:
        return "terms" if TERMS.search(title) else "other"
    return "privacy" if kind == PRIVACY else "cookies"


def linked_documents(blocks: Sequence[Block]) -> list[str]:
    """Return the names of the legal documents that a page links to from between its first and last words.

    Lists of links count though they look like menus; what stands above or below the page's own words does not.
    """
    own = [place for place, block in enumerate(blocks) if not block.furniture]
    names: dict[str, None] = {}
    for block in blocks[own[0] : own[-1] + 1] if own else ():
        for link in block.links:
            name = " ".join(block.text[link.start : link.end].split())
            if len(name) <= TITLE_CHARACTERS and any(pattern.search(name) for pattern in NAMED):
                names[name] = None
    return list(names)
