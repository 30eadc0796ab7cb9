"""Every benchmark by name, called in one way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from smallprint.errors import BadSetting
from smallprint.evaluate import (
    extraction,
    heading_answers,
    is_policy,
    labelling,
    mentions,
    policyqa,
    privacyqa,
    question_mapping,
    ranking,
    sector,
    smallprint_qa,
    vagueness,
)
from smallprint.settings import Settings

SYSTEMS: dict[str, tuple[str, ...]] = {
    is_policy.TASK: ("default",),
    extraction.TASK: extraction.SYSTEMS,
    labelling.PRACTICES: labelling.SYSTEMS,
    labelling.POLAR: labelling.SYSTEMS,
    vagueness.TASK: vagueness.SYSTEMS,
    sector.TASK: sector.SYSTEMS,
    mentions.TASK: ("default",),
    ranking.TASK: ranking.SYSTEMS,
    policyqa.TASK: policyqa.SYSTEMS,
    question_mapping.TASK: question_mapping.SYSTEMS,
}
# The systems of these are known once the answerer is made, which takes long: they see to it themselves.
ANSWERING = {
    privacyqa.TASK: privacyqa.evaluate,
    smallprint_qa.TASK: smallprint_qa.evaluate,
    heading_answers.TASK: heading_answers.evaluate,
}


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
    if task in ANSWERING:
        return ANSWERING[task](data, systems, ids, predictions)
    known = SYSTEMS[task]
    for system in systems or ():
        if system not in known:
            raise BadSetting(f"{system!r} is no system of {task}; choose from: {', '.join(known)}")
    chosen = systems or known
    if task == extraction.TASK:
        return extraction.evaluate(data, chosen, ids, predictions)
    if task in {labelling.PRACTICES, labelling.POLAR}:
        return labelling.evaluate(task, data, chosen, ids, predictions)
    if task == vagueness.TASK:
        return vagueness.evaluate(data, chosen, ids, predictions)
    if task == sector.TASK:
        return sector.evaluate(data, chosen, ids, predictions)
    if task == ranking.TASK:
        return ranking.evaluate(data, chosen, predictions)
    if task == policyqa.TASK:
        return policyqa.evaluate(data, ids, predictions)
    if task == question_mapping.TASK:
        return question_mapping.evaluate(data, chosen, ids, predictions)
    if task == mentions.TASK:
        return mentions.evaluate(data, ids, predictions)
    return is_policy.evaluate(data, settings.policy_threshold, ids, predictions)
