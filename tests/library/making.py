"""Captures made by hand, so that the library is tested without the clean stage."""

from __future__ import annotations

import random
from dataclasses import replace

from smallprint.clean.duplicates import bands
from smallprint.domains import normal_url, policy_id, registrable_domain
from smallprint.library import Library
from smallprint.library.packing import Packed, pack
from smallprint.library.rereading import replace_versions
from smallprint.records import Capture, Page, Reason, Rejection, Segment, Span
from smallprint.text import hashed, shingles, words

WORDS = (
    "we may share keep collect your data with partners when you use our service and ask us to stop or delete".split()
)


def prose(seed: int, length: int = 400) -> str:
    """Give a text that is like no other."""
    chance = random.Random(seed)
    return " ".join(f"{chance.choice(WORDS)}{chance.randrange(1000)}" for _ in range(length))


def changed(text: str, *places: int) -> str:
    """Change single words: of 400 words, 3 leave a likeness of 0.93, 6 one of 0.86."""
    tokens = text.split()
    for place in places:
        tokens[place] += "x"
    return " ".join(tokens)


def capture(
    url: str = "https://one.example/privacy",
    text: str = "We keep your data.",
    at: str = "2024-01-01",
    *,
    markup: str = "<p>{}</p>",
    source: str = "test",
    title: str = "Privacy policy",
    p_policy: float = 0.9,
    charset: str | None = None,
    kind: str = "html",
) -> Packed:
    """Pack a capture of one paragraph."""
    found = shingles(hashed(words(text)))
    page = Page(url, markup.format(text).encode(), kind, source, at, charset=charset)
    return pack(
        Capture(
            policy_id=policy_id(url),
            url=normal_url(url),
            domain=registrable_domain(url),
            page=page,
            title=title,
            text=text,
            page_text=f"Menu\n{text}",
            segments=(Segment(0, "paragraph", 0, len(text), ("Data",), None, (Span(0, len(text)),)),),
            p_policy=p_policy,
            shingles=len(found),
            bands=bands(found),
        )
    )


def rejection(url: str, reason: Reason = Reason.TOO_SHORT, at: str = "2024-01-01", source: str = "test") -> Rejection:
    return Rejection(url, reason, f"because it is {reason}", source, at)


def read_again(library: Library, old: Packed, text: str) -> Packed:
    """Put what a newer cleaner reads on the page of a version in its place, and return it."""
    new = replace(capture(old.asked_url, text, old.captured_at), page_id=old.page_id, cleaner=old.cleaner + 1)
    with library.transaction() as db:
        replace_versions(db, old.policy_id, {old.version_id: new}, new.cleaner, "2026-01-01T00:00:00Z")
    return new
