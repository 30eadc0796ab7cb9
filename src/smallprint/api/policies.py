"""The endpoints on one policy: what is known of it, its text, its segments, and what was said of it."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated

from fastapi import APIRouter, Path, Query

from smallprint.api.answers import AnnotationsAnswer, SegmentsAnswer, TextAnswer
from smallprint.api.endpoints import Marked, endpoint
from smallprint.api.parameters import AtVersion, TextAtVersion
from smallprint.api.site import PoolHere
from smallprint.library import Library, reading
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.shelf.policies import PolicyRecord, policy_record, version_of
from smallprint.shelf.sayings import Sayings, sayings, segments_said
from smallprint.view.citations import CitedVersion, cited_version

router = APIRouter(prefix="/policies/{policy_id}", tags=["policies"], route_class=Marked)

PolicyId = Annotated[
    str, Path(description="A policy's id; or the beginning of one, or a domain, where only one policy can be meant.")
]


@endpoint(router, "", 404)
def policy(policy_id: PolicyId, asked: Annotated[AtVersion, Query()], pool: PoolHere) -> PolicyRecord:
    """Say what is known of a policy. Versions and dates, sector and who says so, company, measures, duplicates."""
    with pool.library() as library:
        entry, version = _meant(library, policy_id, asked)
        return policy_record(library, entry, version)


@endpoint(router, "/text", 404)
def policy_text(policy_id: PolicyId, asked: Annotated[TextAtVersion, Query()], pool: PoolHere) -> TextAnswer:
    """Give a policy's text. That of a version never changes, and all places point into it."""
    read = reading.text if asked.of == "policy" else reading.page_text
    with pool.library() as library:
        entry, cited = _cited(library, policy_id, asked)
        text = read(library, cited.version.version_id)
    return TextAnswer(entry.policy_id, cited.version.version_id, len(text), text, _replaced_by(cited))


@endpoint(router, "/segments", 404)
def policy_segments(policy_id: PolicyId, asked: Annotated[AtVersion, Query()], pool: PoolHere) -> SegmentsAnswer:
    """Give a policy's segments. Each with its place, the headings above it, and the labels that hold for it."""
    with pool.library() as library:
        entry, cited = _cited(library, policy_id, asked)
        segments = segments_said(library, cited.version)
    return SegmentsAnswer(entry.policy_id, cited.version.version_id, segments, _replaced_by(cited))


@endpoint(router, "/annotations", 404)
def policy_annotations(policy_id: PolicyId, asked: Annotated[AtVersion, Query()], pool: PoolHere) -> AnnotationsAnswer:
    """Give what was said of a policy. Practices, mentions and vague words with places and words, and who said so."""
    with pool.library() as library:
        entry, version = _meant(library, policy_id, asked)
        said = sayings(library, entry, version)
    own = {one.name: getattr(said, one.name) for one in fields(Sayings)}
    return AnnotationsAnswer(policy_id=entry.policy_id, version_id=version.version_id, **own)


def _meant(library: Library, policy_id: str, asked: AtVersion) -> tuple[PolicyEntry, VersionEntry]:
    entry = reading.find_policy(library, policy_id)
    return entry, version_of(library, entry, asked.version)


def _cited(library: Library, policy_id: str, asked: AtVersion) -> tuple[PolicyEntry, CitedVersion]:
    """Find a policy and a version whose own words are asked for, even if it was replaced."""
    entry = reading.find_policy(library, policy_id)
    return entry, cited_version(library, entry, asked.version)


def _replaced_by(cited: CitedVersion) -> str | None:
    return cited.successor.version_id if cited.successor else None
