"""The mentions benchmark: matches of every pattern on DMOZ policies that we read, and the false ones of earlier rounds.

A judgement names a place without quoting the policy: the words matched, and how often the same words stand before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smallprint.annotate.mentions import find, names
from smallprint.clean.cleaning import read
from smallprint.clean.segments import compose
from smallprint.evaluate.corpus import dmoz_pages, listed
from smallprint.records import Page

TASK = "mentions"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What we said of one match; the round is that of the pattern's mending, the last being final."""

    name: str
    id: str
    occurrence: int
    matched: str
    true: bool
    round: int


@dataclass(frozen=True, slots=True)
class Checked:
    """A judgement, and whether the place is still found."""

    judgement: Judgement
    found: bool


def judgements() -> list[Judgement]:
    """Read what we said: `splits/mention_judgements.tsv`."""
    return [
        Judgement(
            row["name"], row["id"], int(row["occurrence"]), row["matched"], row["verdict"] == "true", int(row["round"])
        )
        for row in listed("mention_judgements")
    ]


def check(text: str, judged: list[Judgement]) -> Iterator[Checked]:
    """Say for every judgement on one policy whether its place is found, in whole or in part."""
    mentioned = find(text)
    for one in judged:
        start, end = place(text, one.matched, one.occurrence)
        yield Checked(one, any(m.name == one.name and m.start < end and m.end > start for m in mentioned))


def place(text: str, matched: str, occurrence: int) -> tuple[int, int]:
    """Find the words in a text for the nth time, from 0, with any blanks between them; (0, 0) if they are not there."""
    words = r"\s+".join(map(re.escape, matched.split()))
    for number, match in enumerate(re.finditer(words, text)):
        if number == occurrence:
            return match.span()
    return 0, 0


def policy_text(url: str, text: str) -> str:
    """Give the text of a policy as the library has it; empty where the page cannot be read."""
    reading = read(Page(url, text.encode("utf-8", "replace"), "text", "evaluate", ""))
    return "" if isinstance(reading, str) else compose(reading.policy_blocks())[0]


def evaluate(data: Path, ids: frozenset[str] | None = None, predictions: Path | None = None) -> dict[str, Any]:
    """Run the benchmark on a folder of research data; `ids` are those of DMOZ pages, as "dmoz:..."."""
    judged: dict[str, list[Judgement]] = {}
    for one in judgements():
        judged.setdefault(f"dmoz:{one.id}", []).append(one)
    checked = [
        result
        for sample in dmoz_pages(data, {})
        if sample.id in judged and (ids is None or sample.id in ids)
        for result in check(policy_text(sample.url, sample.text or ""), judged[sample.id])
    ]
    if predictions is not None:
        predictions.write_text("".join(f"{_line(result)}\n" for result in checked), encoding="utf-8")
    return measured(checked)


def measured(checked: list[Checked]) -> dict[str, Any]:
    """Give the precision of every pattern on its final round, and how many earlier mistakes it still makes."""
    final: dict[str, int] = {}
    for one in judgements():
        final[one.name] = max(one.round, final.get(one.name, 0))
    last = [result for result in checked if result.judgement.round == final[result.judgement.name]]
    mended = [result for result in checked if not result.judgement.true and result not in last]
    return {
        "task": TASK,
        "data": "DMOZ policies, read by us",
        "n": len(last),
        "systems": {"default": _measures(last, mended)},
        "by_pattern": {
            name.id: {"n": len(part), **_measures(part, [r for r in mended if r.judgement.name == name.id])}
            for name in names()
            if (part := [r for r in last if r.judgement.name == name.id])
        },
    }


def _measures(last: list[Checked], mended: list[Checked]) -> dict[str, float]:
    found = [result.judgement.true for result in last if result.found]
    return {
        "precision": sum(found) / len(found) if found else 0.0,
        "found": len(found),
        "earlier mistakes": len(mended),
        "still made": sum(result.found for result in mended),
    }


def _line(checked: Checked) -> str:
    one = checked.judgement
    return json.dumps({"id": f"dmoz:{one.id}", "name": one.name, "occurrence": one.occurrence, "chosen": checked.found})
