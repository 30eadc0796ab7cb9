"""Headings as questions: whether the paragraph under a heading is found (CMU-ISR-17-114R, section 4.2.3).

Every heading of a policy that is followed by a paragraph of ten words or more becomes a question, and that paragraph
its answer; wrong answers are paragraphs of other sections. Paragraphs are shown without headings, which would tell.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.sentences import Sentence
from smallprint.clean.cleaning import read
from smallprint.clean.language import language
from smallprint.clean.segments import compose
from smallprint.errors import NoData
from smallprint.evaluate import smallprint_qa
from smallprint.evaluate.answering import Answerer, answerer, chosen_systems, scored
from smallprint.evaluate.corpus import excluded, listed, rows, site
from smallprint.evaluate.ranked import Figures, means
from smallprint.records import Page, PageKind, Segment

TASK = "heading-answers"
LEAST_WORDS = 10
SEED = 20_261_116
# One name in so many is kept to measure on.
TENTH = 10
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


@dataclass(frozen=True, slots=True)
class Item:
    """A heading as a question; `answer`, `others` and `negative` are places among the policy's paragraphs."""

    id: str
    heading: str
    question: str
    answer: int
    others: tuple[int, ...]
    negative: int


@dataclass(frozen=True, slots=True)
class Outline:
    """A policy's paragraphs, without headings, and its headings as questions."""

    policy: str
    paragraphs: tuple[Sentence, ...]
    items: tuple[Item, ...]


def is_held(name: str) -> bool:
    """Tell whether nothing of a service or site may be trained on: "Dune" and "dune.com" are one name.

    These are one name in ten, and the policies that questions are measured on.
    """
    bare = _bare(name)
    return bare in _listed_names() or zlib.crc32(bare.encode()) % TENTH == 0


def as_question(heading: str) -> str:
    """Make a question of a heading, as CMU adds "what" and "how"; one that asks already stays."""
    bare = NUMBERING.sub("", " ".join(heading.split()), count=1).strip(" .:;,-–—*_#") or heading.strip()
    if bare.endswith("?") or ASKS.match(bare):
        return f"{(bare.capitalize() if bare.isupper() else bare).rstrip('?')}?"
    said = _uncapitalised(bare)
    for opening, question in (
        ("about ", "What {}?"), ("for ", "What holds {}?"), ("to ", "What do you do {}?"),
    ):  # fmt: skip
        if said.startswith(opening):
            return question.format(said)
    return f"How do I {said}?" if TELLS.match(said) else f"What about {said}?"


def outline(policy: str, text: str, segments: Sequence[Segment]) -> Outline:
    """Make questions of a policy's headings; the negative of each is drawn by a seed of its own."""
    kept = [one for one in segments if one.kind == "paragraph" and _words(text, one) >= LEAST_WORDS]
    place = {one.ordinal: where for where, one in enumerate(kept)}
    paths = [_folded(one.headings) for one in kept]
    items = []
    for heading, following in pairwise(segments):
        if heading.kind != "heading" or following.ordinal not in place:
            continue
        title = " ".join(text[heading.start : heading.end].split())
        if not TITLE.search(title):
            continue
        # What stands below the heading, or below another of the same words, is no wrong answer.
        others = tuple(where for where, path in enumerate(paths) if title.lower() not in path)
        if others:
            name = f"{policy}#{heading.ordinal}"
            draw = random.Random(f"{SEED}:{name}")  # noqa: S311 - not for secrets
            items.append(Item(name, title, as_question(title), place[following.ordinal], others, draw.choice(others)))
    paragraphs = tuple(
        Sentence(" ".join(text[one.start : one.end].split()), (), one.ordinal, one.start, one.end) for one in kept
    )
    return Outline(policy, paragraphs, tuple(items))


def outlines(path: Path) -> Iterator[Outline]:
    """Go through the policies of a JSONL file: `html`, `markdown` or `text`, and an `id` if there is one."""
    for number, row in enumerate(rows(path), 1):
        kind, content = _content(row, f"line {number} of {path}")
        yield _outline(str(row.get("id", number)), kind, content)


def held_outlines(data: Path) -> Iterator[Outline]:
    """Go through the newest policies of Open Terms Archive's services that nothing was trained on, those in English.

    Services whose questions in smallprint_qa are trained on, and what is kept for evaluation elsewhere, are left out;
    so is a policy that is also another service's, which is not held.
    """
    taught = {row["policy"] for row in rows(data / "labelled" / "smallprint_qa" / smallprint_qa.POLICIES)}
    taught -= smallprint_qa.held()
    names = excluded(data)
    newest: dict[str, dict[str, Any]] = {}
    for row in rows(data / "corpus" / "history_ota.jsonl.zst"):
        if row["terms_type"] == "Privacy Policy" and row["date"] >= newest.get(row["service"], row)["date"]:
            newest[row["service"]] = row
    held = {service for service in newest if is_held(service) and f"ota:{service}" not in taught}
    read_by_others = {line for service in newest.keys() - held for line in _lines(newest[service]["markdown"])}
    for service in sorted(held):
        row = newest[service]
        lines = _lines(row["markdown"])
        shared = len(lines & read_by_others) > SHARED * len(lines)
        if not shared and not {f"ota:{service}", site(row["url"] or "")} & names and language(row["markdown"]) == "en":
            yield _outline(f"ota:{service}", "text", readable(row["markdown"]))


def evaluate(
    data: Path,
    systems: Sequence[str] | None = None,
    ids: frozenset[str] | None = None,
    predictions: Path | None = None,
    by: Answerer | None = None,
) -> dict[str, Any]:
    """Measure on a JSONL file, or on policies of the research data that are kept out of training."""
    found = [one for one in (held_outlines(data) if data.is_dir() else outlines(data)) if one.items]
    by = by or answerer()
    names = chosen_systems(TASK, systems, by.systems)
    asked = [(one, item) for one in found for item in one.items if ids is None or {one.policy, item.id} & ids]
    scores = {name: [scored(by, name, item.question, one.paragraphs) for one, item in asked] for name in names}
    if predictions is not None:
        _write(predictions, asked, scores)
    result: dict[str, Any] = {
        "task": TASK,
        "data": "Open Terms Archive, services kept out of training" if data.is_dir() and ids is None else data.name,
        "n": len(asked),
        "policies": len({one.policy for one, _ in asked}),
    }
    if asked:
        items = [item for _, item in asked]
        result["systems"] = {name: measured(items, scores[name]) for name in names}
    return result


def measured(items: Sequence[Item], scores: Sequence[NDArray[np.float32]]) -> Figures:
    """Give P@1 and MRR against one wrong paragraph, and against those of all other sections as `P@1_all`, `MRR_all`."""
    pairs = list(zip(items, scores, strict=True))
    one = np.array([_placed(found[item.answer], found[[item.negative]]) for item, found in pairs])
    every = np.array([_placed(found[item.answer], found[list(item.others)]) for item, found in pairs])
    return means(("P@1", "MRR", "P@1_all", "MRR_all"), np.hstack([one, every]))


def readable(markdown: str) -> str:
    """Take emphasis and escapes out of markdown, and write underlined headings with hashes, for our segmenter."""
    plain = ESCAPED.sub(r"\1", EMPHASIS.sub("", markdown))
    return SETEXT.sub(lambda found: f"{'#' if found['line'][0] == '=' else '##'} {found['title'].strip()}", plain)


def _placed(score: np.float32, others: NDArray[np.float32]) -> tuple[float, float]:
    """Give P@1 and the reciprocal rank; among equal scores every order is as likely."""
    above, level = int((others > score).sum()), int((others == score).sum())
    return (0.0 if above else 1 / (level + 1)), float(np.mean(1 / np.arange(above + 1, above + level + 2)))


def _outline(name: str, kind: PageKind, content: str) -> Outline:
    reading = read(Page("", content.encode("utf-8", "replace"), kind, TASK, "", charset="utf-8"))
    return outline(name, *compose([] if isinstance(reading, str) else reading.policy_blocks()))


def _content(row: dict[str, Any], where: str) -> tuple[PageKind, str]:
    for name in ("html", "markdown", "text"):
        found = row.get(name)
        if isinstance(found, str):
            return ("html", found) if name == "html" else ("text", readable(found) if name == "markdown" else found)
    raise NoData(f"{where} has no 'html', 'markdown' or 'text'")


@cache
def _listed_names() -> frozenset[str]:
    found: set[str] = set()
    for row in listed(smallprint_qa.SPLIT):
        found.update(map(_bare, row["sites"].split()))
        if row["id"].startswith("ota:"):
            found.add(_bare(row["id"].removeprefix("ota:")))
    return frozenset(found)


def _bare(name: str) -> str:
    """Give a name's letters; a site's without what follows its own: "Alibaba.com" and "alibaba.co.uk" are "alibaba"."""
    own = name.strip().lower()
    if "." in own and " " not in own:
        own = site(f"https://{own}").partition(".")[0] or own
    return re.sub(r"[^a-z0-9]", "", own) or own


def _uncapitalised(heading: str) -> str:
    """Write a heading as within a sentence; in a title most words have a capital, and all of them lose it."""
    if heading.isupper() and len(heading) > LONGEST_ACRONYM:
        return heading.lower()
    long = LONG_WORD.findall(heading)
    if not long or 2 * sum(word[0].isupper() for word in long) > len(long):
        heading = CAPITAL.sub(lambda found: found[0].lower(), heading)
    first = re.split(r"[\s/-]", heading, maxsplit=1)[0]
    return heading[0].lower() + heading[1:] if first[1:].islower() or len(first) == 1 else heading


def _lines(markdown: str) -> set[str]:
    """Give the lines of ten words or more."""
    folded = (" ".join(line.lower().split()) for line in markdown.split("\n"))
    return {line for line in folded if line.count(" ") >= LEAST_WORDS - 1}


def _folded(headings: Iterable[str]) -> frozenset[str]:
    return frozenset(" ".join(one.split()).lower() for one in headings)


def _words(text: str, segment: Segment) -> int:
    return len(text[segment.start : segment.end].split())


def _write(path: Path, asked: Sequence[tuple[Outline, Item]], scores: dict[str, list[NDArray[np.float32]]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for place, (one, item) in enumerate(asked):
            starts = [paragraph.start for paragraph in one.paragraphs]
            line = {
                "id": item.id,
                "policy": one.policy,
                "question": item.question,
                "answer": starts[item.answer],
                "negative": starts[item.negative],
                "scores": {
                    system: {str(starts[where]): float(found[place][where]) for where in (item.answer, *item.others)}
                    for system, found in scores.items()
                },
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
