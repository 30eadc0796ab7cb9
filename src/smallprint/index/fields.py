"""The one table of what an index holds of a policy.

Entries, the engines' schemas and documents, facets and ranges, prefixes of the query language, parameters of the API,
options of commands and inputs of tools are made from it. To add a facet, add a row, and its value to
`library/findable.py`.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from smallprint.domains import host_of
from smallprint.index.engine import Bars, Entry
from smallprint.index.words import url_words, words
from smallprint.sectors import SECTORS
from smallprint.taxonomy import CATEGORIES, LABELS, POLARITY, plain_name

if TYPE_CHECKING:
    from smallprint.library.findable import Findable

# A text is cut into words; a choice is one value of several, choices are any number of them; a range is of a number.
Kind = Literal["text", "choice", "choices", "range"]
Value = str | tuple[str, ...] | float | None
# A value that every policy has in a field whose values add to relevance: engines count how rare a value is among the
# documents that have the field, and these must be all of them.
COMMON = "*"
STATES = 1 << 96
_SCHEME = re.compile(r"^[a-z][a-z0-9+.]*://")


@dataclass(frozen=True, slots=True)
class Material:
    """What values are made of: a policy, the text to be searched, and what its version names and practises."""

    policy: Findable
    body: str
    names: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a facet; `under` is the value it belongs to, as a practice's detail to the practice."""

    value: str
    label: str
    under: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A row. `name` is its field in an index, `value` where that comes from; None where another row of the name says.

    `key` is how it is called in addresses, parameters and options; without one it cannot be chosen by these. `prefixes`
    are those of the query language, and `read` turns what was typed after one into a value; empty if it is none.
    `choices` lists the values, if they are known beforehand; others must match `pattern`, and
    `label_of` names them. A facet is shown with counts, the most frequent value first unless they have an `order`.
    Values of a field that `is_scored` may add to relevance.
    """

    name: str
    kind: Kind
    value: Callable[[Material], Value] | None = None
    key: str = ""
    label: str = ""
    description: str = ""
    prefixes: tuple[str, ...] = ()
    read: Callable[[str], str] = str.lower
    choices: Callable[[], tuple[Choice, ...]] = tuple
    pattern: str = r"\S"
    label_of: Callable[[str], str] = str
    order: Callable[[str], int] | None = None
    is_facet: bool = True
    bars: Bars | None = None
    most: str = ""
    is_scored: bool = False
    example: str = ""

    @property
    def is_choice(self) -> bool:
        """Whether it has values to choose from."""
        return self.kind in {"choice", "choices"}


def site_name(text: str) -> str:
    """Return the name a site is asked for by: "https://www.Example.com/x" is "example.com"."""
    host = _SCHEME.sub("", text.lower()).partition("/")[0].rpartition("@")[2].partition(":")[0]
    return host.removeprefix("www.").strip(".")


def sites(url: str, domain: str) -> tuple[str, ...]:
    """Return the names a site can be asked for by: its domain, then its host and each name between the two."""
    names, host = [domain], host_of(url)
    while host.endswith(f".{domain}"):
        names.append(host)
        host = host.partition(".")[2]
    return tuple(names)


def _number(value: str) -> int:
    digits = re.match(r"\d+", value)
    return int(digits[0]) if digits else 0


@cache
def _practices() -> tuple[Choice, ...]:
    """Return every category, each followed by its values; what says nothing ("not said") cannot be chosen."""
    telling = [label for label in (*LABELS, *POLARITY) if label.value not in {"Unspecified", "Not mentioned", "Other"}]
    choices = []
    for category in CATEGORIES:
        choices.append(Choice(category.id, category.plain))
        choices += [
            Choice(str(label), plain_name(label), under=category.id)
            for label in telling
            if label.category == category.id and label.attribute is not None
        ]
    return tuple(choices)


@cache
def _names(group: str = "") -> tuple[Choice, ...]:
    from smallprint.annotate.mentions import names

    return tuple(Choice(name.id, name.plain) for name in names() if not group or name.group == group)


FIELDS = (
    Field("title", "text", lambda of: of.policy.title, prefixes=("title",)),
    Field("body", "text", lambda of: of.body, prefixes=("body",)),
    Field("url", "text", lambda of: of.policy.url, prefixes=("url",)),
    # The first is the site that results are spread by.
    Field("site", "choices", lambda of: sites(of.policy.url, of.policy.domain), prefixes=("site",), read=site_name),
    # Only policies that have near-duplicates are in a group.
    Field("group", "choices", lambda of: (of.policy.group,) if of.policy.is_grouped else ()),
    Field("sector", "choice", lambda of: of.policy.sector, "sector", "Sector", "Only these sectors",
          ("sector",), choices=lambda: tuple(Choice(sector.id, sector.name) for sector in SECTORS)),
    Field("practice", "choices", lambda of: of.labels, "practice", "Practices",
          "Only policies with one of these practices, in OPP-115's words", choices=_practices, is_scored=True),
    Field("mention", "choices", lambda of: of.names, "names", "Names",
          "Only what names one of these technologies, bodies or regulations", ("names",), choices=_names,
          is_facet=False),
    Field("mention", "choices", key="technology", label="Tracking technologies",
          description="Only what names one of these tracking technologies", choices=lambda: _names("technology")),
    Field("mention", "choices", key="body", label="Self-regulatory bodies",
          description="Only what names one of these self-regulatory bodies", choices=lambda: _names("body")),
    Field("mention", "choices", key="regulation", label="Regulations and agreements",
          description="Only what names one of these regulations or agreements", choices=lambda: _names("regulation")),
    Field("year", "choice", lambda of: of.policy.seen[:4], "year", "Year seen",
          "Only what was last seen in one of these years", ("year",),
          read=lambda typed: typed if typed.isdigit() else "", pattern="^[0-9]{4}$",
          order=lambda year: -_number(year)),
    Field("country", "choice", lambda of: of.policy.country, "country", "Country",
          "Only policies of companies in these countries", ("country",), label_of=string.capwords),
    Field("employees", "choice", lambda of: of.policy.employees, "employees", "Company size",
          "Only policies of companies with so many employees, such as 51-200", ("employees",), order=_number),
    Field("grade", "range", lambda of: of.policy.grade, "grade", "Reading grade",
          "Years of school needed to understand the text", ("grade",), bars=Bars("grade", 0.0, 1.0, 25),
          example="8:12, 8: or :12"),
    Field("vagueness", "range", lambda of: of.policy.vagueness, "vagueness", "Vagueness",
          "Share of sentences with a vague word: 0.2 is one in five", ("vagueness", "vague"),
          bars=Bars("vagueness", 0.0, 0.05, 20), most="1", example=":0.2 or 0.1:0.3"),
)  # fmt: skip
TEXTS = tuple(field for field in FIELDS if field.kind == "text")
KEYED = tuple(field for field in FIELDS if field.key)
FACETS = tuple(field for field in KEYED if field.is_choice and field.is_facet)
RANGES = tuple(field for field in KEYED if field.kind == "range")
BY_PREFIX = {prefix: field for field in FIELDS for prefix in field.prefixes}
# The fields that engines hold, each once.
STORED = tuple(field for field in FIELDS if field.value)


def values_of(material: Material) -> dict[str, Value]:
    """Return the values of all fields of a policy, by name; those of choices as tuples."""
    values = {field.name: field.value(material) for field in STORED if field.value}
    for field in STORED:
        if field.kind == "choice" and isinstance(value := values[field.name], str):
            values[field.name] = (value,) if value else ()
    return values


def document_of(entry: Entry) -> dict[str, Any]:
    """Return an entry's document: words joined by blanks, choices as lists, numbers where they are known."""
    document: dict[str, Any] = {
        "id": entry.policy_id,
        "stamp": entry.stamp,
        "own": own_number(entry.policy_id),
        "group_number": own_number(entry.group),
        "p_policy": entry.p_policy,
        "popularity": entry.popularity,
    }
    for field in STORED:
        value = entry.values.get(field.name)
        if isinstance(value, str):
            document[field.name] = " ".join(url_words(value) if field.name == "url" else words(value))
        elif isinstance(value, tuple) or field.is_scored:
            document[field.name] = [*(value or ()), *([COMMON] if field.is_scored else [])]  # type: ignore[misc]
        elif value is not None:
            document[field.name] = value
    document["site_number"] = own_number((document.get("site") or [entry.policy_id])[0])
    return document


def own_number(name: str) -> int:
    """Return a name's number of 63 bits, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest()) >> 1


def day_number(date: str) -> int:
    """Return a date as a number: 20201200 for "2020-12"."""
    digits = "".join(letter for letter in date[:10] if letter.isdigit())
    return int(digits[:8].ljust(8, "0") or 0)


def state_of(stamps: Iterable[tuple[str, str]]) -> str:
    """Return a short name for the policies and stamps of an index: a sum, so that a change adds and subtracts."""
    total = sum(
        int.from_bytes(hashlib.blake2b(f"{policy_id} {stamp}".encode(), digest_size=12).digest())
        for policy_id, stamp in stamps
    )
    return f"{total % STATES:024x}"
