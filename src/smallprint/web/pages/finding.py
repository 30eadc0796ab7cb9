"""The policy that an address means, or the page that says that there is none, and where to look instead."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from smallprint.errors import NoSuchVersion
from smallprint.library.file import Library
from smallprint.library.reading import PolicyEntry, VersionEntry, find_policy, known_by
from smallprint.view.citations import cited_version
from smallprint.view.permalinks import policy_path, short
from smallprint.web.rendering import page

# Policies listed where a word means many; a domain has seldom more.
MOST_LISTED = 20


# Parts of a policy that show a replaced version's own text; all others lead to what took its place.
CITING = ("/evidence", "/text", "/page")


@dataclass(frozen=True, slots=True)
class Found:
    """A policy and the version of it that was asked for.

    `successor` is how the same page reads today, where that version was replaced.
    """

    entry: PolicyEntry
    version: VersionEntry
    successor: VersionEntry | None = None


def seek(request: Request, library: Library, wanted: str, version: str = "", part: str = "") -> Found | Response:
    """Find a policy and a version of it; else give the answer: a better address, or a page that says what is wrong.

    `part` is the page of the policy that is asked for, such as "/diff".
    """
    ids = known_by(library, wanted)
    if len(ids) != 1:
        return _lost(request, library, wanted, ids)
    if ids[0] != wanted:
        is_version = wanted.startswith(f"{ids[0]}@") and not version and part != "/diff"
        return _redirect(request, ids[0], part, short(wanted) if is_version else "")
    entry = find_policy(library, ids[0])
    if not version:
        return Found(entry, entry.current)
    try:
        cited = cited_version(library, entry, version)
    except NoSuchVersion:
        return missing(request, entry, f"This policy has no version “{version}”, or several that begin so.")
    if cited.successor and part not in CITING:
        return _redirect(request, entry.policy_id, part, short(cited.successor.version_id))
    return Found(entry, cited.version, cited.successor)


def _redirect(request: Request, policy_id: str, part: str, version: str) -> RedirectResponse:
    """Lead to a policy's part with the same query, and with another version in it if one is given."""
    url = request.url.include_query_params(version=version) if version else request.url
    return RedirectResponse(policy_path(policy_id, part) + (f"?{url.query}" if url.query else ""))


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
