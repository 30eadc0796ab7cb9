"""The command that takes policies out of the library."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from smallprint.cli.building import annotate_versions
from smallprint.cli.options import JsonOption, LibraryOption, QualityOption
from smallprint.cli.output import counted, print_json
from smallprint.cli.searching import indexed
from smallprint.controls import shown
from smallprint.errors import NoSuchPolicy, NotConfirmed

if TYPE_CHECKING:
    from smallprint.library import Library


def remove(
    policies: Annotated[
        list[str] | None, typer.Argument(help="Policies, each by id, address or domain.", metavar="POLICY...")
    ] = None,
    site: Annotated[
        list[str] | None,
        typer.Option("--site", help="All policies of this domain, and what was turned away there; may be repeated."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove without asking.")] = False,
    quality: QualityOption = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove policies for good: all versions, captures, pages and texts that no other policy has, and index entries.

    What readers said of them goes too. An exact copy that stood back for a removed policy takes its place. A removed
    policy comes back if you add its address again, or ingest a source with its page from the start (--again).
    """
    from smallprint.domains import registrable_domain
    from smallprint.library import Library
    from smallprint.library.removing import remove_policies
    from smallprint.settings import load

    settings = load(library=library, quality=quality)
    sites = [registrable_domain(name) for name in site or []]
    with Library(settings.library) as store:
        if not yes:
            _confirm(store, _ids(store, policies or [], sites))
        with store.writing():
            removal = remove_policies(store, _ids(store, policies or [], sites), sites)
            annotate_versions(store, settings)  # a copy that came back was not annotated
            indexed(store)
    if as_json:
        print_json(asdict(removal))
        return
    with_it = (("version", removal.versions), ("capture", removal.captures), ("page", removal.pages))
    parts = ", ".join(counted(number, noun) for noun, number in with_it)
    typer.echo(f"Removed {_policies(len(removal.policies))} with {parts} and {counted(removal.texts, 'text')}.")
    if removal.rejections or removal.feedback:
        typer.echo(
            f"Also removed: {counted(removal.rejections, 'rejection')} and {removal.feedback:,} pieces of feedback."
        )


def _ids(store: Library, policies: list[str], sites: list[str]) -> tuple[str, ...]:
    """Return the ids of all policies that are meant."""
    from smallprint.library.reading import find_policy
    from smallprint.library.removing import policies_of_site

    if not policies and not sites:
        raise NoSuchPolicy("name a policy to remove by id, address or domain, or give --site")
    ids = [find_policy(store, policy).policy_id for policy in policies]
    for site in sites:
        found = policies_of_site(store, site)
        if not found:
            raise NoSuchPolicy(f"no policy of the site {site!r} is in the library; give a domain such as example.com")
        ids += found
    return tuple(dict.fromkeys(ids))


def _confirm(store: Library, ids: tuple[str, ...]) -> None:
    from smallprint.library.reading import find_policy

    if not sys.stdin.isatty():
        raise NotConfirmed(f"this removes {_policies(len(ids))} for good; give --yes if you mean it")
    for policy_id in ids:
        entry = find_policy(store, policy_id)
        typer.echo(shown(f"{policy_id}  {entry.url}  {counted(len(entry.versions), 'version')}"), err=True)
    if not typer.confirm(f"Remove {_policies(len(ids))} for good?", err=True):
        raise NotConfirmed("nothing was removed")


def _policies(number: int) -> str:
    return "1 policy" if number == 1 else f"{number:,} policies"
