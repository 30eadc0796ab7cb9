"""Step 1: the unlabelled sentences, each once, English, of policies, and none of a policy that is evaluated on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from smallprint.evaluate import policyqa, privacyqa, smallprint_qa
from smallprint.text import sentences as cut
from smallprint.train import pairs
from smallprint.train.era.bench import Bench, collection
from smallprint.train.era.steps import Made, hash_of
from smallprint.train.sentences import Sentence, is_copy, key_of, sentences

NAME = "sentences"
FILE = "sentences.tsv"
# Fewer words are a heading or a cell of a table, more are a list that nobody cut: 514 and 8 of the
# 5,415 distinct ones of 120 pages.
LEAST_WORDS, MOST_WORDS = 4, 100
COLLECTIONS = ("dmoz_policies", "ota_pages_html", "history_ota", "history_tosback2")


def step(bench: Bench) -> Made:
    """Read the corpus."""
    sizes = {name: _size(bench.data / "corpus" / f"{name}.jsonl.zst") for name in COLLECTIONS}
    options = {
        "pages": bench.sizes.pages,
        "sentences": bench.sizes.sentences,
        "least words": LEAST_WORDS,
        "most words": MOST_WORDS,
        "corpus": sizes,
        "labels": bench.labels(),
        "spans": hash_of(bench.data / "labelled" / "policyqa" / "dev.json"),
    }

    def make(folder: Path) -> dict[str, Any]:
        read = sentences(bench.data, bench.say, bench.sizes.pages)
        found, out = usable(read, evaluated(bench.data))
        found = found[: bench.sizes.sentences]
        lines = "".join(f"{one.site}\t{one.text}\n" for one in found)
        (folder / FILE).write_text(lines, encoding="utf-8")
        words = sum(one.text.count(" ") + 1 for one in found)
        return {"sentences": len(found), "words": words, "sites": len({one.site for one in found}), "left out": out}

    return bench.work.step(NAME, options, (), make)


def load(made: Made) -> list[str]:
    """Give the sentences in their order: a sentence's row is its place here."""
    lines = (made.folder / FILE).read_text(encoding="utf-8").split("\n")
    return [line.partition("\t")[2] for line in lines if line]


def usable(read: Iterable[Sentence], forbidden: frozenset[str]) -> tuple[list[Sentence], dict[str, int]]:
    """Leave out what is no sentence, what was met before and what stands in a text that is evaluated on."""
    found: dict[str, Sentence] = {}
    out: Counter[str] = Counter({"too short": 0, "too long": 0, "met before": 0, "evaluated on": 0})
    for one in read:
        key = key_of(one.text)
        count = key.count(" ") + 1 if key else 0
        if count < LEAST_WORDS:
            out["too short"] += 1
        elif count > MOST_WORDS:
            out["too long"] += 1
        elif key in found:
            out["met before"] += 1
        elif key in forbidden:
            out["evaluated on"] += 1
        else:
            found[key] = one
    return list(found.values()), dict(out)


def evaluated(data: Path) -> frozenset[str]:
    """Give the sentences that questions are measured on, as the labelled data have them.

    Pages of these policies are not read at all; but a data set's text may be older than any page of ours, and may be
    copied by others.
    """
    folder = data / "labelled"
    policies = collection(data).policies
    kept = smallprint_qa.held() | pairs.tuning()
    texts = [one.text for name in kept & policies.keys() for one in policies[name].sentences]
    texts += [one.text for sheet in privacyqa.load(folder / "privacyqa" / "dev") for one in sheet.sentences]
    contexts = dict.fromkeys(one.context for one in policyqa.load(folder / "policyqa" / "dev.json"))
    texts += [context[place.start : place.end] for context in contexts for place in cut(context)]
    return frozenset(key for key in map(key_of, texts) if is_copy(key))


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
