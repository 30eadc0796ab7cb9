"""The vagueness benchmark: sentences whose vague words readers marked (Lebanoff and Liu 2018).

A word is vague where a phrase that two readers or more marked covers it, at every whole-word occurrence; words marked
only for what they refer to, and terms of the trade, do not count. Words are what stands between blanks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.annotating import WINDOWS
from smallprint.annotate.vagueness import COREFERENCE, TERMS, Marker, countable, cues
from smallprint.errors import NoData
from smallprint.evaluate.measures import precision_recall_f1

TASK = "vagueness"
SYSTEMS = ("teacher", "student", "cue words")
ENOUGH = 2


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence, its words, and how many readers marked each; None where nobody was asked."""

    id: str
    document: str
    words: tuple[str, ...]
    votes: NDArray[np.int64] | None

    @property
    def vague(self) -> NDArray[np.bool_]:
        """Which words are vague."""
        assert self.votes is not None
        return np.asarray(self.votes >= ENOUGH)


def sentences(path: Path) -> Iterator[Marked]:
    """Go through the sentences of a file in the layout of `vagueness/train.json`."""
    try:
        documents = json.loads(path.read_text(encoding="utf-8"))["docs"]
        found = [_marked(row, document["id"]) for document in documents for row in document["vague_sentences"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoData(f"{path} is no file of vague sentences ({error}); give one in the layout of train.json") from None
    return iter(found)


def evaluate(
    data: Path, systems: Sequence[str], ids: frozenset[str] | None = None, predictions: Path | None = None
) -> dict[str, Any]:
    """Measure on a file; for the research data, which the shipped models have seen, the card has figures by fold."""
    own = data.is_dir()
    path = data / "labelled" / "vagueness" / "train.json" if own else data
    found = [one for one in sentences(path) if ids is None or {one.id, one.document} & ids]
    said = {system: chosen(found, system) for system in systems}
    if predictions is not None:
        _write(predictions, found, said)
    known = [place for place, one in enumerate(found) if one.votes is not None]
    result: dict[str, Any] = {
        "task": TASK,
        "data": "train.json, which the shipped models have seen: 'smallprint train' gives figures by fold"
        if own
        else path.name,
        "n": len(known),
    }
    if known:
        truth = [found[place].vague for place in known]
        result["systems"] = {name: measures(truth, [rows[p] for p in known]) for name, rows in said.items()}
    return result


def measures(truth: Sequence[NDArray[np.bool_]], said: Sequence[NDArray[np.bool_]]) -> dict[str, float]:
    """Give precision, recall and F1 over words, and over sentences with at least one vague word."""
    precision, recall, f1 = precision_recall_f1(np.concatenate(truth), np.concatenate(said))
    whole = precision_recall_f1([t.any() for t in truth], [s.any() for s in said])
    return {
        "precision": precision, "recall": recall, "F1": f1,
        "sentence_precision": whole[0], "sentence_recall": whole[1], "sentence_F1": whole[2],
    }  # fmt: skip


def chosen(found: Sequence[Marked], system: str) -> list[NDArray[np.bool_]]:
    """Say which words of each sentence a system calls vague."""
    if system == "cue words":
        alone = {cue for cue in cues() if " " not in cue}
        return [np.array([word.lower() in alone for word in one.words], dtype=bool) for one in found]
    marker = _marker(system)
    return [(marker.mark(one.words) >= marker.threshold) & countable(one.words) for one in found]


def _marker(system: str) -> Marker:
    if system == "teacher":
        from smallprint.models.encoder import Encoder

        return Encoder()
    from smallprint.models.windows import Windows

    return Windows(WINDOWS)


def _marked(row: dict[str, Any], document: Any) -> Marked:
    words = tuple(row["sentence_str"].split())
    phrases = row.get("vague_phrases")
    return Marked(str(row["id"]), str(document), words, None if phrases is None else _votes(words, phrases))


def _votes(words: tuple[str, ...], phrases: dict[str, int]) -> NDArray[np.int64]:
    folded = [word.lower() for word in words]
    votes = np.zeros(len(words), dtype=np.int64)
    for phrase, count in phrases.items():
        parts = phrase.lower().split()
        if not parts or " ".join(parts) in TERMS or (len(parts) == 1 and parts[0] in COREFERENCE):
            continue
        for place in range(len(words) - len(parts) + 1):
            if folded[place : place + len(parts)] == parts:
                covered = votes[place : place + len(parts)]
                np.maximum(covered, int(count), out=covered)
    return votes


def _write(path: Path, found: Sequence[Marked], said: dict[str, list[NDArray[np.bool_]]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for place, one in enumerate(found):
            marked = {system: np.flatnonzero(rows[place]).tolist() for system, rows in said.items()}
            file.write(json.dumps({"id": one.id, "document": one.document, "vague_words": marked}) + "\n")
