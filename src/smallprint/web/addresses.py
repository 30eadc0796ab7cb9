"""Where things are on this site, and which addresses of others may be linked to."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from smallprint.view.permalinks import Fields, policy_path, short


def diff_path(policy_id: str, old: str, new: str) -> str:
    """Give the path of what changed from one version to another."""
    return policy_path(policy_id, "/diff", [("old", short(old)), ("new", short(new))])


def ask_path(policy_id: str, version_id: str, question: str) -> str:
    """Give the path of a question asked of a version."""
    return policy_path(policy_id, "/ask", [("question", question), ("version", short(version_id))])


def compare_path(policies: Sequence[str], fields: Fields = ()) -> str:
    """Give the path of a comparison."""
    return f"/compare?{urlencode([*(('policy', one) for one in policies), *fields])}"


def is_web(url: str) -> bool:
    """Tell whether an address may be made a link: only the web's own; "javascript:" and files are shown as text."""
    return url.lower().startswith(("https://", "http://"))
