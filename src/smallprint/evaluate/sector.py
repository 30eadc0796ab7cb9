"""The sector benchmark: what the classifier says of companies it never saw, against the list of companies."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from smallprint.annotate.sector import (
    CHARACTERS,
    GUESSED,
    UNKNOWN,
    answer,
    body_vector,
    guess,
    name_vector,
    probabilities,
    rarity,
    sector_of,
    threshold,
)
from smallprint.clean.cleaning import clean
from smallprint.errors import NoData
from smallprint.evaluate.corpus import Sample, dmoz_pages, listed, opp115_pages, ota_pages, rows, site
from smallprint.evaluate.measures import precision_recall_f1
from smallprint.records import Capture, Company, Page, SectorGuess
from smallprint.settings import Settings
from smallprint.sources.companies import Companies, best_by_domain
from smallprint.text import word_hashes

TASK = "sector"
SYSTEMS = ("default", "text only", "domain only", "majority")


@dataclass(frozen=True, slots=True)
class Case:
    """A company with a policy: its domain, its sector by the list, and the policy."""

    id: str
    sector: str
    capture: Capture


def companies(data: Path) -> dict[str, Company]:
    """Give the company behind each domain, and only those whose industry we know."""
    found = best_by_domain(Companies(data / "corpus" / "companies.csv"), lambda _: True)
    return {domain: company for domain, company in found.items() if sector_of(company.industry)}


def policy_pages(data: Path) -> Iterator[Sample]:
    """Give every page of the corpora that may hold a policy and has an address."""
    none: dict[str, str] = {}
    for sample in chain(dmoz_pages(data, none), ota_pages(data), opp115_pages(data), tosback_pages(data)):
        if sample.label != "other" and site(sample.url):
            yield sample


def tosback_pages(data: Path) -> Iterator[Sample]:
    """Give the last version of each policy that TOSBack kept."""
    last: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows(data / "corpus" / "history_tosback2.jsonl.zst"):
        key = (row["domain"], row["doc"])
        if key not in last or row["version"] >= last[key]["version"]:
            last[key] = row
    for (domain, doc), row in last.items():
        yield Sample(f"tosback:{domain}/{doc}", row["url"] or "", None, row["text"], "policy", domain)


def capture(sample: Sample) -> Capture | None:
    """Read a page as the clean stage does; None where it is not kept."""
    content = sample.html if sample.html is not None else sample.text or ""
    kind = "html" if sample.html is not None else "text"
    page = Page(sample.url, content.encode("utf-8", "replace"), kind, TASK, "")  # type: ignore[arg-type]
    found = clean(page, Settings())
    return found if isinstance(found, Capture) else None


def cases(data: Path, ids: frozenset[str] | None = None) -> list[Case]:
    """Give the held-out companies, each with the first of its pages that the clean stage keeps."""
    known = companies(data)
    wanted = {row["domain"] for row in listed("sector_test")} & known.keys()
    if ids is not None:
        wanted &= ids
    found: dict[str, Case] = {}
    for sample in policy_pages(data):
        domain = site(sample.url)
        if domain in wanted and domain not in found and (kept := capture(sample)) is not None:
            found[domain] = Case(domain, sector_of(known[domain].industry) or UNKNOWN, kept)
    return [found[domain] for domain in sorted(found)]


def evaluate(
    data: Path,
    systems: tuple[str, ...] = SYSTEMS,
    ids: frozenset[str] | None = None,
    predictions: Path | None = None,
) -> dict[str, Any]:
    """Run the benchmark on a folder of research data; `ids` are domains."""
    if not data.is_dir():
        raise NoData(f"{data} is no folder; {TASK} is measured on the research data (SMALLPRINT_DATA_DIR)")
    held = cases(data, ids)
    said = {system: [_JUDGES[system](case, held) for case in held] for system in systems}
    if predictions is not None and systems:
        lines = (
            json.dumps({"id": case.id, "score": one.probability, "sector": one.sector})
            for case, one in zip(held, said[systems[0]], strict=True)
        )
        predictions.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    result: dict[str, Any] = {"task": TASK, "data": "our held-out companies, by domain", "n": len(held)}
    if held:
        truth = [case.sector for case in held]
        result["systems"] = {system: measured(truth, answers) for system, answers in said.items()}
        if "default" in said:
            result["by_sector"] = by_sector(truth, said["default"])
    return result


def measured(truth: Sequence[str], said: Sequence[SectorGuess]) -> dict[str, float]:
    """Give coverage, the accuracy of what was answered, and accuracy with every "unknown" counted as wrong."""
    answered = [one.sector != UNKNOWN for one in said]
    right = [one.sector == true for one, true in zip(said, truth, strict=True)]
    return {
        "coverage": sum(answered) / len(answered) if answered else 0.0,
        "accuracy of answered": sum(right) / sum(answered) if any(answered) else 0.0,
        "accuracy": sum(right) / len(right) if right else 0.0,
    }


def by_sector(truth: Sequence[str], said: Sequence[SectorGuess]) -> dict[str, dict[str, float]]:
    """Give precision and recall of each sector."""
    table = {}
    for sector in GUESSED:
        true = [one == sector for one in truth]
        precision, recall, _ = precision_recall_f1(true, [one.sector == sector for one in said])
        answered = sum(one.sector == sector for one in said)
        table[sector] = {"n": sum(true), "answered": answered, "precision": precision, "recall": recall}
    return table


def _default(case: Case, held: list[Case]) -> SectorGuess:
    return guess(case.capture.page_text, case.capture.title, case.capture.url)


def _text_only(case: Case, held: list[Case]) -> SectorGuess:
    return answer(
        probabilities(body_vector(word_hashes(case.capture.page_text[:CHARACTERS]), rarity()), None), threshold()
    )


def _domain_only(case: Case, held: list[Case]) -> SectorGuess:
    return answer(probabilities(None, name_vector(case.capture.url, "")), threshold())


def _majority(case: Case, held: list[Case]) -> SectorGuess:
    """Say the commonest sector of them all, the best that a constant can do."""
    (sector, count), *_ = Counter(one.sector for one in held).most_common(1)
    return SectorGuess(sector, count / len(held))


_JUDGES: dict[str, Callable[[Case, list[Case]], SectorGuess]] = {
    "default": _default,
    "text only": _text_only,
    "domain only": _domain_only,
    "majority": _majority,
}
