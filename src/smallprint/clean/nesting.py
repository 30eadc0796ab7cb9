"""Pages whose tags nest so deep, or are left open so often, that parsing them would take all time or memory."""

from __future__ import annotations

import re
from itertools import accumulate

# Parsing takes time quadratic in the depth of nesting: 10,000 deep 0.2 s, 100,000 deep 20 s.
DEEPEST = 10_000
# And a parser makes anew, in every paragraph, whatever <font ...> was left open before: 2,000 times "<p><b id=1>" is
# 26 KB of page and 740 MB of tree.
MOST_REMADE = 500_000
REMADE = frozenset("b big code em font i s small strike strong tt u".split())
REMADE_TAG = re.compile(rf"<(/?)(?:{'|'.join(sorted(REMADE))})(?=[\s>/])", re.IGNORECASE)
# No page at hand has more of them open at once than 30; only then is every tag looked at.
FEW_LEFT_OPEN = 100
TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*+)([^<>]*)>")
VOID = frozenset("area base br col embed hr img input link meta param source track wbr p li".split())


def nests_too_deep(html: str) -> bool:
    """Tell whether a page must not be parsed."""
    if html.count("<") < DEEPEST and _most_left_open(html) < FEW_LEFT_OPEN:
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
        if depth > DEEPEST or remade > MOST_REMADE:
            return True
    return False


def _most_left_open(html: str) -> int:
    """Count how many tags of the kind that is made anew are open at once, at most."""
    steps = (-1 if slash else 1 for slash in REMADE_TAG.findall(html))
    return max(accumulate(steps, lambda total, step: max(0, total + step)), default=0)
