"""Every path of the site and, with the same nouns, of its API; permalinks; and which other addresses may be links."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from smallprint.records import Citation

HOME = "/"
SEARCH, NEAR_DUPLICATES, COMPARE = "/search", "/search/alike", "/compare"
ASK, FEEDBACK = "/ask", "/feedback"
POLICIES = "/policies"
STATISTICS, REJECTIONS = "/statistics", "/rejections"
READ, KEEP = "/read", "/keep"
SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
HELP, ABOUT, PRIVACY = "/help", "/about", "/privacy"
STATIC_PATH = "/static"
API = "/api/v1"
OPENAPI = f"{API}/openapi.json"
# Paths that changed, and what they are now; what follows them, and the query, stay.
FORMER = {"/policy": POLICIES, "/corpus": STATISTICS}

Fields = Sequence[tuple[str, str | int]]


def short(version_id: str) -> str:
    """Return the part of a version's id that tells it from the policy's other versions."""
    return version_id.rpartition("@")[2]


def policy_path(policy_id: str, part: str = "", fields: Fields = (), ordinal: int | None = None) -> str:
    """Return the path of a policy's page, or of a part of it ("/diff"), with fields and a passage."""
    query = f"?{urlencode(fields)}" if fields else ""
    return f"{POLICIES}/{quote(policy_id, safe='')}{part}{query}{'' if ordinal is None else fragment(ordinal)}"


def passage_path(policy_id: str, version_id: str, ordinal: int | None = None) -> str:
    """Return the lasting address of a passage: that of its version, since a later one may count differently."""
    return policy_path(policy_id, fields=[("version", short(version_id))], ordinal=ordinal)


def citation_path(citation: Citation) -> str:
    """Return the path of the policy's page on which the words of a citation are marked."""
    fields = [("version", short(citation.version_id or "")), ("at", f"{citation.start}-{citation.end}")]
    return policy_path(citation.policy_id or "", fields=fields, ordinal=citation.segment)


def fragment(ordinal: int) -> str:
    """Return the part of an address that leads to a segment of a policy's page."""
    return f"#s{ordinal}"


def diff_path(policy_id: str, old: str, new: str) -> str:
    """Return the path of what changed from one version to another."""
    return policy_path(policy_id, "/diff", [("old", short(old)), ("new", short(new))])


def ask_path(policy_id: str, version_id: str, question: str) -> str:
    """Return the path of a question asked of a version."""
    return policy_path(policy_id, "/ask", [("question", question), ("version", short(version_id))])


def compare_path(policies: Sequence[str], fields: Fields = ()) -> str:
    """Return the path of a comparison."""
    return f"{COMPARE}?{urlencode([*(('policy', policy) for policy in policies), *fields])}"


def is_web(url: str) -> bool:
    """Return whether an address may be made a link: only the web's own; "javascript:" and files are shown as text."""
    return url.lower().startswith(("https://", "http://"))
