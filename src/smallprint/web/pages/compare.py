"""Two to four policies side by side, practice by practice; silence is shown as silence."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from smallprint.library.file import Library
from smallprint.library.reading import PolicyEntry, find_policy, known_by
from smallprint.view.comparison import FEWEST, MOST, Comparison, Row, compare
from smallprint.view.unusual import SILENCE
from smallprint.web.pages.finding import listed
from smallprint.web.pages.policy import Words
from smallprint.web.rendering import page
from smallprint.web.site import PoolHere

router = APIRouter(include_in_schema=False)

STATES = {
    "says": "says so",
    "denies": "says it does not",
    "both": "says both",
    "silent": "silent",
    "unknown": "not annotated yet",
}
# More names than this are not looked up.
MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Wanted:
    """The policies that were named: those found, what is wrong with the rest, and candidates for an open name."""

    entries: tuple[PolicyEntry, ...]
    problems: tuple[str, ...]
    candidates: tuple[PolicyEntry, ...]
    status: int


@router.api_route("/compare", methods=["GET", "HEAD"])
def comparison(request: Request, pool: PoolHere, policy: Words = (), only: str = "") -> Response:
    """Show a comparison, and a form to add a policy to it; with too few or too many, the form and a line."""
    with pool.library() as library:
        wanted = _wanted(library, policy)
        found = compare(library, wanted.entries) if FEWEST <= len(wanted.entries) <= MOST else None
    differing = only == "differences"
    return page(
        request, "compare.html", status=wanted.status, wanted=wanted, found=found, only=only if differing else "",
        names=_names(wanted.entries), groups=_groups(found, differing=differing) if found else [], states=STATES,
        silence=SILENCE, fewest=FEWEST, most=MOST,
    )  # fmt: skip


def _wanted(library: Library, named: tuple[str, ...]) -> Wanted:
    entries: dict[str, PolicyEntry] = {}
    problems: list[str] = []
    candidates: tuple[PolicyEntry, ...] = ()
    status = 200
    for name in list(dict.fromkeys(one.strip() for one in named if one.strip()))[:MOST_NAMED]:
        ids = known_by(library, name)
        if not ids:
            problems.append(f"No policy in this library is known by “{name}”.")
            status = 404
        elif len(ids) > 1:
            problems.append(f"{len(ids):,} policies are known by “{name}”. Choose one of them:")
            candidates = listed(library, ids)
        else:
            entry = find_policy(library, ids[0])
            if entry.copy_of:
                problems.append(f"{entry.policy_id} is an exact copy of {entry.copy_of}, which stands in its place.")
                entry = find_policy(library, entry.copy_of)
            entries[entry.policy_id] = entry
    if len(entries) > MOST:
        problems.append(f"At most {MOST} policies can be compared at once; {len(entries)} were named. Leave some out.")
        status = 400
    return Wanted(tuple(entries.values()), tuple(problems), candidates, status)


def _names(entries: tuple[PolicyEntry, ...]) -> tuple[str, ...]:
    """Name policies by their domains, or by their ids where one domain has several of them."""
    domains = [entry.domain for entry in entries]
    return tuple(entry.policy_id if domains.count(entry.domain) > 1 else entry.domain for entry in entries)


def _groups(found: Comparison, *, differing: bool) -> list[tuple[Row, list[Row]]]:
    """Put the rows of values under their categories; where only differences are wanted, those without any go."""
    groups: list[tuple[Row, list[Row]]] = []
    for row in found.rows:
        if row.is_category:
            groups.append((row, []))
        elif not differing or _differs(row):
            groups[-1][1].append(row)
    return [(head, rows) for head, rows in groups if not differing or rows or _differs(head)]


def _differs(row: Row) -> bool:
    return len({cell.state for cell in row.cells}) > 1
