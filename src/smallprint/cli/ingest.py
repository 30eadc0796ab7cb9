"""The commands that fill the library: `ingest`, `crawl`, `add`, `import companies` and `import popularity`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

from smallprint.cli.options import PrivateOption, QualityOption, Run, WorkersOption
from smallprint.cli.output import counted, fields_of, in_short, print_annotated, print_facts, print_json, progress, say

if TYPE_CHECKING:
    from smallprint.settings import Settings
    from smallprint.shelf.upkeep import Ingested


def ingest(
    run: Run,
    sources: list[str] | None = Argument(None, help="Folders, HTML, JSONL, WARC, WET, lists of URLs or domains, CDX."),
    sample: bool = Option(False, "--sample", help="Add the sample of invented companies."),
    field: list[str] | None = Option(None, help="Name a JSONL field, such as html=body; may be repeated."),
    candidates: str | None = Option(None, help="Addresses to consider: 'url', 'any' or 'auto'; see the setting."),
    again: bool = Option(False, "--again", help="Read sources from the start even if they were read before."),
    quality: QualityOption = None,
    workers: WorkersOption = None,
) -> None:
    """Add pages from files to the library: clean them, keep the policies, annotate and index them.

    Pages that are not kept are listed by 'smallprint rejections'. A run that was stopped continues where it was when
    the same command is given again.
    """
    options: dict[str, Any] = {"workers": workers, "candidates": candidates, "quality": quality}
    with run.open_shelf(create=True, **options) as shelf, progress() as show:
        done = shelf.ingest(*sources or (), sample_too=sample, fields=field or (), again=again, on_progress=show)
    _print(run, done, shelf.settings)


def crawl(
    run: Run,
    sources: list[str] | None = Argument(None, help="Addresses, lists of URLs, CSVs of domains, CDX files."),
    home: bool = Option(False, "--home", help="The addresses are home pages: find the link to the policy there."),
    again: bool = Option(False, "--again", help="Visit known addresses again and ask whether they changed."),
    allow_private: PrivateOption = None,
    quality: QualityOption = None,
) -> None:
    """Fetch pages politely and add them to the library. Without sources, continue with the waiting addresses."""
    with run.open_shelf(create=True, crawl_private=allow_private, quality=quality) as shelf, progress() as show:
        done = shelf.crawl(*sources or (), home=home, again=again, on_progress=show)
    _print(run, done, shelf.settings)


def add(
    run: Run,
    what: list[str] = Argument(..., help="Addresses or files.", metavar="URL|FILE..."),
    allow_private: PrivateOption = None,
    quality: QualityOption = None,
) -> None:
    """Add single policies, from the web or from files, and say what became of each.

    Exits with 1 if none of them was added.
    """
    options: dict[str, Any] = {"crawl_private": allow_private, "candidates": "any", "quality": quality}
    with run.open_shelf(create=True, **options) as shelf, progress() as show:
        outcomes = shelf.add(*what, on_progress=show)
    if run.as_json:
        print_json(outcomes)
    for outcome in () if run.as_json else outcomes:
        detail = f" — {outcome.detail}" if outcome.detail else ""
        say(f"{outcome.what}: {outcome.policy_id or outcome.reason}{detail}")
    if not any(outcome.policy_id for outcome in outcomes):
        raise typer.Exit(1)


def import_companies(
    run: Run, file: Path = Argument(..., help="The Free Company Dataset, CSV or JSONL, compressed or not.")
) -> None:
    """Import the companies behind domains. This replaces an earlier import.

    A policy's sector is that of its company's industry. If no company is known, the classifier's guess is used.
    """
    with run.open_shelf(create=True) as shelf, progress() as show:
        domains, skipped = shelf.import_companies(file, on_progress=show)
    facts = {"domains": domains, "rows skipped": skipped}
    run.exit_if_json(facts)
    print_facts(facts, f"Imported {file.name}")


def import_popularity(
    run: Run, file: Path = Argument(..., help="Common Crawl domain ranks, or a CSV with domain,cc_pagerank,… ranks.")
) -> None:
    """Import how popular domains are. This replaces an earlier import.

    Popularity is log10(10 · PageRank / lowest PageRank). If a file has ranks but no PageRank for a domain, it is
    estimated and marked so. No real domain has a popularity until you import it.
    """
    with run.open_shelf(create=True) as shelf, progress() as show:
        imported, refreshed = shelf.import_popularity(file, on_progress=show)
    run.exit_if_json({**fields_of(imported), "settled": refreshed.settled})
    facts = {"domains": imported.domains, "estimated": imported.estimated, "lowest PageRank": f"{imported.pr_min:.3g}"}
    print_facts(facts, f"Imported {file.name}")


def _print(run: Run, done: Ingested, settings: Settings) -> None:
    tally, settled, annotated = done.tally, done.refreshed.settled, done.refreshed.annotated
    run.exit_if_json({
        "read": tally.read, "kept": tally.kept, "rejected": dict(tally.rejected.most_common()),
        "passed_over": tally.passed_over, "unchanged": tally.unchanged, "addresses_added": tally.addresses,
        "addresses_due": done.addresses_due, "exact_duplicates": settled.copies,
        "near_duplicate_groups": settled.groups, "folded": settled.folded, "annotated": annotated.versions,
        "set_aside": annotated.set_aside,
    })  # fmt: skip
    if tally.read or tally.addresses:
        say(f"Read {counted(tally.read, 'page')}: {in_short(tally)}.")
    else:
        say("Nothing new: all of this was read before. To read it from the start, add --again.")
    if tally.passed_over:
        say(f"Skipped {counted(tally.passed_over, 'record')} whose address does not suggest a privacy policy.")
    say(
        f"In {settings.library}: {counted(settled.copies, 'exact duplicate')} rejected, "
        f"{counted(settled.folded, 'near-duplicate')} folded into {counted(settled.groups, 'group')}."
    )
    print_annotated(annotated, settings.quality)
    if done.addresses_due:
        say(f"{done.addresses_due:,} addresses are waiting to be visited: 'smallprint crawl' continues.")
