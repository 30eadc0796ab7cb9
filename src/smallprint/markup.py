"""Whether a page's HTML may be parsed: pages made to take all time or memory are told by their raw text."""

from __future__ import annotations

import re

from smallprint import limits

# Elements that a parser opens again in every later paragraph if they have attributes and are left open.
REOPENED = frozenset("b big code em font i s small strike strong tt u".split())
# Their opening tags, in either case; spelled out, since a pattern that ignores case is four times slower.
_REOPENED_TAG = re.compile(
    r"<(?=[bBcCeEfFiIsStTuU])(?:[bisuBISU]|[bB][iI][gG]|[cC][oO][dD][eE]|[eE][mM]|[fF][oO][nN][tT]|[sS][mM][aA][lL][lL]"
    r"|[sS][tT][rR][iIoO][kKnN][eEgG]|[tT][tT])[\s/]"
)
# With fewer of them than this a page may leave all of them open and still be parsed in no time.
_FEW_REOPENED = 200
_ATTRIBUTE = r"""(?:=[^\s/>=]*+|[^\s/>=]++)(?:\s*+=\s*+(?:"[^"]*+"?+|'[^']*+'?+|[^\s>"'][^\s>]*+)?+)?+"""
# A tag as a parser reads it: attributes may hold "<" and ">" in quotes. What stands in scripts and comments is no tag.
_TAG = re.compile(
    r"<!--(?:[^-]|-(?!->))*+"
    rf"|<(?P<raw>(?i:script|style|textarea|title|xmp|iframe))(?=[\s/>])(?P<of_raw>(?:[\s/]++|{_ATTRIBUTE})*+)"
    r">[^<]*+(?:<(?!/(?i:(?P=raw)))[^<]*+)*+"
    rf"|<(?P<close>/?)(?P<name>[a-zA-Z][^\s/>]*+)(?P<attributes>(?:[\s/]++|{_ATTRIBUTE})*+)"
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_NEVER_NESTED = frozenset("area base br col embed hr img input link meta param source track wbr p li".split())


def refusal(html: str) -> str:
    """Return why a page must not be parsed, or nothing if it may be."""
    if has_too_many_attributes(html):
        return f"a tag has more than {limits.MAX_ATTRIBUTES:,} attributes"
    if nests_too_deep(html):
        return "its tags nest too deep, or are left open too often"
    return ""


def has_too_many_attributes(html: str) -> bool:
    """Tell whether some tag has so many attributes that parsing it, quadratic in their number, takes long."""
    for tag in _TAG.finditer(html):
        group = "of_raw" if tag["raw"] else "attributes"
        start, end = tag.span(group)
        # Each takes two characters at least, so that hardly any tag has to be counted.
        if end - start > 2 * limits.MAX_ATTRIBUTES and _count_exceeds(html, start, end):
            return True
    return False


def nests_too_deep(html: str) -> bool:
    """Tell whether tags nest so deep, or are left open so often, that parsing takes all time or memory."""
    if html.count("<") < limits.MAX_DEPTH and len(_REOPENED_TAG.findall(html)) < _FEW_REOPENED:
        return False
    depth = reopened = 0
    left_open: dict[str, int] = {}
    for tag in _TAG.finditer(html):
        if tag["name"] is None:  # a comment, or a script with its content
            continue
        name = tag["name"].lower()
        attributes = tag["attributes"]
        if name in REOPENED:
            # Of those without attributes a parser opens three again at most.
            change = -1 if tag["close"] else 1 if attributes else 0
            left_open[name] = max(0, left_open.get(name, 0) + change)
        else:
            reopened += sum(left_open.values())
        if name not in _NEVER_NESTED and not attributes.endswith("/"):
            depth = max(0, depth - 1) if tag["close"] else depth + 1
        if depth > limits.MAX_DEPTH or reopened > limits.MAX_REOPENED:
            return True
    return False


def _count_exceeds(html: str, start: int, end: int) -> bool:
    attributes = _ATTRIBUTES.finditer(html, start, end)
    return any(number > limits.MAX_ATTRIBUTES for number, _ in enumerate(attributes, 1))
