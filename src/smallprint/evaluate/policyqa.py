"""PolicyQA: where in a passage the answer to a question stands, in SQuAD's layout (Ahmad et al. 2020).

Exact match and F1 are SQuAD's (Rajpurkar et al. 2016): of words in lower case, without punctuation and articles; the
best over all answers that are given for a question.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from smallprint.errors import NoData
from smallprint.evaluate.answering import from_ask
from smallprint.evaluate.ranked import means

TASK = "policyqa"
SYSTEMS = ("default",)
ARTICLES = re.compile(r"\b(?:a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)


class SpanReader(Protocol):
    """Finds the answer to a question in a passage."""

    def read(self, question: str, context: str) -> tuple[int, int]:
        """Give the half-open range of characters of the answer; an empty one where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Passage:
    """A question on a passage; `answers` are texts, None where nobody said, and `type` is OPP-115's label for it.

    `spans` are the half-open places of those answers whose place is given and holds their text.
    """

    id: str
    policy: str
    question: str
    context: str
    answers: tuple[str, ...] | None
    type: str = ""
    spans: tuple[tuple[int, int], ...] = ()


def reader() -> SpanReader:
    """Make the reader that is shipped."""
    made: SpanReader = from_ask("span_reader")()
    return made


def load(path: Path) -> list[Passage]:
    """Read a file, passage by passage."""
    try:
        return list(_passages(json.loads(path.read_text(encoding="utf-8"))["data"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoData(f"{path} is no file of questions on passages ({error!r}); give one in SQuAD's layout") from None


def evaluate(
    data: Path,
    ids: frozenset[str] | None = None,
    predictions: Path | None = None,
    by: SpanReader | None = None,
) -> dict[str, Any]:
    """Measure on a file, or on the development set of the research data; `ids` are of questions or policies."""
    path = data / "labelled" / "policyqa" / "dev.json" if data.is_dir() else data
    asked = [one for one in load(path) if ids is None or {one.id, one.policy} & ids]
    by = by or reader()
    spans = [by.read(one.question, one.context) for one in asked]
    if predictions is not None:
        _write(predictions, asked, spans)
    known = [(one, one.context[start:end]) for one, (start, end) in zip(asked, spans, strict=True) if one.answers]
    result: dict[str, Any] = {"task": TASK, "data": "/".join(path.resolve().parts[-2:]), "n": len(known)}
    if known:
        rows = np.array([score(said, one.answers or ()) for one, said in known])
        result["systems"] = {"default": means(("EM", "F1"), rows)}
        kinds = [one.type.partition("|||")[0] for one, _ in known]
        result["by_category"] = {
            kind: {"n": kinds.count(kind), "EM": float(part[0]), "F1": float(part[1])}
            for kind in sorted(set(kinds) - {""})
            for part in [rows[[one == kind for one in kinds]].mean(axis=0)]
        }
        if not result["by_category"]:
            del result["by_category"]
    return result


def score(said: str, answers: Sequence[str]) -> tuple[float, float]:
    """Give exact match and F1 of an answer, each the best over the true ones."""
    return _best(exact, said, answers), _best(f1, said, answers)


def exact(said: str, truth: str) -> float:
    """Tell whether two answers are the same but for case, punctuation, articles and blanks."""
    return float(_words(said) == _words(truth))


def f1(said: str, truth: str) -> float:
    """Give the F1 of an answer's words; 1 where both have none."""
    own, true = _words(said), _words(truth)
    if not own or not true:
        return float(own == true)
    hits = (Counter(own) & Counter(true)).total()
    return 2 * hits / (len(own) + len(true))


def _best(measure: Callable[[str, str], float], said: str, answers: Sequence[str]) -> float:
    return max(measure(said, answer) for answer in answers)


def _words(text: str) -> list[str]:
    return ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split()


def _passages(policies: list[dict[str, Any]]) -> Iterator[Passage]:
    for policy in policies:
        title = str(policy.get("title", ""))
        for paragraph in policy["paragraphs"]:
            for row in paragraph["qas"]:
                yield _passage(row, title, str(paragraph["context"]))


def _passage(row: dict[str, Any], title: str, context: str) -> Passage:
    """Read a question; that which is marked as impossible (SQuAD 2) is to be answered with nothing."""
    given = row.get("answers") or ()
    answers = ("",) if row.get("is_impossible") else tuple(str(one["text"]) for one in given) or None
    starts = [(int(one["answer_start"]), str(one["text"])) for one in given if "answer_start" in one]
    spans = tuple((start, start + len(text)) for start, text in starts if text and context.startswith(text, start))
    return Passage(str(row["id"]), title, str(row["question"]), context, answers, str(row.get("type") or ""), spans)


def _write(path: Path, asked: Sequence[Passage], spans: Sequence[tuple[int, int]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for one, (start, end) in zip(asked, spans, strict=True):
            line = {"id": one.id, "policy": one.policy, "span": [int(start), int(end)], "text": one.context[start:end]}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
