"""Whether table cells and list items are read as they were written: questions that one of them answers.

Run: python benchmarks/units.py DATA [--json]      (DATA: the folder of the research data)

The pages that `datasets/splits/unit_questions.tsv` names are added to a library in a temporary folder, and every
question is asked. Printed is the rank of the first cell or item that answers, among the ten best that are shown with
the best first; where the policy is taken for silent, among the ten that come closest. An answer is known by the hashes
of some of its words, which must all stand in what is shown (its lead-in included), however the page was cut.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from smallprint.datasets.corpus import listed, rows
from smallprint.records import Citation
from smallprint.settings import Settings
from smallprint.shelf import Shelf

PAGES = Path("corpus/ota_pages_html.jsonl.zst")
FIRST, BAR = 3, 30
DIGITS = 12
_WORD = re.compile(r"\w+")


class Question(NamedTuple):
    """A question of a page; each answer is some runs of words, by their lengths and hashes."""

    page: str
    kind: str
    text: str
    answers: tuple[tuple[tuple[int, str], ...], ...]

    def is_answered_by(self, shown: Citation) -> bool:
        """Return whether what is shown has all the runs of one of the answers."""
        words = _WORD.findall(f"{shown.lead_in or ''} {shown.text}".lower())
        return any(all(name in hashes(words, length) for length, name in answer) for answer in self.answers)


def hashes(words: list[str], length: int) -> set[str]:
    """Return the hashes of all runs of so many words."""
    runs = (" ".join(words[first : first + length]) for first in range(len(words) - length + 1))
    return {sha256(run.encode()).hexdigest()[:DIGITS] for run in runs}


def questions() -> list[Question]:
    """Read the questions: answers stand apart by blanks, the runs of one are joined by "+", as "5:0a1b…"."""
    return [
        Question(row["page"], row["kind"], row["question"], tuple(map(_answer, row["answers"].split())))
        for row in listed("unit_questions")
    ]


def _answer(written: str) -> tuple[tuple[int, str], ...]:
    pairs = (run.partition(":") for run in written.split("+"))
    return tuple((int(length), name) for length, _, name in pairs)


def shown(shelf: Shelf, policy: str, question: str) -> tuple[str, list[Citation]]:
    """Return the answer's state and what is shown, the best first, then what comes closest."""
    answer = shelf.ask(policy, question)
    chosen = sorted((*answer.quotes, *answer.rest), key=lambda quote: -quote.probability)
    places = {(quote.start, quote.end) for quote in chosen}
    closest = (near for near in shelf.rank(policy, question) if (near.start, near.end) not in places)
    return answer.state.value, [*chosen, *closest]


def rank_of(question: Question, citations: Iterable[Citation]) -> int | None:
    """Return the rank of the first citation that answers, from 1."""
    return next((rank for rank, own in enumerate(citations, 1) if question.is_answered_by(own)), None)


def measure(data: Path) -> list[dict[str, Any]]:
    """Add the pages and ask the questions."""
    asked = questions()
    wanted = {question.page for question in asked}
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        files: dict[str, Path] = {}
        for row in rows(data / PAGES):
            page = f"{row['source']}/{row['service']}/{row['doc']}"
            if page in wanted and row["is_latest"]:
                files[page] = Path(folder, f"{len(files)}.html")
                files[page].write_text(row["html"], encoding="utf-8")
        settings = Settings(library=Path(folder, "units.db"), workers=1)
        with Shelf(settings, create=True) as shelf:
            outcomes = dict(zip(files, shelf.add(*map(str, files.values())), strict=True))
            for question in asked:
                policy = outcomes[question.page].policy_id
                state, citations = shown(shelf, policy, question.text) if policy else ("not kept", [])
                rank = rank_of(question, citations)
                lines.append(question._asdict() | {"answers": len(question.answers), "state": state, "rank": rank})
    return lines


def main() -> None:
    """Print a line a question, and how many are answered among the first three."""
    parser = argparse.ArgumentParser(description="Ask what table cells and list items answer.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    lines = measure(options.data)
    if options.json:
        print(json.dumps(lines, indent=2))
        return
    for line in lines:
        print(f"{line['rank'] or '-':>3}  {line['state']:<22} {line['kind']:<5} {line['page']}: {line['text']}")
    for kind in ("table", "list"):
        own = [line for line in lines if line["kind"] == kind]
        said = sum(line["state"] in {"answered", "conflicting"} for line in own)
        print(f"{kind}: {_first(own)} of {len(own)} among the first {FIRST}; {said} of {len(own)} called answered")
    print(f"together {_first(lines)} of {len(lines)} (at least {BAR})")


def _first(lines: list[dict[str, Any]]) -> int:
    return sum(line["rank"] is not None and line["rank"] <= FIRST for line in lines)


if __name__ == "__main__":
    main()
