"""The is-policy benchmark: is a page a privacy policy? On any JSONL of pages, or on our own split by domain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smallprint.clean import policyhood
from smallprint.clean.cleaning import read
from smallprint.clean.language import is_plainly_english, language
from smallprint.errors import NoData
from smallprint.evaluate.corpus import Sample, dmoz_labels, dmoz_pages, listed, ota_pages, other_pages, rows
from smallprint.evaluate.measures import classified
from smallprint.records import Page

TASK = "is-policy"
LABELS = ("policy", "other")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the classifier says of a page; `label` is "" where none was given."""

    id: str
    label: str
    probability: float
    language: str


def evidence(sample: Sample) -> tuple[policyhood.Evidence, str]:
    """Read a page as the clean stage does: what the classifier looks at, and the language of the text."""
    page = Page(
        url=sample.url,
        content=(sample.html if sample.html is not None else sample.text or "").encode("utf-8", "replace"),
        kind="html" if sample.html is not None else "text",
        source="evaluate",
        fetched_at="",
    )
    reading = read(page)
    if isinstance(reading, str):
        return policyhood.evidence(sample.url, "", (), ""), "und"
    policy = reading.policy_blocks()
    text = "\n".join(block.text for block in policy)
    headings = tuple(block.text for block in policy if block.kind == "heading")
    found = policyhood.evidence(sample.url, reading.title, headings, text)
    if is_plainly_english(found.hashes):
        return found, "en"
    return found, language(text if len(text) > 200 else "\n".join(block.text for block in reading.blocks))


def verdicts(samples: Iterable[Sample]) -> Iterator[Verdict]:
    """Judge pages one by one."""
    for sample in samples:
        found, spoken = evidence(sample)
        yield Verdict(sample.id, sample.label, policyhood.probability(found), spoken)


def test_pages(data: Path) -> Iterator[Sample]:
    """Give our own test split, by domain: `splits/is_policy_test.tsv` and the DMOZ pages read for it."""
    wanted = {row["id"] for row in listed("is_policy_test")}
    for sample in (*ota_pages(data), *other_pages(data)):
        if sample.id in wanted:
            yield sample
    for sample in dmoz_pages(data, dmoz_labels("dmoz_test_labels")):
        if sample.label:
            yield sample


def pages(path: Path) -> Iterator[Sample]:
    """Give the pages of a JSONL file: `url`, `html` or `text`, `label`, and an `id` if there is one."""
    for number, row in enumerate(rows(path), 1):
        html, text, url, label = (row.get(name) for name in ("html", "text", "url", "label"))
        if html is None and text is None:
            raise NoData(f"line {number} of {path} has neither 'html' nor 'text'")
        if not all(isinstance(value, str | None) for value in (html, text, url)):
            raise NoData(f"line {number} of {path} has something other than text as 'html', 'text' or 'url'")
        if label not in (*LABELS, "", None):
            raise NoData(f"line {number} of {path} has the label {label!r}; 'policy' and 'other' are known")
        yield Sample(str(row.get("id", number)), url or "", html, text, label or "", url or "")


def evaluate(
    data: Path, threshold: float, ids: frozenset[str] | None = None, predictions: Path | None = None
) -> dict[str, Any]:
    """Run the benchmark on a folder of research data (our own split) or on a JSONL file."""
    own = data.is_dir()
    found = [v for v in verdicts(test_pages(data) if own else pages(data)) if ids is None or v.id in ids]
    if predictions is not None:
        lines = (json.dumps({"id": v.id, "score": v.probability, "chosen": v.probability >= threshold}) for v in found)
        predictions.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if own:
        found = [verdict for verdict in found if verdict.language == "en"]
    labelled = [verdict for verdict in found if verdict.label]
    result: dict[str, Any] = {
        "task": TASK,
        "data": "our split by domain, English pages" if own else data.name,
        "n": len(labelled),
    }
    if labelled:
        result["systems"] = {"default": _measured(labelled, threshold)}
    if own:
        result["subsets"] = _subsets(labelled, threshold)
    return result


def _subsets(found: list[Verdict], threshold: float) -> dict[str, Any]:
    """Measure the parts of our own split by themselves, and the whole without the plainly wrong labels."""
    wrong = {row["id"] for row in listed("is_policy_wrong")}
    parts = {
        "without wrong labels": [v for v in found if v.id not in wrong],
        "Open Terms Archive: against other legal pages": [v for v in found if v.id.startswith("ota:")],
        "the same without wrong labels": [v for v in found if v.id.startswith("ota:") and v.id not in wrong],
        "DMOZ, read by us": [v for v in found if v.id.startswith("dmoz:")],
    }
    measured = {name: {"n": len(part), **_measured(part, threshold)} for name, part in parts.items() if part}
    if "without wrong labels" in measured:
        measured["without wrong labels"]["left out"] = sum(v.id in wrong for v in found)
    return measured


def _measured(found: list[Verdict], threshold: float) -> dict[str, float]:
    return classified([v.label == "policy" for v in found], [v.probability for v in found], threshold)
