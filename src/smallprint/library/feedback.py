"""What readers said of answers, kept in the library: which answer, right or wrong or incomplete, and nobody's name."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, cast, get_args

from smallprint import limits
from smallprint.controls import tidy
from smallprint.errors import BadFeedback
from smallprint.library.file import Library

Verdict = Literal["right", "wrong", "missing"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# Of characters; an answer's line has up to 200, and a note is one.
LONGEST_QUESTION, LONGEST_STATE, LONGEST_LINE, LONGEST_NOTE = 500, 40, 300, 500
# An answer shows a dozen sentences at most. All entries together stay below 250 MB, and mostly below a hundredth of it.
MOST_PLACES = 24
# Within this time the same once more is the same form.
AGAIN = timedelta(minutes=1)
_COLUMNS = "given_at, verdict, policy_id, version_id, question, state, line, places, note"


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence that an answer showed, by its version and place."""

    version_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody said of an answer: to which question, in which words, with which sentences.

    `state` is the answer's, or the kind of reply where many policies were asked; then there are no ids.
    """

    given_at: str
    verdict: Verdict
    policy_id: str | None
    version_id: str | None
    question: str
    state: str
    line: str
    places: tuple[Place, ...] = ()
    note: str = ""


def give(library: Library, one: Feedback) -> bool:
    """Keep what was said; the same once more within a minute, as by a form that is sent twice, is not kept again.

    Nobody who writes for hours is waited for: the table is touched by nothing else, so that a transaction is enough.
    """
    kept = _checked(library, one)
    with library.transaction(aside=True) as db:
        last = db.execute(f"SELECT {_COLUMNS} FROM feedback ORDER BY place DESC LIMIT 1").fetchone()  # noqa: S608 - our own names
        if last is not None and _is_same(_read(last), kept):
            return False
        if db.execute("SELECT count(*) FROM feedback").fetchone()[0] >= limits.MAX_FEEDBACK:
            raise BadFeedback(
                f"the library holds {limits.MAX_FEEDBACK:,} of these, and keeps no more; whoever runs this can take "
                "them out with 'smallprint feedback --out FILE --clear'"
            )
        db.execute(
            f"INSERT INTO feedback ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our own names
            (kept.given_at, kept.verdict, kept.policy_id, kept.version_id, kept.question, kept.state, kept.line,
             json.dumps([(at.version_id, at.start, at.end) for at in kept.places]), kept.note),
        )  # fmt: skip
    return True


def feedback(library: Library) -> Iterator[Feedback]:
    """Go through all that was said, the oldest first."""
    for row in library.db.execute(f"SELECT {_COLUMNS} FROM feedback ORDER BY place"):  # noqa: S608 - our own names
        yield _read(row)


def forget_feedback(library: Library, oldest: int = limits.MAX_FEEDBACK) -> int:
    """Throw away what was said, so much of it, the oldest first; gives how much it was."""
    with library.transaction(aside=True) as db:
        return db.execute(
            "DELETE FROM feedback WHERE place IN (SELECT place FROM feedback ORDER BY place LIMIT ?)", (oldest,)
        ).rowcount


def _is_same(last: Feedback, new: Feedback) -> bool:
    """Tell a form that is sent twice from two readers who think the same."""
    apart = datetime.fromisoformat(new.given_at) - datetime.fromisoformat(last.given_at)
    return replace(last, given_at=new.given_at) == new and apart < AGAIN


def _checked(library: Library, one: Feedback) -> Feedback:
    """Give what is to be kept, words cut to their length; BadFeedback where it is not of an answer of this library."""
    if one.verdict not in VERDICTS:
        raise BadFeedback(f"an answer is {', '.join(VERDICTS)}; nothing else is kept")
    made = replace(
        one,
        question=tidy(one.question)[:LONGEST_QUESTION],
        state=tidy(one.state)[:LONGEST_STATE],
        line=tidy(one.line)[:LONGEST_LINE],
        note=tidy(one.note)[:LONGEST_NOTE],
    )
    if not made.question:
        raise BadFeedback("it is not said of which question this is; use the buttons under an answer")
    if len(made.places) > MOST_PLACES:
        raise BadFeedback(f"an answer shows at most {MOST_PLACES} sentences")
    for at in made.places:
        if not 0 <= at.start < at.end <= _length(library, at.version_id):
            raise BadFeedback("a sentence is named that is not in its policy; ask anew, and use the buttons there")
    if made.version_id is not None and _policy_of(library, made.version_id) != made.policy_id:
        raise BadFeedback("the policy has no such version; ask anew, and use the buttons under the answer")
    if made.version_id is None and made.policy_id is not None:
        raise BadFeedback("a policy is named without its version; use the buttons under an answer")
    return made


def _length(library: Library, version_id: str) -> int:
    row = library.db.execute(
        "SELECT characters FROM versions JOIN texts USING (text_id) WHERE version_id = ?", (version_id,)
    ).fetchone()
    return 0 if row is None else int(row["characters"])


def _policy_of(library: Library, version_id: str) -> str:
    row = library.db.execute("SELECT policy_id FROM versions WHERE version_id = ?", (version_id,)).fetchone()
    return "" if row is None else str(row["policy_id"])


def _read(row: sqlite3.Row) -> Feedback:
    return Feedback(
        row["given_at"], cast("Verdict", row["verdict"]), row["policy_id"], row["version_id"], row["question"],
        row["state"], row["line"], tuple(Place(*at) for at in json.loads(row["places"])), row["note"],
    )  # fmt: skip
