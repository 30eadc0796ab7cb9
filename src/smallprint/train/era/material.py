"""What all is drawn from: unlabelled sentences (step 1), labelled pairs, and the wordings that sentences are found for.

The sentences are English, of policies, each there once, and none of a policy that is evaluated on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from smallprint.datasets import policyqa, privacyqa, smallprint_qa
from smallprint.datasets.smallprint_qa import Asked
from smallprint.text import sentences as cut
from smallprint.train.era.bench import Bench, StepResult, collection, hash_of
from smallprint.train.pairs import Labelled, labelled
from smallprint.train.sentences import Sentence, is_copy, key_of, sentences

SENTENCES, NEARNESS = "sentences.tsv", "nearness.npz"
# Fewer words are a heading or a cell of a table, more are a list that nobody cut: 514 and 8 of the
# 5,415 distinct ones of 120 pages.
LEAST_WORDS, MOST_WORDS = 4, 100
COLLECTIONS = ("dmoz_policies", "ota_pages_html", "history_ota", "history_tosback2")


@dataclass(frozen=True, slots=True)
class Wording:
    """A wording, and the labelled questions that have it."""

    text: str
    asked: tuple[Asked, ...] = ()


def sentences_step(bench: Bench) -> StepResult:
    """Read the corpus."""
    paths = {name: bench.data / "corpus" / f"{name}.jsonl.zst" for name in COLLECTIONS}
    options = {
        "pages": bench.sizes.pages,
        "sentences": bench.sizes.sentences,
        "least words": LEAST_WORDS,
        "most words": MOST_WORDS,
        "corpus": {name: path.stat().st_size if path.is_file() else 0 for name, path in paths.items()},
        "labels": bench.labels(),
        "spans": hash_of(bench.data / "labelled" / "policyqa" / "dev.json"),
    }

    def make(folder: Path) -> dict[str, Any]:
        kept, left_out = usable(sentences(bench.data, bench.say, bench.sizes.pages), evaluated(bench.data))
        kept = kept[: bench.sizes.sentences]
        lines = "".join(f"{sentence.site}\t{sentence.text}\n" for sentence in kept)
        (folder / SENTENCES).write_text(lines, encoding="utf-8")
        words = sum(sentence.text.count(" ") + 1 for sentence in kept)
        sites = len({sentence.site for sentence in kept})
        return {"sentences": len(kept), "words": words, "sites": sites, "left out": left_out}

    return bench.step("sentences", options, (), make)


def load_sentences(bench: Bench) -> list[str]:
    """Return the sentences in their order: a sentence's row is its place here."""
    lines = (sentences_step(bench).folder / SENTENCES).read_text(encoding="utf-8").split("\n")
    return [line.partition("\t")[2] for line in lines if line]


def usable(read: Iterable[Sentence], forbidden: frozenset[str]) -> tuple[list[Sentence], dict[str, int]]:
    """Leave out what is no sentence, what was met before and what stands in a text that is evaluated on."""
    kept: dict[str, Sentence] = {}
    left_out = Counter({"too short": 0, "too long": 0, "met before": 0, "evaluated on": 0})
    for sentence in read:
        key = key_of(sentence.text)
        count = len(key.split())
        if count < LEAST_WORDS:
            left_out["too short"] += 1
        elif count > MOST_WORDS:
            left_out["too long"] += 1
        elif key in kept:
            left_out["met before"] += 1
        elif key in forbidden:
            left_out["evaluated on"] += 1
        else:
            kept[key] = sentence
    return list(kept.values()), dict(left_out)


def evaluated(data: Path) -> frozenset[str]:
    """Return the sentences that questions are measured on; pages of other sites may have copies of them."""
    policies = collection(data).policies
    kept_out = (smallprint_qa.held() | smallprint_qa.tuning()) & policies.keys()
    sheets = [policies[name] for name in kept_out] + privacyqa.load(data / privacyqa.DEVELOPMENT)
    texts = [sentence.text for sheet in sheets for sentence in sheet.sentences]
    contexts = {question.context for question in policyqa.load(data / "labelled" / "policyqa" / "dev.json")}
    texts += [context[span.start : span.end] for context in contexts for span in cut(context)]
    return frozenset(key for key in map(key_of, texts) if is_copy(key))


def labelled_step(bench: Bench) -> StepResult:
    """Compute how near every sentence is to every training question, which takes minutes."""

    def make(folder: Path) -> dict[str, Any]:
        known = labelled(bench.data, most=bench.sizes.questions)
        np.savez(folder / NEARNESS, **known.nearness)  # type: ignore[arg-type]  # numpy's stub wants the flag first
        marked = [len(asked.relevant) for asked in known.questions]
        counts = {"questions": len(known.questions), "policies": len(known.policies)}
        return counts | {"relevant": sum(marked), "answerable": sum(map(bool, marked))}

    return bench.step("labelled", {"questions": bench.sizes.questions, "labels": bench.labels()}, (), make)


@cache
def load_labelled(bench: Bench) -> Labelled:
    """Return the labelled questions in tokens."""
    with np.load(labelled_step(bench).folder / NEARNESS) as arrays:
        nearness = dict(arrays)
    return labelled(bench.data, lambda *_: nearness, bench.sizes.questions)


def wordings(bench: Bench) -> list[Wording]:
    """Return the distinct wordings of labelled questions on privacy, in the order of what is found for them."""
    by_wording: dict[str, list[Asked]] = {}
    for question in load_labelled(bench).questions:
        if question.state != "off-topic":
            by_wording.setdefault(key_of(question.text), []).append(question)
    return [Wording(asked[0].text, tuple(asked)) for asked in by_wording.values()]
