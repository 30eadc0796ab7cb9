"""The extraction benchmark: how much of a policy's own text is kept, and how much of the page's furniture with it."""

from __future__ import annotations

import html as entities
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from smallprint.clean.cleaning import read
from smallprint.clean.layout import UNSEEN
from smallprint.errors import NoData
from smallprint.evaluate.corpus import rows
from smallprint.evaluate.measures import overlap
from smallprint.records import Page, PageKind

TASK = "extraction"
SYSTEMS = ("default", "lines", "whole page")
TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Referenced:
    """A page and the policy text that somebody took from it by hand."""

    id: str
    html: str
    reference: str


def extract(html: str, system: str) -> str:
    """Extract a page's policy text; `lines` sees the page without its tags, `whole page` keeps everything."""
    kind: PageKind = "text" if system == "lines" else "html"
    content = strip_tags(html) if system == "lines" else html
    reading = read(Page("", content.encode("utf-8", "replace"), kind, "evaluate", ""))
    if isinstance(reading, str):
        return ""
    blocks = reading.blocks if system == "whole page" else reading.policy_blocks()
    return "\n".join(block.text for block in blocks)


def strip_tags(html: str) -> str:
    """Take the tags off a page as crude strippers do: words on both sides of a tag run together."""
    tree = LexborHTMLParser(html)
    tree.strip_tags(sorted(UNSEEN - {"head", "title", "img"}))
    nodes = tree.body.traverse(include_text=True) if tree.body else ()
    text = "".join(node.text_content or "" for node in nodes if node.is_text_node)
    return "\n".join(line for line in (" ".join(line.split()) for line in text.split("\n")) if line)


def opp115(data: Path) -> Iterator[Referenced]:
    """Give the OPP-115 pages that have a reference, one a policy: the page that holds most of the reference's words."""
    folder = data / "labelled" / "opp115" / "sanitized_policies"
    if not folder.is_dir():
        raise NoData(
            f"{folder} is not there; set data_dir (SMALLPRINT_DATA_DIR) to the folder that holds the research data"
        )
    references = {path.name.partition("_")[0]: path for path in folder.glob("*.html")}
    found: dict[str, list[Referenced]] = {}
    for row in rows(data / "corpus" / "opp115_pages_html.jsonl.zst"):
        path = references.get(row["opp_id"])
        if path is not None:
            reference = entities.unescape(TAG.sub(" ", path.read_text(encoding="utf-8").replace("|||", " ")))
            found.setdefault(row["opp_id"], []).append(Referenced(row["id"], row["html"], reference))
    for candidates in found.values():
        yield max(candidates, key=_held)


def pages(path: Path) -> Iterator[Referenced]:
    """Give the pages of a JSONL file: `id`, `html`, and `reference` if there is one."""
    for number, row in enumerate(rows(path), 1):
        if not isinstance(row.get("html"), str):
            raise NoData(f"line {number} of {path} has no 'html'")
        if not isinstance(row.get("reference"), str | None):
            raise NoData(f"line {number} of {path} has something other than text as 'reference'")
        yield Referenced(str(row.get("id", number)), row["html"], row.get("reference") or "")


def evaluate(
    data: Path, systems: tuple[str, ...] = SYSTEMS, ids: frozenset[str] | None = None, predictions: Path | None = None
) -> dict[str, Any]:
    """Run the benchmark on a folder of research data or on a JSONL file."""
    found = [page for page in (opp115(data) if data.is_dir() else pages(data)) if ids is None or page.id in ids]
    texts = {system: [extract(page.html, system) for page in found] for system in systems}
    if predictions is not None:
        lines = [json.dumps({"id": page.id, "text": text}) for page, text in zip(found, texts[systems[0]], strict=True)]
        predictions.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    referenced = [place for place, page in enumerate(found) if page.reference.strip()]
    result: dict[str, Any] = {
        "task": TASK,
        "data": "opp115, one page a policy" if data.is_dir() else data.name,
        "n": len(referenced),
    }
    if referenced:
        result["systems"] = {
            system: _mean([overlap(found[place].reference, texts[system][place]) for place in referenced])
            for system in systems
        }
    return result


def _mean(scores: list[tuple[float, float, float]]) -> dict[str, float]:
    recall, precision, f1 = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    lost = sum(score[0] < 0.5 for score in scores)
    return {"recall": recall, "precision": precision, "F1": f1, "pages_with_recall_below_half": lost}


def _held(page: Referenced) -> tuple[float, str]:
    """Say how much of the reference is anywhere on the page, so that no extractor has a say in the choice."""
    return overlap(page.reference, extract(page.html, "whole page"))[0], page.id
