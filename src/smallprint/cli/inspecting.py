"""Commands that look into a library: status, statistics, show, rejections, settings."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer

from smallprint.cli.options import JsonOption, LibraryOption
from smallprint.cli.output import counted, print_facts, print_json, print_json_line, print_table
from smallprint.controls import shown

if TYPE_CHECKING:
    from smallprint.library import Library
    from smallprint.library.set_aside import SetAsideVersion
    from smallprint.pipeline.indexing import Which
    from smallprint.records import Segment

SET_ASIDE_SHOWN = 20


def status(
    digest: Annotated[
        bool, typer.Option("--digest", help="Add a hash of all that the library holds, to compare it with another.")
    ] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Summarise the library."""
    from smallprint.library import Library, dump
    from smallprint.library.reading import status as read
    from smallprint.library.set_aside import set_aside_versions
    from smallprint.pipeline.indexing import WHICH
    from smallprint.settings import load

    settings = load(library=library)
    with Library(settings.library) as store:
        found = read(store)
        hashed = {"digest": dump.digest(store)} if digest else {}
        behind = {which: _behind(store, which, found.policies) for which in WHICH}
        without_annotations = set_aside_versions(store)
    if as_json:
        aside = [asdict(version) for version in without_annotations]
        print_json({"library": settings.library, **asdict(found), "set_aside": aside, "index_behind": behind, **hashed})
        return
    facts = {
        "policies": found.policies,
        "on domains": found.domains,
        "words": found.words,
        "versions": found.versions,
        "captures": found.captures,
        "near-duplicates": f"{found.folded:,} folded into {counted(found.near_duplicate_groups, 'group')}",
        "popularity known": f"{found.with_popularity:,} of {found.policies:,} policies (what was imported)",
        "to be visited": found.frontier_due,
        "rejected pages": f"{found.kept_rejections.with_page:,} kept to be judged again "
        f"({found.kept_rejections.bytes / 1e6:,.1f} of {settings.rejected_bytes / 1e6:,.0f} MB)",
        **hashed,
    }
    print_facts(facts, str(settings.library))
    print_facts(found.rejections, f"Turned away: {sum(found.rejections.values()):,}")
    for name in found.unfinished:
        typer.echo(shown(f"{name} was not read to its end; ingest it again to go on."))
    if found.outdated:
        typer.echo(f"An older cleaner read {counted(found.outdated, 'version')}: run 'smallprint reread'.")
    _print_set_aside(without_annotations)
    if found.kept_rejections.without_page:
        typer.echo(
            f"{counted(found.kept_rejections.without_page, 'rejected page')} cannot be judged again: there was no room "
            "for the bytes (see the setting rejected_bytes), or an older Smallprint did not keep them."
        )
    if any(behind.values()):
        policies = max(behind.values())
        what = "1 policy" if policies == 1 else f"{policies:,} policies"
        typer.echo(f"The index is behind by {what}; run 'smallprint index'.")


def _print_set_aside(versions: tuple[SetAsideVersion, ...]) -> None:
    if not versions:
        return
    typer.echo(
        f"Could not be annotated: {counted(len(versions), 'version')}; 'smallprint annotate --retry' tries again."
    )
    for version in versions[:SET_ASIDE_SHOWN]:
        typer.echo(shown(f"    {version.url} ({version.version_id}): {version.reason}, {version.detail}"))
    if len(versions) > SET_ASIDE_SHOWN:
        typer.echo(f"    and {len(versions) - SET_ASIDE_SHOWN:,} more; --json lists them all")


def _behind(store: Library, which: Which, policies: int) -> int:
    """Return how many policies an index is behind by: all of them where it is not there or cannot be read."""
    from smallprint.errors import BadIndex
    from smallprint.pipeline.indexing import open_index
    from smallprint.pipeline.lag import lag_of

    try:
        return lag_of(store, open_index(store.path, which)).policies
    except BadIndex:
        return policies


def statistics(library: LibraryOption = None, as_json: JsonOption = False) -> None:
    """Count over the whole library: sectors, reading grade, vagueness, what policies name and what they practise."""
    from smallprint.annotate.mentions import names
    from smallprint.library import Library
    from smallprint.library.statistics import statistics as counted_over
    from smallprint.sectors import sector
    from smallprint.settings import load
    from smallprint.taxonomy import plain_name

    with Library(load(library=library).library) as store:
        found = counted_over(store)
    if as_json:
        practices = {str(label): count for label, count in found.practices.items()}
        print_json({**asdict(replace(found, practices={})), "practices": practices})
        return
    whole = max(1, found.policies)
    print_facts({
        "policies": found.policies,
        "of these annotated": found.annotated,
        "sentences": found.sentences,
        "with a cue word": f"{found.candidate_sentences:,} ({found.candidate_sentences / max(1, found.sentences):.1%})",
        "vague": f"{found.vague_sentences:,} ({found.vague_sentences / max(1, found.sentences):.1%})",
    })  # fmt: skip
    typer.echo()
    spreads = {
        "probability of being a policy": found.probability,
        "reading grade": found.grade,
        "vagueness": found.vagueness,
        "candidates": found.candidates,
    }
    rows = [(name, s.n, s.mean, s.p5, s.median, s.p95) for name, s in spreads.items() if s]
    print_table(("a policy's", "policies", "mean", "5 %", "median", "95 %"), rows) if rows else None
    typer.echo()
    sectors = [(sector(key).name, one.policies, one.listed) for key, one in found.sectors.items()]
    print_table(("sector", "policies", "by a company list"), sectors)
    typer.echo()
    named = [(n.group, n.plain, found.mentions[n.id], f"{found.mentions[n.id] / whole:.2%}") for n in names()]
    print_table(("named", "", "policies", "share"), named)
    typer.echo()
    practised = [
        (plain_name(label), count, f"{count / whole:.1%}")
        for label, count in found.practices.items()
        if label.attribute is None
    ]
    print_table(("practice", "policies", "share"), practised)


def show(
    policy: Annotated[str, typer.Argument(help="A policy's id, its address, or its domain.")],
    version: Annotated[
        str | None,
        typer.Option("--version", help="Show this version, by id or by a date, instead of the current one."),
    ] = None,
    page: Annotated[bool, typer.Option("--page", help="Show the text of the whole page, furniture and all.")] = False,
    brief: Annotated[bool, typer.Option("--brief", help="Leave out the text.")] = False,
    says: Annotated[
        bool, typer.Option("--says", help="Instead of the text: practices, mentions and vague words, with quotations.")
    ] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a policy: where it is from, its dates, how it reads, its versions and its text, or what the text says."""
    from smallprint.cli import annotated
    from smallprint.library import Library, reading
    from smallprint.library.annotations import read_annotations
    from smallprint.library.companies import company, sector
    from smallprint.library.popularity import popularity
    from smallprint.settings import load
    from smallprint.view.citations import cited_version, in_words

    with Library(load(library=library).library) as store:
        entry = reading.find_policy(store, policy)
        cited = cited_version(store, entry, version)
        chosen = cited.version
        rank = popularity(store, entry.domain)
        folded = reading.duplicates(store, entry.policy_id)
        segments = reading.segments(store, chosen.version_id)
        text = reading.text(store, chosen.version_id)
        known = annotated.Known(
            text, segments, read_annotations(store, chosen.version_id), sector(store, chosen.version_id),
            company(store, entry.domain),
        )  # fmt: skip
        if page:
            text = reading.page_text(store, chosen.version_id)
    if as_json:
        print_json({
            **asdict(entry), "popularity": asdict(rank), "near_duplicates": folded, "shown": chosen.version_id,
            "replaced_by": cited.successor.version_id if cited.successor else None,
            "text": None if brief else text, "segments": [] if brief or page else [asdict(s) for s in segments],
            "annotations": annotated.as_json(known),
        })  # fmt: skip
        return
    facts = {
        "address": entry.url,
        "id": entry.policy_id,
        "P(policy)": chosen.p_policy,
        "popularity": f"{rank.value:.2f}{' (an estimate)' if rank.estimated else ''}",
        "effective": chosen.effective_on or "not stated",
        "last updated": chosen.updated_on or "not stated",
        "words": chosen.words,
        **annotated.facts(known),
        "seen": f"{chosen.first_seen or 'on an unknown date'} to {chosen.last_seen or 'an unknown date'}",
        "near-duplicates": ", ".join(folded)
        or (f"folded under {entry.folded_under}" if entry.folded_under else "none"),
    }
    if entry.copy_of:
        facts["turned away"] = f"exact duplicate of {entry.copy_of}"
    print_facts(facts, chosen.title)
    if cited.successor:
        typer.echo(f"  {in_words(cited)}")
    if len(entry.versions) > 1 or brief:
        typer.echo()
        rows = [(v.version_id, v.first_seen, v.last_seen, v.words) for v in entry.versions]
        print_table(("version", "first seen", "last seen", "words"), rows)
    if says:
        annotated.print_annotations(known)
    elif not brief:
        typer.echo()
        typer.echo(shown(text) if page else _rendered(shown(text), segments))


def rejections(
    reason: Annotated[str | None, typer.Option("--reason", "-r", help="Only those with this reason.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="At most so many; 0 for all.")] = 20,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the pages that were turned away, and why."""
    from smallprint.errors import BadSetting
    from smallprint.library import Library, reading
    from smallprint.records import Reason
    from smallprint.settings import load

    if reason is not None and reason not in set(Reason):
        raise BadSetting(f"{reason!r} is no reason; choose from: {', '.join(Reason)}")
    wanted = Reason(reason) if reason else None
    with Library(load(library=library).library) as store:
        counts = reading.rejection_counts(store)
        found = reading.rejections(store, wanted, limit or None)
        if as_json:
            for rejection in found:
                print_json_line(asdict(rejection, dict_factory=_without_page))
            return
        print_facts(counts, f"Turned away: {sum(counts.values()):,}")
        typer.echo()
        for rejection in found:
            typer.echo(shown(f"{rejection.url}\n    {rejection.reason}: {rejection.detail} [{rejection.source}]"))


def settings(as_json: JsonOption = False) -> None:
    """List every setting with its value in force, its default and what it does."""
    from smallprint.settings import PREFIX, described, load, public_values, settings_file

    now = public_values(load())
    if as_json:
        print_json([
            {"name": name, "value": now[name], "default": default, "help": help_}
            for name, default, help_ in described()
        ])  # fmt: skip
        return
    typer.echo(f"Set in {settings_file()} as name = value, or in the environment as {PREFIX}NAME.\n")
    for name, default, help_ in described():
        value = now[name]
        typer.secho(f"{name} = {value}" + ("" if value == default else f"   (default {default})"), bold=True)
        typer.echo(f"    {help_}")


def _without_page(pairs: list[tuple[str, object]]) -> dict[str, object]:
    return {name: value for name, value in pairs if name != "page"}


def _rendered(text: str, segments: tuple[Segment, ...]) -> str:
    """Lay out a policy's text for a terminal."""
    lines = []
    for segment in segments:
        words = text[segment.start : segment.end]
        if segment.kind == "heading":
            lines.append("\n" + typer.style(f"{'  ' * len(segment.headings)}{words}", bold=True))
        elif segment.kind == "item":
            lines.append(f"  • {words}")
        else:
            lines.append(words)
    return "\n".join(lines).strip("\n")
