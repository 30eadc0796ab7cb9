"""The rows of the tables: which sentences are added to the labelled pairs, and how a final reader learns from them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from smallprint.errors import BadSetting
from smallprint.models.reader import NAME as READER
from smallprint.train.era.bases import ADAPTED, GENERAL, MODELS, SIMCSE
from smallprint.train.era.questions import OWN, WITH_PRIVACYQA

DEFAULT_K = 10
# Finds sentences by what answers a question, and not by the question.
ALIKE = "alike"
# The reader among the installed models, whoever trained it.
INSTALLED = "installed"


@dataclass(frozen=True, slots=True)
class Row:
    """One way of training the final reader; without models nothing is added.

    `models` are what sentences are found by: retrievers of base models by the question, "alike" by what answers it.
    `base` is what the final reader begins from: a base model, or the grown reader, which has learnt from all labelled
    pairs; a row that does not learn is its base as it is. `common` is the filter that all retrievers share instead of
    their own, of a base model or the grown reader. `sure` keeps only what filters are sure of, `soft` teaches of
    whatever was found how likely it bears. Two controls add nothing: `again` goes over as many labelled pairs as other
    rows have once more, `likewise` draws labelled pairs for those that others add, in the same way.
    """

    name: str
    models: tuple[str, ...] = ()
    filtered: bool = True
    k: int = DEFAULT_K
    common: str = ""
    base: str = GENERAL
    learns: bool = True
    questions: str = OWN
    sure: bool = False
    soft: bool = False
    again: bool = False
    likewise: bool = False

    @property
    def grown(self) -> bool:
        """Tell whether the final reader begins from the one that has learnt from all labelled pairs."""
        return self.base == READER


_ERA, _ERA_D = Row("ERA", MODELS), Row("ERA-D", (ADAPTED, SIMCSE))
NONE, _FROM_ADAPTED = Row("none"), Row("none, from adapted", base=ADAPTED)
# Few labels: every reader begins from a base model, as in the paper.
FEW = (
    NONE,
    Row("none, same labels again", again=True),
    Row("none, drawn likewise", likewise=True),
    _FROM_ADAPTED,
    *(
        Row(f"{name}{', filtered' if filtered else ''}", (name,), filtered)
        for name in MODELS
        for filtered in (False, True)
    ),
    Row("ensemble without filter", MODELS, filtered=False),
    _ERA,
    _ERA_D,
    replace(_ERA, name="ERA, k=50", k=50),
    replace(_ERA, name="ERA, k=100", k=100),
    replace(_ERA, name="ERA, one common filter", common=SIMCSE),
    replace(_ERA, name="ERA, from adapted", base=ADAPTED),
)
_GROWN = replace(_ERA, base=READER)
_REAL = replace(_GROWN, questions=WITH_PRIVACYQA, common=READER, k=50)
AS_INSTALLED = Row(INSTALLED, base=INSTALLED, learns=False)
GROWN, GROWN_NONE = Row("grown", base=READER, learns=False), Row("grown, none", base=READER)
# All labels: the installed reader, the grown one, and what learns on from that. The last four are remedies.
ALL = (
    AS_INSTALLED,
    GROWN,
    GROWN_NONE,
    replace(_GROWN, name="grown, ERA"),
    replace(_ERA_D, name="grown, ERA-D", base=READER),
    replace(_GROWN, name="grown, its own filter", common=READER),
    replace(_REAL, name="grown, real questions, sure ones", sure=True),
    replace(_REAL, name="grown, real questions, soft labels", soft=True),
    Row("grown, in other words", (ALIKE,), filtered=False, base=READER),
)
ROWS = FEW + ALL
BY_NAME = {row.name: row for row in ROWS}
# What the shipped reader is trained by: none of those that add pairs is better (docs/results.md).
SHIPPED = GROWN.name
# Whose steps are made where no row is named, and what options change.
USUAL = "grown, ERA"


def named(name: str) -> Row:
    """Give a row by its name."""
    if name not in BY_NAME:
        raise BadSetting(f"{name!r} is no row; choose from: {'; '.join(BY_NAME)}")
    return BY_NAME[name]


def plain(row: Row) -> Row:
    """Give the row that a row is compared with: it begins from the same, and nothing is added."""
    if row.grown or not row.learns:
        return GROWN_NONE
    return _FROM_ADAPTED if row.models and row.base == ADAPTED else NONE


def slug(name: str) -> str:
    """Make a folder's name of a row's."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def changed(
    row: Row, k: int | None, filtered: bool | None, models: tuple[str, ...] | None, questions: str | None
) -> Row:
    """Give a row with other options, and with a name that says so."""
    unknown = [name for name in models or () if name not in MODELS]
    if unknown:
        raise BadSetting(f"{unknown[0]!r} is no base model; choose from: {', '.join(MODELS)}")
    wanted = {"k": k, "filtered": filtered, "models": models, "questions": questions}
    other = {name: value for name, value in wanted.items() if value is not None and value != getattr(row, name)}
    if not other:
        return row
    told = ", ".join(f"{name}={_told(value)}" for name, value in other.items())
    return replace(row, name=f"{row.name}, {told}", **other)  # type: ignore[arg-type]  # each of its own type


def _told(value: object) -> str:
    return "+".join(value) if isinstance(value, tuple) else str(value)
