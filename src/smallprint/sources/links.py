"""The links on a home page that lead to the site's privacy policy."""

from __future__ import annotations

import re
from urllib.parse import unquote, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from smallprint import limits
from smallprint.domains import normal_url, same_site
from smallprint.errors import BadAddress
from smallprint.markup import refusal

MOST = 3  # links given
WITHIN = 40  # points of the best link; what scores lower is another page that also speaks of privacy
MAX_ANCESTORS = 40
MAX_NODES = 1_000  # looked at within one link

DOCUMENT = r"(policy|policies|notice|statement|declaration)"
# What the words of a link are worth, best first: only the first that fits counts.
WORDS = tuple(
    (re.compile(pattern), points)
    for pattern, points in (
        (rf"^(our |website |online |the )?privacy {DOCUMENT}$", 100),
        (rf"\bprivacy (and|&) cookies? {DOCUMENT}\b|\bprivacy {DOCUMENT}\b", 90),
        (r"^privacy$", 80),
        (rf"\bdata (protection|privacy) {DOCUMENT}\b", 70),
        (r"^data (protection|privacy)$", 60),
        (r"\bprivacy\b", 50),
        (r"\bdata protection\b", 40),
    )
)
PATHS = tuple(
    (re.compile(pattern), points)
    for pattern, points in (
        (rf"privacy[-_ ]?{DOCUMENT}", 20),
        (r"privacy", 15),
        (r"data[-_ ]?protection", 10),
    )
)
PATH_ALONE = 25  # for a link whose words say nothing, such as a picture
FOOTER, OTHER_SITE = 10, -30
MAX_WORDS = 80  # characters; longer link text is a headline or a teaser

# Pages on which one sets things or asks for things, and files that are no pages: only taken where nothing better is.
ASIDE = re.compile(
    r"\b(settings?|preferences?|choices?|options?|controls?|manage|tools?|do not (sell|share)|opt[- ]?out|requests?"
    r"|cent(er|re)|shield|careers?|applicants?|employees?|blog|news|press)\b"
)
FILE = re.compile(r"\.(pdf|docx?|zip|jpe?g|png)$")


def policy_links(html: bytes | str, base_url: str) -> list[str]:
    """Return the addresses that most likely lead to the site's privacy policies, best first, at most three.

    Returns none for a page that must not be parsed.
    """
    if refusal(html if isinstance(html, str) else html.decode("utf-8", "replace")):
        return []
    tree = LexborHTMLParser(html)
    base = _base(tree, base_url)
    home = _address(base_url, base_url)
    scores: dict[str, float] = {}
    asides: dict[str, float] = {}
    for anchor in tree.css("a[href], area[href]")[: limits.MAX_LINKS]:
        address = _address(anchor.attributes.get("href") or "", base)
        if address is None or address == home:
            continue
        words, path = _words(anchor), _path(address)
        points = _points(words, path)
        if not points:
            continue
        points += FOOTER * _in_footer(anchor) + OTHER_SITE * (not same_site(address, base_url))
        is_aside = ASIDE.search(words) or ASIDE.search(re.sub(r"[-_/]", " ", path)) or FILE.search(path)
        kept = asides if is_aside else scores
        kept[address] = max(points, kept.get(address, points))
    return _best(
        {address: points for address, points in scores.items() if same_site(address, base_url)} or scores or asides
    )


def _best(scores: dict[str, float]) -> list[str]:
    ranked = sorted(scores, key=lambda address: -scores[address])
    return [address for address in ranked[:MOST] if scores[address] >= scores[ranked[0]] - WITHIN]


def _points(words: str, path: str) -> float:
    by_words = next((points for pattern, points in WORDS if pattern.search(words)), 0)
    by_path = next((points for pattern, points in PATHS if pattern.search(path)), 0)
    if by_words:
        return by_words + by_path
    # "Cookies", or "Terms", at an address with "privacy" in it is not meant; a picture or an unknown word may be.
    return PATH_ALONE + by_path if by_path and not re.search(r"cookie|terms|sell", words) else 0


def _words(anchor: LexborNode) -> str:
    text = _text(anchor)
    if not text.strip():
        image = anchor.css_first("img[alt]")
        alternatives = (anchor, "aria-label"), (anchor, "title"), (image, "alt")
        text = next(
            (node.attributes[name] or "" for node, name in alternatives if node and name in node.attributes), ""
        )
    # "Privacy Policy »" and "[ Privacy ]" are what they are without their ornaments.
    words = re.sub(r"[^\w&' -]+", " ", text[: 4 * MAX_WORDS]).lower()
    words = " ".join(words.split()).strip(" -&'")
    return words if len(words) <= MAX_WORDS else ""


def _text(anchor: LexborNode) -> str:
    """Return the first words within a link; links can be nested in table cells, thousands deep, each around a page."""
    parts: list[str] = []
    length, node, depth = 0, anchor.first_child, 0
    for _ in range(MAX_NODES):
        if node is None or length > 4 * MAX_WORDS:
            break
        if node.is_text_node:
            text = node.text_content or ""
            parts.append(text)
            length += len(text) + 1
        following = node.first_child
        depth += following is not None
        while following is None and node is not None:
            following = node.next
            if following is None:
                node, depth = (node.parent, depth - 1) if depth else (None, 0)
        node = following
    return " ".join(parts)


def _path(address: str) -> str:
    parts = urlsplit(address)
    return unquote(f"{parts.path}?{parts.query}" if parts.query else parts.path).lower()


def _address(href: str, base: str) -> str | None:
    href = href.strip()
    if not href or href.startswith("#"):
        return None
    try:
        address = urljoin(base, href)
        return normal_url(address) if urlsplit(address).scheme in {"http", "https"} else None
    except (BadAddress, ValueError):
        return None


def _base(tree: LexborHTMLParser, base_url: str) -> str:
    declared = tree.css_first("base[href]")
    href = (declared.attributes.get("href") or "") if declared else ""
    return _address(href, base_url) or base_url


def _in_footer(anchor: LexborNode) -> bool:
    node = anchor.parent
    for _ in range(MAX_ANCESTORS):
        if node is None:
            return False
        named = f"{node.attributes.get('id') or ''} {node.attributes.get('class') or ''}".lower()
        if node.tag == "footer" or "footer" in named:
            return True
        node = node.parent
    return False
