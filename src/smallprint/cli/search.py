"""The commands `search` and `export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from smallprint.cli.options import Run
from smallprint.cli.output import counted, fields_of, print_facts, say
from smallprint.controls import printable
from smallprint.errors import BadQuery, LibraryChanged

if TYPE_CHECKING:
    from smallprint.shelf.records import Explanation, Result, Results

QueryArgument = Annotated[str, Argument(help='Words, "phrases", -exclusions, title: url: site:; none for all.')]
RankOption = Annotated[
    str,
    Option(help="custom (relevance × popularity × policy probability), relevance, popularity, probability or date."),
]
WhereOption = Annotated[str, Option("--in", help="Search the 'text' or the 'url'.")]
IndexOption = Annotated[
    str, Option(help="'policy' for policy text only, 'page' for whole pages with menus and footers.")
]
MatchOption = Annotated[str | None, Option(help="Find 'any' or 'all' of the words.", show_default="the setting")]


def search(
    run: Run,
    query: QueryArgument = "",
    rank: RankOption = "custom",
    where: WhereOption = "text",
    page: int = Option(1, help="Which page of results."),
    size: int = Option(10, help="Results per page."),
    index: IndexOption = "policy",
    match: MatchOption = None,
    facets: bool = Option(False, "--facets", help="Also count the results by facet."),
    explain: bool = Option(False, "--explain", help="Show how each score is computed."),
    no_fold: bool = Option(False, "--no-fold", help="List near-duplicates separately."),
    **filters: Any,
) -> None:
    """Search the library by words, phrases and filters. Shows the best policies with the passages that match."""
    from smallprint.shelf.records import as_plain

    filters |= {"rank": rank, "where": where, "page": page, "size": size, "index": index, "fold": not no_fold}
    with run.open_shelf(search_match=match) as shelf:
        request = shelf.request(query, **filters)
        results = shelf.results(request, facets=facets or run.as_json)
        explained = results.hits if explain else ()
        explanations = {hit.rank: shelf.explain(request, hit.policy.policy_id) for hit in explained}
    run.exit_if_json(as_plain(results, explanations))
    folded = f", {results.total:,} with near-duplicates" if results.groups != results.total else ""
    say(f"{counted(results.groups, 'result')}{folded} ({results.seconds:.2f} s)")
    for note in results.notes:
        say(note)
    if results.behind:
        say("Run 'smallprint index' to update it.")
    for hit in results.hits:
        _print_hit(hit, explanations.get(hit.rank))
    for way in results.ways_out:
        say(f"Try removing {way.what}: {counted(way.count, 'result')}")
    if facets:
        _print_facets(results)


def export(
    run: Run,
    query: QueryArgument = "",
    to: Path | None = Option(None, help="The file to write: .csv, .jsonl or .parquet."),
    again: str = Option("", help="Repeat the export with this id."),
    rank: RankOption = "custom",
    where: WhereOption = "text",
    index: IndexOption = "policy",
    match: MatchOption = None,
    **filters: Any,
) -> None:
    """Write all results of a search to a file, with measures, a citation, and an id to repeat the export."""
    if to is None:
        raise BadQuery("name the file with --to FILE; it ends in .csv, .jsonl or .parquet")
    filters |= {"rank": rank, "where": where, "index": index}
    with run.open_shelf(search_match=match) as shelf:
        try:
            heading = shelf.export(to, query, again=again, **filters)
        except LibraryChanged:
            if not again:
                raise
            say("The library has changed since that export; this one may differ.", err=True)
            heading = shelf.export(to, again=again, anyway=True)
    run.exit_if_json({"file": str(to), "bytes": to.stat().st_size, **fields_of(heading)})
    if heading.behind:
        behind = counted(heading.behind, "policy")
        say(f"The index is behind by {behind}, so some may be missing; run 'smallprint index'.", err=True)
    print_facts({"file": str(to), "policies": heading.policies, "id": heading.export_id, "cite as": heading.citation})


def _print_hit(hit: Result, explanation: Explanation | None) -> None:
    say(f"\n{hit.rank:>3}. {hit.policy.title or hit.policy.domain}", bold=True)
    details = [hit.policy.url, hit.policy.seen[:10]]
    if hit.alike:
        details.append(f"and {counted(hit.alike, 'near-duplicate')}")
    say("     " + " · ".join(details))
    if hit.is_damaged:
        say("     The stored text is damaged, so no passage is shown; run 'smallprint check'.")
    for snippet in hit.snippets:
        marked, place = "", snippet.start
        for mark in snippet.marks:
            word = typer.style(printable(hit.text[mark.start : mark.end]), bold=True, underline=True)
            marked, place = f"{marked}{printable(hit.text[place : mark.start])}{word}", mark.end
        typer.echo("     " + " ".join((marked + printable(hit.text[place : snippet.end])).split()))
    if explanation is not None:
        say(
            f"     {explanation.score:.3f} = P(policy) {explanation.p_policy:.3f} × relevance "
            f"{explanation.relevance:.3f} × popularity {explanation.popularity:.2f}"
        )
        for word, share in explanation.words.items():
            say(f"       {word}  {share:.3f}")


def _print_facets(results: Results) -> None:
    for counts in results.facets:
        say(f"\n{counts.facet.label} (--{counts.facet.key})", bold=True)
        for value in counts.values:
            if value.count:
                say(f"  {value.count:>7,}  {value.share:>4.0%}  {value.choice.value}  {value.choice.label}")
