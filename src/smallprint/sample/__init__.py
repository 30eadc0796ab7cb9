"""The sample library: pages of invented companies, and what is true of each, quoted word for word."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal

from smallprint.records import Page, Reason
from smallprint.sample.generator import SamplePolicy, composed

COMPANIES: Traversable = files(__package__) / "companies.csv"
POPULARITY: Traversable = files(__package__) / "popularity.csv"
Polarity = Literal["does", "does not"]
Stance = Literal["does", "does not", "both", "silent"]
Style = Literal["plain", "vague", "contradictory", "none"]
Outcome = Literal["kept"] | Reason
POLARITIES: dict[str, Polarity] = {"+": "does", "-": "does not"}


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing a policy may say, and where it stands in OPP-115.

    `values` are (attribute, value) pairs, for what is affirmed; `values_not` for what is denied, often the same.
    `implies` are the marks that follow from it: "-share-location" brings "-share-location-advertisers".
    """

    id: str
    asks: str
    category: str
    values: tuple[tuple[str, str], ...]
    values_not: tuple[tuple[str, str], ...]
    implies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Practice:
    """One thing a policy says.

    `quote` is the sentence, list item or table cell that says it, as it reads with its whitespace collapsed;
    it never crosses a paragraph, an item or a cell. `polarity` is whether that sentence affirms or denies. What is
    `implied` follows from a broader sentence: who shares location with nobody does not share it with advertisers.
    """

    topic: str
    category: str
    values: tuple[tuple[str, str], ...]
    polarity: Polarity
    quote: str
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of one page at one time. `style` is "none" for pages that are no policies."""

    url: str
    captured_on: str
    company: str
    sector: str
    outcome: Outcome
    style: Style
    origin: Literal["written", "composed"]
    app: bool = False
    family: str | None = None
    copy_of: str | None = None
    practices: tuple[Practice, ...] = ()

    def stance(self, topic: str) -> Stance:
        """Return where the policy stands on a topic: it does, does not, says both, or is silent."""
        if topic not in topics():
            raise KeyError(topic)
        stances = {practice.polarity for practice in self.practices if practice.topic == topic}
        return "both" if len(stances) == 2 else stances.pop() if stances else "silent"


def pages() -> Iterator[Page]:
    """Yield every page of the sample, in a fixed order: the written ones, then the composed ones."""
    for policy in _policies():
        yield Page(policy.entry["url"], policy.content, "html", "sample", policy.captured_on)


@cache
def truths() -> tuple[Truth, ...]:
    """Return what is true of every page, in the order of `pages`."""
    return tuple(map(_truth, _policies()))


@cache
def topics() -> Mapping[str, Topic]:
    """Read everything the sample's policies may speak of, by id."""
    table: dict[str, dict[str, Any]] = json.loads((files(__package__) / "topics.json").read_text(encoding="utf-8"))
    return {
        name: Topic(
            id=name,
            asks=entry["asks"],
            category=entry["category"],
            values=tuple(entry.get("values", {}).items()),
            values_not=tuple(entry.get("values_not", entry.get("values", {})).items()),
            implies=tuple(sign + topic for sign, implied in entry.get("implies", {}).items() for topic in implied),
        )
        for name, entry in table.items()
    }


def _policies() -> Iterator[SamplePolicy]:
    for entry in json.loads((files(__package__) / "written.json").read_text(encoding="utf-8")):
        content = (files(__package__) / "written" / entry["file"]).read_bytes()
        yield SamplePolicy(entry, entry["captured_on"], entry["sector"], content, entry["says"], "written")
    yield from composed()


def _truth(policy: SamplePolicy) -> Truth:
    outcome = policy.entry.get("outcome", "kept")
    facts = {field.name: policy.entry[field.name] for field in fields(Truth) if field.name in policy.entry}
    facts |= {"captured_on": policy.captured_on, "sector": policy.sector, "origin": policy.origin}
    facts |= {"outcome": "kept" if outcome == "kept" else Reason(outcome), "practices": _practices(policy.says)}
    return Truth(**facts)


def _practices(says: Iterable[tuple[str, str]]) -> tuple[Practice, ...]:
    """Make the practices that marks such as "+share-location" or "-sell" stand for, each with its quote."""
    stated: list[Practice] = []
    for mark, quote in says:
        implied = [follows for follows in topics()[mark[1:]].implies if follows[0] == mark[0]]
        for meant in (mark, *implied):
            topic, polarity = topics()[meant[1:]], POLARITIES[meant[0]]
            values = topic.values if polarity == "does" else topic.values_not
            stated.append(Practice(topic.id, topic.category, values, polarity, quote, implied=meant != mark))
    return tuple({(p.topic, p.polarity, p.quote): p for p in reversed(stated)}.values())[::-1]
