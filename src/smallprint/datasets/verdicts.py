"""What policies say: a card of 28 questions a policy, questions that people asked of it, narrow ones, and twins.

A folder holds any of `card`, `stances`, `narrow`, `wordings` and `contrast` (`.jsonl.zst`), and `policies` and
`questions` as smallprint_qa has them; what a folder lacks of the last two is smallprint_qa's. An item's `accept` lists
verdicts that count as right beside its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from smallprint.card import CODES, VERDICTS
from smallprint.datasets import smallprint_qa
from smallprint.datasets.corpus import listed, listed_ids, rows
from smallprint.datasets.kept_out import excluded
from smallprint.errors import NoData
from smallprint.records import Sentence

COLLECTIONS = (Path("labelled/verdicts"), Path("labelled/verdicts_2026"))
WORDINGS, CONTRAST = Path("labelled/wordings"), Path("labelled/contrast")
# What an open question can be beside what a question of the card can be.
TOLD = "told"
Stance = Literal["+", "-", "~", "0"]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class CardItem:
    """The verdict of a policy on a question of the card, the sentences that earn it, and others that bear on it."""

    policy: str
    card: str
    verdict: str
    accept: tuple[str, ...]
    earns: tuple[int, ...]
    also: tuple[int, ...]

    @property
    def id(self) -> str:
        """The policy and the question's code."""
        return f"{self.policy}#{self.card}"


@dataclass(frozen=True, slots=True)
class AskedItem:
    """A question asked of a policy: its verdict ("" for an open question that nobody settled) and its sentences.

    `stances` are those of sentences, by their place; `answers` are the sentences one would quote, the best first.
    """

    id: str
    policy: str
    question: str
    kind: str
    verdict: str
    accept: tuple[str, ...]
    stances: dict[int, Stance]
    answers: tuple[int, ...]
    related: tuple[int, ...]
    state: str = ""


@dataclass(frozen=True, slots=True)
class Wording:
    """A way in which people ask a question of the card, of one policy or of many."""

    card: str
    scope: str
    polarity: str
    text: str


@dataclass(frozen=True, slots=True)
class Contrast:
    """An invented sentence and its stance towards a question of the card; neighbours of a block are twins."""

    card: str
    stance: Stance
    kind: str
    heading: str
    sentence: str
    block: str


@dataclass(frozen=True, slots=True)
class Labels:
    """Policies with whatever was labelled on them, and what was labelled without one; a part may be empty."""

    policies: dict[str, tuple[Sentence, ...]]
    card: tuple[CardItem, ...] = ()
    asked: tuple[AskedItem, ...] = ()
    narrow: tuple[AskedItem, ...] = ()
    wordings: tuple[Wording, ...] = ()
    contrast: tuple[Contrast, ...] = ()

    def only(self, policies: Collection[str]) -> Labels:
        """Return what was labelled on some policies."""
        kept = {name: own for name, own in self.policies.items() if name in policies}
        parts = {part: tuple(item for item in getattr(self, part) if item.policy in kept) for part in ON_POLICIES}
        return replace(self, policies=kept, **parts)


# The parts of labels that are on a policy.
ON_POLICIES = ("card", "asked", "narrow")


def load(folder: Path, data: Path) -> Labels:
    """Read what a folder has; what it lacks of policies and questions is smallprint_qa's in the research data."""

    def part(name: str, read: Callable[[Path], list[Item]]) -> tuple[Item, ...]:
        return tuple(read(folder)) if (folder / f"{name}.jsonl.zst").is_file() else ()

    own = (folder / smallprint_qa.POLICIES).is_file()
    return Labels(
        smallprint_qa.load_policies(folder if own else data / smallprint_qa.FOLDER),
        part("card", load_card),
        part("stances", lambda folder: load_asked(folder, data)),
        part("narrow", load_narrow),
        part("wordings", load_wordings),
        part("contrast", load_contrast),
    )


def load_all(data: Path) -> Labels:
    """Read everything that the research data have: both collections, wordings and twins."""
    old, new = (load(data / folder, data) for folder in COLLECTIONS)
    return Labels(
        old.policies | new.policies,
        old.card + new.card,
        old.asked + new.asked,
        old.narrow + new.narrow,
        tuple(load_wordings(data / WORDINGS)),
        tuple(load_contrast(data / CONTRAST)),
    )


def kept_out(data: Path) -> Labels:
    """Return all that nothing may learn from, to be measured on."""
    every = load_all(data)
    wordings, blocks = held_wordings(), held_blocks()
    return replace(
        every.only(held()),
        wordings=tuple(own for own in every.wordings if (own.card, own.text) in wordings),
        contrast=tuple(own for own in every.contrast if own.block in blocks),
    )


def training(data: Path) -> Labels:
    """Return all that may be learnt from."""
    every = load_all(data)
    wordings, blocks = held_wordings(), held_blocks()
    return replace(
        every.only(every.policies.keys() - held() - excluded(data)),
        wordings=tuple(own for own in every.wordings if (own.card, own.text) not in wordings),
        contrast=tuple(own for own in every.contrast if own.block not in blocks),
    )


def load_card(folder: Path) -> list[CardItem]:
    """Read the cards of a folder."""
    return [
        CardItem(row["policy"], row["card"], _verdict(row), _accepted(row), tuple(row["earns"]), tuple(row["also"]))
        for row in _rows(folder, "card", ("policy", "card", "verdict", "earns", "also"))
    ]


def load_narrow(folder: Path) -> list[AskedItem]:
    """Read the narrow questions of a folder."""
    needed = ("id", "policy", "question", "kind", "verdict", "answers", "related")
    return [
        AskedItem(
            row["id"], row["policy"], row["question"], row["kind"], _verdict(row), _accepted(row), _stances(row),
            tuple(row["answers"]), tuple(row["related"]),
        )
        for row in _rows(folder, "narrow", needed)
    ]  # fmt: skip


def load_asked(folder: Path, data: Path) -> list[AskedItem]:
    """Read the questions that people asked, their words, sentences and states from the folder or from smallprint_qa."""
    whole = folder if (folder / smallprint_qa.QUESTIONS).is_file() else data / smallprint_qa.FOLDER
    known = {row["id"]: row for row in rows(whole / smallprint_qa.QUESTIONS)}
    items = []
    for row in _rows(folder, "stances", ("id", "policy", "kind")):
        if row["id"] not in known:
            raise NoData(f"{folder / 'stances.jsonl.zst'} has {row['id']!r}, which is no question of {whole}")
        own = known[row["id"]]
        items.append(AskedItem(
            row["id"], row["policy"], own["question"], row["kind"], _verdict(row), _accepted(row), _stances(row),
            tuple(own["answers"]), tuple(own["related"]), own["state"],
        ))  # fmt: skip
    return items


def load_wordings(folder: Path) -> list[Wording]:
    """Read the wordings of a folder."""
    needed = ("card", "scope", "polarity", "wording")
    return [Wording(*(row[name] for name in needed)) for row in _rows(folder, "wordings", needed)]


def load_contrast(folder: Path) -> list[Contrast]:
    """Read the twins of a folder."""
    needed = ("card", "stance", "kind", "heading", "sentence", "block")
    return [Contrast(*(row[name] for name in needed)) for row in _rows(folder, "contrast", needed)]


def held() -> frozenset[str]:
    """Return the ids of the policies, of both collections, that nothing may learn from."""
    return smallprint_qa.held() | listed_ids("verdicts_test")


def tuning() -> frozenset[str]:
    """Return the ids of the policies, of both collections, that neither finder nor reader has seen."""
    return smallprint_qa.tuning() | listed_ids("verdicts_tuning")


def held_wordings() -> frozenset[tuple[str, str]]:
    """Return the wordings that nothing may learn from, each with its card question: one in five of each."""
    return frozenset((row["card"], row["wording"]) for row in listed("wordings_test"))


def held_blocks() -> frozenset[str]:
    """Return the blocks of twins that nothing may learn from: one in six."""
    return listed_ids("contrast_test", "block")


def _rows(folder: Path, name: str, needed: tuple[str, ...]) -> list[dict[str, Any]]:
    path = folder / f"{name}.jsonl.zst"
    records = list(rows(path))
    for number, row in enumerate(records, 1):
        missing = [column for column in needed if column not in row]
        if missing:
            raise NoData(f"line {number} of {path} has no {missing[0]!r}")
        if "card" in needed and row["card"] not in CODES:
            raise NoData(f"line {number} of {path} has the card {row['card']!r}; choose from: {', '.join(CODES)}")
    return records


def _verdict(row: dict[str, Any]) -> str:
    verdict = row.get("verdict") or ""
    if verdict and verdict not in (*VERDICTS, TOLD):
        raise NoData(f"the verdict {verdict!r} on {row['policy']!r} is none of {', '.join((*VERDICTS, TOLD))}")
    return str(verdict)


def _accepted(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(row.get("accept") or filter(None, [row.get("verdict")]))


def _stances(row: dict[str, Any]) -> dict[int, Stance]:
    return {int(place): stance for place, stance in (row.get("stances") or {}).items()}
