"""The links on a home page that lead to the site's privacy policy."""

from __future__ import annotations

import re
from urllib.parse import unquote, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from smallprint import limits
from smallprint.domains import normal_url, same_site
from smallprint.errors import BadAddress
from smallprint.markup import as_shown, refusal

MOST = 3  # links given
WITHIN = 40  # points of the best link; what scores lower is another page that also speaks of privacy
MAX_ANCESTORS = 40
MAX_NODES = 1_000  # looked at within one link

DOCUMENT = r"(policy|policies|notice|statement|declaration)"
# What the words of a link are worth, best first: only the first that fits counts.
WORDS = {
    rf"^(our |website |online |the )?privacy {DOCUMENT}$": 100,
    rf"\bprivacy (and|&) cookies? {DOCUMENT}\b|\bprivacy {DOCUMENT}\b": 90,
    r"^privacy$": 80,
    rf"\bdata (protection|privacy) {DOCUMENT}\b": 70,
    r"^data (protection|privacy)$": 60,
    r"\bprivacy\b": 50,
    r"\bdata protection\b": 40,
}
PATHS = {rf"privacy[-_ ]?{DOCUMENT}": 20, r"privacy": 15, r"data[-_ ]?protection": 10}
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
    """Return at most three likely addresses of the site's policies, best first; none if the page must not be parsed."""
    html = as_shown(html if isinstance(html, str) else html.decode("utf-8", "replace"))
    if refusal(html):
        return []
    tree = LexborHTMLParser(html)
    declared = tree.css_first("base[href]")
    base = _address((declared.attributes.get("href") or "") if declared else "", base_url) or base_url
    home = _address(base_url, base_url)
    scores: dict[str, float] = {}
    asides: dict[str, float] = {}
    for anchor in tree.css("a[href], area[href]")[: limits.MAX_LINKS]:
        address = _address(anchor.attributes.get("href") or "", base)
        if address is None or address == home:
            continue
        parts = urlsplit(address)
        words = _words(anchor)
        path = unquote(f"{parts.path}?{parts.query}" if parts.query else parts.path).lower()
        points = _points(words, path)
        if not points:
            continue
        points += FOOTER * _in_footer(anchor) + OTHER_SITE * (not same_site(address, base_url))
        is_aside = ASIDE.search(words) or ASIDE.search(re.sub(r"[-_/]", " ", path)) or FILE.search(path)
        kept = asides if is_aside else scores
        kept[address] = max(points, kept.get(address, points))
    at_home = {address: points for address, points in scores.items() if same_site(address, base_url)}
    chosen = at_home or scores or asides
    ranked = sorted(chosen, key=lambda address: -chosen[address])
    return [address for address in ranked[:MOST] if chosen[address] >= chosen[ranked[0]] - WITHIN]


def _points(words: str, path: str) -> float:
    by_words = next((points for pattern, points in WORDS.items() if re.search(pattern, words)), 0)
    by_path = next((points for pattern, points in PATHS.items() if re.search(pattern, path)), 0)
    if by_words:
        return by_words + by_path
    # "Cookies", or "Terms", at an address with "privacy" in it is not meant; a picture or an unknown word may be.
    return PATH_ALONE + by_path if by_path and not re.search(r"cookie|terms|sell", words) else 0


def _words(anchor: LexborNode) -> str:
    text = _text(anchor)
    if not text.strip():
        image = anchor.css_first("img[alt]")
        sources = (anchor, "aria-label"), (anchor, "title"), (image, "alt")
        text = next((node.attributes[name] or "" for node, name in sources if node and name in node.attributes), "")
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


def _address(href: str, base: str) -> str | None:
    href = href.strip()
    if not href or href.startswith("#"):
        return None
    try:
        address = urljoin(base, href)
        return normal_url(address) if urlsplit(address).scheme in {"http", "https"} else None
    except (BadAddress, ValueError):
        return None


def _in_footer(anchor: LexborNode) -> bool:
    node, depth = anchor.parent, 0
    while node is not None and depth < MAX_ANCESTORS:
        named = f"{node.attributes.get('id') or ''} {node.attributes.get('class') or ''}".lower()
        if node.tag == "footer" or "footer" in named:
            return True
        node, depth = node.parent, depth + 1
    return False
