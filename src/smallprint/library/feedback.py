"""What readers said of answers, kept in the library: which answer, right or wrong or incomplete, and nobody's name."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, fields, replace
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from smallprint import limits
from smallprint.controls import tidy
from smallprint.errors import BadFeedback
from smallprint.library.file import Library, insert

Verdict = Literal["right", "wrong", "missing"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# Of characters; an answer's line has up to 200, and a note is one.
LONGEST = {"question": 500, "state": 40, "line": 300, "note": 500}
# An answer shows a dozen sentences at most. All entries together stay below 250 MB, and mostly below a hundredth of it.
MOST_PLACES = 24
# Within this time the same once more is the same form.
AGAIN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence that an answer showed, by its version and place."""

    version_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody said of an answer; of many policies asked it has no ids, and `state` is a kind of reply."""

    given_at: str
    verdict: Verdict
    policy_id: str | None
    version_id: str | None
    question: str
    state: str
    line: str
    places: tuple[Place, ...] = ()
    note: str = ""


_SELECT = f"SELECT {', '.join(field.name for field in fields(Feedback))} FROM feedback ORDER BY place"  # noqa: S608 - our own names


def give(library: Library, feedback: Feedback) -> bool:
    """Keep what was said; the same once more within a minute, as by a form that is sent twice, is not kept again."""
    feedback = _checked(library, feedback)
    # Nobody who writes for hours is waited for: the table is touched by nothing else, so a transaction is enough.
    with library.transaction(aside=True) as db:
        if row := db.row(f"{_SELECT} DESC LIMIT 1"):
            # A form that is sent twice, and not two readers who think the same.
            apart = datetime.fromisoformat(feedback.given_at) - datetime.fromisoformat(row["given_at"])
            if apart < AGAIN and replace(_read(row), given_at=feedback.given_at) == feedback:
                return False
        if db.value("SELECT count(*) FROM feedback") >= limits.MAX_FEEDBACK:
            raise BadFeedback(
                f"the library holds {limits.MAX_FEEDBACK:,} of these, and keeps no more; whoever runs this can take "
                "them out with 'smallprint feedback --out FILE --clear'"
            )
        new_row = asdict(feedback) | {"places": json.dumps([astuple(place) for place in feedback.places])}
        db.execute(insert("feedback", new_row), [*new_row.values()])
    return True


def feedback(library: Library) -> Iterator[Feedback]:
    """Yield all that was said, the oldest first."""
    yield from map(_read, library.db.execute(_SELECT))


def forget_feedback(library: Library, oldest: int = limits.MAX_FEEDBACK) -> int:
    """Throw away what was said, so much of it, the oldest first; return how much it was."""
    with library.transaction(aside=True) as db:
        return db.execute(
            "DELETE FROM feedback WHERE place IN (SELECT place FROM feedback ORDER BY place LIMIT ?)", (oldest,)
        ).rowcount


def _checked(library: Library, feedback: Feedback) -> Feedback:
    """Return what is to be kept, words cut to their length; BadFeedback if it is not of an answer of this library."""
    if feedback.verdict not in VERDICTS:
        raise BadFeedback(f"an answer is {', '.join(VERDICTS)}; nothing else is kept")
    words: dict[str, Any] = {column: tidy(getattr(feedback, column))[:longest] for column, longest in LONGEST.items()}
    if not words["question"]:
        raise BadFeedback("the question is missing; use the buttons under an answer")
    if len(feedback.places) > MOST_PLACES:
        raise BadFeedback(f"an answer shows at most {MOST_PLACES} sentences")
    length = "SELECT characters FROM versions JOIN texts USING (text_id) WHERE version_id = ?"
    for place in feedback.places:
        if not 0 <= place.start < place.end <= (library.db.value(length, place.version_id) or 0):
            raise BadFeedback("the policy has no such sentence; ask again, and use the buttons under the answer")
    policy_id = library.db.value("SELECT policy_id FROM versions WHERE version_id = ?", feedback.version_id)
    if feedback.version_id is None and feedback.policy_id is not None:
        raise BadFeedback("the version of the policy is missing; use the buttons under an answer")
    if feedback.policy_id != policy_id or (feedback.version_id is not None and policy_id is None):
        raise BadFeedback("the policy has no such version; ask again, and use the buttons under the answer")
    return replace(feedback, **words)


def _read(row: sqlite3.Row) -> Feedback:
    return Feedback(**dict(row) | {"places": tuple(Place(*place) for place in json.loads(row["places"]))})
