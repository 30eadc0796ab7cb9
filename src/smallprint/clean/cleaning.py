"""The whole clean stage: one page in, one capture of a policy or one rejection out. Pure, and safe on hostile input."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from smallprint import limits
from smallprint.clean.dates import effective_on, updated_on
from smallprint.clean.decoding import decode
from smallprint.clean.documents import cut, linked_documents
from smallprint.clean.duplicates import bands
from smallprint.clean.furniture import mark
from smallprint.clean.language import is_plainly_english, language
from smallprint.clean.layout import lay_out
from smallprint.clean.lines import read_lines
from smallprint.clean.link_places import in_policy
from smallprint.clean.segments import compose
from smallprint.controls import tidy
from smallprint.domains import host_of, normal_url, policy_id, registrable_domain, same_site
from smallprint.errors import BadAddress, OutOfTime
from smallprint.markup import as_shown, refusal
from smallprint.models import policyhood
from smallprint.records import Block, Capture, NamedDocument, Page, Reason, Rejection, Segment
from smallprint.settings import Settings
from smallprint.text import shingles, word_hashes, words

# What is said of a page that was ended, by itself or by the process that watches it.
TOO_SLOW = "the page took too long to clean"
TOO_DEAR = "the page takes more memory to clean than it may"
# A policy's address after redirects: wider than the candidates' rule, since sites move it to /legal/pp and the like.
POLICY_ADDRESS = re.compile(
    r"privacy|privacidad|confidential|data.{0,20}protection|protection.{0,20}data|polic|legal|gdpr|notice|terms"
)
TITLE = re.compile(
    r"\b(?:privacy|data protection|confidentiality)\b.{0,20}\b(?:policy|policies|notice|statement|practices)\b",
    re.IGNORECASE,
)
TITLE_BLOCKS, TITLE_WORDS = 8, 14
# A page that names at least two documents in its links and has no more words besides is there for the links.
LINKED, WORDS_BESIDE_LINKS = 2, 300
# A page counts as a policy if a quarter of it is one, in our labels and in what the classifier has learnt from.
# With less, or where no title says so, the whole page has to pass, too.
LEAST_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Reading:
    """A page, read: its title and all of its blocks, those of the policy and those of the page."""

    title: str
    blocks: list[Block]
    base: str = ""  # the address in the page's <base>, against which its links are resolved

    def policy_blocks(self) -> list[Block]:
        """Return the blocks without the page's furniture."""
        return [block for block in self.blocks if not block.furniture]

    def page_text(self) -> str:
        """Return the words of the whole page, menus and footers included."""
        return "\n".join(block.text for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Policy:
    """What is taken for a page's privacy policy: its blocks, its title, and the other legal documents on the page.

    `share` is its share of the page's words; `is_named` tells whether a title there says that it is a policy.
    """

    blocks: list[Block]
    title: str
    others: tuple[NamedDocument, ...] = ()
    share: float = 1.0
    is_named: bool = True

    def text(self) -> str:
        """Return the policy's words."""
        return "\n".join(block.text for block in self.blocks)

    def evidence(self, url: str) -> policyhood.Evidence:
        """Return what the classifier looks at."""
        headings = tuple(block.text for block in self.blocks if block.kind == "heading")
        return policyhood.evidence(url, self.title, headings, self.text())


def clean(page: Page, settings: Settings) -> Capture | Rejection:
    """Make a capture of a page that holds a privacy policy, or say why it is turned away."""

    def turn_away(reason: Reason, detail: str) -> Rejection:
        return Rejection(page.url, reason, detail, page.source, page.fetched_at)

    if len(page.content) > settings.max_page_bytes:
        return turn_away(Reason.TOO_LARGE, f"{len(page.content):,} bytes, more than {settings.max_page_bytes:,}")
    try:
        asked, url = normal_url(page.url), normal_url(page.final_url or page.url)
    except BadAddress as error:
        return turn_away(Reason.UNREADABLE, str(error))
    reading = read(page)
    if isinstance(reading, str):
        return turn_away(Reason.UNREADABLE, reading)
    if excess := _excess(reading):
        return turn_away(Reason.TOO_LARGE, excess)
    policy = whole_page(reading)
    evidence = policy.evidence(url)
    if len(evidence.hashes) < settings.min_words:
        return turn_away(Reason.TOO_SHORT, _too_few_words(len(evidence.hashes), reading, settings.min_words))
    spoken = "en" if is_plainly_english(evidence.hashes) else language(policy.text())
    if spoken != "en":
        return turn_away(Reason.NOT_ENGLISH, f"the text is in {spoken!r}")
    policy, p_policy = judge(policy, evidence, settings.min_words)
    if p_policy < settings.policy_threshold:
        uncertain = f"P = {p_policy:.3f}, less than {settings.policy_threshold}"
        return turn_away(Reason.NOT_POLICY, f"{uncertain}{_among_others(policy) or _only_links(reading)}")
    if moved := _moved(asked, url):
        return turn_away(Reason.MOVED, moved)
    text, segments = compose(policy.blocks)
    if excess := _excess_of_passages(segments):
        return turn_away(Reason.TOO_LARGE, excess)
    likeness = shingles(word_hashes(policy.text()))
    return Capture(
        policy_id=policy_id(url),
        url=url,
        domain=registrable_domain(url),
        page=page,
        title=_page_title(page.title or reading.title, policy)
        or _title(reading.blocks, policy.blocks, registrable_domain(url)),
        text=text,
        page_text=reading.page_text(),
        segments=segments,
        p_policy=round(p_policy, 6),
        effective_on=effective_on(text),
        updated_on=updated_on(text),
        shingles=len(likeness),
        bands=bands(likeness),
        language=spoken,
        links=in_policy(policy.blocks, text, url, reading.base),
        documents=policy.others,
    )


def whole_page(reading: Reading) -> Policy:
    """Return a page without its furniture, taken for one policy."""
    return Policy(reading.policy_blocks(), reading.title)


def judge(page: Policy, evidence: policyhood.Evidence, min_words: int) -> tuple[Policy, float]:
    """Return the policy of a page that holds other legal documents, too, else the page, and P(policy) of it.

    `evidence` is the whole page's.
    """
    section = policy_section(page, min_words)
    if section is page:
        return page, policyhood.probability(evidence)
    p_policy = policyhood.probability(section.evidence(evidence.url))
    stands_alone = section.is_named and section.share >= LEAST_SHARE
    return section, p_policy if stands_alone else min(p_policy, policyhood.probability(evidence))


def policy_section(page: Policy, min_words: int) -> Policy:
    """Return the privacy policies of a page that holds other legal documents, too; else the page as it is."""
    parts = cut(page.blocks)
    policies = [part for part in parts if part.kind == "privacy"]
    blocks = [block for part in policies for block in part.blocks]
    own = _word_count(blocks)
    # A shorter section is a chapter of another document, and leads to the policy.
    if len(policies) == len(parts) or own < min_words:
        return page
    main = next((part for part in policies if part.is_named), policies[0])
    others = tuple(NamedDocument(part.kind, part.title) for part in parts if part.kind != "privacy")
    return Policy(blocks, main.title, others, own / _word_count(page.blocks), main.is_named)


def _word_count(blocks: Iterable[Block]) -> int:
    return sum(len(block.text.split()) for block in blocks)


def _among_others(policy: Policy) -> str:
    """Return that a page holds a policy which is too small a part of it; empty if it does not."""
    if not policy.others or policy.share >= LEAST_SHARE:
        return ""
    names = ", ".join(document.title or document.kind for document in policy.others)
    return f"; a policy is {policy.share:.0%} of the page, beside {names}"


def read(page: Page) -> Reading | str:
    """Read a page into blocks; a sentence says why it cannot be."""
    text = decode(page.content, page.charset)
    if text is None:
        return "the content is binary, not a page"
    if not text.strip():
        return "the page is empty"
    if page.kind == "text":
        return Reading("", read_lines(text))
    text = as_shown(text)
    if reason := refusal(text):
        return reason
    layout = lay_out(text)
    laid_out = zip(layout.blocks, mark(layout), strict=True)
    blocks = [Block(laid.kind, laid.text, laid.level, flag, laid.links) for laid, flag in laid_out]
    return Reading(layout.title, blocks, layout.base) if blocks else "the page shows no text"


def guarded(work: Callable[[], Capture | Rejection], page: Page) -> Capture | Rejection:
    """Do the work on one document; whatever goes wrong with it is its own rejection and stops nothing else."""
    try:
        return work()
    except MemoryError:
        detail = TOO_DEAR
    except OutOfTime:
        detail = TOO_SLOW
    except Exception as error:  # noqa: BLE001 - the one border where a document may fail in any way
        cause = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        detail = f"cleaning failed ({cause})"
    return Rejection(page.url, Reason.UNREADABLE, detail, page.source, page.fetched_at)


def _excess(reading: Reading) -> str:
    """Return which part of a page is too much, before anything is made of its blocks; nothing if none is."""
    if len(reading.blocks) > limits.MAX_BLOCKS:
        return f"more than {limits.MAX_BLOCKS:,} paragraphs, headings, items and rows"
    headings = sum(block.kind == "heading" for block in reading.policy_blocks())
    return f"{headings:,} headings, more than {limits.MAX_HEADINGS:,}" if headings > limits.MAX_HEADINGS else ""


def _too_few_words(policy_words: int, reading: Reading, needed: int) -> str:
    on_page = len(words(reading.page_text()))
    if on_page < needed:
        return f"{on_page} {'word' if on_page == 1 else 'words'}, at least {needed} are needed"
    return f"{policy_words} words besides menus and footers, at least {needed} are needed"


def _only_links(reading: Reading) -> str:
    """Return that a page is there for its links to legal documents, with their names; empty if it is not."""
    names = linked_documents(reading.blocks)
    words_besides = _word_count(block for block in reading.blocks if not block.furniture and not block.links)
    if len(names) < LINKED or words_besides > WORDS_BESIDE_LINKS:
        return ""
    return f"; the page only links to documents: {', '.join(names)}"


def _excess_of_passages(segments: tuple[Segment, ...]) -> str:
    if len(segments) > limits.MAX_SEGMENTS:
        return f"{len(segments):,} passages, more than {limits.MAX_SEGMENTS:,}"
    length = sum(len(heading) for segment in segments for heading in segment.headings)
    return "its headings are too long for the number of passages under them" if length > limits.MAX_HEADING_TEXT else ""


def _moved(asked: str, final: str) -> str:
    """Return how the final address is no longer that of the site's policy; empty if it still is."""
    if policy_id(asked) == policy_id(final):  # two spellings of one: http and https, with and without www
        return ""
    site = registrable_domain(final)
    if not same_site(asked, final):
        return f"led to another site, {site}"
    parts = urlsplit(final)
    # The site's own name says nothing: legal.example/ is a home page, privacy.example.com/ may be a policy.
    place = f"{host_of(final).removesuffix(site)} {parts.path}?{parts.query}"
    if not POLICY_ADDRESS.search(unquote(place).lower()):
        return f"led to {final[:200]}, which is no policy's address"
    return ""


def _page_title(title: str, policy: Policy) -> str:
    """Return the page's title; where it names another of its documents, that of the policy."""
    if policy.others and policy.title and not TITLE.search(title):
        return _tidy(policy.title)
    return _tidy(title)


def _title(blocks: list[Block], policy: list[Block], domain: str) -> str:
    """Find a title where the page gives none: a short line near the start that names a policy."""
    for block in (*policy[:TITLE_BLOCKS], *blocks[: 2 * TITLE_BLOCKS]):
        text = _tidy(block.text)
        if len(text.split()) <= TITLE_WORDS and TITLE.search(text) and not text.endswith((".", ",", ":", ";", "?")):
            return text
    return untitled(domain)


def untitled(domain: str) -> str:
    """Return the title of a policy that has none."""
    return f"Privacy policy of {domain}"


def _tidy(title: str) -> str:
    whole = title.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate can be stored nowhere
    return tidy(whole)[: limits.MAX_TITLE].rstrip()
