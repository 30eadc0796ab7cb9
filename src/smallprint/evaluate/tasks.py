"""Every benchmark by name, called in one way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smallprint.errors import BadSetting
from smallprint.evaluate import (
    extraction,
    heading_answers,
    is_policy,
    labelling,
    library_questions,
    mentions,
    papers,
    policyqa,
    privacyqa,
    question_mapping,
    ranking,
    sector,
    smallprint_qa,
    vagueness,
    word_vectors,
)
from smallprint.settings import Settings


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be measured: on which data, by which systems, over which items, and where predictions go."""

    data: Path
    settings: Settings
    systems: tuple[str, ...] | None
    ids: frozenset[str] | None
    predictions: Path | None


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
    papers.TASK: ("default",),
    library_questions.TASK: ("default",),
}
_ALL: dict[str, Callable[[Order], dict[str, Any]]] = {
    is_policy.TASK: lambda o: is_policy.evaluate(o.data, o.settings.policy_threshold, o.ids, o.predictions),
    extraction.TASK: lambda o: extraction.evaluate(o.data, o.systems or (), o.ids, o.predictions),
    labelling.PRACTICES: lambda o: labelling.evaluate(
        labelling.PRACTICES, o.data, o.systems or (), o.ids, o.predictions
    ),
    labelling.POLAR: lambda o: labelling.evaluate(labelling.POLAR, o.data, o.systems or (), o.ids, o.predictions),
    vagueness.TASK: lambda o: vagueness.evaluate(o.data, o.systems or (), o.ids, o.predictions),
    sector.TASK: lambda o: sector.evaluate(o.data, o.systems or (), o.ids, o.predictions),
    mentions.TASK: lambda o: mentions.evaluate(o.data, o.ids, o.predictions),
    ranking.TASK: lambda o: ranking.evaluate(o.data, o.systems or (), o.predictions),
    policyqa.TASK: lambda o: policyqa.evaluate(o.data, o.ids, o.predictions),
    question_mapping.TASK: lambda o: question_mapping.evaluate(o.data, o.systems or (), o.ids, o.predictions),
    papers.TASK: lambda o: papers.evaluate(o.data),
    library_questions.TASK: lambda o: library_questions.evaluate(o.data, o.ids, o.predictions),
    word_vectors.TASK: lambda o: word_vectors.evaluate(o.data, o.systems),
    # The systems of these are known once the answerer is made, which takes long: they see to it themselves.
    privacyqa.TASK: lambda o: privacyqa.evaluate(o.data, o.systems, o.ids, o.predictions),
    smallprint_qa.TASK: lambda o: smallprint_qa.evaluate(o.data, o.systems, o.ids, o.predictions),
    heading_answers.TASK: lambda o: heading_answers.evaluate(o.data, o.systems, o.ids, o.predictions),
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
    known = SYSTEMS.get(task, ())
    unknown = [system for system in systems or () if known and system not in known]
    if unknown:
        raise BadSetting(f"{unknown[0]!r} is no system of {task}; choose from: {', '.join(known)}")
    return _ALL[task](Order(data, settings, systems or known or None, ids, predictions))
