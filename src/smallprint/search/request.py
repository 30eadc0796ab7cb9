"""What is asked of the library: words, filters, order and page, read from an address and written back to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as record_field
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import urlencode

from smallprint.errors import BadQuery
from smallprint.index.fields import FACETS, KEYED, RANGES
from smallprint.index.tree import Ranking
from smallprint.limits import MAX_RESULT_PAGES
from smallprint.search.language import parse_limits

Range = tuple[float | None, float | None]
PAGE_SIZE, MOST_SIZE = 10, 100
# The parameters that are no filters, by the fields of a request that they set.
_FIELDS = {"in": "where", "rank": "rank", "index": "index", "match": "match", "fold": "fold", "size": "size"}
_ENDS = ("_min", "_max")


@dataclass(frozen=True, slots=True)
class Request:
    """A search. `chosen` has the values of each facet by its key, `ranges` the limits of each measure."""

    text: str = ""
    where: Literal["text", "url"] = "text"
    chosen: Mapping[str, tuple[str, ...]] = record_field(default_factory=dict)
    ranges: Mapping[str, Range] = record_field(default_factory=dict)
    rank: Ranking = Ranking.CUSTOM
    page: int = 1
    size: int = PAGE_SIZE
    index: Literal["policy", "page"] = "policy"
    match: Literal["any", "all"] = "any"
    fold: bool = True

    def address(self) -> str:
        """Write the request as the query part of an address; what is as usual is left out."""
        pairs: list[tuple[str, str]] = [("q", self.text)] if self.text else []
        usual = Request()
        for key, name in _FIELDS.items():
            if (value := getattr(self, name)) != getattr(usual, name):
                pairs += [(key, part) for part in _as_list(value)]
        for facet in FACETS:
            pairs += [(facet.key, value) for value in self.chosen.get(facet.key, ())]
        for key, limits in sorted(self.ranges.items()):
            # So that the same numbers are read from it: never as 1e-06.
            ends = ("" if end is None else f"{Decimal(repr(end)):f}".removesuffix(".0") for end in limits)
            pairs.append((key, ":".join(ends)))
        if self.page > 1:
            pairs.append(("page", str(self.page)))
        return urlencode(pairs)

    def on_page(self, page: int) -> Request:
        """Return the same search at another page."""
        return replace(self, page=page)

    def toggled(self, key: str, value: str) -> Request:
        """Return the search with a value of a facet chosen, or no longer chosen."""
        had = self.chosen.get(key, ())
        now = tuple(known for known in had if known != value) if value in had else (*had, value)
        chosen = {**self.chosen, key: now}
        return replace(self, chosen={key: values for key, values in chosen.items() if values}, page=1)

    def without(self, key: str) -> Request:
        """Return the search without a facet's values or a range."""
        return replace(
            self,
            chosen={name: values for name, values in self.chosen.items() if name != key},
            ranges={name: limits for name, limits in self.ranges.items() if name != key},
            page=1,
        )

    def unnarrowed(self) -> Request:
        """Return the search without any filter."""
        return replace(self, chosen={}, ranges={}, page=1)


def read_request(pairs: Iterable[tuple[str, str]]) -> Request:
    """Return the search of an address's pairs; BadQuery says what is wrong with them. Empty values are passed over."""
    by_key: dict[str, list[str]] = {}
    for key, value in pairs:
        if value.strip():
            by_key.setdefault(key, []).append(value)
    known = {
        "q",
        *_FIELDS,
        "page",
        *(field.key for field in KEYED),
        *(f"{field.key}{end}" for field in RANGES for end in _ENDS),
    }
    unknown = sorted(by_key.keys() - known)
    if unknown:
        raise BadQuery(f"{unknown[0]!r} is not a known filter; choose from {', '.join(sorted(known))}")
    last = {key: values[-1] for key, values in by_key.items()}
    return Request(
        text=last.get("q", "").strip(),
        where=_one_of("in", last.get("in", "text"), ("text", "url")),  # type: ignore[arg-type]
        chosen=_chosen(by_key),
        ranges=_ranges(last),
        rank=Ranking(_one_of("rank", last.get("rank", "custom"), tuple(Ranking))),
        page=_number("page", last.get("page", "1"), MAX_RESULT_PAGES),
        size=_number("size", last.get("size", str(PAGE_SIZE)), MOST_SIZE),
        index=_one_of("index", last.get("index", "policy"), ("policy", "page")),  # type: ignore[arg-type]
        match=_one_of("match", last.get("match", "any"), ("any", "all")),  # type: ignore[arg-type]
        fold=_one_of("fold", last.get("fold", "1"), ("0", "1")) == "1",
    )


def request_of(text: str, filters: Mapping[str, Any], match: str = "any") -> Request:
    """Return a search as `Shelf.search` takes it; BadQuery names what is unknown. `match` holds where none is given."""
    pairs: list[tuple[str, str]] = []
    ranges = {field.key for field in RANGES}
    for key, value in {"match": match, **filters}.items():
        if value is None:
            continue
        if key == "domain":
            text = f'site:"{value}" {text}'  # in front, or a quotation that is not closed would take it in
        elif key in ranges and not isinstance(value, str):
            pairs.append((key, _range(key, value)))
        else:
            pairs += [("in" if key == "where" else key, part) for part in _as_list(value)]
    return read_request([("q", text), *pairs])


def _chosen(by_key: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    """Return the values of facets by key; a value of a field that is no facet goes to the facet that lists it."""
    chosen: dict[str, list[str]] = {facet.key: [*by_key.get(facet.key, ())] for facet in FACETS}
    for field in (field for field in KEYED if field.is_choice and not field.is_facet):
        parts = {choice.value: facet.key for facet in FACETS if facet.name == field.name for choice in facet.choices()}
        for value in by_key.get(field.key, ()):
            if value not in parts:
                raise BadQuery(f"{field.key} = {value[:100]!r} is unknown; choose from {', '.join(parts)}")
            chosen[parts[value]].append(value)
    for facet in FACETS:
        allowed = {choice.value for choice in facet.choices()} if chosen[facet.key] else ()
        for value in chosen[facet.key]:
            if allowed and value not in allowed:
                raise BadQuery(f"{facet.key} has no value {value[:100]!r}; 'smallprint search --facets' lists them")
    return {key: tuple(dict.fromkeys(values)) for key, values in chosen.items() if values}


def _ranges(last: Mapping[str, str]) -> dict[str, Range]:
    ranges = {}
    for key in (field.key for field in RANGES):
        whole = last.get(key) or ":".join(last.get(f"{key}{end}", "") for end in _ENDS)
        if whole == ":":
            continue
        limits = parse_limits(whole)
        if limits is None:
            raise BadQuery(f"{key} = {whole[:100]!r} is not a range; write it as 8:12, 8: or :12")
        if None not in limits and limits[0] > limits[1]:  # type: ignore[operator]
            raise BadQuery(f"{key} = {whole[:100]!r} is empty; the lower end comes first")
        ranges[key] = limits
    return ranges


def _as_list(value: Any) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        value = (value,)
    return [str(int(part)) if isinstance(part, bool) else str(part) for part in value]


def _range(key: str, value: Any) -> str:
    """Write (8, 12) or (8, None) as an address has it."""
    try:
        low, high = ("" if end is None else f"{float(end):.6f}" for end in value)
    except (TypeError, ValueError):
        raise BadQuery(f"{key} = {value!r} is not a range; give (8, 12), (8, None) or '8:12'") from None
    return f"{low}:{high}"


def _one_of(key: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise BadQuery(f"{key} = {value[:100]!r} is unknown; choose from {', '.join(allowed)}")
    return value


def _number(key: str, value: str, most: int) -> int:
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0
    if not 1 <= number <= most:
        raise BadQuery(f"{key} = {value[:100]!r}: choose a whole number from 1 to {most}; exports have all results")
    return number
