"""Speed of annotation: documents a second in fast and in full quality, their ratio, and what a whole library takes.

Also what a card in fast quality takes alone, and how much longer all of fast quality takes because of it.

Run: python benchmarks/annotate.py LIBRARY [--whole] [--json]   (LIBRARY: any library; it is not written to)

`--whole` also annotates a copy of the whole library in fast quality, with the peak memory of all processes.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from memory import session_memory
from smallprint.annotate.kinds import CARD, Annotator
from smallprint.annotate.registry import annotate, annotators
from smallprint.library import Library
from smallprint.library.annotations import document, pack
from smallprint.library.reading import policies
from smallprint.records import Document

FAST, FULL = 300, 30


def main() -> None:
    """Print the speeds."""
    path = Path(sys.argv[1])
    documents = drawn(path, FAST)
    quick = annotators("fast")
    card, others = ([by for by in quick if (by.kind == CARD) == is_card] for is_card in (True, False))
    cards, without = rate(documents, card), rate(documents, others)
    fast, full = rate(documents, quick), rate(documents[:FULL], annotators("full"))
    result: dict[str, float] = {
        "fast_per_second": fast,
        "full_per_second": full,
        "fast_over_full": fast / full,
        "fast_cards_per_second": cards,
        "with_card_over_without": without / fast,
    }
    if "--whole" in sys.argv:
        result |= whole(path)
    if "--json" in sys.argv:
        print(json.dumps(result, indent=2))
        return
    print(f"one process: fast {fast:.1f} documents a second, full {full:.2f}; fast over full {fast / full:.0f}x")
    print(f"fast cards alone: {cards:.0f} a second; all of it takes {without / fast:.2f} times as long with them")
    if "--whole" in sys.argv:
        print(
            f"whole library in fast quality: {result['versions']:.0f} versions in {result['minutes']:.1f} minutes "
            f"(at most 30), peak memory {result['peak_mb']:.0f} MB (at most 1,000)"
        )


def drawn(path: Path, count: int) -> list[Document]:
    """Draw policies of a library at random."""
    with Library(path) as library:
        ids = random.Random(1).sample(sorted(policies(library)), count)
        current = "SELECT current_version FROM policies WHERE policy_id = ?"
        return [document(library, library.db.execute(current, (policy_id,)).fetchone()[0]) for policy_id in ids]


def rate(documents: list[Document], wanted: Sequence[Annotator]) -> float:
    """Say how many documents are annotated in a second of CPU, models loaded."""
    annotate(documents[0], tuple(wanted))
    began = time.process_time()
    for policy in documents:
        for annotation in annotate(policy, tuple(wanted)):
            pack(annotation)
    return len(documents) / (time.process_time() - began)


def whole(path: Path) -> dict[str, float]:
    """Annotate a copy of a library from nothing, and watch its memory."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")
        shutil.copy(path, copy)
        with Library(copy) as library, library.transaction() as db:
            for table in ("annotations", "measures", "mentioned", "practised"):
                db.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
        command = [
            sys.executable,
            "-m",
            "smallprint",
            "annotate",
            "--quality",
            "fast",
            "--library",
            str(copy),
            "--json",
        ]
        began, peak = time.perf_counter(), 0.0
        run = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE)
        while run.poll() is None:
            peak = max(peak, session_memory(run.pid))
            time.sleep(0.5)
        assert run.stdout is not None
        versions = json.loads(run.stdout.read())["versions"]
        return {"versions": versions, "minutes": (time.perf_counter() - began) / 60, "peak_mb": peak}


if __name__ == "__main__":
    main()
