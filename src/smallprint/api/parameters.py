"""What endpoints can be asked, as models: what they do not name is refused. Searches are asked as pages are."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from smallprint import limits
from smallprint.ask.answering import SUMMARY
from smallprint.ask.conversation import (
    LONGEST_ASKED,
    LONGEST_ID,
    LONGEST_LINE,
    MOST_OPTIONS,
    MOST_PAST,
    MOST_TOLD,
    Waits,
)
from smallprint.index.tree import Ranking
from smallprint.search.facets import facet
from smallprint.search.request import MOST_SIZE, PAGE_SIZE, Request, read_request
from smallprint.shelf.answers import MOST_PASSAGES

_NUMBER = r"[0-9]{1,9}(\.[0-9]{1,9})?"
_BETWEEN = r"(:|\.\.|-)"

Switch = Literal["0", "1"]
Limit = Annotated[str, Field(pattern=f"^{_NUMBER}$")] | SkipJsonSchema[None]
Limits = (
    Annotated[str, Field(pattern=f"^({_NUMBER}{_BETWEEN}({_NUMBER})?|{_BETWEEN}{_NUMBER})$")] | SkipJsonSchema[None]
)


def _listed(key: str) -> Any:
    """Describe the values of a facet; whether one of them is given is for the search to say, as it does for pages.

    Pages pass over what is blank, since forms send every field; programs are told.
    """
    found = facet(key)
    assert found is not None
    return Field(pattern=r"\S", json_schema_extra={"enum": [choice.value for choice in found.choices]})


class Nothing(BaseModel):
    """No parameters."""

    model_config = ConfigDict(extra="forbid")


class Search(Nothing):
    """A search. Values of one facet are joined by "or", facets by "and"."""

    q: Annotated[
        str,
        Field(description='Words, "phrases", -exclusions, title: url: site: and filters such as grade:8:12; all '
              "policies if there are none."),
    ] = ""  # fmt: skip
    where: Annotated[
        Literal["text", "url"], Field(alias="in", description="Look for words in title and text, or in the address.")
    ] = "text"
    match: Annotated[Literal["any", "all"], Field(description="Whether any or all of the words must be there.")] = "any"
    index: Annotated[
        Literal["policy", "page"], Field(description="Search policies alone, or whole pages with menus and footers.")
    ] = "policy"
    sector: Annotated[
        list[Annotated[str, _listed("sector")]], Field(description="Only these sectors; may be repeated.")
    ] = []
    practice: Annotated[
        list[Annotated[str, _listed("practice")]],
        Field(description="Only policies with one of these practices, in OPP-115's words; may be repeated."),
    ] = []
    technology: Annotated[
        list[Annotated[str, _listed("technology")]],
        Field(description="Only what names one of these tracking technologies; may be repeated."),
    ] = []
    body: Annotated[
        list[Annotated[str, _listed("body")]],
        Field(description="Only what names one of these self-regulatory bodies; may be repeated."),
    ] = []
    regulation: Annotated[
        list[Annotated[str, _listed("regulation")]],
        Field(description="Only what names one of these regulations or agreements; may be repeated."),
    ] = []
    year: Annotated[
        list[Annotated[str, Field(pattern=r"^[0-9]{4}$")]],
        Field(description="Only what was last seen in one of these years; may be repeated."),
    ] = []
    grade: Annotated[Limits, Field(description="Reading grade, such as 8:12, 8: or :12; the lower end first.")] = None
    grade_min: Annotated[Limit, Field(description="The same as grade=N:, where grade is not given.")] = None
    grade_max: Annotated[Limit, Field(description="The same as grade=:N, where grade is not given.")] = None
    vague: Annotated[
        Limits, Field(description="Share of vague sentences, 0 to 1, such as :0.2; the lower end first.")
    ] = None
    vague_min: Annotated[Limit, Field(description="The same as vague=N:, where vague is not given.")] = None
    vague_max: Annotated[Limit, Field(description="The same as vague=:N, where vague is not given.")] = None
    rank: Annotated[
        Ranking,
        Field(description="The order: custom is P(policy) · relevance · popularity, the others are one of these alone, "
              "or the date seen."),
    ] = Ranking.CUSTOM  # fmt: skip
    page: Annotated[
        int, Field(ge=1, le=limits.MAX_RESULT_PAGES, description="Which page; an export has all results.")
    ] = 1
    size: Annotated[int, Field(ge=1, le=MOST_SIZE, description="Results on a page.")] = PAGE_SIZE
    fold: Annotated[Switch, Field(description="1 folds near-duplicates under one of them, 0 lists all.")] = "1"

    def request(self) -> Request:
        """Read the search as a page reads its address; BadQuery says what is wrong with it."""
        given = self.model_dump(by_alias=True, include=set(Search.model_fields), exclude_none=True)
        pairs: list[tuple[str, str]] = []
        for key, value in given.items():
            pairs += [(key, str(one)) for one in (value if isinstance(value, list) else [value])]
        return read_request(pairs)


class SearchPage(Search):
    """A search, and what to tell of its results."""

    facets: Annotated[Switch, Field(description="0 leaves out the counts by facet, which take half of the time.")] = "1"
    explain: Annotated[Switch, Field(description="1 adds how each hit's score in the custom order comes about.")] = "0"


Format = Annotated[
    Literal["csv", "jsonl", "parquet"],
    Field(description="CSV for spreadsheets, JSON lines, or Parquet for large results."),
]


class Export(Search):
    """A search whose whole result is wanted; `page`, `size` and `fold` make no difference."""

    format: Format = "csv"


class ExportAgain(Nothing):
    """How an export is made again."""

    format: Format = "csv"
    anyway: Annotated[
        Switch, Field(description="1 makes it even if the library has changed since, so that it may differ.")
    ] = "0"


_VERSION = Field(
    description="The version's id, the beginning of it or of its hash, or a date such as 2021-06, for the version seen "
    "last until then; the current one if none is given."
)


class AtVersion(Nothing):
    """Which version of a policy is meant."""

    version: Annotated[str | SkipJsonSchema[None], _VERSION] = None


class TextAtVersion(AtVersion):
    """Which text of a version is meant."""

    of: Annotated[
        Literal["policy", "page"],
        Field(
            description="The policy's own text, into which all places point, or the whole page's with its furniture."
        ),
    ] = "policy"


# Bodies can spell what is no text, halves of characters; whatever has a limit is looked at for that.
_POLICY = Field(
    max_length=4_000, description="The policy: its id, its address, or its domain where only one policy can be meant."
)
_QUESTION = Field(
    max_length=limits.MAX_QUESTION, description="What you want to know, in a sentence; sixty words of it are read."
)
_PASSAGES = Field(ge=0, le=MOST_PASSAGES, description="How many of the passages that bear on it most to add.")


class Question(AtVersion):
    """A question on a policy."""

    policy: Annotated[str, _POLICY]
    question: Annotated[str, _QUESTION]
    passages: Annotated[int, _PASSAGES] = SUMMARY


def _whole(value: Any) -> Any:
    """Take 2.0 for 2, as JSON does, and nothing else that is no number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class QuestionSent(Nothing):
    """A question on a policy that is too long for an address."""

    model_config = ConfigDict(strict=True)

    policy: Annotated[str, _POLICY]
    question: Annotated[str, _QUESTION]
    version: Annotated[Annotated[str, Field(max_length=400)] | None, _VERSION] = None
    passages: Annotated[int, _PASSAGES, BeforeValidator(_whole)] = SUMMARY


class _Sent(Nothing):
    """A part of a body, in which nothing is taken for what it is not."""

    model_config = ConfigDict(strict=True)


_Line = Annotated[str, Field(max_length=LONGEST_LINE)]
_Whole = Annotated[str, Field(max_length=LONGEST_ASKED)]
_Id = Annotated[str, Field(max_length=LONGEST_ID)]


class OptionSent(_Sent):
    """One of the things that may be meant."""

    label: _Line
    question: _Whole = ""
    policy_id: _Id = ""


class PendingSent(_Sent):
    """What the assistant waits for."""

    waits: Waits
    options: Annotated[list[OptionSent], Field(max_length=MOST_OPTIONS)] = []
    question: _Whole = ""
    address: _Whole = ""


class ExchangeSent(_Sent):
    """What was said, and the line that it was answered with."""

    asked: _Line
    said: _Line


class ConversationSent(_Sent):
    """Where a conversation stands, as the last reply gave it."""

    version: Literal[1]
    policy_id: _Id = ""
    question: _Whole = ""
    told: Annotated[int, Field(ge=0, le=MOST_TOLD), BeforeValidator(_whole)] = 0
    over_library: bool = False
    asked_back: bool = False
    ended: bool = False
    pending: PendingSent | None = None
    past: Annotated[list[ExchangeSent], Field(max_length=MOST_PAST)] = []


class Turn(_Sent):
    """What somebody says in a conversation."""

    said: Annotated[
        str, Field(max_length=limits.MAX_TURN, description="A question, a follow-up, or what else is said.")
    ]
    conversation: Annotated[
        ConversationSent | None,
        Field(description="Where the conversation stands, as the last reply gave it; none begins a new one."),
    ] = None
    policy: Annotated[
        Annotated[str, _POLICY] | None, Field(description="The policy that is spoken of from here on, if one is named.")
    ] = None
