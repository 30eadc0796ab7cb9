"""Headings as questions: whether the paragraph under a heading is found (CMU-ISR-17-114R, section 4.2.3).

Every heading of a policy that is followed by a paragraph of ten words or more becomes a question, and that paragraph
its answer; wrong answers are paragraphs of other sections. Paragraphs are shown without headings, which would tell.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.clean.cleaning import read
from smallprint.clean.language import language
from smallprint.clean.segments import compose
from smallprint.datasets import smallprint_qa
from smallprint.datasets.corpus import rows, site
from smallprint.datasets.kept_out import excluded, is_held
from smallprint.datasets.questions import Question, Sheet
from smallprint.errors import NoData
from smallprint.evaluate.answering import Reply, ask_all
from smallprint.evaluate.measures import Figures, means
from smallprint.evaluate.tasks import Order, Outcome, compare
from smallprint.records import Page, PageKind, Sentence

LEAST_WORDS = 10
SEED = 20_261_116
NUMBERING = re.compile(
    r"^(?:(?:section|article|part)\s+)?(?:\(?(?:\d{1,2}(?:\.[a-z\d]{1,2})*|[ivx]{1,5}|[a-z])[.):]+|\d{1,2}(?:\.\d{1,2})*)\s+",
    re.IGNORECASE,
)
ASKS = re.compile(
    r"(?:what|which|who|whom|whose|when|where|why|how|do(?! not track)|does|did|is|are|am|can|could|may|will|would"
    r"|should|must|have|has)\b",
    re.IGNORECASE,
)
# Headings that tell the reader to do something.
TELLS = re.compile(
    r"(?:access|change|choose|complain|contact|control|correct|delete|disable|exercise|find|get|make|manage|object|opt"
    r"|reach|remove|request|unsubscribe|update|withdraw|write)\b",
    re.IGNORECASE,
)
# Words that are not the first of their sentence and have a capital.
CAPITAL = re.compile(r"(?<=[\s/-])[A-Z][a-z]+\b")
LONG_WORD = re.compile(r"(?<=[\s/-])[A-Za-z]{4,}")
LONGEST_ACRONYM = 5
# A share of an archive's policies are the same for several services: "YouTube" has Google's.
SHARED = 0.2
# What can be a title: not the row of a table, nor what is in another script.
TITLE = re.compile(r"^[^|]*[A-Za-z]{2}[^|]*$")
EMPHASIS = re.compile(r"\*\*|__")
ESCAPED = re.compile(r"\\([-\\`*_{}\[\]()#+.!|>])")
SETEXT = re.compile(r"^(?P<title>[^\n]*\w[^\n]*)\n(?P<line>={3,}|-{3,})[ \t]*$", re.MULTILINE)


def as_question(heading: str) -> str:
    """Return a heading as a question, as CMU adds "what" and "how"; one that asks already stays."""
    bare = NUMBERING.sub("", " ".join(heading.split()), count=1).strip(" .:;,-–—*_#") or heading.strip()
    if bare.endswith("?") or ASKS.match(bare):
        return f"{(bare.capitalize() if bare.isupper() else bare).rstrip('?')}?"
    phrase = _uncapitalised(bare)
    for opening, question in (("about ", "What {}?"), ("for ", "What holds {}?"), ("to ", "What do you do {}?")):
        if phrase.startswith(opening):
            return question.format(phrase)
    return f"How do I {phrase}?" if TELLS.match(phrase) else f"What about {phrase}?"


def outline(policy: str, kind: PageKind, content: str) -> Sheet:
    """Make questions of a policy's headings, each with its answer as the first candidate; starts number paragraphs."""
    reading = read(Page("", content.encode("utf-8", "replace"), kind, "heading-answers", "", charset="utf-8"))
    text, segments = compose([] if isinstance(reading, str) else reading.policy_blocks())
    texts = {part.ordinal: " ".join(text[part.start : part.end].split()) for part in segments}
    kept = [s for s in segments if s.kind == "paragraph" and texts[s.ordinal].count(" ") >= LEAST_WORDS - 1]
    place = {paragraph.ordinal: where for where, paragraph in enumerate(kept)}
    paths = [{" ".join(heading.split()).lower() for heading in paragraph.headings} for paragraph in kept]
    questions = []
    for heading, following in pairwise(segments):
        title = texts[heading.ordinal]
        if heading.kind == "heading" and following.ordinal in place and TITLE.search(title):
            # What stands below the heading, or below another of the same words, is no wrong answer.
            others = [where for where, path in enumerate(paths) if title.lower() not in path]
            answer = place[following.ordinal]
            if others:
                name = f"{policy}#{heading.ordinal}"
                questions.append(Question(name, as_question(title), (answer, *others), frozenset({answer})))
    paragraphs = tuple(Sentence(texts[part.ordinal], (), part.ordinal, part.start, part.end) for part in kept)
    return Sheet(policy, paragraphs, tuple(part.start for part in kept), tuple(questions))


def negative(question: Question) -> int:
    """Draw a wrong answer, by a seed of the question's own."""
    draw = random.Random(f"{SEED}:{question.id}")  # noqa: S311 - not for secrets
    return draw.choice(question.candidates[1:])


def outlines(path: Path) -> Iterator[Sheet]:
    """Yield the policies of a JSONL file: `html`, `markdown` or `text`, and an `id` if there is one."""
    for number, row in enumerate(rows(path), 1):
        form = next((name for name in ("html", "markdown", "text") if isinstance(row.get(name), str)), None)
        if form is None:
            raise NoData(f"line {number} of {path} has no 'html', 'markdown' or 'text'")
        content = readable(row[form]) if form == "markdown" else row[form]
        yield outline(str(row.get("id", number)), "html" if form == "html" else "text", content)


def held_outlines(data: Path) -> Iterator[Sheet]:
    """Yield the newest English policies of Open Terms Archive's services that nothing was trained on, as outlines."""
    # What is kept for evaluation elsewhere is left out too, and a policy that is also that of a service not held.
    taught = {row["policy"] for row in rows(data / smallprint_qa.FOLDER / smallprint_qa.POLICIES)}
    taught -= smallprint_qa.held()
    newest: dict[str, dict[str, Any]] = {}
    for row in rows(data / "corpus" / "history_ota.jsonl.zst"):
        if row["terms_type"] == "Privacy Policy" and row["date"] >= newest.get(row["service"], row)["date"]:
            newest[row["service"]] = row
    untaught = {service for service in newest if is_held(service) and f"ota:{service}" not in taught}
    read_by_others = {line for service in newest.keys() - untaught for line in _lines(newest[service]["markdown"])}
    kept_out = excluded(data)
    for service in sorted(untaught):
        row = newest[service]
        lines = _lines(row["markdown"])
        shared = len(lines & read_by_others) > SHARED * len(lines)
        named = {f"ota:{service}", site(row["url"] or "")} & kept_out
        if not shared and not named and language(row["markdown"]) == "en":
            yield outline(f"ota:{service}", "text", readable(row["markdown"]))


def evaluate(order: Order) -> Outcome:
    """Measure on a JSONL file, or on policies of the research data that are kept out of training."""
    own = order.data.is_dir()
    replies = ask_all(order, held_outlines(order.data) if own else outlines(order.data))
    systems = replies[0].scores if replies else ()
    outcome = compare(
        "Open Terms Archive, services kept out of training" if own and order.ids is None else order.data.name,
        replies,
        {system: [reply.scores[system] for reply in replies] for system in systems},
        lambda reply: [reply.question.text, reply.question.candidates[0], negative(reply.question)],
        lambda known, scores: measured([reply.question for reply in known], scores),
        _prediction,
    )
    outcome.tables = {"policies": len({reply.sheet.policy for reply in replies})}
    return outcome


def measured(asked: Sequence[Question], scores: Sequence[NDArray[np.float32]]) -> Figures:
    """Return P@1 and MRR against one wrong paragraph, and as `P@1_all`, `MRR_all` against all other sections'."""
    rows = []
    for question, own in zip(asked, scores, strict=True):
        answer, *others = question.candidates
        rows.append([*_placed(own[answer], own[[negative(question)]]), *_placed(own[answer], own[others])])
    return means(("P@1", "MRR", "P@1_all", "MRR_all"), np.array(rows))


def readable(markdown: str) -> str:
    """Take emphasis and escapes out of markdown, and write underlined headings with hashes, for our segmenter."""
    plain = ESCAPED.sub(r"\1", EMPHASIS.sub("", markdown))
    return SETEXT.sub(lambda match: f"{'#' if match['line'][0] == '=' else '##'} {match['title'].strip()}", plain)


def _placed(score: np.float32, others: NDArray[np.float32]) -> tuple[float, float]:
    """Return P@1 and the reciprocal rank; among equal scores every order is as likely."""
    above, level = int((others > score).sum()), int((others == score).sum())
    return (0.0 if above else 1 / (level + 1)), float(np.mean(1 / np.arange(above + 1, above + level + 2)))


def _uncapitalised(heading: str) -> str:
    """Write a heading as within a sentence; in a title most words have a capital, and all of them lose it."""
    if heading.isupper() and len(heading) > LONGEST_ACRONYM:
        return heading.lower()
    long = LONG_WORD.findall(heading)
    if not long or 2 * sum(word[0].isupper() for word in long) > len(long):
        heading = CAPITAL.sub(lambda match: match[0].lower(), heading)
    first = re.split(r"[\s/-]", heading, maxsplit=1)[0]
    return heading[0].lower() + heading[1:] if first[1:].islower() or len(first) == 1 else heading


def _lines(markdown: str) -> set[str]:
    """Return the lines of ten words or more."""
    folded = (" ".join(line.lower().split()) for line in markdown.split("\n"))
    return {line for line in folded if line.count(" ") >= LEAST_WORDS - 1}


def _prediction(reply: Reply, scores: dict[str, NDArray[np.float32]]) -> dict[str, Any]:
    starts, question = reply.sheet.numbers, reply.question
    return {
        "policy": reply.sheet.policy,
        "question": question.text,
        "answer": starts[question.candidates[0]],
        "negative": starts[negative(question)],
        "scores": {
            system: {str(starts[where]): float(own[where]) for where in question.candidates}
            for system, own in scores.items()
        },
    }
