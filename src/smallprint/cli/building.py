"""Commands that fill a library: ingest, crawl, add, annotate, import."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smallprint.cli.options import JsonOption, LibraryOption, PrivateOption, QualityOption, WorkersOption
from smallprint.cli.output import counted, in_short, print_facts, print_json, progress
from smallprint.cli.searching import indexed
from smallprint.controls import shown
from smallprint.errors import BadSource

if TYPE_CHECKING:
    from smallprint.annotate.annotating import Quality
    from smallprint.library import Library
    from smallprint.library.likeness import Settled
    from smallprint.pipeline.annotate import AnnotatedVersions
    from smallprint.pipeline.tally import Tally
    from smallprint.settings import Settings


def ingest(
    sources: Annotated[
        list[str] | None, typer.Argument(help="Folders, HTML, JSONL, WARC, WET, lists of URLs or domains, CDX.")
    ] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Take in the sample of invented companies.")] = False,
    field: Annotated[
        list[str] | None, typer.Option("--field", help="Name a JSONL field, such as html=body; may be repeated.")
    ] = None,
    candidates: Annotated[
        str | None, typer.Option("--candidates", help="'url', 'any' or 'auto': see the setting.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Read sources from the start even if they were read before.")
    ] = False,
    quality: QualityOption = None,
    workers: WorkersOption = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring pages from files into the library: clean them, keep the policies, annotate them, say why the rest is out.

    A run that was stopped goes on where it was when the same command is given again.
    """
    from smallprint.library import Library
    from smallprint.pipeline import ingest as pipeline
    from smallprint.settings import load
    from smallprint.sources.catalogue import open_source
    from smallprint.sources.jsonl import FieldMap

    if not sources and not sample:
        raise BadSource("name a source to ingest, or --sample for the bundled one")
    settings = load(library=library, workers=workers, candidates=candidates, quality=quality)
    mapping = FieldMap.declared(field) if field else None
    opened = [open_source(source, settings, mapping) for source in sources or ()]
    with Library(settings.library, create=True) as store, store.writing():
        with progress("reading") as watch:
            tally = pipeline.ingest(store, opened, settings, watch, again=again)
            if sample:
                _take_sample(store, settings, tally)
        settled = settle_duplicates(store, settings)
        annotated = annotate_versions(store, settings)
        indexed(store)
        due = _due(store)
    _report(tally, settled, annotated, due, settings, as_json=as_json)


def crawl(
    sources: Annotated[
        list[str] | None, typer.Argument(help="Addresses, lists of URLs, CSVs of domains, CDX files.")
    ] = None,
    home: Annotated[
        bool, typer.Option("--home", help="Addresses are home pages: find the policy's link there.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Visit known addresses again and ask whether they changed.")
    ] = False,
    allow_private: PrivateOption = None,
    quality: QualityOption = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch pages politely and bring them into the library; without sources, go on with what is still to be visited."""
    from smallprint.library import Library
    from smallprint.library.frontier import StoredFrontier
    from smallprint.pipeline import crawl as pipeline
    from smallprint.settings import load

    settings = load(library=library, crawl_private=allow_private, quality=quality)
    with Library(settings.library, create=True) as store, store.writing():
        _line_up(store, sources or [], settings, home=home)
        if again:
            StoredFrontier(store).again()
        with progress("crawling") as watch:
            tally = pipeline.crawl(store, settings, watch)
        settled = settle_duplicates(store, settings)
        annotated = annotate_versions(store, settings)
        indexed(store)
        due = _due(store)
    _report(tally, settled, annotated, due, settings, as_json=as_json)


def add(
    what: Annotated[list[str], typer.Argument(help="Addresses or files.", metavar="URL|FILE...")],
    allow_private: PrivateOption = None,
    quality: QualityOption = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add single policies, from the web or from files, and say what became of each."""
    from smallprint.library import Library
    from smallprint.pipeline.adding import add as pipeline
    from smallprint.settings import load

    settings = load(library=library, crawl_private=allow_private, candidates="any", quality=quality)
    with Library(settings.library, create=True) as store, store.writing():
        outcomes = pipeline(store, what, settings)
        settle_duplicates(store, settings)
        annotate_versions(store, settings)
        indexed(store)
    if as_json:
        print_json([asdict(outcome) for outcome in outcomes])
        return
    for outcome in outcomes:
        became = f"{outcome.policy_id or outcome.reason}{' — ' + outcome.detail if outcome.detail else ''}"
        typer.echo(shown(f"{outcome.what}: {became}"))


def annotate(
    retry: Annotated[
        bool, typer.Option("--retry", help="Also try again what could not be annotated and was set aside.")
    ] = False,
    quality: QualityOption = None,
    workers: WorkersOption = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Annotate what is not annotated yet, or by an older model: readability, mentions, sector, vagueness, practices.

    What the better models said is never replaced by what the quicker ones would say. A run that was stopped goes on
    where it was. A policy that cannot be annotated is set aside and the others go on; 'smallprint status' lists them.
    """
    from smallprint.errors import BadSetting
    from smallprint.library import Library
    from smallprint.settings import load

    settings = load(library=library, workers=workers, quality=quality)
    if settings.quality == "none":
        raise BadSetting("there is nothing to do in quality 'none'; give --quality fast or full")
    with Library(settings.library) as store, store.writing():
        annotated = annotate_versions(store, settings, retry=retry)
        indexed(store)
    if as_json:
        print_json({"quality": settings.quality, **asdict(annotated)})
        return
    typer.echo(f"Annotated {counted(annotated.versions, 'version')} in {settings.quality} quality.")
    _tell_set_aside(annotated)


def import_companies(
    file: Annotated[Path, typer.Argument(help="The Free Company Dataset, CSV or JSONL, compressed or not.")],
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring in who stands behind domains; it takes the place of what was imported before.

    A policy's sector is that of its company's industry; where no company is known, the classifier's guess holds.
    """
    from smallprint.library import Library
    from smallprint.library.companies import replace_companies
    from smallprint.settings import load
    from smallprint.sources.companies import Companies

    companies = Companies(file)
    with Library(load(library=library).library, create=True) as store, store.writing():
        domains = replace_companies(store, companies)
        indexed(store)
    facts = {"domains": domains, "rows passed over": companies.passed_over}
    print_json(facts) if as_json else print_facts(facts, f"Imported {file.name}")


def import_popularity(
    file: Annotated[Path, typer.Argument(help="Common Crawl domain ranks, or a CSV with domain,cc_pagerank,… ranks.")],
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring in how well known domains are; it takes the place of what was imported before.

    Popularity is log10(10 · PageRank / least PageRank). Where a file has ranks but no PageRank for a domain, it is
    estimated and marked so. Nothing is known of any real domain but what is imported here.
    """
    from smallprint.library import Library
    from smallprint.pipeline.popularity import import_ranks
    from smallprint.settings import load

    settings = load(library=library)
    with Library(settings.library, create=True) as store, store.writing():
        imported = import_ranks(store, file)
        settled = settle_duplicates(store, settings)
        indexed(store)
    facts = {
        "domains": imported.domains,
        "of these estimated": imported.estimated,
        "least PageRank": f"{imported.pr_min:.3g}",
    }
    if as_json:
        print_json({**asdict(imported), "settled": asdict(settled)})
    else:
        print_facts(facts, f"Imported {file.name}")


def _line_up(store: Library, sources: list[str], settings: Settings, *, home: bool) -> None:
    from smallprint.domains import normal_url
    from smallprint.pipeline import ingest as pipeline
    from smallprint.pipeline.crawl import line_up
    from smallprint.records import FrontierItem
    from smallprint.sources.catalogue import open_source

    addresses = [source for source in sources if source.startswith(("http://", "https://"))]
    line_up(store, (FrontierItem(normal_url(address), home=home) for address in addresses))
    files = [open_source(source, settings) for source in sources if source not in addresses]
    pipeline.ingest(store, files, settings)


def _take_sample(store: Library, settings: Settings, tally: Tally) -> None:
    from smallprint import sample
    from smallprint.library.companies import has_companies, replace_companies
    from smallprint.pipeline.ingest import ingest_pages
    from smallprint.pipeline.popularity import import_ranks
    from smallprint.sources.companies import Companies

    if not has_companies(store):
        replace_companies(store, Companies(Path(str(sample.COMPANIES))))
    if store.fact("pr_min") is None:  # ranks that somebody imported are not for the sample to replace
        import_ranks(store, Path(str(sample.POPULARITY)))
    taken = ingest_pages(store, sample.pages(), settings)
    tally.read += taken.read
    tally.kept += taken.kept
    tally.rejected += taken.rejected


def settle_duplicates(store: Library, settings: Settings) -> Settled:
    """Bring copies and near-duplicates up to date, and show how far it is."""
    from smallprint.pipeline.ingest import settle_library

    with progress("comparing") as watch:
        from smallprint.pipeline.tally import Tally

        none = Tally()
        return settle_library(store, settings, lambda done, total: watch(none, done / total))


def _tell_set_aside(annotated: AnnotatedVersions) -> None:
    if annotated.set_aside:
        typer.echo(
            f"{counted(annotated.set_aside, 'version')} could not be annotated; 'smallprint status' says which and why."
        )


def annotate_versions(store: Library, settings: Settings, *, retry: bool = False) -> AnnotatedVersions:
    """Annotate what is not annotated yet in the quality that the settings ask for, and show how far it is."""
    from smallprint.pipeline.annotate import AnnotatedVersions, annotate_library
    from smallprint.pipeline.tally import Tally

    if settings.quality == "none":
        return AnnotatedVersions(0, 0)
    with progress("annotating") as watch:
        none = Tally()
        quality: Quality = "full" if settings.quality == "full" else "fast"
        return annotate_library(store, settings, quality, lambda done, total: watch(none, done / total), retry=retry)


def _due(store: Library) -> int:
    from smallprint.library.frontier import StoredFrontier

    return StoredFrontier(store).counts()[0]


def _report(
    tally: Tally, settled: Settled, annotated: AnnotatedVersions, due: int, settings: Settings, *, as_json: bool
) -> None:
    facts: dict[str, Any] = {
        "read": tally.read,
        "kept": tally.kept,
        "rejected": dict(tally.rejected.most_common()),
        "passed_over": tally.passed_over,
        "unchanged": tally.unchanged,
        "addresses_added": tally.addresses,
        "addresses_due": due,
        "exact_duplicates": settled.copies,
        "near_duplicate_groups": settled.groups,
        "folded": settled.folded,
        "annotated": annotated.versions,
        "set_aside": annotated.set_aside,
    }
    if as_json:
        print_json(facts)
        return
    typer.echo(f"Read {counted(tally.read, 'page')}: {in_short(tally)}.")
    if tally.passed_over:
        typer.echo(f"Passed over {tally.passed_over:,} records whose address names no privacy policy.")
    typer.echo(
        f"In {settings.library}: {counted(settled.copies, 'exact duplicate')} turned away, "
        f"{counted(settled.folded, 'near-duplicate')} folded into {counted(settled.groups, 'group')}."
    )
    if annotated.versions:
        typer.echo(f"Annotated {counted(annotated.versions, 'version')} in {settings.quality} quality.")
    _tell_set_aside(annotated)
    if due:
        typer.echo(f"{due:,} addresses are waiting to be visited: 'smallprint crawl' goes on with them.")
