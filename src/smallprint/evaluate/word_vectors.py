"""Word vectors measured by what they find: BM25 with each word's ten nearest, on questions that nobody trained on.

A system is the shipped vectors, or a folder that `smallprint train vectors --out` or `general-vectors --out` wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from smallprint.ask.asked import ask
from smallprint.ask.evidence import gather
from smallprint.ask.kit import Kit, kit
from smallprint.ask.rankers import rank
from smallprint.evaluate import privacyqa, smallprint_qa
from smallprint.evaluate.answering import Sheet
from smallprint.evaluate.ranked import best_first, ranked
from smallprint.evaluate.tables import table
from smallprint.models.vectors import Vectors
from smallprint.text import words

TASK = "word-vectors"
SHIPPED, NONE = "shipped", "no expansion"
MEASURES = ("F@5", "MRR", "top-1", "top-2", "top-3", "top-4")


def evaluate(data: Path, systems: Sequence[str] | None = None) -> dict[str, Any]:
    """Measure each system on PrivacyQA's development questions and on the policies of smallprint_qa kept out."""
    labelled = data / "labelled"
    collection = smallprint_qa.load(labelled / "smallprint_qa")
    held = [one for one in smallprint_qa.sheets(collection) if one.policy in smallprint_qa.held()]
    sets = {"privacyqa/dev": privacyqa.load(labelled / "privacyqa" / "dev"), "smallprint_qa": held}
    asked = [row["Query"] for row in table(labelled / "privacyqa" / "train_questions.tsv", ("Query",))]
    return {
        "task": TASK,
        "data": " and ".join(sets),
        "n": sum(len(one.questions) for sheets in sets.values() for one in sheets),
        "systems": compared(sets, asked, systems or (SHIPPED, NONE)),
    }


def compared(
    sets: Mapping[str, Sequence[Sheet]], asked: Sequence[str], systems: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Measure systems on sets of questions, and how many words of some others they know."""
    typed = [word for text in asked for word in words(text) if not word.isdigit()]
    found: dict[str, dict[str, float]] = {}
    for system in systems:
        models = Kit()
        models.finder, models.mapper = kit().finder, kit().mapper
        if system not in {SHIPPED, NONE}:
            models.words = Vectors(Path(system))
        own = found.setdefault(Path(system).name, {})
        for title, sheets in sets.items():
            figures = _measured(sheets, models, "bm25 without expansion" if system == NONE else "bm25")
            own |= {f"{title} {measure}": figures[measure] for measure in MEASURES}
        own["known words"] = models.words.known(typed)
    return found


def _measured(sheets: Sequence[Sheet], models: Kit, ranker: str) -> dict[str, Any]:
    rankings = []
    for sheet in sheets:
        evidence = gather(sheet.sentences, models.labeller, models.finder)
        for question in sheet.questions:
            if question.relevant:
                scores = rank(ranker, ask(question.text, models), evidence, models)
                order = [question.candidates[place] for place in best_first(scores[list(question.candidates)])]
                rankings.append([place in question.relevant for place in order])
    return dict(ranked(rankings))
