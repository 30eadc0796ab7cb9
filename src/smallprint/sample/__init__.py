"""The sample library: pages of invented companies, and what is true of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any
from urllib.parse import urlsplit

from smallprint.records import Page, Reason
from smallprint.sample.generator import Composed, composed, kind_of
from smallprint.sample.markup import page as lay_out
from smallprint.sample.truth import Outcome, Practice, Topic, Truth, practices, topics

__all__ = ["COMPANIES", "POPULARITY", "Practice", "Topic", "Truth", "pages", "topics", "truths"]

COMPANIES: Traversable = files(__package__) / "companies.csv"
POPULARITY: Traversable = files(__package__) / "popularity.csv"


def pages() -> Iterator[Page]:
    """Give every page of the sample, in a fixed order: the written ones, then the composed ones."""
    for entry in _written():
        content = (files(__package__) / "written" / entry["file"]).read_bytes()
        yield Page(entry["url"], content, "html", "sample", entry["captured_on"])
    for policy in composed():
        yield Page(policy.entry["url"], _content(policy), "html", "sample", policy.captured_on)


@cache
def truths() -> tuple[Truth, ...]:
    """Give what is true of every page, in the order of `pages`."""
    return tuple(_written_truth(entry) for entry in _written()) + tuple(_composed_truth(one) for one in composed())


def _written_truth(entry: dict[str, Any]) -> Truth:
    outcome: Outcome = "kept" if entry["outcome"] == "kept" else Reason(entry["outcome"])
    return Truth(
        url=entry["url"],
        captured_on=entry["captured_on"],
        company=entry["company"],
        sector=entry["sector"],
        outcome=outcome,
        style=entry["style"],
        origin="written",
        app=entry.get("app", False),
        family=entry.get("family"),
        copy_of=entry.get("copy_of"),
        practices=practices((mark, quote) for mark, quote in entry["says"]),
    )


def _composed_truth(policy: Composed) -> Truth:
    return Truth(
        url=policy.entry["url"],
        captured_on=policy.captured_on,
        company=policy.entry["company"],
        sector=policy.sector,
        outcome="kept",
        style=policy.entry["style"],
        origin="composed",
        app=policy.entry.get("app", False),
        practices=practices(policy.says),
    )


def _content(policy: Composed) -> bytes:
    company = policy.entry["company"]
    kind = kind_of(policy)
    words = {
        "company": company,
        "host": urlsplit(policy.entry["url"]).netloc.removeprefix("www."),
        "slogan": kind["slogan"],
        "aside": kind["aside"],
        "note": f"{company} is invented; this page is part of the Smallprint sample.",
    }
    return lay_out(policy.document, policy.entry["layout"], words, kind["menu"]).encode()


@cache
def _written() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads((files(__package__) / "written.json").read_text(encoding="utf-8")))
