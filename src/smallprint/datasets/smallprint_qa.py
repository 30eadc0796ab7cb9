"""smallprint_qa: our own questions on real policies, every sentence labelled, with the state of each answer.

A folder holds `policies.jsonl.zst` (policy, service, date, sentences with index, heading, text, maybe lead_in) and
`questions.jsonl.zst` (id, policy, question, source, answers, related, state); without labels the last three are absent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from smallprint.datasets.corpus import listed_ids, rows
from smallprint.datasets.kept_out import excluded
from smallprint.datasets.questions import Question, Sheet, sentences
from smallprint.errors import NoData
from smallprint.records import Sentence

FOLDER = Path("labelled/smallprint_qa")
POLICIES, QUESTIONS = "policies.jsonl.zst", "questions.jsonl.zst"
STATES = ("answered", "partly", "silent", "off-topic")
ANSWERABLE = frozenset({"answered", "partly"})
Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the places that answer it and those that bear on it; `state` is "" where nobody said."""

    id: str
    policy: str
    text: str
    answers: tuple[int, ...]
    related: tuple[int, ...]
    state: str

    @property
    def relevant(self) -> frozenset[int]:
        """All places that one of several experts might mark."""
        return frozenset(self.answers) | frozenset(self.related)


@dataclass(frozen=True, slots=True)
class Collection:
    """Policies by id, each with its questions, and all questions with their labels in the file's order."""

    policies: dict[str, Sheet]
    questions: tuple[Asked, ...]


def load(folder: Path) -> Collection:
    """Read a folder; the numbers of a policy's sentences are their places."""
    texts = load_policies(folder)
    questions = _read(folder / QUESTIONS, lambda row: _asked(row, len(texts[row["policy"]])), "question on them")
    by_policy: dict[str, list[Question]] = defaultdict(list)
    for asked in questions:
        places = tuple(range(len(texts[asked.policy])))
        relevant = asked.relevant if asked.state else None
        by_policy[asked.policy].append(Question(asked.id, asked.text, places, relevant))
    policies = {name: Sheet(name, own, tuple(range(len(own))), tuple(by_policy[name])) for name, own in texts.items()}
    return Collection(policies, tuple(questions))


def load_policies(folder: Path) -> dict[str, tuple[Sentence, ...]]:
    """Read a folder's policies by id, each with its sentences."""
    return dict(_read(folder / POLICIES, _policy, "policy"))


def held() -> frozenset[str]:
    """Return the ids of the policies that are kept out of all training."""
    return listed_ids("ask_test")


def tuning() -> frozenset[str]:
    """Return the ids of the policies from which only the combiner learns: no scorer has seen them."""
    return listed_ids("ask_tuning")


def training(data: Path) -> tuple[Collection, list[Asked]]:
    """Return the collection and its questions on policies that may be trained on."""
    collection = load(data / FOLDER)
    kept_out = held() | tuning() | excluded(data)
    return collection, [asked for asked in collection.questions if asked.policy not in kept_out]


def _read(path: Path, parse: Callable[[dict[str, Any]], Record], kind: str) -> list[Record]:
    records = []
    for number, row in enumerate(rows(path), 1):
        try:
            records.append(parse(row))
        except (KeyError, TypeError, ValueError) as error:
            raise NoData(f"line {number} of {path} is no {kind} ({error!r})") from None
    return records


def _policy(row: dict[str, Any]) -> tuple[str, tuple[Sentence, ...]]:
    ordered = sorted(row["sentences"], key=lambda sentence: int(sentence["index"]))
    if [sentence["index"] for sentence in ordered] != list(range(len(ordered))):
        raise ValueError("indices that do not count from 0")
    pairs = ((str(sentence.get("heading") or ""), str(sentence["text"])) for sentence in ordered)
    return str(row["policy"]), sentences(pairs, (str(sentence.get("lead_in") or "") for sentence in ordered))


def _asked(row: dict[str, Any], count: int) -> Asked:
    answers, related = (tuple(int(place) for place in row.get(name) or ()) for name in ("answers", "related"))
    state = str(row.get("state") or "")
    if state not in ("", *STATES):
        raise ValueError(f"the state {state!r}")
    if not all(0 <= place < count for place in answers + related):
        raise ValueError("places that are no sentences")
    return Asked(str(row["id"]), str(row["policy"]), str(row["question"]), answers, related, state)
