"""Questions as records, whatever data set they come from: on policies, and with the practices they are about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

from smallprint.datasets.corpus import table
from smallprint.errors import NoData
from smallprint.records import Sentence
from smallprint.taxonomy import category

LEVELS = ("category", "attribute", "value")


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `candidates` are the places that count, `relevant` the true ones, None if nobody labelled them."""

    id: str
    text: str
    candidates: tuple[int, ...]
    relevant: frozenset[int] | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A policy with the questions on it; `numbers` is how the data set numbers its sentences."""

    policy: str
    sentences: tuple[Sentence, ...]
    numbers: tuple[int, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and the acceptable answers at each level; `group` is the app it was asked about, where known."""

    id: str
    text: str
    categories: frozenset[str]
    attributes: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    group: str = ""

    @property
    def levels(self) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """What is acceptable as category, attribute and value."""
        return self.categories, self.attributes, self.values


def sentences(rows: Iterable[tuple[str, str]], lead_ins: Iterable[str] = repeat("")) -> tuple[Sentence, ...]:
    """Return sentences made of (heading, text) rows, as though each stood on a line of its own."""
    # Data sets do not say where paragraphs end: a passage is what stands under one heading.
    parts: list[Sentence] = []
    start = 0
    for (heading, text), lead_in in zip(rows, lead_ins, strict=False):
        headings = (heading,) if heading else ()
        passage = parts[-1].segment + (headings != parts[-1].headings) if parts else 0
        parts.append(Sentence(text, headings, passage, start, start + len(text), lead_in))
        start += len(text) + 1
    return tuple(parts)


def only(sheets: Iterable[Sheet], ids: frozenset[str] | None) -> list[Sheet]:
    """Return the sheets of the given policies or questions; all that have questions if `ids` is None."""
    kept = (
        replace(sheet, questions=tuple(q for q in sheet.questions if ids is None or {sheet.policy, q.id} & ids))
        for sheet in sheets
    )
    return [sheet for sheet in kept if sheet.questions]


def load_labelled(path: Path) -> list[LabelledQuestion]:
    """Read a TSV with the columns id, question, category, attribute, value; the last three may be absent."""
    # "|" separates acceptable answers, and a question without any at a level is not measured there. Categories are
    # named by our id or the data set's name.
    questions = []
    for row in table(path, ("id", "question")):
        cells = ((part.strip() for part in row.get(level, "").split("|")) for level in LEVELS)
        names, attributes, values = (frozenset(cell) - {""} for cell in cells)
        try:
            categories = frozenset(category(name).id for name in names)
        except KeyError as error:
            raise NoData(f"{path} has the category {error}; OPP-115 has no such one") from None
        questions.append(LabelledQuestion(row["id"], row["question"], categories, attributes, values))
    return questions
