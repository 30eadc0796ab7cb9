"""What tests put in the place of work that processes do; in a module of its own, since processes import it by name."""

from __future__ import annotations

import re
import time
from pathlib import Path

from smallprint.records import Page, Rejection
from smallprint.settings import Settings
from smallprint.sources.links import policy_links
from smallprint.view.glance import Glance, glance

# What a text ends in before the folder in which its reading leaves notes.
NOTES = "Notes are in "
ENDLESS = "This takes for ever."


def never_end() -> None:
    """Take for ever, in C, holding the interpreter."""
    re.match(r"(?:a|a)*b", "a" * 200)


def watched_glance(page: Page, settings: Settings) -> Glance | Rejection:
    """Read a text as ever, but note the beginning, and wait for a file "go" before the end."""
    text = page.content.decode()
    folder = Path(text.rpartition(NOTES)[2].strip())
    with (folder / "begun").open("a") as lines:
        lines.write("begun\n")
    if ENDLESS in text:
        never_end()
    while not (folder / "go").exists():
        time.sleep(0.01)
    return glance(page, settings)


def links_or_never(page: Page) -> list[str]:
    """Find links in a page that speaks of shoes; read any other for ever."""
    if b"Shoes" not in page.content:
        never_end()
    return policy_links(page.content.decode(), page.final_url or page.url)
