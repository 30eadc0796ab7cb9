"""Speed and memory of answers: questions on stored policies of about 150 sentences, warm and cold.

Run: python benchmarks/ask.py LIBRARY [--weights DIR] [--json]

LIBRARY is any library with such policies; a copy is asked. DIR has a reader and a combiner of another version: every
question is then asked with these, too, in turn, and the ratio says whether one version is slower than the other. With
the extra 'train', also the ratio to a float cross-encoder in torch that reads every sentence. What reading only the
best few dozen costs in F@5 is measured by `smallprint evaluate privacyqa`: "combined" and "combined with all read".
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from smallprint.ask.answer.answering import answer
from smallprint.ask.model_set import Kit
from smallprint.ask.question.analysis import ask
from smallprint.ask.ranking.evidence import sentences_of
from smallprint.ask.ranking.rankers import combined
from smallprint.ask.verdict.card import read_card
from smallprint.assistant.desk import Desk
from smallprint.library import Library, reading
from smallprint.models import store
from smallprint.models.combiner import Combiner
from smallprint.models.reader import NAME as READER
from smallprint.models.reader import WINDOW, Reader
from smallprint.records import Sentence

SENTENCES, POLICIES, COLD = range(140, 161), 10, 5
# In how many seconds a full card of so many sentences is to be made.
CARDS = {150: 2, 500: 5}
QUESTIONS = (
    "Do you sell my data?",
    "how long do u keep my info",
    "Can I delete my account?",
    "Which third parties receive my personal information?",
    "Do you track my location when the app is closed?",
    "Is my credit card number encrypted?",
    "What happens to my data if the company is bought?",
    "Do you collect information about children?",
    "Will you tell me when the policy changes?",
    "Do you respond to do not track signals?",
)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure the speed and memory of answers.")
    parser.add_argument("library", type=Path)
    parser.add_argument("--weights", type=Path, help="a folder with another version's reader and combiner")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")
        shutil.copy(options.library, copy)
        result = warm(copy, options.weights) | cold(copy)
    if options.json:
        print(json.dumps(result, indent=2))
        return
    print(
        f"warm: p50 {result['p50_ms']:.0f} ms, p95 {result['p95_ms']:.0f} ms (at most 250 and 500) over "
        f"{result['questions']} questions on {result['policies']} policies of about 150 sentences; "
        f"first question on a policy {result['first_ms']:.0f} ms"
    )
    for count, seconds in result["card_s"].items():
        print(f"full card of {count} sentences, with their vectors: {seconds:.1f} s (at most {CARDS[count]})")
    print(f"cold: smallprint ask of a stored policy {result['cold_s']:.1f} s (at most 3)")
    print(f"peak memory {result['peak_mb']:.0f} MB (at most 600)")
    if "other_ratio" in result:
        print(
            f"with the other weights (reader of {result['other_bytes']:,} bytes, here {result['reader_bytes']:,}) a "
            f"question takes {result['other_ratio']:.2f} times as long"
        )
    if "torch_ratio" in result:
        print(
            f"a float cross-encoder in torch that reads every sentence takes {result['torch_ratio']:.1f} times as long"
        )


def drawn(library: Library) -> list[str]:
    """Draw versions of the right length."""
    ids = sorted(reading.policies(library))
    random.Random(1).shuffle(ids)
    versions: list[str] = []
    for policy in ids:
        version = reading.find_policy(library, policy).current_version
        if len(_sentences(library, version)) in SENTENCES:
            versions.append(version)
        if len(versions) == POLICIES:
            return versions
    raise SystemExit(f"fewer than {POLICIES} policies have {SENTENCES[0]} to {SENTENCES[-1]} sentences")


def warm(path: Path, other: Path | None) -> dict[str, Any]:
    """Ask every question of every policy, all models loaded."""
    desk = Desk()
    with Library(path) as library:
        versions = drawn(library)
        answer(QUESTIONS[0], desk.stored(library, versions[0]), desk.kit)
        first, times = [], []
        for version in versions[1:]:
            began = time.perf_counter()
            answer(QUESTIONS[0], desk.stored(library, version), desk.kit)
            first.append(time.perf_counter() - began)
        for version in versions:
            for question in QUESTIONS:
                began = time.perf_counter()
                answer(question, desk.stored(library, version), desk.kit)
                times.append(time.perf_counter() - began)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        ratio = torch_ratio(desk, library, versions[0]) | {"card_s": cards(desk, library, versions)}
        if other:
            ratio |= other_ratio(desk, library, versions, other)
    return {
        "questions": len(times), "policies": len(versions), "p50_ms": 1000 * median(times),
        "p95_ms": 1000 * quantiles(times, n=20)[-1], "first_ms": 1000 * median(first), "peak_mb": peak, **ratio,
    }  # fmt: skip


def cards(desk: Desk, library: Library, versions: list[str]) -> dict[int, float]:
    """Return the median seconds that a full card takes, by the number of sentences."""
    every = [sentence for version in versions for sentence in _sentences(library, version)]
    times = {}
    for count in CARDS:
        took = []
        for start in range(0, len(every) - count, count)[:3]:
            began = time.perf_counter()
            read_card(every[start : start + count], desk.kit)
            took.append(time.perf_counter() - began)
        times[count] = median(took)
    return times


def cold(path: Path) -> dict[str, float]:
    """Run the command as a person does, on a policy that was asked before."""
    with Library(path) as library:
        versions = drawn(library)[:COLD]
        policies = [version.rpartition("@")[0] for version in versions]
    times = []
    for policy in policies:
        command = [sys.executable, "-m", "smallprint", "ask", policy, QUESTIONS[0], "--library", str(path), "--json"]
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - began)
    return {"cold_s": median(times)}


def other_ratio(desk: Desk, library: Library, versions: list[str], where: Path) -> dict[str, float]:
    """Ask everything with both versions, turn and turn about; the ratio is the median over questions."""
    models = Kit()
    models.reader, models.combiner = Reader(models.base, where), Combiner(where)
    both = desk, Desk(models)
    answer(QUESTIONS[0], both[1].stored(library, versions[0]), models)
    ratios = []
    for turn, (version, question) in enumerate(product(versions, QUESTIONS)):
        taken = [0.0, 0.0]
        for which in (turn % 2, 1 - turn % 2):
            evidence = both[which].stored(library, version)
            began = time.perf_counter()
            answer(question, evidence, both[which].kit)
            taken[which] = time.perf_counter() - began
        ratios.append(taken[1] / taken[0])
    sizes = [(folder / f"{READER}.npz").stat().st_size for folder in (store.folder(), where)]
    return {"other_ratio": median(ratios), "reader_bytes": sizes[0], "other_bytes": sizes[1]}


def torch_ratio(desk: Desk, library: Library, version: str) -> dict[str, float]:
    """Compare with a network of the reader's shape, in floats, that reads every sentence."""
    try:
        import torch

        from smallprint.train.network import Tower, pretrained
    except ModuleNotFoundError:
        return {}
    torch.set_num_threads(os.cpu_count() or 1)
    network = pretrained(Tower({"pair": 4}, each_token=True)).eval()
    evidence = desk.stored(library, version)
    asked = ask(QUESTIONS[0], desk.kit)
    began = time.perf_counter()
    with torch.no_grad():
        for sentence in evidence.sentences:
            ids = desk.kit.base.tokenizer.encode(QUESTIONS[0], sentence.under_heading).ids[:WINDOW]
            network(torch.tensor([ids]), torch.ones(1, len(ids)))
    whole = time.perf_counter() - began
    began = time.perf_counter()
    combined(asked, evidence, desk.kit)
    return {"torch_ratio": whole / (time.perf_counter() - began)}


def _sentences(library: Library, version: str) -> tuple[Sentence, ...]:
    return sentences_of(reading.text(library, version), reading.segments(library, version))


if __name__ == "__main__":
    main()
