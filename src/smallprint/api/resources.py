"""The endpoints that answer with JSON: searches, policies with their text and changes, questions, the library."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Request
from starlette.concurrency import run_in_threadpool

from smallprint import limits
from smallprint.addresses import API, ASK, COMPARE, POLICIES, REJECTIONS, SEARCH, STATISTICS
from smallprint.api import answers, parameters
from smallprint.api.endpoints import Marked, endpoint
from smallprint.api.parameters import Asked, AtVersion, Question, QuestionSent
from smallprint.errors import FetchingIsOff
from smallprint.processes.jobs import finished
from smallprint.server.access import WriterHere
from smallprint.server.dependencies import QuestionsHere, ShelfHere, SiteHere
from smallprint.shelf import records
from smallprint.shelf.records import as_plain, without_paging

searching = APIRouter(tags=["search"])
policies = APIRouter(tags=["policies"], route_class=Marked)
asking = APIRouter(tags=["ask"], route_class=Marked)
library = APIRouter(tags=["library"], route_class=Marked)

ONE = f"{POLICIES}/{{policy_id}}"
PolicyId = Annotated[
    str, Path(description="A policy's id; or the beginning of one, or a domain, where only one policy can be meant.")
]


@endpoint(searching, SEARCH, response_model=answers.SearchAnswer)
def search(asked: Asked[parameters.SearchPage], shelf: ShelfHere) -> dict[str, Any]:
    """Search policies. Hits come with the passages that match and with counts by facet, as the page shows them."""
    results = shelf.results(asked.request(), facets=asked.facets == "1")
    explanations = {
        hit.rank: shelf.explain(results.request, hit.policy.policy_id)
        for hit in (results.hits if asked.explain == "1" else ())
    }
    return {**as_plain(results, explanations), "next": _next(results, asked)}


def _next(results: records.Results, asked: parameters.SearchPage) -> str | None:
    """Return the address of the next page, where there is one; it tells as much as this one."""
    request = results.request
    if request.page >= limits.MAX_RESULT_PAGES or request.page * request.size >= results.groups:
        return None
    options = asked.model_dump(include={"facets", "explain"}, exclude_defaults=True)
    query = "&".join(part for part in (request.on_page(request.page + 1).address(), urlencode(options)) if part)
    return f"{API}{SEARCH}?{query}"


@endpoint(searching, "/facets", response_model=answers.FacetsAnswer)
def facets(asked: Asked[parameters.Search], shelf: ShelfHere) -> dict[str, Any]:
    """Count what a result can be narrowed by. Takes what /search takes; page, size, order and folding do not matter."""
    results = shelf.results(replace(asked.request(), page=1, size=1))
    plain = as_plain(results)
    facets = [
        {"key": counts.facet.key, "name": counts.facet.label, "values": plain["facets"][counts.facet.key]}
        for counts in results.facets
    ]
    scales = [
        {"key": counts.field.key, "name": counts.field.label, "at_least": counts.low, "at_most": counts.high,
         **plain["scales"][counts.field.key]}
        for counts in results.ranges
    ]  # fmt: skip
    return {**plain, "query": without_paging(results.request).address(), "facets": facets, "scales": scales}


@endpoint(policies, ONE, 404)
def policy(policy_id: PolicyId, asked: Asked[AtVersion], shelf: ShelfHere) -> records.PolicyRecord:
    """Return what is known of a policy. Versions and dates, sector and its source, company, measures, duplicates."""
    return shelf.policy(policy_id, asked.version)


@endpoint(policies, f"{ONE}/text", 404, response_model=answers.TextAnswer)
def policy_text(policy_id: PolicyId, asked: Asked[parameters.TextAtVersion], shelf: ShelfHere) -> dict[str, Any]:
    """Return a policy's text. That of a version never changes, and all places point into it."""
    cited = _cited(shelf, policy_id, asked)
    text = (shelf.text if asked.of == "policy" else shelf.page_text)(cited["policy_id"], cited["version_id"])
    return {**cited, "characters": len(text), "text": text}


@endpoint(policies, f"{ONE}/segments", 404, response_model=answers.SegmentsAnswer)
def policy_segments(policy_id: PolicyId, asked: Asked[AtVersion], shelf: ShelfHere) -> dict[str, Any]:
    """Return a policy's segments. Each with its place, the headings above it, and the labels that hold for it."""
    cited = _cited(shelf, policy_id, asked)
    return {**cited, "segments": shelf.segments(cited["policy_id"], cited["version_id"])}


@endpoint(policies, f"{ONE}/annotations", 404, response_model=answers.AnnotationsAnswer)
def policy_annotations(policy_id: PolicyId, asked: Asked[AtVersion], shelf: ShelfHere) -> dict[str, Any]:
    """Return a policy's annotations. Practices, mentions and vague words with places and words, and what made them."""
    entry, version = shelf.find_version(policy_id, asked.version)
    sayings = shelf.annotations(entry.policy_id, version.version_id)
    return {**asdict(sayings), "policy_id": entry.policy_id, "version_id": version.version_id}


@endpoint(policies, f"{ONE}/diff", 404, response_model=answers.DiffAnswer)
def policy_diff(policy_id: PolicyId, asked: Asked[parameters.TwoVersions], shelf: ShelfHere) -> records.Revision:
    """Show what changed between two versions. By sentences and words, paragraph by paragraph, with places in both."""
    return shelf.diff(policy_id, asked.old, asked.new)


@endpoint(policies, f"{ONE}/evidence", 404)
def policy_evidence(
    policy_id: PolicyId, asked: Asked[parameters.SegmentsAtVersion], shelf: ShelfHere
) -> records.EvidenceSheet:
    """Return passages as evidence. Word for word, with places, hashes, and when and where they were seen."""
    return shelf.evidence(policy_id, asked.segment or None, asked.version)


@endpoint(policies, COMPARE, 404, response_model=answers.ComparisonAnswer)
def compare(asked: Asked[parameters.WhichPolicies], shelf: ShelfHere) -> records.Comparison:
    """Compare two to four policies. What each says, denies or is silent about, with the sentences; and its measures."""
    return shelf.compare(asked.policy)


@endpoint(policies, POLICIES, 401, 403, method="POST")
async def add(asked: parameters.NewPolicy, site: SiteHere, _: WriterHere) -> records.Outcome:
    """Add the policy at an address. It is fetched, read, annotated and indexed; needs `serve_fetch` and the token."""
    if not site.settings.serve_fetch:
        raise FetchingIsOff(
            "this server does not fetch pages; the people who run it can turn on the setting serve_fetch"
        )
    return await site.fetcher.keep(asked.address)


async def _ask(
    request: Request, shelf: ShelfHere, questions: QuestionsHere, asked: Question | QuestionSent
) -> records.Answer:
    entry, version = await run_in_threadpool(shelf.find_version, asked.policy, asked.version)
    return await finished(questions.answer(entry, version, asked.question, asked.passages), request.receive)


@endpoint(asking, ASK, 404)
async def ask(request: Request, asked: Asked[Question], shelf: ShelfHere, questions: QuestionsHere) -> records.Answer:
    """Ask a policy a question. The policy's own sentences with their places, what they come to, how sure that is."""
    return await _ask(request, shelf, questions, asked)


@endpoint(asking, ASK, 404, method="POST")
async def ask_at_length(
    request: Request, asked: QuestionSent, shelf: ShelfHere, questions: QuestionsHere
) -> records.Answer:
    """Ask a policy a long question. The same as with GET, for what is too long for an address."""
    return await _ask(request, shelf, questions, asked)


@endpoint(asking, "/chat", 404, method="POST", response_model=answers.TurnAnswered)
async def chat(request: Request, turn: parameters.Turn, shelf: ShelfHere, questions: QuestionsHere) -> dict[str, Any]:
    """Continue a conversation, or begin one. The reply with its citations, and where the conversation stands."""
    was = turn.conversation or records.Conversation()
    if turn.policy:
        policy = await run_in_threadpool(shelf.find, turn.policy)
        was = replace(was, policy_id=policy.policy_id)
    now, reply = await questions.turn(was, turn.said, request.receive)
    return {"reply": reply, "conversation": now.to_json()}


@endpoint(library, STATISTICS)
def statistics(asked: Asked[parameters.Nothing], shelf: ShelfHere) -> records.Statistics:
    """Return the whole library in figures. Sectors, reading grade, vagueness, what policies name and practise."""
    return shelf.statistics()


@endpoint(library, REJECTIONS, response_model=answers.RejectionsAnswer)
def rejections(asked: Asked[parameters.WhichRejections], shelf: ShelfHere) -> dict[str, Any]:
    """List the pages that were rejected, and why. Counts by reason, and the pages by source and address."""
    return {"counts": shelf.rejection_counts(), "pages": shelf.rejections(asked.reason, asked.limit)}


def _cited(shelf: ShelfHere, policy_id: str, asked: AtVersion) -> dict[str, Any]:
    """Return which version is cited, and what took its place."""
    entry, cited = shelf.cited(policy_id, asked.version)
    return {
        "policy_id": entry.policy_id, "version_id": cited.version.version_id, "replaced_by": cited.replaced_by,
    }  # fmt: skip
