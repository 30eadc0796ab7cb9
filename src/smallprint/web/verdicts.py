"""An answer in, what the form for feedback on it carries out; and such a form in, what is to be kept out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from smallprint.errors import BadFeedback
from smallprint.library.feedback import MOST_PLACES, Feedback, Place, Verdict
from smallprint.shelf.answers import PolicyAnswer
from smallprint.shelf.replies import Reply

# Replies that say what policies say.
JUDGED = frozenset({"answer", "policies", "comparison", "vague", "surprising"})
_PLACE = re.compile(r"(\S{1,600}):([0-9]{1,9})-([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class About:
    """What a verdict is about, as a form carries it; `places` are such as "VERSION:120-184", with blanks between."""

    policy_id: str
    version_id: str
    question: str
    state: str
    line: str
    places: str


def about_answer(answer: PolicyAnswer) -> About:
    """Say what a verdict on the answer of a stored policy is about."""
    version_id = answer.version_id or ""
    places = [(version_id, one.start, one.end) for one in answer.quotes]
    return About(
        answer.policy_id or "", version_id, answer.question, str(answer.state), answer.line, _written(places)
    )  # fmt: skip


def about_reply(reply: Reply, question: str) -> About | None:
    """Say what a verdict on a reply is about; None where it says nothing of any policy."""
    if reply.kind not in JUDGED:
        return None
    if reply.answer is not None:
        return about_answer(reply.answer)
    policy_id, version_id = (reply.policy.policy_id, reply.policy.version_id) if reply.policy else ("", "")
    places = [(one.version_id, one.start, one.end) for one in reply.policies]
    return About(policy_id, version_id, question, reply.kind, reply.lines[0], _written(places))


def verdict_of(fields: Mapping[str, str]) -> Feedback:
    """Read a form; whether it is of an answer of the library is told when it is kept."""
    return Feedback(
        datetime.now(tz=UTC).isoformat(timespec="seconds"),
        cast("Verdict", fields.get("verdict", "")),
        fields.get("policy") or None,
        fields.get("version") or None,
        fields.get("question", ""),
        fields.get("state", ""),
        fields.get("line", ""),
        _places(fields.get("places", "")),
        fields.get("note", ""),
    )


def _written(places: Iterable[tuple[str, int, int]]) -> str:
    return " ".join(f"{version_id}:{start}-{end}" for version_id, start, end in list(places)[:MOST_PLACES])


def _places(given: str) -> tuple[Place, ...]:
    found = [_PLACE.fullmatch(one) for one in given.split(maxsplit=MOST_PLACES)]
    if not all(found):
        raise BadFeedback("a sentence is named in no form of ours; use the buttons under an answer")
    return tuple(Place(one[1], int(one[2]), int(one[3])) for one in found if one)
