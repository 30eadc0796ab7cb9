"""A page's HTML before it is parsed: refused if made to take all time or memory, mended where browsers differ."""

from __future__ import annotations

import re
from itertools import islice, pairwise

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
_NOSCRIPT = re.compile(r"<(/?)noscript(?=[\s/>])", re.IGNORECASE)
_SHADOW_ROOT = re.compile(r"""(?:^|[\s/"'])shadowroot(?:mode)?\s*=""", re.IGNORECASE)
_NEVER_NESTED = frozenset("area base br col embed hr img input link meta param source track wbr p li".split())


def refusal(html: str) -> str:
    """Return why a page must not be parsed, or nothing if it may be."""
    if has_too_many_attributes(html):
        return f"a tag has more than {limits.MAX_ATTRIBUTES:,} attributes"
    if nests_too_deep(html):
        return "its tags nest too deep, or are left open too often"
    return ""


def as_shown(html: str, *, all_templates: bool = False) -> str:
    """Return a page's HTML with the changes that make our parser see what a browser shows.

    Where scripts run, the content of <noscript> is not markup: an <iframe/> in it, which React leaves open, ends there
    and does not swallow the rest of the page. A <template> with a shadow root is part of the page and becomes a <div>;
    the other templates do with `all_templates`.
    """
    has_templates = re.search(r"<template" if all_templates else r"shadowroot", html, re.IGNORECASE)
    if not has_templates and not _leaves_frame_open(html):
        return html
    parts: list[str] = []
    copied = place = 0
    becomes_div: list[bool] = []  # of each template that is open
    while tag := _TAG.search(html, place):
        place = tag.end()
        name = (tag["name"] or "").lower()
        if name == "template":
            if not tag["close"]:
                becomes_div.append(all_templates or _SHADOW_ROOT.search(tag["attributes"]) is not None)
            if becomes_div and (becomes_div.pop() if tag["close"] else becomes_div[-1]):
                parts += html[copied : tag.start("name")], "div"
                copied = tag.end("name")
        elif name == "noscript" and not tag["close"]:
            end = next((token for token in _NOSCRIPT.finditer(html, place) if token[1]), None)
            if end is None:
                break  # the rest of the page is its content
            if _is_frame_open(html[place : end.start()]):
                parts += html[copied:place], ">"
                copied = end.start()
            place = end.end()
    return "".join([*parts, html[copied:]])


def _leaves_frame_open(html: str) -> bool:
    """Return whether a <noscript> may hold an <iframe> that is not closed in it; hardly any page has one."""
    tokens = pairwise(_NOSCRIPT.finditer(html))
    return any(end[1] and not start[1] and _is_frame_open(html[start.end() : end.start()]) for start, end in tokens)


def _is_frame_open(content: str) -> bool:
    content = content.lower()
    return content.rfind("<iframe") > content.rfind("</iframe")


def has_too_many_attributes(html: str) -> bool:
    """Return whether some tag has so many attributes that parsing it, quadratic in their number, takes long."""
    places = (tag.span("of_raw" if tag["raw"] else "attributes") for tag in _TAG.finditer(html))
    # Each takes two characters at least, so that hardly any tag has to be counted.
    long = ((start, end) for start, end in places if end - start > 2 * limits.MAX_ATTRIBUTES)
    return any(next(islice(_ATTRIBUTES.finditer(html, *place), limits.MAX_ATTRIBUTES, None), None) for place in long)


def nests_too_deep(html: str) -> bool:
    """Return whether tags nest so deep, or are left open so often, that parsing takes all time or memory."""
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
