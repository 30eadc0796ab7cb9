"""The command that reads stored pages again after the cleaner changed."""

from __future__ import annotations

from dataclasses import asdict

import typer

from smallprint.cli.building import annotate_versions, settle_duplicates
from smallprint.cli.options import JsonOption, LibraryOption, QualityOption, WorkersOption
from smallprint.cli.output import counted, print_json, progress
from smallprint.cli.searching import indexed
from smallprint.controls import shown


def reread(
    quality: QualityOption = None,
    workers: WorkersOption = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read stored pages again after an upgrade that cleans pages differently, and judge rejected pages again.

    Policies, captures and dates stay. A changed text gets a new version id, the old id leads to it, and none of it is
    shown as a change of the policy. A run that was stopped goes on where it was.
    """
    from smallprint.library import Library
    from smallprint.pipeline.reread import reread as pipeline
    from smallprint.settings import load

    settings = load(library=library, workers=workers, quality=quality)
    with Library(settings.library) as store, store.writing():
        with progress("reading again") as watch:
            done = pipeline(store, settings, watch)
        settled = settle_duplicates(store, settings)
        annotated = annotate_versions(store, settings)
        indexed(store)
    if as_json:
        print_json({**asdict(done), "settled": asdict(settled), "annotated": annotated.versions})
        return
    typer.echo(
        f"Read {counted(done.versions, 'version')} again: {done.replaced:,} got a new id, to which the old one leads."
    )
    typer.echo(f"Judged {counted(done.rejections, 'rejected page')} again: {done.accepted:,} kept as policies now.")
    if annotated.versions:
        typer.echo(f"Annotated {counted(annotated.versions, 'version')} in {settings.quality} quality.")
    if done.kept:
        typer.echo(f"{counted(len(done.kept), 'version')} would be turned away today and stayed as before:")
        for version in done.kept:
            typer.echo(shown(f"  {version.version_id}  {version.reason}"))
    if done.damaged:
        typer.echo(
            f"{counted(len(done.damaged), 'version')} could not be read again, since the stored page is damaged:"
        )
        for version_id in done.damaged:
            typer.echo(shown(f"  {version_id}"))
