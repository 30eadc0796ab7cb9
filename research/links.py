"""How often a link of a policy gets the right kind: 50 links of 20 pages, judged by reading, drawn by a seed.

`splits/link_judgements.tsv` names each by its page of Open Terms Archive and its number among the page's links. The
pages were drawn from the policies with at least three links (seed 2301, one a service, none that the patterns were
written on), the links from each page (seed 2302), and judged before the patterns' kinds were seen.

    python research/links.py [--data FOLDER] [--json]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from smallprint.annotate.links import LinkKind, find_links
from smallprint.clean.cleaning import clean
from smallprint.datasets.corpus import Sample, listed, ota_pages
from smallprint.records import Capture, Document
from smallprint.settings import Settings, load


def kinds(sample: Sample) -> dict[str, LinkKind]:
    """Return the kinds of a page's links by their numbers."""
    capture = clean(sample.page("research", "utf-8"), Settings())
    if not isinstance(capture, Capture):
        return {}
    document = Document("", capture.url, "", capture.text, "", capture.segments, capture.links)
    return {str(number): link.kind for number, link in enumerate(find_links(document))}


def measure(data: Path) -> dict[str, float | int]:
    """Return the share of links with the right kind, and the precision of what a reader is shown (all but "other")."""
    judged = listed("link_judgements")
    pages = {row["id"] for row in judged}
    assigned = {sample.id: kinds(sample) for sample in ota_pages(data) if sample.id in pages}
    pairs = [(assigned[row["id"]].get(row["link"], "missing"), row["kind"]) for row in judged if row["id"] in assigned]
    right = [own == kind for own, kind in pairs]
    visible = [own == kind for own, kind in pairs if own != "other"]
    return {
        "links": len(pairs),
        "right kind": sum(right) / len(right),
        "shown": len(visible),
        "precision of shown": sum(visible) / len(visible),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of research data (SMALLPRINT_DATA_DIR)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.data or load().data_dir)
    lines = [
        f"{name}: {value:.2f}" if isinstance(value, float) else f"{name}: {value}" for name, value in figures.items()
    ]
    print(json.dumps(figures) if options.json else "\n".join(lines))
