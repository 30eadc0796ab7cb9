"""Benchmark of cutting pages into their legal documents: whether the privacy policy is found, and it alone.

On the pages read by us (datasets/documents.py): those of the test split, and the tuning ones beside them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from smallprint.clean.cleaning import Policy, judge, read, whole_page
from smallprint.datasets.corpus import Sample, dmoz_pages, ota_pages
from smallprint.datasets.documents import Kind, PageDocument, ReadPage, read_pages
from smallprint.errors import NoData
from smallprint.evaluate.tasks import Order, Outcome
from smallprint.models import policyhood

WORD = re.compile(r"\w+")  # as the labels count words
SYSTEMS = ("default", "whole page")
# A policy is found if the F1 of the words kept is at least this.
FOUND = 0.9
# Links and page furniture are counted neither for nor against.
IDLE: tuple[Kind, ...] = ("links", "page")


@dataclass(frozen=True, slots=True)
class Finding:
    """What was kept of a page: its F1 in words, None where the page holds no policy, and P(policy) of what is kept."""

    page: ReadPage
    f1: float | None
    probability: float
    documents: tuple[str, ...]


def evaluate(order: Order) -> Outcome:
    """Run the benchmark on a folder of research data."""
    systems = order.choose(SYSTEMS)
    if not order.data.is_dir():
        raise NoData(f"{order.data} is no folder; the labels are of pages of the research data")
    labelled = {page.id: page for page in read_pages() if order.wants(page.id)}
    threshold, least = order.settings.policy_threshold, order.settings.min_words
    samples = [sample for sample in _pages(order.data) if sample.id in labelled]
    findings = {system: list(_findings(samples, labelled, system, least)) for system in systems}
    test = {
        system: [finding for finding in found if finding.page.split == "test"] for system, found in findings.items()
    }
    first = findings[systems[0]]
    return Outcome(
        "pages read by us, the test split",
        sorted((finding.page.id, str(finding.page.documents)) for finding in test[systems[0]]),
        {system: measures(found, threshold) for system, found in test.items()},
        {
            "subsets": {
                "test, Open Terms Archive": measures(_of(first, "test", "ota:"), threshold),
                "test, DMOZ": measures(_of(first, "test", "dmoz:"), threshold),
                "tuning": measures(_of(first, "tuning", ""), threshold),
            }
        },
        (
            {
                "id": finding.page.id,
                "F1": finding.f1,
                "score": finding.probability,
                "documents": list(finding.documents),
            }
            for finding in first
        ),
    )


def measures(findings: Sequence[Finding], threshold: float) -> dict[str, float | int | None]:
    """Return how often the policy is found among several documents and by itself, and what the classifier says.

    `kept` is the share of pages with several documents whose policy is found and taken for one; `turned_away` that of
    pages without a policy that are turned away.
    """
    several = [finding for finding in findings if finding.f1 is not None and finding.page.has_several]
    single = [finding for finding in findings if finding.f1 is not None and not finding.page.has_several]
    without = [finding for finding in findings if finding.f1 is None]
    is_found = [(finding.f1 or 0) >= FOUND for finding in several]
    return {
        "several": len(several),
        "found": _share(is_found),
        "F1": _share([finding.f1 or 0 for finding in several]),
        "kept": _share(
            [hit and finding.probability >= threshold for hit, finding in zip(is_found, several, strict=True)]
        ),
        "single": len(single),
        "whole": _share([(finding.f1 or 0) >= FOUND for finding in single]),
        "none": len(without),
        "turned_away": _share([finding.probability < threshold for finding in without]),
    }


def overlap(documents: Sequence[PageDocument], kept: Collection[int]) -> float | None:
    """Return the F1 of the words kept against those of a page's policies; None where it has none."""
    policy = _places(documents, ("privacy",))
    if not policy:
        return None
    counted = set(kept) - _places(documents, IDLE)
    return 2 * len(policy & counted) / (len(policy) + len(counted))


def _findings(samples: Sequence[Sample], labelled: dict[str, ReadPage], system: str, least: int) -> Iterator[Finding]:
    for sample in samples:
        reading = read(sample.page("evaluate"))
        if isinstance(reading, str):
            raise NoData(f"{sample.id} cannot be read: {reading}")
        whole = whole_page(reading)
        policy, probability = whole, policyhood.probability(seen := whole.evidence(sample.url))
        if system == "default":
            policy, probability = judge(whole, seen, least)
        names = tuple(f"{document.kind}: {document.title}" for document in policy.others)
        page = labelled[sample.id]
        yield Finding(page, overlap(page.documents, _kept(whole, policy)), probability, names)


def _kept(whole: Policy, policy: Policy) -> set[int]:
    """Return the places, counted in words of the whole page, of the words that are kept."""
    kept = {id(block) for block in policy.blocks}
    places: set[int] = set()
    end = 0
    for block in whole.blocks:
        start, end = end, end + len(WORD.findall(block.text))
        if id(block) in kept:
            places.update(range(start, end))
    return places


def _places(documents: Sequence[PageDocument], kinds: Collection[Kind]) -> set[int]:
    ranges = (range(document.start, document.end) for document in documents if document.kind in kinds)
    return set(chain.from_iterable(ranges))


def _of(findings: Sequence[Finding], split: str, collection: str) -> list[Finding]:
    return [finding for finding in findings if finding.page.split == split and finding.page.id.startswith(collection)]


def _pages(data: Path) -> Iterator[Sample]:
    yield from ota_pages(data)
    yield from dmoz_pages(data)


def _share(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
