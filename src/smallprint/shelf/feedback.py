"""What readers said of answers, as a file for other tools: CSV or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path

from smallprint.controls import escaped
from smallprint.errors import BadQuery
from smallprint.library.feedback import Feedback
from smallprint.tables import JOINT, csv_line, inert

SUFFIXES = (".csv", ".jsonl")


def write_feedback(to: Path, found: Iterable[Feedback]) -> int:
    """Write a file, by the ending of its name, whole or not at all; gives how many entries it has."""
    if to.suffix.lower() not in SUFFIXES:
        raise BadQuery(f"{to.name!r} does not say what to write; let it end in {' or '.join(SUFFIXES)}")
    some = tuple(found)
    part = to.with_name(f"{to.name}.part")
    try:
        with part.open("wb") as file:
            file.writelines(_csv(some) if to.suffix.lower() == ".csv" else _jsonl(some))
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)
    return len(some)


def _csv(found: Iterable[Feedback]) -> Iterator[bytes]:
    yield csv_line([one.name for one in fields(Feedback)])
    for one in found:
        cells = {**asdict(one), "places": JOINT.join(f"{at.version_id}:{at.start}-{at.end}" for at in one.places)}
        yield csv_line([inert(cell) for cell in cells.values()])


def _jsonl(found: Iterable[Feedback]) -> Iterator[bytes]:
    for one in found:
        yield escaped(json.dumps(asdict(one), ensure_ascii=False)).encode() + b"\n"
