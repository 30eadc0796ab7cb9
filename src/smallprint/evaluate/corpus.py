"""The research data as it lies on disk: pages with their ids, what may not be trained on, and our own lists of ids."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from smallprint.domains import registrable_domain
from smallprint.errors import BadAddress, NoData
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


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Go through the objects of a JSONL file, compressed or not."""
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
                raise NoData(f"line {number} of {path} is no JSON object")
            yield row
        if stream.fault:
            raise NoData(f"{path} cannot be read to its end: {stream.fault}; fetch it again")


def ota_pages(data: Path) -> Iterator[Sample]:
    """Give Open Terms Archive's pages, labelled by their declared type."""
    seen: Counter[str] = Counter()
    for row in rows(data / "corpus" / "ota_pages_html.jsonl.zst"):
        name = f"ota:{row['source']}/{row['service']}/{row['doc']}"
        seen[name] += 1
        label = "policy" if row["terms_type"] == "Privacy Policy" else "other"
        yield Sample(f"{name}#{seen[name]}", row["url"] or "", row["html"], None, label, f"service:{row['service']}")


def other_pages(data: Path) -> Iterator[Sample]:
    """Give news and blog pages: none is meant to be a policy."""
    for row in rows(data / "corpus" / "other_pages_html.jsonl.zst"):
        url = row["url"] or ""
        yield Sample(f"other:{row['id']}", url, row["html"], None, "other", site(url) or row["id"])


def opp115_pages(data: Path) -> Iterator[Sample]:
    """Give the saved pages of OPP-115: all are policies."""
    for row in rows(data / "corpus" / "opp115_pages_html.jsonl.zst"):
        yield Sample(
            f"opp115:{row['id']}", row["url"] or "", row["html"], None, "policy", site(row["url"] or "") or row["host"]
        )


def dmoz_pages(data: Path, labels: dict[str, str]) -> Iterator[Sample]:
    """Give the DMOZ pages with a label in a list of ours; the others get the label ""."""
    for row in rows(data / "corpus" / "dmoz_policies.jsonl.zst"):
        yield Sample(f"dmoz:{row['id']}", row["url"], None, row["text"], labels.get(row["id"], ""), row["domain"])


def site(url: str) -> str:
    """Give the site a page belongs to; empty where its address is none."""
    try:
        return registrable_domain(url) if url else ""
    except BadAddress:
        return ""


# Where the services live whose policies are kept for evaluation under a name of Open Terms Archive.
SERVICE_SITES = {
    "GraphCMS": "graphcms.com hygraph.com", "Persumi": "persumi.com", "ProtonMail": "protonmail.com proton.me",
    "Solana": "solana.com", "The Mirror": "mirror.co.uk", "The Reach Group": "reachgroup.com",
    "Tinder": "tinder.com gotinder.com",
    "Twitch": "twitch.tv", "Twitter": "twitter.com x.com t.co", "UrbanDictionary.com": "urbandictionary.com",
    "ironSource": "is.com ironsrc.com ironsource.com", "timeanddate.com": "timeanddate.com",
}  # fmt: skip


def excluded(data: Path) -> frozenset[str]:
    """Give the sites and policies that are kept for evaluation: nothing of theirs may be trained on.

    A policy is named by its id in one collection, and its text may stand in another: so its site is given too, and the
    number of an OPP-115 policy, whose name may be that of a successor.
    """
    path = data / "exclude.txt"
    if not path.is_file():
        raise NoData(f"{path} is not there: without it nobody knows what may not be trained on")
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    names = frozenset(line for line in lines if line and not line.startswith("#"))
    return names | {more for name in names for more in _other_names(name)}


def is_excluded(sample: Sample, names: frozenset[str]) -> bool:
    """Tell whether a page is kept for evaluation, by its id, its site or its service."""
    service = sample.group.removeprefix("service:")
    own = sample.id.partition("#")[0]
    policy = f"opp115:{own.removeprefix('opp115:').replace('_www.', '_')}" if own.startswith("opp115:") else own
    number = own.partition("_")[0] if own.startswith("opp115:") else own
    sites = {site(sample.url), site(f"https://{sample.group}")} - {""}
    known = {own, policy, number, f"ota:{service}", sample.group} | sites | {_dashed(one) for one in sites}
    return bool(known & names)


def _other_names(name: str) -> set[str]:
    collection, _, own = name.rpartition(":")
    if collection == "ota":
        return set(SERVICE_SITES.get(own, "").split())
    if collection == "dmoz":  # "dmoz:cat3-business/www-goorin-com-1" is of goorin.com
        return {f"dashed:{own.rpartition('/')[2].removeprefix('www-').rpartition('-')[0]}"}
    if collection == "opp115":
        number, _, host = own.partition("_")
        return {f"opp115:{number}", site(f"https://{host}")} - {""}
    return {site(f"https://{own}")} - {""}


def _dashed(domain: str) -> str:
    return f"dashed:{domain.replace('.', '-')}"


def trainable_rows(data: Path) -> Iterator[dict[str, Any]]:
    """Go through the English DMOZ pages that unlabelled text may be taken from: nothing that is evaluated on."""
    tested = {site(f"https://{row['id'].partition('_')[2]}") for row in listed("practices_test")}
    names = excluded(data) | tested
    for row in rows(data / "corpus" / "dmoz_policies.jsonl.zst"):
        sample = Sample(f"dmoz:{row['id']}", row["url"], None, None, "", row["domain"])
        if row["lang"] == "en" and not is_excluded(sample, names):
            yield row


def listed(name: str) -> list[dict[str, str]]:
    """Read one of our own tables of ids: `splits/NAME.tsv`."""
    table = resources.files("smallprint.evaluate") / "splits" / f"{name}.tsv"
    return list(csv.DictReader(table.read_text(encoding="utf-8").splitlines(), delimiter="\t"))


def dmoz_labels(*names: str) -> dict[str, str]:
    """Give the DMOZ pages we read, with the labels we gave them; those that could go either way are left out."""
    return {row["id"]: row["label"] for name in names for row in listed(name) if row["label"] != "doubtful"}
