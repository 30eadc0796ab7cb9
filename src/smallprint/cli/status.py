"""What is in the library, and how it is set up: `status`, `statistics`, `rejections`, `feedback` and `settings`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from textwrap import shorten

from typer import Option

from smallprint.cli.options import JsonOption, Run
from smallprint.cli.output import counted, fields_of, print_facts, print_json, print_table, say

MOST_SET_ASIDE = 20
CELL = 60  # characters of a question or note in a table


def status(
    run: Run,
    digest: bool = Option(
        False, "--digest", help="Add a hash of everything in the library, to compare it with another."
    ),
) -> None:
    """Summarise the library."""
    with run.open_shelf() as shelf:
        summary, settings = shelf.status(), shelf.settings
        hashed = {"digest": shelf.digest()} if digest else {}
    counts, kept = summary.counts, summary.counts.kept_rejections
    behind, aside = summary.index_behind, summary.set_aside
    run.exit_if_json(
        {"library": settings.library, **fields_of(counts), "set_aside": aside, "index_behind": behind} | hashed
    )
    facts = {
        **fields_of(counts, "policies", "domains", "words", "versions", "captures"),
        "near-duplicates": f"{counts.folded:,} folded into {counted(counts.near_duplicate_groups, 'group')}",
        "popularity known": f"for {counts.with_popularity:,} of {counted(counts.policies, 'policy')}",
        "to be visited": counts.frontier_due,
        "rejected pages": f"{kept.with_page:,} stored to be judged again "
        f"({kept.bytes / 1e6:,.1f} of {settings.rejected_bytes / 1e6:,.0f} MB)",
        **hashed,
    }
    print_facts(facts, str(settings.library))
    print_facts(counts.rejections, f"Rejected: {sum(counts.rejections.values()):,}")
    for name in counts.unfinished:
        say(f"{name} was not read to its end; ingest it again to continue.")
    if counts.outdated:
        say(f"An older cleaner read {counted(counts.outdated, 'version')}: run 'smallprint reread'.")
    if aside:
        versions = counted(len(aside), "version")
        say(f"Could not be annotated: {versions}; 'smallprint annotate --retry' tries again.")
        for version in aside[:MOST_SET_ASIDE]:
            say(f"    {version.url} ({version.version_id}): {version.reason}, {version.detail}")
        if len(aside) > MOST_SET_ASIDE:
            say(f"    and {len(aside) - MOST_SET_ASIDE:,} more; --json lists them all")
    if kept.without_page:
        say(
            f"{counted(kept.without_page, 'rejected page')} cannot be judged again, because the page was not stored "
            "(no room under the setting rejected_bytes, or an older Smallprint)."
        )
    if any(behind.values()):
        say(f"The index is behind by {counted(max(behind.values()), 'policy')}; run 'smallprint index'.")


def statistics(run: Run) -> None:
    """Count over the whole library: sectors, reading grade, vagueness, mentions and practices."""
    from smallprint.sectors import sector
    from smallprint.shelf.records import names
    from smallprint.taxonomy import CATEGORY_LABELS, plain_name

    with run.open_shelf() as shelf:
        totals = shelf.statistics()
    run.exit_if_json(totals)
    policies, sentences = max(1, totals.policies), max(1, totals.sentences)
    print_facts({
        **fields_of(totals, "policies", "annotated", "sentences"),
        "with a cue word": f"{totals.candidate_sentences:,} ({totals.candidate_sentences / sentences:.1%})",
        "vague": f"{totals.vague_sentences:,} ({totals.vague_sentences / sentences:.1%})",
    })  # fmt: skip
    measures = {
        "probability of being a policy": totals.probability,
        "reading grade": totals.grade,
        "vagueness": totals.vagueness,
        "sentences with a cue word": totals.candidates,
    }
    rows = [(name, s.n, s.mean, s.p5, s.median, s.p95) for name, s in measures.items() if s]
    sectors = [(sector(key).name, counts.policies, counts.listed) for key, counts in totals.sectors.items()]
    mentions = [(n.group, n.plain, totals.mentions[n.id], f"{totals.mentions[n.id] / policies:.2%}") for n in names()]
    spoken_of = [(plain_name(label), totals.practices[str(label)]) for label in CATEGORY_LABELS]
    practices = [(name, count, f"{count / policies:.1%}") for name, count in spoken_of]
    for head, table in (
        (("measure", "policies", "mean", "5 %", "median", "95 %"), rows),
        (("sector", "policies", "by a company list"), sectors),
        (("mentions", "", "policies", "share"), mentions),
        (("practice", "policies", "share"), practices),
    ):
        say()
        print_table(head, table)


def rejections(
    run: Run,
    reason: str | None = Option(None, "--reason", "-r", help="Only those with this reason."),
    limit: int = Option(20, "--limit", "-n", min=0, help="List at most this many; 0 for all."),
) -> None:
    """List the pages that were rejected, and why."""
    with run.open_shelf() as shelf:
        counts, rejected = shelf.rejection_counts(), shelf.rejections(reason, limit or None)
    if run.as_json:
        for rejection in rejected:
            print_json({name: value for name, value in fields_of(rejection).items() if name != "page"}, indent=None)
        return
    print_facts(counts, f"Rejected: {sum(counts.values()):,}")
    say()
    for rejection in rejected:
        say(f"{rejection.url}\n    {rejection.reason}: {rejection.detail} [{rejection.source}]")


def feedback(
    run: Run,
    out: Path | None = Option(None, help="Write it to a file: .csv or .jsonl."),
    clear: bool = Option(False, "--clear", help="Delete it afterwards, for example before you pass a library on."),
) -> None:
    """Show readers' feedback on answers: right, wrong, or something is missing."""
    from smallprint.shelf.records import VERDICTS
    from smallprint.shelf.upkeep import write_feedback

    with run.open_shelf() as shelf:
        entries = shelf.feedback()
        if out is not None:
            write_feedback(out, entries)
        if clear:
            shelf.forget_feedback(len(entries))  # and nothing that came meanwhile
    written = {"file": str(out), "entries": len(entries)}
    run.exit_if_json(entries if out is None else written)
    if out is not None:
        print_facts(written)
    else:
        counts = Counter(entry.verdict for entry in entries)
        print_facts({verdict: counts[verdict] for verdict in VERDICTS}, counted(len(entries), "answer"))
        rows = [
            (entry.given_at[:16], entry.verdict, entry.policy_id or "many", entry.state,
             shorten(entry.question, CELL, placeholder=" …"), shorten(entry.note, CELL, placeholder=" …"))
            for entry in entries
        ]  # fmt: skip
        print_table(("given", "verdict", "policy", "state", "question", "note"), rows)
    if clear:
        say(f"Deleted {counted(len(entries), 'entry')}.")


def settings(as_json: JsonOption = False) -> None:
    """List every setting with its value, its default and what it does."""
    from smallprint.settings import PREFIX, described, load, public_values, settings_file

    values = public_values(load())
    if as_json:
        print_json([{"name": n, "value": values[n], "default": d, "help": h} for n, d, h in described()])
        return
    say(f"Set in {settings_file()} as name = value, or in the environment as {PREFIX}NAME.\n")
    for name, default, help_ in described():
        changed = "" if values[name] == default else f"   (default {default})"
        say(f"{name} = {values[name]}{changed}", bold=True)
        say(f"    {help_}")
