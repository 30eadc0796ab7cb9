"""What is true of a sample page: whether it is to be kept, and what its policy says, quoted word for word."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from smallprint.records import Reason

Polarity = Literal["does", "does not"]
Stance = Literal["does", "does not", "both", "silent"]
Style = Literal["plain", "vague", "contradictory", "none"]
Outcome = Literal["kept"] | Reason


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
        """Say where the policy stands on a topic: it does, does not, says both, or is silent."""
        if topic not in topics():
            raise KeyError(topic)
        said = {practice.polarity for practice in self.practices if practice.topic == topic}
        if len(said) == 2:
            return "both"
        return said.pop() if said else "silent"


def practices(says: Iterable[tuple[str, str]]) -> tuple[Practice, ...]:
    """Make the practices that marks such as "+share-location" or "-sell" stand for, each with its quote."""
    found: list[Practice] = []
    for mark, quote in says:
        found.append(_practice(mark, quote, implied=False))
        found += [
            _practice(follows, quote, implied=True) for follows in topics()[mark[1:]].implies if follows[0] == mark[0]
        ]
    return tuple({(p.topic, p.polarity, p.quote): p for p in reversed(found)}.values())[::-1]


def _practice(mark: str, quote: str, *, implied: bool) -> Practice:
    topic = topics()[mark[1:]]
    if mark[0] == "+":
        return Practice(topic.id, topic.category, topic.values, "does", quote, implied)
    return Practice(topic.id, topic.category, topic.values_not, "does not", quote, implied)


@cache
def topics() -> Mapping[str, Topic]:
    """Read everything the sample's policies may speak of, by id."""
    raw = json.loads((files(__package__) / "topics.json").read_text(encoding="utf-8"))
    return {name: _topic(name, entry) for name, entry in raw.items()}


def _topic(name: str, entry: dict[str, Any]) -> Topic:
    values = entry.get("values", {})
    return Topic(
        id=name,
        asks=entry["asks"],
        category=entry["category"],
        values=tuple(values.items()),
        values_not=tuple(entry.get("values_not", values).items()),
        implies=tuple(sign + topic for sign, implied in entry.get("implies", {}).items() for topic in implied),
    )
