"""Commands that look for policies: index, search, export."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smallprint.cli.options import JsonOption, LibraryOption
from smallprint.cli.output import counted, print_facts, print_json
from smallprint.controls import shown
from smallprint.errors import BadQuery, LibraryChanged

if TYPE_CHECKING:
    from smallprint.index.engine import Explanation
    from smallprint.library import Library
    from smallprint.pipeline.indexing import Indexed, Which
    from smallprint.search.results import Results

QueryArgument = Annotated[str, typer.Argument(help='Words, "phrases", -exclusions, title: url: site:; none for all.')]
RankOption = Annotated[
    str, typer.Option("--rank", help="custom, relevance, popularity, probability or date; custom is all three.")
]
WhereOption = Annotated[str, typer.Option("--in", help="Look for words in the 'text' or in the 'url'.")]
SectorOption = Annotated[list[str] | None, typer.Option("--sector", help="Only this sector; may be repeated.")]
PracticeOption = Annotated[list[str] | None, typer.Option("--practice", help="Only with this practice; repeatable.")]
NamesOption = Annotated[
    list[str] | None, typer.Option("--names", help="Only what names this technology, body or regulation; repeatable.")
]
YearOption = Annotated[list[str] | None, typer.Option("--year", help="Only what was seen in this year; repeatable.")]
GradeOption = Annotated[str, typer.Option("--grade", help="Reading grade, such as 8:12, 8: or :12.")]
VagueOption = Annotated[str, typer.Option("--vague", help="Share of vague sentences, such as 0:0.2.")]
IndexOption = Annotated[str, typer.Option("--index", help="'policy', or 'page' with menus and footers.")]
MatchOption = Annotated[str, typer.Option("--match", help="'any' or 'all' of the words.", show_default="the setting")]


def index(
    anew: Annotated[bool, typer.Option("--anew", help="Throw the indexes away and make them again.")] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring both search indexes up to date with the library: only what changed is read again."""
    from smallprint.library import Library
    from smallprint.pipeline.indexing import WHICH, throw_away
    from smallprint.settings import load

    settings = load(library=library)
    with Library(settings.library) as store, store.writing():
        if anew:
            throw_away(settings.library)
        made = indexed(store)
    if as_json:
        print_json({which: asdict(made[which]) for which in WHICH})
        return
    for which, one in made.items():
        what = "policies alone" if which == "policy" else "whole pages"
        print_facts({what: f"{one.total:,} ({one.added:,} new, {one.changed:,} changed, {one.removed:,} gone)"})
        if one.damaged:
            typer.echo(f"  left out because the stored text is damaged: {one.damaged:,}; 'smallprint check' lists them")


def indexed(store: Library) -> dict[Which, Indexed]:
    """Bring both indexes up to date, and show how far it is."""
    from rich.console import Console
    from rich.progress import Progress

    from smallprint.pipeline.indexing import WHICH, bring_up_to_date, open_index

    console = Console(stderr=True)
    made = {}
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        for which in WHICH:
            task = bar.add_task(f"indexing ({which})", total=None)
            engine = open_index(store.path, which, create=True)
            made[which] = bring_up_to_date(
                store,
                engine,
                which,
                lambda done, total, task=task: bar.update(task, completed=done, total=total),  # type: ignore[misc]
            )
    return made


def search(
    query: QueryArgument = "",
    rank: RankOption = "custom",
    where: WhereOption = "text",
    sector: SectorOption = None,
    practice: PracticeOption = None,
    names: NamesOption = None,
    year: YearOption = None,
    grade: GradeOption = "",
    vague: VagueOption = "",
    page: Annotated[int, typer.Option("--page", help="Which page of results.")] = 1,
    size: Annotated[int, typer.Option("--size", help="Results on a page.")] = 10,
    index: IndexOption = "policy",
    match: MatchOption = "",
    facets: Annotated[
        bool, typer.Option("--facets", help="Count the matches by facet, with the values' names.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each hit's score comes about.")] = False,
    no_fold: Annotated[bool, typer.Option("--no-fold", help="List near-duplicates one by one.")] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search the library: words, phrases and filters; the best policies with the passages that match."""
    from smallprint.library import Library
    from smallprint.pipeline.indexing import open_index
    from smallprint.search import results
    from smallprint.search.plain import as_plain
    from smallprint.settings import load
    from smallprint.shelf.asking import request_of

    settings = load(library=library)
    filters = {
        "rank": rank, "where": where, "sector": sector, "practice": practice, "names": names, "year": year,
        "grade": grade, "vague": vague, "page": page, "size": size, "index": index, "fold": not no_fold,
    }  # fmt: skip
    request = request_of(query, filters, match or settings.search_match)
    with Library(settings.library) as store:
        engine = open_index(settings.library, request.index)
        found = results.search(store, engine, request, with_facets=facets or as_json)
        why = (
            {hit.rank: results.explained(engine, request, hit.policy.policy_id) for hit in found.hits}
            if explain
            else {}
        )
    if as_json:
        print_json(as_plain(found, why))
        return
    _print(found, why)
    if facets:
        _print_facets(found)


def export(
    query: QueryArgument = "",
    to: Annotated[Path | None, typer.Option("--to", help="The file to write: .csv, .jsonl or .parquet.")] = None,
    again: Annotated[str, typer.Option("--again", help="The id of an export, to make it again.")] = "",
    rank: RankOption = "custom",
    where: WhereOption = "text",
    sector: SectorOption = None,
    practice: PracticeOption = None,
    names: NamesOption = None,
    year: YearOption = None,
    grade: GradeOption = "",
    vague: VagueOption = "",
    index: IndexOption = "policy",
    match: MatchOption = "",
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a whole result, every policy that matches, with its measures, citation and an id to make it again."""
    from smallprint.settings import load
    from smallprint.shelf import Shelf

    if to is None:
        raise BadQuery("say where to write with --to FILE; its name ends in .csv, .jsonl or .parquet")
    settings = load(library=library)
    filters: dict[str, Any] = {
        "rank": rank, "where": where, "sector": sector, "practice": practice, "names": names, "year": year,
        "grade": grade, "vague": vague, "index": index,
    }  # fmt: skip
    with Shelf(settings.library, match=match or settings.search_match) as shelf:
        try:
            head = shelf.export(to, query, again=again, **filters)
        except LibraryChanged:
            if not again:
                raise
            typer.secho("The library has changed since that export; this one may differ.", err=True)
            head = shelf.export(to, again=again, anyway=True)
    if as_json:
        print_json({"file": str(to), "bytes": to.stat().st_size, **asdict(head)})
    else:
        if head.behind:
            typer.secho(
                f"The index is behind by {head.behind:,} policies, so some may be missing; run 'smallprint index'.",
                err=True,
            )
        print_facts({"file": str(to), "policies": head.policies, "id": head.export_id, "cite as": head.citation})


def _print(found: Results, why: dict[int, Explanation | None]) -> None:
    folded = f", {found.total:,} with near-duplicates" if found.groups != found.total else ""
    typer.echo(f"{counted(found.groups, 'result')}{folded} ({found.seconds:.2f} s)")
    for note in found.notes:
        typer.echo(shown(note))
    if found.behind:
        typer.echo("Run 'smallprint index' to bring it up to date.")
    for hit in found.hits:
        typer.echo()
        typer.secho(shown(f"{hit.rank:>3}. {hit.policy.title or hit.policy.domain}"), bold=True)
        details = [hit.policy.url, hit.policy.seen[:10]]
        if hit.alike:
            details.append(f"and {counted(hit.alike, 'near-duplicate')}")
        typer.echo(shown("     " + " · ".join(details)))
        if hit.is_damaged:
            typer.echo("     The stored text is damaged, so no passage is shown; 'smallprint check' says more.")
        for one in hit.snippets:
            typer.echo("     " + _marked(hit.text, one.start, one.end, [(m.start, m.end) for m in one.marks]))
        if (reason := why.get(hit.rank)) is not None:
            typer.echo(
                f"     {reason.score:.3f} = P(policy) {reason.p_policy:.3f} × relevance {reason.relevance:.3f} × "
                f"popularity {reason.popularity:.2f}"
            )
            for word, share in reason.words.items():
                typer.echo(f"       {word}  {share:.3f}")
    for way in found.ways_out:
        typer.echo(f"Let go of {way.what}: {way.count:,} found")


def _marked(text: str, start: int, end: int, marks: list[tuple[int, int]]) -> str:
    made, at = "", start
    for low, high in marks:
        made += shown(text[at:low]) + typer.style(shown(text[low:high]), bold=True, underline=True)
        at = high
    return " ".join((made + shown(text[at:end])).split())


def _print_facets(found: Results) -> None:
    for one in found.facets:
        typer.secho(f"\n{one.facet.plain} (--{one.facet.key})", bold=True)
        for value in one.values:
            if value.count:
                typer.echo(f"  {value.count:>7,}  {value.share:>4.0%}  {value.choice.value}  {value.choice.plain}")
