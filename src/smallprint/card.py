"""The card: the questions that every policy is asked, and what can be said on each. The table is `card.toml`."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from importlib import resources
from typing import Final

_TABLE = tomllib.loads((resources.files("smallprint") / "card.toml").read_text(encoding="utf-8"))
# The question in people's words, by its code.
QUESTIONS: Final[dict[str, str]] = {row["code"]: row["text"] for row in _TABLE["question"]}
CODES: Final = tuple(QUESTIONS)
# What a sentence says on a question: it does not settle it, speaks for yes, for no, or limits either.
STANCES: Final = ("0", "+", "-", "~")


class Verdict(StrEnum):
    """What a policy says on a question: on an open one it tells or is silent; or that nobody can be sure of it."""

    YES = "yes"
    NO = "no"
    DEPENDS = "depends"
    BOTH = "both"
    SILENT = "silent"
    TOLD = "told"
    NOT_SURE = "not sure"
    FOREIGN = "not a privacy question"


# What a policy says on a question of the card.
VERDICTS: Final = ("yes", "no", "depends", "both", "silent")
