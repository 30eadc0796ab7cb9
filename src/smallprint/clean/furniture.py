"""Which blocks of a page are the policy's and which are the page's: menus, banners, footers."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby

from smallprint.clean.layout import PROSE_WORDS, Container, Laid, Layout

TAGS = frozenset(("nav", "footer", "aside", "dialog"))
ROLES = frozenset(
    "navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar tablist".split()
)
# Words of an id or class: "site-footer", "mainNav" and "cookie_banner" count, "canavan" does not.
NAMES = re.compile(
    r"(?:^|[\s_-]|(?<=[a-z])(?=[A-Z]))"
    r"(?i:nav(?:bar|igation)?|(?:sub|mega)?menus?|top-?bar|toolbar|footers?|masthead|side-?bar|(?:bread)?crumbs?"
    r"|cookie-?(?:banner|bar|consent|notice|law|popup)|onetrust|cookiebot|banner|pop-?up|modal|overlay|lightbox"
    r"|social-?(?:links|media|icons|share)|share-?(?:buttons?|bar|links)|addthis|related-?(?:posts|articles|links)"
    r"|comments-?(?:area|list|section)|disqus|newsletter|subscribe|sign-?up|log-?in|search-?(?:box|form|bar)"
    r"|advert(?:s|isement)?|pagination|pager|skip-?(?:link|nav|to)|sr-only|screen-reader-text|visually-?hidden"
    r"|lang(?:uage)?-?(?:switcher|selector|menu)|copyright|off-?canvas|drawer|no-?print)"
    r"(?=$|[\s_\d-]|[A-Z])"
)
COPYRIGHT = re.compile(r"©|\(c\) ?\d{4}|\bcopyright\b|\ball rights reserved\b", re.IGNORECASE)
# A container that holds more of the page's prose than this is no furniture, whatever it is called.
MOST_PROSE = {"named": 0.2, "tagged": 0.35}
# The main content is the deepest section that still holds this share of the prose.
MAIN_SHARE = 0.95
# Inside the main content names mislead ("sharing-settings" may be a chapter): there a container goes by its name only
# if it holds no more prose than this, and none does if together they hold more than a tenth of it.
NAMED_PROSE_INSIDE, NAMED_SHARE_INSIDE = 40, 0.1
SECTIONS = frozenset("article body center div fieldset form main section table tbody td tr".split())


def mark(layout: Layout) -> list[bool]:
    """Return for each block of a page whether it is furniture."""
    _weigh(layout)
    marks = [_marked(container) for container in layout.containers]
    _spread(layout.containers, marks)
    _find_main(layout.containers)
    _trust_less_inside(layout.containers, marks)
    flags = [block.container.furniture or not block.container.inside or _is_notice(block) for block in layout.blocks]
    _mark_menus(layout.blocks, flags)
    _keep_title(layout.blocks, flags)
    return flags


def _weigh(layout: Layout) -> None:
    for block in layout.blocks:
        if block.is_prose():
            block.container.prose += block.words
    for container in reversed(layout.containers):
        if container.parent is not None:
            container.parent.prose += container.prose


def _marked(container: Container) -> str:
    if container.tag in TAGS or container.role in ROLES:
        return "tagged"
    if container.name and container.tag not in {"main", "article", "p", "li"} and _is_furniture_name(container.name):
        return "named"
    return ""


@lru_cache(maxsize=4096)
def _is_furniture_name(name: str) -> bool:
    return NAMES.search(name) is not None


def _spread(containers: list[Container], marks: list[str]) -> None:
    """Make furniture of what is marked and holds little prose, and of all that is in it."""
    total = containers[0].prose
    for container, mark_ in zip(containers, marks, strict=True):
        if container.parent is not None:
            is_small = mark_ != "" and container.prose <= MOST_PROSE[mark_] * total
            container.furniture = container.parent.furniture or is_small


def _find_main(containers: list[Container]) -> None:
    """Set `inside` on the main content's container and all within it."""
    for container in reversed(containers):  # children stand after their parents
        if container.parent is not None:
            container.parent.lost += container.prose if container.furniture else container.lost
    main = containers[0]
    enough = MAIN_SHARE * (main.prose - main.lost)
    for container in containers:
        if container.parent is main and container.tag in SECTIONS and not container.furniture:
            main = container if container.prose - container.lost >= enough > 0 else main
    main.inside = True
    for container in containers:
        if container.parent is not None and container.parent.inside:
            container.inside = True


def _trust_less_inside(containers: list[Container], marks: list[str]) -> None:
    total = sum(c.prose for c, m in zip(containers, marks, strict=True) if m == "named" and c.inside and c.furniture)
    main = next(container for container in containers if container.inside)
    trusted = total <= NAMED_SHARE_INSIDE * main.prose
    for container, mark_ in zip(containers, marks, strict=True):
        if not container.inside or container is main or container.parent is None:
            continue
        own = mark_ == "tagged" and container.furniture
        own = own or (mark_ == "named" and trusted and container.prose <= NAMED_PROSE_INSIDE)
        container.furniture = own or (container.parent is not main and container.parent.furniture)


def _is_notice(block: Laid) -> bool:
    return block.words <= 20 and block.kind != "heading" and COPYRIGHT.search(block.text) is not None


def _mark_menus(blocks: list[Laid], flags: list[bool]) -> None:
    """Mark runs of three or more short blocks that are links and nothing else."""
    unmarked = [index for index, flag in enumerate(flags) if not flag]
    for is_menu, group in groupby(unmarked, lambda index: _is_link(blocks[index])):
        run = list(group)
        for index in run if is_menu and len(run) >= 3 else ():
            flags[index] = True


def _is_link(block: Laid) -> bool:
    return block.words < PROSE_WORDS and block.linked >= 0.8 * block.words


def _keep_title(blocks: list[Laid], flags: list[bool]) -> None:
    """Take back the heading that stands right above the text, though it is outside its container."""
    first = next((index for index, flag in enumerate(flags) if not flag), 0)
    if blocks and blocks[first].kind == "heading" and blocks[first].level <= 2:
        return
    for index in range(first - 1, max(-1, first - 6), -1):
        block = blocks[index]
        if block.kind == "heading" and block.level <= 2 and not block.linked:
            flags[index] = False
            return
