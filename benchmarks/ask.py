"""Speed and memory of answers: questions on stored policies of about 150 sentences, warm and cold.

Run: python benchmarks/ask.py LIBRARY [--json]   (LIBRARY: any library with such policies; a copy is asked)

With the extra 'train', also the ratio to a float cross-encoder in torch that reads every sentence. What reading only
the best few dozen costs in F@5 is measured by `smallprint evaluate privacyqa`: "combined" and "combined with all read".
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from smallprint.annotate.sentences import Sentence, sentences_of
from smallprint.ask.answering import answer
from smallprint.ask.asked import ask
from smallprint.ask.desk import Desk
from smallprint.ask.rankers import combined
from smallprint.library import Library, reading
from smallprint.models.reader import WINDOW

SENTENCES, POLICIES, COLD = range(140, 161), 10, 5
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
    path = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")
        shutil.copy(path, copy)
        result = warm(copy) | cold(copy)
    if "--json" in sys.argv:
        print(json.dumps(result, indent=2))
        return
    print(
        f"warm: p50 {result['p50_ms']:.0f} ms, p95 {result['p95_ms']:.0f} ms (at most 250 and 500) over "
        f"{result['questions']} questions on {result['policies']} policies of about 150 sentences; "
        f"first question on a policy {result['first_ms']:.0f} ms"
    )
    print(f"cold: smallprint ask of a stored policy {result['cold_s']:.1f} s (at most 3)")
    print(f"peak memory {result['peak_mb']:.0f} MB (at most 600)")
    if "torch_ratio" in result:
        print(
            f"a float cross-encoder in torch that reads every sentence takes {result['torch_ratio']:.1f} times as long"
        )


def drawn(library: Library) -> list[str]:
    """Draw versions of the right length."""
    ids = sorted(reading.policies(library))
    random.Random(1).shuffle(ids)
    found: list[str] = []
    for policy in ids:
        version = reading.find_policy(library, policy).current_version
        if len(_sentences(library, version)) in SENTENCES:
            found.append(version)
        if len(found) == POLICIES:
            return found
    raise SystemExit(f"fewer than {POLICIES} policies have {SENTENCES[0]} to {SENTENCES[-1]} sentences")


def warm(path: Path) -> dict[str, Any]:
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
        ratio = torch_ratio(desk, library, versions[0])
    return {
        "questions": len(times), "policies": len(versions), "p50_ms": 1000 * median(times),
        "p95_ms": 1000 * quantiles(times, n=20)[-1], "first_ms": 1000 * median(first), "peak_mb": peak, **ratio,
    }  # fmt: skip


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
        for one in evidence.sentences:
            ids = desk.kit.base.tokenizer.encode(QUESTIONS[0], one.under_heading).ids[:WINDOW]
            network(torch.tensor([ids]), torch.ones(1, len(ids)))
    whole = time.perf_counter() - began
    began = time.perf_counter()
    combined(asked, evidence, desk.kit)
    return {"torch_ratio": whole / (time.perf_counter() - began)}


def _sentences(library: Library, version: str) -> tuple[Sentence, ...]:
    return sentences_of(reading.text(library, version), reading.segments(library, version))


if __name__ == "__main__":
    main()
