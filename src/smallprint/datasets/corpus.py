"""Pages of the corpora with their ids and labels, our own lists of ids, and reading of JSONL and TSV files."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from smallprint.domains import registrable_domain
from smallprint.errors import BadAddress, NoData
from smallprint.records import Page, PageKind
from smallprint.sources.streams import open_stream

LONGEST_LINE = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Sample:
    """A labelled page: `html` or `text`, and the group (a site or a service) that must not be split."""

    id: str
    url: str
    html: str | None
    text: str | None
    label: str
    group: str

    def page(self, source: str, charset: str | None = None) -> Page:
        """Return the page as a source would give it."""
        content = self.html if self.html is not None else self.text or ""
        kind: PageKind = "text" if self.html is None else "html"
        return Page(self.url or "urn:unknown", content.encode("utf-8", "replace"), kind, source, "", charset=charset)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file, compressed or not."""
    if not path.is_file():
        raise NoData(
            f"{path} is not there; set data_dir (SMALLPRINT_DATA_DIR) to the folder that holds the research data"
        )
    with open_stream(path) as stream:
        for number, line in enumerate(stream.lines(LONGEST_LINE), 1):
            try:
                row = json.loads(line or b"null")
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise NoData(f"line {number} of {path} is not a JSON object")
            yield row
        if stream.fault:
            raise NoData(f"{path} cannot be read to its end: {stream.fault}; fetch it again")


def table(path: Path | Traversable, columns: Iterable[str]) -> list[dict[str, str]]:
    """Read a tab-separated table that must have these columns; a quote that is never closed stays within its line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise NoData(f"{path} cannot be read ({error}); give a file in the task's layout") from None
    names = lines[0].rstrip("\r").split("\t")
    missing = [name for name in columns if name not in names]
    if missing:
        raise NoData(f"{path} has no column {missing[0]!r}; it needs {', '.join(columns)}")
    records = []
    for number, line in enumerate((line.rstrip("\r") for line in lines[1:]), 2):
        if not line.strip():
            continue
        # Quotes are as spreadsheets write them; a line that has too few fields by them is split at its tabs alone.
        quoted = next(csv.reader([line], delimiter="\t")) if '"' in line else []
        fields = quoted if len(quoted) == len(names) else line.split("\t")
        if len(fields) != len(names):
            raise NoData(f"line {number} of {path} has {len(fields)} fields, the first line {len(names)}")
        records.append(dict(zip(names, fields, strict=True)))
    return records


def listed(name: str) -> list[dict[str, str]]:
    """Read one of our own tables of ids: `splits/NAME.tsv`."""
    return table(resources.files("smallprint.datasets") / "splits" / f"{name}.tsv", ())


def listed_ids(name: str, column: str = "id") -> frozenset[str]:
    """Return the ids in one of our own tables."""
    return frozenset(row[column] for row in listed(name))


def dmoz_labels(*names: str) -> dict[str, str]:
    """Return the DMOZ pages we labelled with their labels, without the doubtful ones."""
    return {row["id"]: row["label"] for name in names for row in listed(name) if row["label"] != "doubtful"}


def site(url: str) -> str:
    """Return the site that a page belongs to; "" if its address is none."""
    try:
        return registrable_domain(url) if url else ""
    except BadAddress:
        return ""


def ota_pages(data: Path) -> Iterator[Sample]:
    """Yield Open Terms Archive's pages, labelled by their declared type."""
    seen: Counter[str] = Counter()
    for row in rows(data / "corpus" / "ota_pages_html.jsonl.zst"):
        name = f"ota:{row['source']}/{row['service']}/{row['doc']}"
        seen[name] += 1
        label = "policy" if row["terms_type"] == "Privacy Policy" else "other"
        yield Sample(f"{name}#{seen[name]}", row["url"] or "", row["html"], None, label, f"service:{row['service']}")


def _saved_pages(data: Path, collection: str, label: str, owner: str) -> Iterator[Sample]:
    """Yield pages that all have one label; a page without an address is grouped by the column `owner`."""
    for row in rows(data / "corpus" / f"{collection}_pages_html.jsonl.zst"):
        url = row["url"] or ""
        yield Sample(f"{collection}:{row['id']}", url, row["html"], None, label, site(url) or row[owner])


# News and blog pages, none of which is meant to be a policy; the saved pages of OPP-115, all of which are.
other_pages = partial(_saved_pages, collection="other", label="other", owner="id")
opp115_pages = partial(_saved_pages, collection="opp115", label="policy", owner="host")


def dmoz_pages(
    data: Path, labels: Mapping[str, str] = MappingProxyType({}), language: str | None = None
) -> Iterator[Sample]:
    """Yield the DMOZ pages, of one language or all, with their label if `labels` has one, else ""."""
    for row in rows(data / "corpus" / "dmoz_policies.jsonl.zst"):
        if language is None or row["lang"] == language:
            yield Sample(f"dmoz:{row['id']}", row["url"], None, row["text"], labels.get(row["id"], ""), row["domain"])


english_dmoz_pages = partial(dmoz_pages, language="en")


def _last_versions(data: Path, file: str, name: str, text: str, group: str) -> Iterator[Sample]:
    """Yield the last version of each policy of an archive; `name` and `group` are made of a row's columns."""
    last: dict[str, dict[str, Any]] = {}
    for row in rows(data / "corpus" / file):
        sample_id = name.format(**row)
        if row["version"] >= last.get(sample_id, row)["version"]:
            last[sample_id] = row
    for sample_id, row in last.items():
        yield Sample(sample_id, row["url"] or "", None, row[text], "policy", group.format(**row))


tosback_pages = partial(
    _last_versions, file="history_tosback2.jsonl.zst", name="tosback:{domain}/{doc}", text="text", group="{domain}"
)
ota_versions = partial(
    _last_versions, file="history_ota.jsonl.zst", name="ota-history:{source}/{service}/{doc}", text="markdown",
    group="service:{service}",
)  # fmt: skip
