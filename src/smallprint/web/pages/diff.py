"""What changed between two versions of a policy, to be read paragraph by paragraph."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from smallprint.errors import NoSuchVersion, OurChange
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.view.revisions import revision
from smallprint.web.addresses import diff_path
from smallprint.web.pages.finding import missing, seek
from smallprint.web.redline import redline
from smallprint.web.rendering import page
from smallprint.web.site import PoolHere

router = APIRouter(include_in_schema=False)


@router.api_route("/policy/{policy_id}/diff", methods=["GET", "HEAD"])
def diff(request: Request, pool: PoolHere, policy_id: str, old: str = "", new: str = "") -> Response:
    """Show what changed from `old` to `new`, by default from the version before to the current one."""
    with pool.library() as library:
        found = seek(request, library, policy_id, part="/diff")
        if isinstance(found, Response):
            return found
        entry = found.entry
        if len(entry.versions) < 2 and not (old and new):
            return missing(request, entry, "Only one version of this policy is known, so there is nothing to compare.")
        try:
            changed = revision(library, entry, old or None, new or None)
        except OurChange:
            said = "These are two readings of one version: our cleaner changed between them, and the policy did not."
            return missing(request, entry, said)
        except NoSuchVersion:
            said = "Give two different versions of this policy, each by its id or by a day; its page lists them."
            return missing(request, entry, said)
    return page(
        request, "diff.html", entry=entry, found=changed, stretches=redline(changed),
        before=_step(entry, changed.old, -1), after=_step(entry, changed.new, 1),
        permalink=diff_path(entry.policy_id, changed.old.version_id, changed.new.version_id),
    )  # fmt: skip


def _step(entry: PolicyEntry, version: VersionEntry, step: int) -> str | None:
    """Give the path of the change before a version, or after it, in the order in which versions were first seen."""
    at = entry.versions.index(version)
    if not 0 <= at + step < len(entry.versions):
        return None
    old, new = sorted((at, at + step))
    return diff_path(entry.policy_id, entry.versions[old].version_id, entry.versions[new].version_id)
