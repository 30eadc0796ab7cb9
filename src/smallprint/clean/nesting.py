"""Pages whose tags nest so deep, or are left open so often, that parsing them would take all time or memory."""

from __future__ import annotations

import re

from smallprint import limits

REMADE = frozenset("b big code em font i s small strike strong tt u".split())
# Those with attributes, in either case; spelled out, since a pattern that ignores case is four times slower.
REMADE_TAG = re.compile(
    r"<(?=[bBcCeEfFiIsStTuU])(?:[bisuBISU]|[bB][iI][gG]|[cC][oO][dD][eE]|[eE][mM]|[fF][oO][nN][tT]|[sS][mM][aA][lL][lL]"
    r"|[sS][tT][rR][iIoO][kKnN][eEgG]|[tT][tT])[\s/]"
)
# With fewer of them than this a page may leave all of them open and still be parsed in no time.
FEW_REMADE = 200
TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*+)([^<>]*)>")
VOID = frozenset("area base br col embed hr img input link meta param source track wbr p li".split())


def nests_too_deep(html: str) -> bool:
    """Tell whether a page must not be parsed."""
    if html.count("<") < limits.MAX_DEPTH and len(REMADE_TAG.findall(html)) < FEW_REMADE:
        return False
    depth = remade = 0
    left_open: dict[str, int] = {}
    for tag in TAG.finditer(html):
        name = tag[2].lower()
        if name in REMADE:
            # Of those without attributes a parser makes three anew at most.
            change = -1 if tag[1] else 1 if tag[3] else 0
            left_open[name] = max(0, left_open.get(name, 0) + change)
        else:
            remade += sum(left_open.values())
        if name not in VOID and not tag[3].endswith("/"):
            depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > limits.MAX_DEPTH or remade > limits.MAX_REOPENED:
            return True
    return False
