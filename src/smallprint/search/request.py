"""What is asked of the library: words, filters, order and page, read from an address and written back to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal
from urllib.parse import urlencode

from smallprint.errors import BadQuery
from smallprint.index.tree import Ranking
from smallprint.limits import MAX_RESULT_PAGES
from smallprint.search.facets import SCALES, facets
from smallprint.search.language import limits

Range = tuple[float | None, float | None]
PAGE_SIZE, MOST_SIZE = 10, 100
_OWN = ("q", "in", "rank", "page", "size", "index", "match", "fold")


@dataclass(frozen=True, slots=True)
class Request:
    """A search. `chosen` has the values of each facet by its key, `ranges` the limits of each measure."""

    text: str = ""
    where: Literal["text", "url"] = "text"
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ranges: Mapping[str, Range] = field(default_factory=dict)
    rank: Ranking = Ranking.CUSTOM
    page: int = 1
    size: int = PAGE_SIZE
    index: Literal["policy", "page"] = "policy"
    match: Literal["any", "all"] = "any"
    fold: bool = True

    @property
    def is_narrowed(self) -> bool:
        """Whether any filter is chosen."""
        return bool(self.chosen or self.ranges)

    def address(self) -> str:
        """Write the request as the query part of an address; what is as usual is left out."""
        pairs: list[tuple[str, str]] = [("q", self.text)] if self.text else []
        usual = Request()
        for key, value, normal in (
            ("in", self.where, usual.where), ("rank", str(self.rank), str(usual.rank)),
            ("index", self.index, usual.index), ("match", self.match, usual.match),
            ("fold", "1" if self.fold else "0", "1"), ("size", str(self.size), str(usual.size)),
        ):  # fmt: skip
            if value != normal:
                pairs.append((key, value))
        for one in facets():
            pairs += [(one.key, value) for value in self.chosen.get(one.key, ())]
        pairs += [(key, _written(self.ranges[key])) for key in sorted(self.ranges)]
        if self.page > 1:
            pairs.append(("page", str(self.page)))
        return urlencode(pairs)

    def on_page(self, page: int) -> Request:
        """Give the same search at another page."""
        return replace(self, page=page)

    def ranked(self, rank: Ranking) -> Request:
        """Give the same search in another order, from its first page."""
        return replace(self, rank=rank, page=1)

    def toggled(self, key: str, value: str) -> Request:
        """Choose a value of a facet, or let go of it."""
        had = self.chosen.get(key, ())
        now = tuple(one for one in had if one != value) if value in had else (*had, value)
        chosen = {**self.chosen, key: now}
        return replace(self, chosen={key: values for key, values in chosen.items() if values}, page=1)

    def without(self, key: str) -> Request:
        """Let go of a facet's or a measure's choice."""
        return replace(
            self,
            chosen={one: values for one, values in self.chosen.items() if one != key},
            ranges={one: values for one, values in self.ranges.items() if one != key},
            page=1,
        )

    def unnarrowed(self) -> Request:
        """Let go of all filters."""
        return replace(self, chosen={}, ranges={}, page=1)


def read_request(pairs: Iterable[tuple[str, str]]) -> Request:
    """Read an address's pairs; BadQuery says what is wrong with one that is no search. Empty values are passed over."""
    given: dict[str, list[str]] = {}
    for key, value in pairs:
        if value.strip():
            given.setdefault(key, []).append(value)
    known = {
        *_OWN,
        *(one.key for one in facets()),
        *(f"{scale.key}{end}" for scale in SCALES for end in ("", "_min", "_max")),
    }
    unknown = sorted(given.keys() - known)
    if unknown:
        raise BadQuery(f"{unknown[0]!r} is nothing that can be asked for; choose from {', '.join(sorted(known))}")
    last = {key: values[-1] for key, values in given.items()}
    return Request(
        text=last.get("q", "").strip(),
        where=_one_of("in", last.get("in", "text"), ("text", "url")),  # type: ignore[arg-type]
        chosen=_chosen(given),
        ranges=_ranges(last),
        rank=Ranking(_one_of("rank", last.get("rank", "custom"), tuple(Ranking))),
        page=_number("page", last.get("page", "1"), MAX_RESULT_PAGES),
        size=_number("size", last.get("size", str(PAGE_SIZE)), MOST_SIZE),
        index=_one_of("index", last.get("index", "policy"), ("policy", "page")),  # type: ignore[arg-type]
        match=_one_of("match", last.get("match", "any"), ("any", "all")),  # type: ignore[arg-type]
        fold=_one_of("fold", last.get("fold", "1"), ("0", "1")) == "1",
    )


def _chosen(given: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    found = {}
    for one in facets():
        values = tuple(dict.fromkeys(given.get(one.key, ())))
        allowed = {choice.value for choice in one.choices}
        for value in values:
            if allowed and value not in allowed:
                raise BadQuery(f"{one.key} has no value {value[:100]!r}; 'smallprint search --facets' lists them")
        if values:
            found[one.key] = values
    return found


def _ranges(last: Mapping[str, str]) -> dict[str, Range]:
    found = {}
    for scale in SCALES:
        whole = last.get(scale.key) or f"{last.get(f'{scale.key}_min', '')}:{last.get(f'{scale.key}_max', '')}"
        if whole == ":":
            continue
        read = limits(whole)
        if read is None:
            raise BadQuery(f"{scale.key} = {whole[:100]!r} is no range; write it as 8:12, 8: or :12")
        if None not in read and read[0] > read[1]:  # type: ignore[operator]
            raise BadQuery(f"{scale.key} = {whole[:100]!r} is empty; the lower end comes first")
        found[scale.key] = read
    return found


def _one_of(key: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise BadQuery(f"{key} = {value[:100]!r} is unknown; choose from {', '.join(allowed)}")
    return value


def _number(key: str, value: str, most: int) -> int:
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0
    if not 1 <= number <= most:
        raise BadQuery(f"{key} = {value[:100]!r}: choose a whole number from 1 to {most}; exports have all results")
    return number


def _written(limits_: Range) -> str:
    """Write a range so that the same numbers are read from it: never as 1e-06."""
    return ":".join("" if end is None else f"{Decimal(repr(end)):f}".removesuffix(".0") for end in limits_)
