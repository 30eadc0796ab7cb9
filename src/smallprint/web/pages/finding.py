"""The policy that an address means, or the page that says that there is none, and where to look instead."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from smallprint.errors import NoSuchVersion
from smallprint.library.file import Library
from smallprint.library.reading import PolicyEntry, VersionEntry, find_policy, known_by
from smallprint.view.permalinks import policy_path
from smallprint.view.revisions import choose
from smallprint.web.rendering import page

# Policies listed where a word means many; a domain has seldom more.
MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Found:
    """A policy and the version of it that was asked for."""

    entry: PolicyEntry
    version: VersionEntry


def seek(request: Request, library: Library, wanted: str, version: str = "", part: str = "") -> Found | Response:
    """Find a policy and a version of it; else give the answer: a better address, or a page that says what is wrong.

    `part` is the page of the policy that is asked for, such as "/diff".
    """
    ids = known_by(library, wanted)
    if len(ids) != 1:
        return _lost(request, library, wanted, ids)
    if ids[0] != wanted:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(policy_path(ids[0], part) + query)
    entry = find_policy(library, ids[0])
    if not version:
        return Found(entry, entry.current)
    try:
        return Found(entry, choose(library, entry, version))
    except NoSuchVersion:
        return missing(request, entry, f"This policy has no version “{version}”, or several that begin so.")


def missing(request: Request, entry: PolicyEntry, said: str, status: int = 404) -> HTMLResponse:
    """Say that a policy has no such part; the way back is the policy itself."""
    return page(request, "no_policy.html", status=status, headline="Not in this policy", said=said, entry=entry,
                wanted=entry.domain, candidates=(), more=0)  # fmt: skip


def listed(library: Library, ids: tuple[str, ...]) -> tuple[PolicyEntry, ...]:
    """Give the first of some policies, to choose from."""
    return tuple(find_policy(library, one) for one in ids[:MOST_LISTED])


def _lost(request: Request, library: Library, wanted: str, ids: tuple[str, ...]) -> HTMLResponse:
    candidates = listed(library, ids)
    said = (
        f"{len(ids):,} policies are known by “{wanted}”. Choose one of them." if ids
        else f"No policy in this library is known by “{wanted}”."
    )  # fmt: skip
    return page(request, "no_policy.html", status=404, headline="Which policy?" if ids else "No such policy", said=said,
                entry=None, wanted=wanted, candidates=candidates, more=len(ids) - len(candidates))  # fmt: skip
