"""What nothing may be trained on: pages, sites and policies that are kept for evaluation."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from smallprint.datasets.corpus import Sample, english_dmoz_pages, listed, listed_ids, site
from smallprint.errors import NoData

# One name in so many is kept to measure headings as questions on.
TENTH = 10
# "si" and "is" are too short to tell a company by.
SHORTEST_NAME = 4
# Where the services live whose policies are kept for evaluation under a name of Open Terms Archive.
SERVICE_SITES = {row["service"]: row["sites"] for row in listed("service_sites")}

# The lists of policies that practices, questions and verdicts are measured on, or are to be by others.
MEASURED_ON = ("practices_test", "ask_test", "ask_tuning", "verdicts_test", "verdicts_review")


def excluded(data: Path) -> frozenset[str]:
    """Return the sites and policies that are kept for evaluation: nothing of theirs may be trained on."""
    path = data / "exclude.txt"
    if not path.is_file():
        raise NoData(f"{path} is not there: without it nobody knows what may not be trained on")
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    names = frozenset(line for line in lines if line and not line.startswith("#"))
    # A policy is named by its id in one collection, and its text may stand in another: so its site is given too, and
    # the number of an OPP-115 policy, whose name may be that of a successor.
    return names | {more for name in names for more in _other_names(name)}


def is_excluded(sample: Sample, names: frozenset[str]) -> bool:
    """Return whether a page is kept for evaluation, by its id, its site or its service."""
    service = sample.group.removeprefix("service:")
    own = sample.id.partition("#")[0]
    ids = {own, own.replace("_www.", "_"), own.partition("_")[0]} if own.startswith("opp115:") else {own}
    sites = {site(sample.url), site(f"https://{sample.group}")} - {""}
    dashed = {f"dashed:{domain.replace('.', '-')}" for domain in sites}
    return bool(names & {*ids, f"ota:{service}", sample.group, *sites, *dashed})


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


def trainable_pages(data: Path) -> Iterator[Sample]:
    """Yield the English DMOZ pages that unlabelled text may be taken from: nothing that is evaluated on."""
    tested = {site(f"https://{name.partition('_')[2]}") for name in listed_ids("practices_test")}
    verdicts = {name for row in (*listed("verdicts_test"), *listed("verdicts_review")) for name in row["sites"].split()}
    names = excluded(data) | tested | verdicts
    return (sample for sample in english_dmoz_pages(data) if not is_excluded(sample, names))


class Evaluated(NamedTuple):
    """What is evaluated on: by id and site, and by the bare names of sites and services."""

    full: frozenset[str]
    bare: frozenset[str]


def evaluated(data: Path) -> Evaluated:
    """Return whatever practices, questions and verdicts are measured on, beside what is kept for evaluation."""
    full = set(excluded(data))
    for row in (row for name in MEASURED_ON for row in listed(name)):
        host = row["id"].partition("_")[2] if row["id"].partition("_")[0].removeprefix("opp115:").isdigit() else ""
        full |= {row["id"], site(f"https://{host}"), *row.get("sites", "").split()} - {""}
    own = (name.removeprefix("ota:") if name.startswith("ota:") else name.partition(".")[0] for name in full)
    return Evaluated(frozenset(full), frozenset(bare for name in own if len(bare := letters(name)) >= SHORTEST_NAME))


def is_evaluated(sample: Sample, names: Evaluated) -> bool:
    """Return whether a page is evaluated on, under any address or name of its site: amazon.de is amazon.com's too."""
    group = sample.group.removeprefix("service:")
    own = {letters(name) for name in (group, group.partition(".")[0], group.partition(" ")[0])}
    own.add(letters(site(sample.url).partition(".")[0]))
    return is_excluded(sample, names.full) or bool(own & names.bare)


def held_out_policies(data: Path) -> frozenset[str]:
    """Return the OPP-115 policies that nothing may learn from: the test split's, and those kept for evaluation."""
    kept = (name.removeprefix("opp115:") for name in excluded(data) if name.startswith("opp115:"))
    return listed_ids("practices_test") | {name for name in kept if "_" in name}


def is_held(name: str) -> bool:
    """Return whether a service or site is kept out of training: one name in ten, and those that we ask questions on."""
    bare = _bare(name)
    return bare in _listed_names() or zlib.crc32(bare.encode()) % TENTH == 0


@cache
def _listed_names() -> frozenset[str]:
    sites = (name for row in listed("ask_test") for name in row["sites"].split())
    services = (name.removeprefix("ota:") for name in listed_ids("ask_test") if name.startswith("ota:"))
    return frozenset(map(_bare, (*sites, *services)))


def _bare(name: str) -> str:
    """Return a name's letters; a site's without what follows its own: "alibaba.co.uk" is "alibaba"."""
    own = name.strip().lower()
    if "." in own and " " not in own:
        own = site(f"https://{own}").partition(".")[0] or own
    return letters(own) or own


def letters(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
