"""Commands that keep a library safe: check, backup, restore."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smallprint.cli.options import JsonOption, LibraryOption
from smallprint.cli.output import counted, print_facts, print_json
from smallprint.cli.searching import indexed
from smallprint.controls import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from smallprint.library.backups import Manifest
    from smallprint.library.soundness import Fault

NOT_SOUND = 1
# Of each kind so many are printed one by one.
MOST_PRINTED = 20


def check(library: LibraryOption = None, as_json: JsonOption = False) -> None:
    """Check the library: the database, every text and page against its hash, and both indexes against the library.

    Exits with 0 if all is sound and with 1 if anything is not. Nothing is changed.
    """
    from smallprint.settings import load

    path = load(library=library).library
    found = list(_faults(path))
    if as_json:
        print_json({"library": path, "sound": not found, "faults": [asdict(fault) for fault in found]})
    else:
        _print_faults(path, found)
    if found:
        raise typer.Exit(NOT_SOUND)


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.", metavar="FILE")],
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the file if it exists; back up even a damaged library.")
    ] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Back up the library to one file: a consistent copy, even while other commands write to the library.

    Indexes are left out, since they can be made again.
    """
    from smallprint.library import Library
    from smallprint.library.backups import backup as make
    from smallprint.settings import load

    with Library(load(library=library).library) as store:
        made = make(store, file.expanduser(), force=force)
    if as_json:
        print_json({"file": made.file, "bytes": made.bytes, **asdict(made.manifest)})
        return
    print_facts({"file": str(made.file), "bytes": made.bytes, **_facts(made.manifest)}, "Backed up")


def restore(
    file: Annotated[Path, typer.Argument(help="A file that 'smallprint backup' made.", metavar="FILE")],
    force: Annotated[bool, typer.Option("--force", help="Replace the library that is there.")] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put a backup in the place of the library, and update the indexes.

    The backup is verified first. Until all of it is there, the library stays as it was.
    """
    from smallprint.library import Library
    from smallprint.library.backups import restore as put_back
    from smallprint.settings import load

    path = load(library=library).library
    manifest = put_back(file.expanduser(), path, force=force)
    with Library(path) as store, store.writing():
        indexed(store)
    if as_json:
        print_json({"library": path, **asdict(manifest)})
        return
    print_facts({"library": str(path), **_facts(manifest)}, "Restored")


def _faults(path: Path) -> Iterator[Fault]:
    from smallprint.errors import DamagedLibrary
    from smallprint.library import Library
    from smallprint.library.soundness import RESTORE, Fault
    from smallprint.pipeline.checking import faults

    try:
        with Library(path) as store:
            yield from faults(store)
    except DamagedLibrary as error:  # so much that it cannot be opened, or not be read to its end
        yield Fault("library", str(error), RESTORE)


def _print_faults(path: Path, found: list[Fault]) -> None:
    if not found:
        typer.echo(shown(f"{path} and its indexes are sound."))
        return
    typer.echo(shown(f"{path}: {counted(len(found), 'fault')}"))
    for kind in dict.fromkeys(fault.kind for fault in found):
        own = [fault for fault in found if fault.kind == kind]
        for fault in own[:MOST_PRINTED]:
            typer.echo(shown(f"  {fault.what}"))
        if own[MOST_PRINTED:]:
            typer.echo(f"  and {len(own) - MOST_PRINTED:,} more of this kind; --json lists all")
    typer.echo("What to do:")
    for advice in dict.fromkeys(fault.advice for fault in found):
        typer.echo(f"  {advice}")


def _facts(manifest: Manifest) -> dict[str, object]:
    return {
        "made": manifest.made,
        "policies": manifest.policies,
        "versions": manifest.versions,
        "captures": manifest.captures,
        "digest": manifest.digest or "none, since the library is damaged",
    }
