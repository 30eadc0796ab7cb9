"""Speed of the assistant over a whole library: questions over all policies, and turns of conversations on single ones.

Run: python benchmarks/library_questions.py LIBRARY [--json]   (LIBRARY: any library with its index; a copy is asked)
     python benchmarks/library_questions.py LIBRARY --read [QUESTION ...]

With --read the answers are printed, each with the sentence that earns it: of the questions given, or of the ten that
docs/results.md judges.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from smallprint.ask.dialogue.conversation import Conversation
from smallprint.assistant.assistant import Assistant
from smallprint.assistant.desk import Desk
from smallprint.index.opening import Engines
from smallprint.library import Library
from smallprint.settings import Settings

MOST_S = 1.5
READ = (
    "which medical sites do not share data with advertisers?",
    "an app that does not share my location",
    "which banks sell personal information?",
    "which policies are vaguest about retention?",
    "which shops let me delete my account?",
    "sites for children that collect location",
    "who keeps data indefinitely?",
    "which news sites do not use cookies for advertising?",
    "compare how long Spotify and Discord keep my data",
    "which universities share student data with third parties?",
)
QUESTIONS = (
    *(question for question in READ if not question.startswith("compare")),
    "which banks do not sell my data?",
    "which policies do not collect location?",
    "which sites sell my data?",
    "which companies honor do not track?",
    "which education sites do not use cookies?",
    "which travel companies share my location with others?",
    "which sites let me export my data?",
    "which news sites let advertisers set cookies?",
    "which apps use my microphone?",
    "which games share data with advertisers?",
    "who does not sell personal information?",
    "which hotels share my data with affiliates?",
    "which charities share my details with other charities?",
    "which insurers collect health information?",
    "which policies tell me about a breach?",
    "which sites encrypt my data?",
    "which companies give data to the police?",
    "which shops do not share my e-mail address with anyone?",
    "which schools do not sell student data?",
    "which sites keep my data for a stated period?",
    "which technology companies use my data for advertising?",
    "which policies mention california?",
    "which sites send my data abroad?",
    "which apps do not collect my contacts?",
    "which hospitals share medical records with researchers?",
    "which government sites use cookies?",
    "which policies are clearest about children?",
    "which medical sites are vaguest about sharing?",
    "which sites let me opt out of marketing?",
    "which restaurants sell my data?",
    "which services use two-factor authentication?",
)
TALKS = (
    ("does {name} sell my data?", "and my location?", "why?", "who else?", "more", "what is it vague about?"),
    ("what does {name} say about cookies?", "can I delete my account?", "how long?", "anything surprising?"),
)
COMPANIES = 6


def main() -> None:
    """Print the figures, or the answers."""
    path = Path(sys.argv[1])
    if "--read" in sys.argv:
        read(path, sys.argv[sys.argv.index("--read") + 1 :] or list(READ))
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")  # vectors of sentences are kept in a library that is asked
        shutil.copy(path, copy)
        shutil.copytree(f"{path}.index", f"{copy}.index")
        result = timed(copy)
    if "--json" in sys.argv:
        print(json.dumps(result, indent=2))
        return
    for name, figures in result.items():
        print(
            f"{name}: {figures['n']} turns, p50 {figures['p50_s']:.2f} s, p95 {figures['p95_s']:.2f} s"
            f"{f' (at most {MOST_S})' if name == 'over the library' else ''}; "
            f"processor p50 {figures['cpu_p50_s']:.2f} s, p95 {figures['cpu_p95_s']:.2f} s; "
            f"the slowest takes {figures['slowest_to_median']:.1f} times the median: {figures['slowest']}"
        )


def timed(path: Path) -> dict[str, Any]:
    """Ask every question, all models loaded; then talk with the best known companies."""
    with Library(path) as library:
        assistant = Assistant(Desk(), Engines(Settings(library=path)).engine)
        assistant.reply(library, Conversation(), QUESTIONS[0])
        asked = [_turn(assistant, library, Conversation(), question)[1:] for question in QUESTIONS]
        turns, first = [], []
        for name in _best_known(library):
            for talk in TALKS:
                now = Conversation()
                for number, text in enumerate(talk):
                    now, *took = _turn(assistant, library, now, text.format(name=name))
                    (first if number == 0 and talk is TALKS[0] else turns).append(took)
    return {
        "over the library": _figures(asked),
        "first on a policy": _figures(first),
        "further turns": _figures(turns),
    }


def read(path: Path, questions: list[str]) -> None:
    """Print the answers of questions, with the sentences that earn them."""
    with Library(path) as library:
        assistant = Assistant(Desk(), Engines(Settings(library=path)).engine)
        for question in questions:
            _, reply = assistant.reply(library, Conversation(), question)
            print(f"\n{question}", *reply.lines, sep="\n")
            for number, citation in enumerate(reply.policies, 1):
                before = f"{' '.join(citation.before.split())} " if citation.before else ""
                print(f"{number:>3}. {citation.policy_id}: {before}{' '.join(citation.text.split())}")


def _turn(
    assistant: Assistant, library: Library, now: Conversation, text: str
) -> tuple[Conversation, float, float, str]:
    wall, processor = time.perf_counter(), time.process_time()
    now, _ = assistant.reply(library, now, text)
    return now, time.perf_counter() - wall, time.process_time() - processor, text


def _best_known(library: Library) -> list[str]:
    """Name the domains that are best known, each with one policy, so that nobody is asked back."""
    rows = library.db.execute(
        "SELECT p.domain FROM policies p LEFT JOIN popularity o ON o.domain = p.domain "
        "WHERE p.copy_of IS NULL AND p.domain != '' "
        "GROUP BY p.domain HAVING count(*) = 1 ORDER BY max(o.value) DESC, p.domain LIMIT ?",
        (COMPANIES,),
    )
    return [domain for (domain,) in rows]


def _figures(taken: list[Any]) -> dict[str, Any]:
    wall, processor = [turn[0] for turn in taken], [turn[1] for turn in taken]
    slowest = max(taken, key=lambda turn: turn[1])
    return {
        "n": len(taken), "p50_s": median(wall), "p95_s": quantiles(wall, n=20)[-1], "cpu_p50_s": median(processor),
        "cpu_p95_s": quantiles(processor, n=20)[-1], "slowest_to_median": slowest[1] / median(processor),
        "slowest": slowest[2],
    }  # fmt: skip


if __name__ == "__main__":
    main()
