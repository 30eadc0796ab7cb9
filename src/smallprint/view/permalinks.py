"""Where a policy and its passages are on the site: addresses that stay."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from smallprint.view.evidence import fragment

Fields = Sequence[tuple[str, str | int]]


def short(version_id: str) -> str:
    """Give the part of a version's id that tells it from the policy's other versions."""
    return version_id.rpartition("@")[2]


def policy_path(policy_id: str, part: str = "", fields: Fields = (), ordinal: int | None = None) -> str:
    """Give the path of a policy's page, or of a part of it ("/diff"), with fields and a passage."""
    asked = f"?{urlencode(fields)}" if fields else ""
    return f"/policy/{quote(policy_id, safe='')}{part}{asked}{'' if ordinal is None else fragment(ordinal)}"


def passage_path(policy_id: str, version_id: str, ordinal: int | None = None) -> str:
    """Give the address under which a passage stays: that of its version, since a later one may count differently."""
    return policy_path(policy_id, fields=[("version", short(version_id))], ordinal=ordinal)
