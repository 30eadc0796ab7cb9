"""A text or a page in, a policy read at a glance out: cleaned and annotated in memory, and nothing of it stored."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from smallprint.annotate.mentions import names
from smallprint.annotate.practices import QUOTED_WORDS, Practice, passage, practices, quoted
from smallprint.annotate.registry import annotate, annotators
from smallprint.clean.cleaning import clean, guarded, untitled
from smallprint.records import Capture, Document, Mention, MentionGroup, Page, Rejection, SectorGuess, Segment
from smallprint.settings import Settings
from smallprint.sources.fetcher import now
from smallprint.sources.items import urn
from smallprint.taxonomy import CATEGORIES, DOES, plain_name
from smallprint.view.labels import UNTOLD

SOURCE = "pasted"
# Characters of a quotation, and of the words around a name.
QUOTE, AROUND = 280, 60
_BLANKS = re.compile(r"\s+")
_MARKUP = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A practice that a policy speaks of: in how many passages, a quotation, and what it says in detail."""

    category: str
    name: str
    passages: int
    quote: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A technology, body or regulation that a policy names: how often, and the words around the first place."""

    group: MentionGroup
    name: str
    times: int
    before: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class Glance:
    """What a first reading of a text gives; `is_policy` tells whether its probability is enough for it to be kept."""

    url: str
    title: str  # empty where it has none
    words: int
    p_policy: float
    is_policy: bool
    grade: float | None
    vague: float | None
    sector: SectorGuess
    practices: tuple[Spoken, ...]
    names: tuple[Named, ...]


def pasted(text: str) -> Page:
    """Make a page of a text that somebody pasted; the source of a page is a text, too, and is known by its tags."""
    content = text.encode("utf-8", "replace")
    kind = "html" if _MARKUP.search(text[:2000]) else "text"
    address = urn(SOURCE, hashlib.sha256(content).hexdigest()[:16])
    return Page(address, content, kind, SOURCE, now(), charset="utf-8")  # type: ignore[arg-type]


def glance(page: Page, settings: Settings) -> Glance | Rejection:
    """Read a page; whatever is no policy is read all the same, and said to be none."""
    # The threshold is for what is stored: here somebody asks, and is told how likely it is.
    capture = guarded(lambda: clean(page, replace(settings, policy_threshold=0.0)), page)
    if isinstance(capture, Rejection):
        return capture
    document = Document("", capture.url, capture.title, capture.text, capture.page_text, capture.segments)
    said = {annotation.annotator.kind: annotation.content for annotation in annotate(document, annotators("fast"))}
    return Glance(
        url=capture.url,
        title="" if capture.title == untitled(capture.domain) and page.source == SOURCE else capture.title,
        words=len(capture.text.split()),
        p_policy=capture.p_policy,
        is_policy=capture.p_policy >= settings.policy_threshold,
        grade=said["readability"].grade,
        vague=said["vagueness"].score,
        sector=said["sector"],
        practices=_spoken(capture, practices(said["practices"], capture.segments)),
        names=_named(capture.text, said["mentions"]),
    )


def _spoken(capture: Capture, found: tuple[Practice, ...]) -> tuple[Spoken, ...]:
    """Return each category with its quotation and its values, in the taxonomy's order."""
    by_ordinal = {segment.ordinal: segment for segment in capture.segments}
    whole = {practice.label.category: practice for practice in found if practice.label.attribute is None}
    values = defaultdict(list)
    for practice in found:
        if practice.label.attribute and practice.label.value not in {DOES, *UNTOLD}:
            values[practice.label.category].append(plain_name(practice.label))
    return tuple(
        Spoken(
            category.id, category.plain, len(own.segments),
            _quotation(capture.text, quoted(own, capture.text, by_ordinal)), tuple(values[category.id]),
        )
        for category in CATEGORIES
        if (own := whole.get(category.id))
    )  # fmt: skip


def _named(text: str, found: tuple[Mention, ...]) -> tuple[Named, ...]:
    times = Counter(mention.name for mention in found)
    first = {mention.name: mention for mention in reversed(found)}
    return tuple(
        Named(name.group, name.plain, times[name.id], *_around(text, place.start, place.end))
        for name in names()
        if (place := first.get(name.id))
    )


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    """Return the words before a place, at it and after it, within its own line; words cut in two are left out."""
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    if "\n" in before:
        before = before.rpartition("\n")[2]
    elif start > AROUND:
        before = f"… {before.partition(' ')[2]}"
    if "\n" in after:
        after = after.partition("\n")[0]
    elif end + AROUND < len(text):
        after = f"{after.rpartition(' ')[0]} …"
    return _BLANKS.sub(" ", before), _flat(text[start:end]), _BLANKS.sub(" ", after)


def _quotation(text: str, segment: Segment) -> str:
    """Quote a passage from its start to the end of a sentence, if that is not too far and not too near."""
    whole = passage(text, segment)
    if len(whole) <= QUOTE:
        return _flat(whole)
    lead = len(whole) - (segment.end - segment.start)
    ends = [lead + one.end - segment.start for one in segment.sentences if lead + one.end - segment.start <= QUOTE]
    if ends and len(whole[: ends[-1]].split()) >= QUOTED_WORDS:
        return _flat(whole[: ends[-1]])
    return f"{_flat(whole[:QUOTE].rsplit(maxsplit=1)[0])} …"


def _flat(text: str) -> str:
    return " ".join(text.split())
