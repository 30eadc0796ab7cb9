"""The labelled passages that the encoder is trained on, without what is kept for evaluation.

Three collections teach it: OPP-115's segments (all labels), AppCorp's paragraphs (one of eleven topics each, which help
with what is rare in OPP-115), and PI-Extract's sentences (whether data are collected or shared, or are not).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.practices import COLUMNS, PARENT, column
from smallprint.errors import NoData
from smallprint.evaluate import corpus
from smallprint.evaluate.opp115 import Passage, passages
from smallprint.taxonomy import CATEGORIES, POLARITY, Label

CATEGORY_COUNT = len(CATEGORIES)
TOPICS = (
    "First_Party_Collection_and_Use", "Third_Party_Share_and_Collection", "User_Right_and_Control",
    "Policy_Introductory", "Cookies_and_Similar_Technologies", "Data_Security", "Specific_Audiences",
    "Policy_Contact_Information", "Policy_Change", "Data_Retention", "International_Data_Transfer",
)  # fmt: skip
# AppCorp does not say which policy a paragraph is of. Where one names a site that is kept for evaluation, whatever
# stands near it goes: a policy has 34 paragraphs on average, and they follow one another.
NEAR_PARAGRAPHS = 120
# These are named in many policies, as partners or places to follow a company: their mention does not make a policy
# theirs. The first words of a policy that is their own would still be found by their other names.
PARTNERS = frozenset("amazon twitter ironsource".split())
COMMON_WORDS = frozenset("keep reference si archives mirror themirror timeanddate fool honda".split())
# A shorter name is a word of many texts.
SHORTEST_NAME = 4


@dataclass(frozen=True, slots=True)
class Example:
    """A text and what a model is to say of it; `weights` is 0 for what nobody knows."""

    text: str
    group: str
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]
    topic: int = -1


def opp115_examples(data: Path, held_out: frozenset[str]) -> list[Example]:
    """Give OPP-115's segments, but for those of policies that are held out."""
    return [example(passage) for passage in passages(data / "labelled" / "opp115") if passage.policy not in held_out]


def example(passage: Passage) -> Example:
    """Turn votes into targets: a category's share of all annotators, a value's of those who gave its category."""
    people = max(passage.annotators, 2)
    votes = np.array([passage.votes.get(label, 0) for label in COLUMNS], dtype=np.float32)
    seen = votes[PARENT]
    targets = votes / np.where(np.arange(len(COLUMNS)) < CATEGORY_COUNT, people, np.maximum(seen, 1))
    weights = np.where(np.arange(len(COLUMNS)) < CATEGORY_COUNT, 1.0, seen / people)
    return Example(passage.text, passage.policy, targets.astype(np.float32), weights.astype(np.float32))


def held_out_policies(data: Path) -> frozenset[str]:
    """Give the OPP-115 policies that nothing may learn from: the test split's, and those kept for evaluation."""
    tested = {row["id"] for row in corpus.listed("practices_test")}
    kept = (name.removeprefix("opp115:") for name in corpus.excluded(data) if name.startswith("opp115:"))
    return frozenset(tested | {name for name in kept if "_" in name})


def appcorp_examples(data: Path) -> list[Example]:
    """Give AppCorp's paragraphs with their topics, but for those near a mention of a site kept for evaluation."""
    rows = list(corpus.rows(data / "labelled" / "appcorp" / "paragraphs.jsonl.zst"))
    texts = [" ".join(row["sentences"]) for row in rows]
    kept_out = np.zeros(len(rows), dtype=bool)
    pattern = _named(corpus.excluded(data))
    for place, text in enumerate(texts):
        if pattern.search(text):
            kept_out[max(0, place - NEAR_PARAGRAPHS) : place + NEAR_PARAGRAPHS + 1] = True
    nothing = np.zeros(len(COLUMNS), dtype=np.float32)
    return [
        Example(text, f"appcorp:{row['fold']}", nothing, nothing, TOPICS.index(row["label"]))
        for row, text, out in zip(rows, texts, kept_out, strict=True)
        if not out and text
    ]


def polarity_examples(data: Path, allowed: list[Example]) -> list[Example]:
    """Give PI-Extract's sentences on collecting and sharing, those alone that stand in the OPP-115 policies allowed."""
    known = {
        group: _bare(" ".join(e.text for e in allowed if e.group == group)) for group in {e.group for e in allowed}
    }
    said: dict[str, set[Label]] = {}
    for name, label in zip(("CollectUse_true", "CollectUse_false", "Share_true", "Share_false"), POLARITY, strict=True):
        for sentence in _marked(data / "labelled" / "pi_extract" / "dataset" / name / "train.conll03"):
            said.setdefault(sentence, set()).add(label)
    found = []
    for sentence, labels in sorted(said.items()):
        group = next((group for group, text in sorted(known.items()) if _bare(sentence) in text), None)
        if group is None:
            continue
        targets, weights = (np.zeros(len(COLUMNS), dtype=np.float32) for _ in range(2))
        for label in POLARITY:
            targets[column(label)] = label in labels
            weights[column(label)] = any(other.category == label.category for other in labels)
        found.append(Example(sentence, group, targets, weights))
    return found


def _marked(path: Path) -> Iterator[str]:
    """Give the sentences of a CoNLL file in which anything is marked."""
    if not path.is_file():
        raise NoData(f"{path} is not there; set data_dir (SMALLPRINT_DATA_DIR) to the folder of research data")
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line.split(" ") for line in block.splitlines() if line and not line.startswith("-DOCSTART-")]
        if any(line[-1] != "O" for line in lines):
            yield " ".join(line[0] for line in lines)


def _bare(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _named(names: frozenset[str]) -> re.Pattern[str]:
    """Make a pattern of the names of sites and services: "limasky.com" is also "Lima Sky"."""
    found = set()
    for name in names:
        own = name.split(":")[-1].rpartition("/")[2].partition("_")[2] or name.split(":")[-1].rpartition("/")[2]
        stem = re.sub(r"^www[.-]|[.-](?:com|org|net|edu|gov)\b.*$", "", own.lower())
        letters = re.sub(r"[^a-z0-9]", "", stem)
        if len(letters) >= SHORTEST_NAME and not letters.isdigit() and letters not in PARTNERS | COMMON_WORDS:
            found.add(" ?".join(letters))
    return re.compile(r"\b(?:" + ("|".join(sorted(found)) or "(?!)") + r")\b", re.IGNORECASE)
