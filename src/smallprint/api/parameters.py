"""What endpoints can be asked, as models: what they do not name is refused. Searches are asked as pages are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from fastapi import Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from smallprint import limits
from smallprint.records import Reason
from smallprint.shelf import records
from smallprint.shelf.records import KEYED, Conversation, Format, Ranking, Request, request_of

_NUMBER = r"[0-9]{1,9}(\.[0-9]{1,9})?"
_BETWEEN = r"(:|\.\.|-)"

Switch = Literal["0", "1"]
OptionalText = str | SkipJsonSchema[None]
Limit = Annotated[str, Field(pattern=f"^{_NUMBER}$")] | SkipJsonSchema[None]
Limits = (
    Annotated[str, Field(pattern=f"^({_NUMBER}{_BETWEEN}({_NUMBER})?|{_BETWEEN}{_NUMBER})$")] | SkipJsonSchema[None]
)


Model = TypeVar("Model", bound=BaseModel)
# What a model describes, read from the query of an address.
Asked = Annotated[Model, Query()]


class Nothing(BaseModel):
    """No parameters."""

    model_config = ConfigDict(extra="forbid")


def _parameters() -> dict[str, Any]:
    """Return the parameters that the table of fields makes; whether a value is known is for the search to say.

    Pages pass over what is blank, since forms send every field; programs are told.
    """
    parameters: dict[str, Any] = {}
    for field in KEYED:
        if field.kind == "range":
            whole = Field(description=f"{field.description}; such as {field.example}, the lower end first.")
            parameters[field.key] = (Annotated[Limits, whole], None)
            for end, spelled in (("min", "N:"), ("max", ":N")):
                same = Field(description=f"The same as {field.key}={spelled}, where {field.key} is not given.")
                parameters[f"{field.key}_{end}"] = (Annotated[Limit, same], None)
        else:
            listed = {"enum": [choice.value for choice in field.choices()]} if field.choices() else None
            value = Annotated[str, Field(pattern=field.pattern, json_schema_extra=listed)]
            many = Field(description=f"{field.description}; may be repeated.")
            parameters[field.key] = (Annotated[list[value], many], [])
    return parameters


if TYPE_CHECKING:
    Filters = Nothing
else:
    Filters = create_model("Filters", __base__=Nothing, **_parameters())


class Search(Filters):
    """A search. Values of one facet are joined by "or", facets by "and"."""

    q: str = Field(
        "",
        description='Words, "phrases", -exclusions, title: url: site: and filters such as grade:8:12; all policies if '
        "there are none.",
    )
    where: Literal["text", "url"] = Field(
        "text", alias="in", description="Look for words in title and text, or in the address."
    )
    match: Literal["any", "all"] = Field("any", description="Whether any or all of the words must be there.")
    index: Literal["policy", "page"] = Field(
        "policy", description="Search policies alone, or whole pages with menus and footers."
    )
    rank: Ranking = Field(
        Ranking.CUSTOM,
        description="The order: custom is P(policy) · relevance · popularity, the others are one of these alone, or "
        "the date seen.",
    )
    page: int = Field(1, ge=1, le=limits.MAX_RESULT_PAGES, description="Which page; an export has all results.")
    size: int = Field(records.PAGE_SIZE, ge=1, le=records.MOST_SIZE, description="Results on a page.")
    fold: Switch = Field("1", description="1 folds near-duplicates under one of them, 0 lists all.")

    def request(self) -> Request:
        """Read the search as a page reads its address; BadQuery says what is wrong with it."""
        given = self.model_dump(by_alias=True, include=set(Search.model_fields), exclude_none=True)
        return request_of(given.pop("q"), given)


class SearchPage(Search):
    """A search, and what to tell of its results."""

    facets: Switch = Field("1", description="0 leaves out the counts by facet, which take half of the time.")
    explain: Switch = Field("0", description="1 adds how each hit's score in the custom order comes about.")


FileFormat = Annotated[Format, Field(description="CSV for spreadsheets, JSON lines, or Parquet for large results.")]


class Export(Search):
    """A search whose whole result is wanted; `page`, `size` and `fold` make no difference."""

    format: FileFormat = "csv"


class ExportAgain(Nothing):
    """How an export is made again."""

    format: FileFormat = "csv"
    anyway: Switch = Field("0", description="1 makes it even if the library has changed since, so that it may differ.")


_VERSION = Field(
    description="The version's id, the beginning of it or of its hash, or a date such as 2021-06, for the version seen "
    "last until then; the current one if none is given."
)


class AtVersion(Nothing):
    """Which version of a policy is meant."""

    version: Annotated[OptionalText, _VERSION] = None


class TextAtVersion(AtVersion):
    """Which text of a version is meant."""

    of: Literal["policy", "page"] = Field(
        "policy",
        description="The policy's own text, into which all places point, or that of the whole page, with menus.",
    )


class SegmentsAtVersion(AtVersion):
    """Which passages of a version are meant."""

    segment: list[Annotated[int, Field(ge=0, le=10**9)]] = Field(
        [], description="A segment by its number; may be repeated, all of them if none is given."
    )


class TwoVersions(Nothing):
    """Which two versions of a policy are meant."""

    old: OptionalText = Field(None, description="The older version, as in `version`; by default the one before `new`.")
    new: OptionalText = Field(None, description="The newer version, as in `version`; by default the current one.")


class WhichPolicies(Nothing):
    """Which policies are to be compared."""

    policy: list[str] = Field(
        max_length=3 * records.MOST,
        description="A policy by id, address or domain; give two to four.",
        json_schema_extra={"minItems": 2, "maxItems": 4},
    )


class WhichRejections(Nothing):
    """Which rejected pages are listed."""

    reason: Reason | SkipJsonSchema[None] = Field(None, description="Only pages with this reason.")
    limit: int = Field(100, ge=1, le=1000, description="How many to list; counts are of all.")


# Bodies can spell what is no text, halves of characters; whatever has a limit is looked at for that.
_POLICY = Field(
    max_length=4_000, description="The policy: its id, its address, or its domain where only one policy can be meant."
)
_QUESTION = Field(
    max_length=limits.MAX_QUESTION, description="What you want to know, in a sentence; sixty words of it are read."
)
_PASSAGES = Field(ge=0, le=records.MOST_PASSAGES, description="How many of the passages that bear on it most to add.")


class Body(Nothing):
    """What is sent as JSON, whose types are not guessed."""

    model_config = ConfigDict(strict=True)


class NewPolicy(Body):
    """A policy that is to be added."""

    address: str = Field(max_length=limits.MAX_ADDRESS, description="The address of the policy's page.")


class Question(AtVersion):
    """A question on a policy."""

    policy: Annotated[str, _POLICY]
    question: Annotated[str, _QUESTION]
    passages: Annotated[int, _PASSAGES] = records.SUMMARY


def _whole(value: Any) -> Any:
    """Take 2.0 for 2, as JSON does, and nothing else that is no number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class QuestionSent(Body):
    """A question on a policy that is too long for an address."""

    policy: Annotated[str, _POLICY]
    question: Annotated[str, _QUESTION]
    version: Annotated[Annotated[str, Field(max_length=400)] | None, _VERSION] = None
    passages: Annotated[int, _PASSAGES, BeforeValidator(_whole)] = records.SUMMARY


class Turn(Body):
    """What somebody says in a conversation."""

    said: str = Field(max_length=limits.MAX_TURN, description="A question, a follow-up, or what else is said.")
    conversation: Conversation | None = Field(
        None, description="Where the conversation stands, as the last reply gave it; none begins a new one."
    )
    policy: Annotated[str, _POLICY] | None = Field(
        None, description="The policy that is spoken of from here on, if one is named."
    )
