"""The rows of the tables: which sentences are added to the labelled pairs, and how a final reader learns from them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from smallprint.errors import BadSetting
from smallprint.models.reader import NAME as READER
from smallprint.train.era.bases import ADAPTED, GENERAL, MODELS, SIMCSE
from smallprint.train.era.questions import OWN, WITH_PRIVACYQA

DEFAULT_K = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One way of training the final reader; without models nothing is added.

    `common` is the filter that all retrievers share instead of their own, of a base model or the reader of full size
    that learnt from labelled pairs alone; `base` is what the final reader begins from.
    `sure` keeps only what filters are sure of, `soft` teaches of whatever was found how likely it bears,
    `first` lets the final reader see what was added before what is labelled, and `unlike` leaves out a sentence that
    has nearly the words of one found before it, `whole` headings and questions. `again`
    goes over as many labelled pairs as other rows have once more.
    """

    name: str
    models: tuple[str, ...] = ()
    filtered: bool = True
    k: int = DEFAULT_K
    common: str = ""
    base: str = GENERAL
    questions: str = OWN
    sure: bool = False
    soft: bool = False
    first: bool = False
    unlike: bool = False
    whole: bool = False
    again: bool = False


_ERA = Row("ERA", MODELS)
NONE = Row("none")
ROWS = (
    NONE,
    Row("none, same labels again", again=True),
    Row("none, from adapted", base=ADAPTED),
    *(
        Row(f"{name}{', filtered' if filtered else ''}", (name,), filtered)
        for name in MODELS
        for filtered in (False, True)
    ),
    Row("ensemble without filter", MODELS, filtered=False),
    _ERA,
    Row("ERA-D", (ADAPTED, SIMCSE)),
    replace(_ERA, name="ERA, k=50", k=50),
    replace(_ERA, name="ERA, k=100", k=100),
    replace(_ERA, name="ERA, one common filter", common=SIMCSE),
    replace(_ERA, name="ERA, from adapted", base=ADAPTED),
    replace(_ERA, name="ERA, sure ones", sure=True, k=50),
    replace(_ERA, name="ERA, soft labels", soft=True),
    replace(_ERA, name="ERA, seen first", first=True),
    replace(_ERA, name="ERA, unlike ones", unlike=True),
    replace(_ERA, name="ERA, whole sentences", whole=True),
    replace(_ERA, name="ERA, PrivacyQA's questions too", questions=WITH_PRIVACYQA),
    replace(_ERA, name="ERA, as a grown reader says", questions=WITH_PRIVACYQA, common=READER, soft=True, k=50),
    replace(_ERA, name="ERA, sure by a grown reader", questions=WITH_PRIVACYQA, common=READER, sure=True, k=50),
)
BY_NAME = {row.name: row for row in ROWS}
# What the shipped reader is trained by.
SHIPPED = "ERA-D"


def named(name: str) -> Row:
    """Give a row by its name."""
    if name not in BY_NAME:
        raise BadSetting(f"{name!r} is no row; choose from: {'; '.join(BY_NAME)}")
    return BY_NAME[name]


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
