"""Keep a library in order: `annotate`, `reread`, `index`, `remove`, `forget`, `check`, `backup` and `restore`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer import Argument, Option

from smallprint.cli.options import QualityOption, Run, WorkersOption
from smallprint.cli.output import counted, fields_of, print_annotated, print_facts, print_json, progress, say
from smallprint.errors import NoSuchPaste, NotConfirmed

if TYPE_CHECKING:
    from smallprint.shelf.records import Fault, Manifest

NOT_SOUND = 1
# At most this many faults of each kind are printed one by one.
MOST_PRINTED = 20


def annotate(
    run: Run,
    retry: bool = Option(False, "--retry", help="Also try again the policies that could not be annotated."),
    quality: QualityOption = None,
    workers: WorkersOption = None,
) -> None:
    """Annotate what is new or was annotated by an older model: readability, mentions, sector, vagueness, practices.

    The fast models never replace what the full ones found. A run that was stopped continues where it was. A policy
    that cannot be annotated is set aside; 'smallprint status' lists it.
    """
    with run.open_shelf(workers=workers, quality=quality) as shelf, progress() as show:
        quality, annotated = shelf.settings.quality, shelf.annotate(retry=retry, on_progress=show).annotated
    run.exit_if_json({"quality": quality, **fields_of(annotated)})
    if not annotated.versions:
        say("Nothing to annotate.")
    print_annotated(annotated, quality)


def reread(run: Run, quality: QualityOption = None, workers: WorkersOption = None) -> None:
    """Read stored pages again after an upgrade that cleans pages differently, and judge rejected pages again.

    Policies, captures and dates stay. A changed text gets a new version id, the old id leads to it, and it does not
    count as a change of the policy. A run that was stopped continues where it was.
    """
    with run.open_shelf(workers=workers, quality=quality) as shelf, progress() as show:
        done, refreshed = shelf.reread(on_progress=show)
    run.exit_if_json({**fields_of(done), "settled": refreshed.settled, "annotated": refreshed.annotated.versions})
    say(f"Read {counted(done.versions, 'version')} again: {done.replaced:,} have a new id; old ids lead to it.")
    say(f"Judged {counted(done.rejections, 'rejected page')} again: {done.accepted:,} kept as policies now.")
    print_annotated(refreshed.annotated, shelf.settings.quality)
    for outcome, versions in {
        "would be rejected today and stayed as before": [f"{kept.version_id}  {kept.reason}" for kept in done.kept],
        "could not be read again: the stored page is damaged": done.damaged,
    }.items():
        if versions:
            say(f"{counted(len(versions), 'version')} {outcome}:")
        for version in versions:
            say(f"  {version}")


def index(run: Run, anew: bool = Option(False, "--anew", help="Delete the indexes first and make them again.")) -> None:
    """Update both search indexes. Only changed policies are re-indexed."""
    with run.open_shelf() as shelf, progress() as show:
        indexes = shelf.index(anew=anew, on_progress=show)
    run.exit_if_json(indexes)
    for which, entries in indexes.items():
        what = "policy text only" if which == "policy" else "whole pages"
        counts = f"{entries.total:,} ({entries.added:,} new, {entries.changed:,} changed, {entries.removed:,} removed)"
        print_facts({what: counts})
        if entries.damaged:
            say(f"  {entries.damaged:,} left out: their text is damaged; 'smallprint check' lists them")


def remove(
    run: Run,
    policies: list[str] | None = Argument(None, help="Policies, each by id, address or domain.", metavar="POLICY..."),
    site: list[str] | None = Option(None, help="All policies of this domain, and its rejected pages; may be repeated."),
    yes: bool = Option(False, "--yes", "-y", help="Remove without asking."),
    quality: QualityOption = None,
) -> None:
    """Remove policies for good: all versions, captures, pages and texts that no other policy has, and index entries.

    Readers' feedback on them is removed too. An exact copy that was rejected because of a removed policy takes its
    place. A removed policy comes back if you add its address again, or ingest its source from the start (--again).
    """
    names, sites = policies or (), site or ()
    with run.open_shelf(quality=quality) as shelf:
        if not yes:
            entries = shelf.removable(*names, sites=sites)
            number = counted(len(entries), "policy")
            if not sys.stdin.isatty():
                raise NotConfirmed(f"this removes {number} for good; add --yes to confirm")
            for entry in entries:
                versions = counted(len(entry.versions), "version")
                say(f"{entry.policy_id}  {entry.url}  {versions}", err=True)
            if not typer.confirm(f"Remove {number} for good?", err=True):
                raise NotConfirmed("nothing was removed")
        with progress() as show:
            removal = shelf.remove(*names, sites=sites, on_progress=show)
    run.exit_if_json(removal)
    counts = (("version", removal.versions), ("capture", removal.captures), ("page", removal.pages))
    parts = ", ".join(counted(number, noun) for noun, number in counts)
    removed = counted(len(removal.policies), "policy")
    say(f"Removed {removed} with {parts} and {counted(removal.texts, 'text')}.")
    if removal.rejections or removal.feedback:
        rejections = counted(removal.rejections, "rejection")
        say(f"Also removed: {rejections} and {removal.feedback:,} pieces of feedback.")


def forget(
    run: Run,
    paste: str | None = Argument(None, help="A pasted text: the address of its page, or the last part of it."),
    every: bool = Option(False, "--all", help="Delete every pasted text."),
) -> None:
    """Delete pasted texts that the server still keeps for their readers."""
    if every == bool(paste):
        raise NoSuchPaste("name a pasted text by its id or address, or give --all")
    with run.open_shelf(lazy=True) as shelf:
        number = shelf.forget(paste)
    run.exit_if_json({"forgotten": number})
    say(f"Deleted {counted(number, 'pasted text')}.")


def check(run: Run) -> None:
    """Check the library: the database, every text and page against its hash, and both indexes against the library.

    Exits with 0 if all is sound and with 1 if anything is not. Nothing is changed.
    """
    with run.open_shelf(lazy=True) as shelf:
        path, faults = shelf.path, shelf.check()
    if run.as_json:
        print_json({"library": path, "sound": not faults, "faults": faults})
    elif faults:
        _print_faults(path, faults)
    else:
        say(f"{path} and its indexes are sound.")
    if faults:
        raise typer.Exit(NOT_SOUND)


def backup(
    run: Run,
    file: Path = Argument(..., help="The file to write.", metavar="FILE"),
    force: bool = Option(False, "--force", help="Overwrite the file if it exists; back up even a damaged library."),
) -> None:
    """Back up the library to one file: a consistent copy, even while other commands write to the library.

    Indexes are left out, since they can be made again.
    """
    with run.open_shelf() as shelf:
        copy = shelf.backup(file, force=force)
    _print_manifest(run, {"file": copy.file, "bytes": copy.bytes}, copy.manifest, "Backed up")


def restore(
    run: Run,
    file: Path = Argument(..., help="A file that 'smallprint backup' made.", metavar="FILE"),
    force: bool = Option(False, "--force", help="Replace the library that is there."),
) -> None:
    """Replace the library by a backup, and update the indexes.

    The backup is verified first. If anything fails, the library stays as it was.
    """
    with run.open_shelf(lazy=True) as shelf, progress() as show:
        path, manifest = shelf.path, shelf.restore(file, force=force, on_progress=show)
    _print_manifest(run, {"library": path}, manifest, "Restored")


def _print_manifest(run: Run, facts: dict[str, object], manifest: Manifest, title: str) -> None:
    run.exit_if_json({**facts, **fields_of(manifest)})
    facts |= fields_of(manifest, "made", "policies", "versions", "captures")
    print_facts({**facts, "digest": manifest.digest or "none, since the library is damaged"}, title)


def _print_faults(path: Path, faults: list[Fault]) -> None:
    say(f"{path}: {counted(len(faults), 'fault')}")
    for kind in dict.fromkeys(fault.kind for fault in faults):
        of_kind = [fault for fault in faults if fault.kind == kind]
        for fault in of_kind[:MOST_PRINTED]:
            say(f"  {fault.what}")
        if of_kind[MOST_PRINTED:]:
            say(f"  and {len(of_kind) - MOST_PRINTED:,} more of this kind; --json lists all")
    say("What to do:")
    for advice in dict.fromkeys(fault.advice for fault in faults):
        say(f"  {advice}")
