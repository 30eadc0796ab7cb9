"""The pages of policies: text with labels and marks, a question, what changed, evidence, several side by side."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from smallprint.addresses import COMPARE, POLICIES, diff_path, policy_path, short
from smallprint.errors import NoSuchSegment, NoSuchVersion, OurChange
from smallprint.processes.jobs import finished
from smallprint.server.dependencies import QuestionsHere, ShelfHere
from smallprint.shelf import Shelf, records
from smallprint.shelf.records import CitedVersion, PolicyEntry, VersionEntry
from smallprint.web.present.answers import QUESTIONS, feedback_on, show_answer
from smallprint.web.present.figures import standings
from smallprint.web.present.policy_text import details, known, places, reader, redline
from smallprint.web.rendering import VARY, page, wants_part

router = APIRouter(include_in_schema=False)

Words = Annotated[tuple[str, ...], Query()]
Numbers = Annotated[tuple[int, ...], Query()]
MARKS = ("vague", "names")
# Places to which a rare statement is followed; it may be made fifty times.
MOST_PLACES = 5
# Policies listed where a word means many; a domain has seldom more.
MOST_LISTED = 20
# Names of policies to compare; more are not looked up.
MOST_NAMED = 12
# Parts of a policy that show a replaced version's own text; all others lead to what took its place.
CITING = ("/evidence", "/text", "/page")


class Elsewhere(Exception):
    """An address that means no policy, no version or no part of one; `response` leads to a better one or says so."""

    def __init__(self, response: Response) -> None:
        self.response = response


async def answer_elsewhere(_: Request, error: Elsewhere) -> Response:
    """Answer with what was raised instead of a page."""
    return error.response


def seek(
    request: Request, shelf: Shelf, wanted: str, version: str = "", part: str = ""
) -> tuple[PolicyEntry, CitedVersion]:
    """Find a policy and a version of it, for the part of it that is asked for, such as "/diff"."""
    ids = shelf.known_by(wanted)
    if len(ids) != 1:
        raise Elsewhere(_choice(request, shelf, wanted, ids))
    if ids[0] != wanted:
        is_version = wanted.startswith(f"{ids[0]}@") and not version and part != "/diff"
        raise Elsewhere(_redirect(request, ids[0], part, short(wanted) if is_version else ""))
    try:
        entry, cited = shelf.cited(ids[0], version)
    except NoSuchVersion as error:
        words = f"This policy has no version “{version}”, or more than one that begins so."
        raise missing(request, shelf.find(ids[0]), words) from error
    if cited.successor and part not in CITING:
        raise Elsewhere(_redirect(request, entry.policy_id, part, short(cited.successor.version_id)))
    return entry, cited


def _redirect(request: Request, policy_id: str, part: str, version: str) -> RedirectResponse:
    """Lead to a policy's part with the same query, and with another version in it if one is given."""
    url = request.url.include_query_params(version=version) if version else request.url
    return RedirectResponse(policy_path(policy_id, part) + (f"?{url.query}" if url.query else ""))


def missing(request: Request, entry: PolicyEntry, said: str) -> Elsewhere:
    """Return an error that says that a policy has no such part; the way back is the policy itself."""
    context = {"headline": "Not in this policy", "said": said, "entry": entry, "wanted": entry.domain}
    return Elsewhere(page(request, "no_policy.html", status=404, candidates=(), more=0, **context))


def listed(shelf: Shelf, ids: tuple[str, ...]) -> tuple[PolicyEntry, ...]:
    """Return the first of some policies, to choose from."""
    return tuple(shelf.find(policy_id) for policy_id in ids[:MOST_LISTED])


def _choice(request: Request, shelf: Shelf, wanted: str, ids: tuple[str, ...]) -> HTMLResponse:
    if ids:
        headline, said = "Which policy?", f"{len(ids):,} policies match “{wanted}”. Choose one."
    else:
        headline, said = "No such policy", f"There is no policy called “{wanted}” in this library."
    return page(request, "no_policy.html", status=404, headline=headline, said=said, entry=None, wanted=wanted,
                candidates=listed(shelf, ids), more=max(0, len(ids) - MOST_LISTED))  # fmt: skip


@router.api_route(f"{POLICIES}/{{policy_id}}", methods=["GET", "HEAD"])
def policy(
    request: Request, shelf: ShelfHere, policy_id: str, version: str = "", q: str = "",
    show: Words = (), others: str = "dim", mark: Words = (), s: Numbers = (), question: str = "", at: Words = (),
) -> Response:  # fmt: skip
    """Show a policy; `show`, `others`, `mark` and `q` say what of it is to stand out, `s` what is ticked.

    Who comes from an answer has its question, and the places `at` which it quotes the policy.
    """
    entry, cited = seek(request, shelf, policy_id, version)
    view = shelf.view(entry.policy_id, cited.version.version_id)
    chosen, marks, quoted = known(show), [kind for kind in MARKS if kind in mark], places(at)
    return page(
        request, "policy.html", view=view, q=q, question=question, questions=QUESTIONS, inside=True,
        text=reader(view, q, chosen, marks, quoted, fold=others == "hide"), details=details,
        chosen=chosen, hides=others == "hide", marks=marks, quoted=quoted, ticked=frozenset(s),
        standings=standings(view, shelf.rates()), findings=_findings(view.unusual),
    )  # fmt: skip


@router.api_route(f"{POLICIES}/{{policy_id}}/text", methods=["GET", "HEAD"])
def text(request: Request, shelf: ShelfHere, policy_id: str, version: str = "") -> Response:
    """Return the text of a version and nothing else, so that it can be hashed."""
    entry, cited = seek(request, shelf, policy_id, version, "/text")
    headers = {}
    if cited.successor:
        today = policy_path(entry.policy_id, "/text", [("version", short(cited.successor.version_id))])
        headers["Link"] = f'<{today}>; rel="successor-version"'  # the text itself is to be hashed, and says nothing
    return PlainTextResponse(shelf.text(entry.policy_id, cited.version.version_id), headers=headers)


@router.api_route(f"{POLICIES}/{{policy_id}}/page", methods=["GET", "HEAD"])
def arrived(request: Request, shelf: ShelfHere, policy_id: str, version: str = "") -> Response:
    """Return the page that a version was read from, byte by byte, to be saved and never to be shown by a browser."""
    entry, cited = seek(request, shelf, policy_id, version, "/page")
    version_id = cited.version.version_id
    headers = {"Content-Disposition": f'attachment; filename="page-{short(version_id)}.bin"'}
    return Response(shelf.page(entry.policy_id, version_id), headers=headers, media_type="application/octet-stream")


def _findings(unusual: records.Unusual | None) -> list[tuple[str, tuple[int, ...]]]:
    """Return each unusual thing in words, with the passages that say it."""
    if unusual is None:
        return []
    places = [*(rare.segments[:MOST_PLACES] for rare in unusual.rare), *[()] * len(unusual.missing + unusual.outliers)]
    return list(zip(records.in_words(unusual), places, strict=True))


@router.api_route(f"{POLICIES}/{{policy_id}}/ask", methods=["GET", "HEAD"])
async def ask(
    request: Request, shelf: ShelfHere, questions: QuestionsHere, policy_id: str, question: str = "", version: str = "",
    thanks: bool = False,
) -> Response:  # fmt: skip
    """Answer a question; without one there is the form, and examples. `thanks` are for feedback on the answer."""
    inside = wants_part(request)
    entry, cited = await run_in_threadpool(seek, request, shelf, policy_id, version, "/ask")
    shown = fields = None
    if question.strip():
        answer = await finished(questions.answer(entry, cited.version, question), request.receive)
        shown, fields = show_answer(answer, inside=inside), feedback_on(answer)
    response = await run_in_threadpool(
        page, request, "_answered.html" if inside else "ask.html", entry=entry, version=cited.version,
        question=question, shown=shown, questions=QUESTIONS, inside=inside, fields=fields, thanks=thanks,
    )  # fmt: skip
    response.headers.update(VARY)
    return response


@router.api_route(f"{POLICIES}/{{policy_id}}/diff", methods=["GET", "HEAD"])
def diff(request: Request, shelf: ShelfHere, policy_id: str, old: str = "", new: str = "") -> Response:
    """Show what changed from `old` to `new`, by default from the version before to the current one."""
    entry, _ = seek(request, shelf, policy_id, part="/diff")
    if len(entry.versions) < 2 and not (old and new):
        raise missing(request, entry, "We know only one version of this policy, so there is nothing to compare.")
    try:
        changed = shelf.diff(entry.policy_id, old, new)
    except OurChange as error:
        words = "These are the same version, read by two versions of Smallprint: the policy itself did not change."
        raise missing(request, entry, words) from error
    except NoSuchVersion as error:
        raise missing(request, entry, "Choose two different versions of this policy; its page lists them.") from error
    return page(
        request, "diff.html", entry=entry, found=changed, stretches=redline(changed),
        before=_step(entry, changed.old, -1), after=_step(entry, changed.new, 1),
        permalink=diff_path(entry.policy_id, changed.old.version_id, changed.new.version_id),
    )  # fmt: skip


def _step(entry: PolicyEntry, version: VersionEntry, step: int) -> str | None:
    """Return the path of the change before a version, or after it, in the order in which versions were first seen."""
    at = entry.versions.index(version)
    if not 0 <= at + step < len(entry.versions):
        return None
    old, new = sorted((at, at + step))
    return diff_path(entry.policy_id, entry.versions[old].version_id, entry.versions[new].version_id)


@router.api_route(f"{POLICIES}/{{policy_id}}/evidence", methods=["GET", "HEAD"])
def sheet(request: Request, shelf: ShelfHere, policy_id: str, version: str = "", s: Numbers = ()) -> Response:
    """Show the evidence sheet of the passages `s`; without any it says how to choose them."""
    entry, cited = seek(request, shelf, policy_id, version, "/evidence")
    try:
        sheet = shelf.evidence(entry.policy_id, s, cited.version.version_id)
    except NoSuchSegment as error:
        words = "This version has no passage with that number; choose one from its page."
        raise missing(request, entry, words) from error
    fields = [("version", short(cited.version.version_id))]
    chosen = [("s", exhibit.segment) for exhibit in sheet.exhibits]
    return page(
        request, "evidence.html", entry=entry, sheet=sheet, here_host=str(request.base_url).rstrip("/"),
        again=policy_path(entry.policy_id, "/evidence", [*fields, *chosen]),
        as_text=policy_path(entry.policy_id, "/text", fields), as_page=policy_path(entry.policy_id, "/page", fields),
    )  # fmt: skip


@router.api_route(COMPARE, methods=["GET", "HEAD"])
def comparison(request: Request, shelf: ShelfHere, policy: Words = (), only: str = "") -> Response:
    """Show a comparison, and a form to add a policy to it; with too few or too many, the form and a line."""
    entries, problems, candidates, status = _wanted(shelf, policy)
    ids = [entry.policy_id for entry in entries]
    domains = [entry.domain for entry in entries]
    found = shelf.compare(ids) if records.FEWEST <= len(ids) <= records.MOST else None
    differing = only == "differences"
    return page(
        request, "compare.html", status=status, entries=entries, problems=problems, candidates=candidates, ids=ids,
        # Policies are named by their domains, or by their ids where one domain has several of them.
        names=[entry.policy_id if domains.count(entry.domain) > 1 else entry.domain for entry in entries],
        found=found, groups=_groups(found, differing=differing) if found else [], most=records.MOST,
        only=only if differing else "",
    )  # fmt: skip


def _wanted(shelf: Shelf, named: tuple[str, ...]) -> tuple[list[PolicyEntry], list[str], tuple[PolicyEntry, ...], int]:
    """Return the policies that were named, what is wrong with the rest, candidates for an open name, and a status."""
    entries: dict[str, PolicyEntry] = {}
    problems: list[str] = []
    candidates: tuple[PolicyEntry, ...] = ()
    status = 200
    for name in list(dict.fromkeys(name.strip() for name in named if name.strip()))[:MOST_NAMED]:
        ids = shelf.known_by(name)
        if not ids:
            problems.append(f"There is no policy called “{name}” in this library.")
            status = 404
        elif len(ids) > 1:
            problems.append(f"{len(ids):,} policies match “{name}”. Choose one:")
            candidates = listed(shelf, ids)
        else:
            entry = shelf.find(ids[0])
            if entry.copy_of:
                problems.append(f"{entry.policy_id} is an exact copy of {entry.copy_of}, which is shown instead.")
                entry = shelf.find(entry.copy_of)
            entries[entry.policy_id] = entry
    if len(entries) > records.MOST:
        problems.append(
            f"You can compare at most {records.MOST} policies at once; {len(entries)} were chosen. Remove some."
        )
        status = 400
    return list(entries.values()), problems, candidates, status


def _groups(found: records.Comparison, *, differing: bool) -> list[tuple[records.Row, list[records.Row]]]:
    """Put the rows of values under their categories; where only differences are wanted, those without any go."""
    groups = []
    for _, (head, *values) in groupby(found.rows, key=lambda row: row.label.category):
        rows = [row for row in values if not differing or _differs(row)]
        if not differing or rows or _differs(head):
            groups.append((head, rows))
    return groups


def _differs(row: records.Row) -> bool:
    return len({cell.state for cell in row.cells}) > 1
