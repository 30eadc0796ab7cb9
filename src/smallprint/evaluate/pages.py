"""Benchmarks of the clean stage, on JSONL files of pages or on ours.

is-policy: is a page a privacy policy? extraction: how much of a policy's own text is kept, and how much of the page's
furniture with it?
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from smallprint.clean.cleaning import Policy, judge, read, whole_page
from smallprint.clean.language import is_plainly_english, language
from smallprint.clean.layout import UNSEEN
from smallprint.datasets.corpus import Sample, dmoz_labels, dmoz_pages, listed_ids, ota_pages, other_pages, rows
from smallprint.datasets.opp115 import Referenced, references
from smallprint.errors import NoData
from smallprint.evaluate.measures import classified, overlap
from smallprint.evaluate.tasks import Order, Outcome, compare
from smallprint.models import policyhood
from smallprint.records import Page, PageKind

EXTRACTORS = ("default", "lines", "whole page")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The classifier's verdict on a page; `label` is "" where none was given."""

    id: str
    label: str
    probability: float
    language: str


def is_policy(order: Order) -> Outcome:
    """Run the benchmark on a folder of research data (our own split) or on a JSONL file."""
    order.choose()
    own, threshold = order.data.is_dir(), order.settings.policy_threshold
    pages = test_pages(order.data) if own else labelled_pages(order.data)
    min_words = order.settings.min_words
    every = [_verdict(sample, min_words) for sample in pages if order.wants(sample.id)]
    known = [verdict for verdict in every if verdict.label and (verdict.language == "en" or not own)]
    return Outcome(
        "our split by domain, English pages" if own else order.data.name,
        [(verdict.id, verdict.label) for verdict in known],
        {"default": _measured(known, threshold)} if known else {},
        {"subsets": _subsets(known, threshold)} if own else {},
        ({"id": v.id, "score": v.probability, "chosen": v.probability >= threshold} for v in every),
    )


def evidence(sample: Sample) -> tuple[policyhood.Evidence, str]:
    """Read a page as the clean stage does; return what the classifier looks at, and the language of the text."""
    _, seen, spoken = _read(sample)
    return seen, spoken


def _read(sample: Sample) -> tuple[Policy, policyhood.Evidence, str]:
    """Return a page taken for one policy, what the classifier looks at, and the language of the text."""
    reading = read(sample.page("evaluate"))
    if isinstance(reading, str):
        nothing = Policy([], "")
        return nothing, nothing.evidence(sample.url), "und"
    page = whole_page(reading)
    seen, text = page.evidence(sample.url), page.text()
    if is_plainly_english(seen.hashes):
        return page, seen, "en"
    return page, seen, language(text if len(text) > 200 else reading.page_text())


def _verdict(sample: Sample, min_words: int) -> Verdict:
    page, seen, spoken = _read(sample)
    return Verdict(sample.id, sample.label, judge(page, seen, min_words)[1], spoken)


def test_pages(data: Path) -> Iterator[Sample]:
    """Yield our own test split, by domain: `splits/is_policy_test.tsv` and the DMOZ pages read for it."""
    wanted = listed_ids("is_policy_test")
    yield from (sample for sample in (*ota_pages(data), *other_pages(data)) if sample.id in wanted)
    yield from (sample for sample in dmoz_pages(data, dmoz_labels("dmoz_test_labels")) if sample.label)


def labelled_pages(path: Path) -> Iterator[Sample]:
    """Yield the pages of a JSONL file: `url`, `html` or `text`, `label`, and an `id` if there is one."""
    for number, row in enumerate(rows(path), 1):
        html, text, url, label = (row.get(name) for name in ("html", "text", "url", "label"))
        if html is None and text is None:
            raise NoData(f"line {number} of {path} has neither 'html' nor 'text'")
        if not all(isinstance(value, str | None) for value in (html, text, url)):
            raise NoData(f"line {number} of {path} has something other than text as 'html', 'text' or 'url'")
        if label not in ("policy", "other", "", None):
            raise NoData(f"line {number} of {path} has the label {label!r}; 'policy' and 'other' are known")
        yield Sample(str(row.get("id", number)), url or "", html, text, label or "", url or "")


def extraction(order: Order) -> Outcome:
    """Run the benchmark on a folder of research data or on a JSONL file."""
    systems, own = order.choose(EXTRACTORS), order.data.is_dir()
    pages = best_references(order.data) if own else referenced_pages(order.data)
    every = [page for page in pages if order.wants(page.id)]
    return compare(
        "opp115, one page a policy" if own else order.data.name,
        every,
        {system: [extract(page.html, system) for page in every] for system in systems},
        lambda page: page.reference if page.reference.strip() else None,
        extraction_measures,
        lambda _, texts: {"text": texts[systems[0]]},
    )


def extraction_measures(pages: Sequence[Referenced], texts: Sequence[str]) -> dict[str, float]:
    """Return the means over pages, and on how many of them more than half is lost."""
    scores = [overlap(page.reference, text) for page, text in zip(pages, texts, strict=True)]
    recall, precision, f1 = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    lost = sum(score[0] < 0.5 for score in scores)
    return {"recall": recall, "precision": precision, "F1": f1, "pages_with_recall_below_half": lost}


def extract(html: str, system: str) -> str:
    """Extract a page's policy text; `lines` sees the page without its tags, `whole page` keeps everything."""
    kind: PageKind = "text" if system == "lines" else "html"
    content = strip_tags(html) if system == "lines" else html
    reading = read(Page("", content.encode("utf-8", "replace"), kind, "evaluate", ""))
    if isinstance(reading, str):
        return ""
    return "\n".join(block.text for block in (reading.blocks if system == "whole page" else reading.policy_blocks()))


def strip_tags(html: str) -> str:
    """Take the tags off a page as crude strippers do: words on both sides of a tag run together."""
    tree = LexborHTMLParser(html)
    tree.strip_tags(sorted(UNSEEN - {"head", "title", "img"}))
    nodes = tree.body.traverse(include_text=True) if tree.body else ()
    text = "".join(node.text_content or "" for node in nodes if node.is_text_node)
    return "\n".join(line for line in (" ".join(line.split()) for line in text.split("\n")) if line)


def best_references(data: Path) -> Iterator[Referenced]:
    """Yield the OPP-115 pages that have a reference, one a policy: the one that holds most of the reference's words."""
    by_policy: dict[str, list[Referenced]] = defaultdict(list)
    for page in references(data):
        by_policy[page.policy].append(page)
    for pages in by_policy.values():  # what is anywhere on a page counts: no extractor has a say in the choice
        yield max(pages, key=lambda page: (overlap(page.reference, extract(page.html, "whole page"))[0], page.id))


def referenced_pages(path: Path) -> Iterator[Referenced]:
    """Yield the pages of a JSONL file: `id`, `html`, and `reference` if there is one."""
    for number, row in enumerate(rows(path), 1):
        if not isinstance(row.get("html"), str):
            raise NoData(f"line {number} of {path} has no 'html'")
        if not isinstance(row.get("reference"), str | None):
            raise NoData(f"line {number} of {path} has something other than text as 'reference'")
        yield Referenced(str(row.get("id", number)), row["html"], row.get("reference") or "")


def _subsets(verdicts: list[Verdict], threshold: float) -> dict[str, dict[str, float]]:
    """Measure the parts of our own split by themselves, and the whole without the plainly wrong labels."""
    wrong = listed_ids("is_policy_wrong")
    parts = {
        "without wrong labels": [v for v in verdicts if v.id not in wrong],
        "Open Terms Archive: against other legal pages": [v for v in verdicts if v.id.startswith("ota:")],
        "the same without wrong labels": [v for v in verdicts if v.id.startswith("ota:") and v.id not in wrong],
        "DMOZ, read by us": [v for v in verdicts if v.id.startswith("dmoz:")],
    }
    measured = {name: {"n": len(part), **_measured(part, threshold)} for name, part in parts.items() if part}
    if "without wrong labels" in measured:
        measured["without wrong labels"]["left out"] = sum(v.id in wrong for v in verdicts)
    return measured


def _measured(verdicts: list[Verdict], threshold: float) -> dict[str, float]:
    return classified([v.label == "policy" for v in verdicts], [v.probability for v in verdicts], threshold)
