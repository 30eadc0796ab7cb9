"""Every benchmark by name, called in one way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from smallprint.errors import BadSetting
from smallprint.evaluate import extraction, is_policy
from smallprint.settings import Settings


def run(
    task: str,
    data: Path,
    settings: Settings,
    *,
    systems: tuple[str, ...] | None = None,
    ids: frozenset[str] | None = None,
    predictions: Path | None = None,
) -> dict[str, Any]:
    """Run a benchmark; the result is what `--json` prints."""
    known = {extraction.TASK: extraction.SYSTEMS, is_policy.TASK: ("default",)}[task]
    for system in systems or ():
        if system not in known:
            raise BadSetting(f"{system!r} is no system of {task}; choose from: {', '.join(known)}")
    if task == extraction.TASK:
        return extraction.evaluate(data, systems or known, ids, predictions)
    return is_policy.evaluate(data, settings.policy_threshold, ids, predictions)
