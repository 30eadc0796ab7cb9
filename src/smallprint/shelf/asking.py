"""Filters as Python has them, or an export's id, in; the request that is meant out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from smallprint.annotate.mentions import names
from smallprint.errors import BadQuery, LibraryChanged, NoSuchExport
from smallprint.pipeline.engines import Engines
from smallprint.search.exports import read_export_id
from smallprint.search.facets import SCALES
from smallprint.search.request import PAGE_SIZE, Request, read_request

_RANGES = {scale.key for scale in SCALES}


def request_of(text: str, filters: Mapping[str, Any], match: str = "any") -> Request:
    """Read a search as `Shelf.search` takes it; BadQuery names what is unknown. `match` holds where none is given."""
    pairs: list[tuple[str, str]] = []
    for key, value in {"match": match, **filters}.items():
        if value is None:
            continue
        if key == "domain":
            text = f'site:"{value}" {text}'  # in front, or a quotation that is not closed would take it in
        elif key == "names":
            pairs += [(_group(name), name) for name in _listed(value)]
        elif key in _RANGES:
            pairs.append((key, _range(key, value)))
        else:
            pairs += [("in" if key == "where" else key, one) for one in _listed(value)]
    return read_request([("q", text), *pairs])


def whole(request: Request) -> Request:
    """Give the request that a whole result is of: what matters only to pages is as usual, so that ids are the same."""
    return replace(request, page=1, size=PAGE_SIZE, fold=True)


def request_again(export_id: str, engines: Engines, *, anyway: bool = False) -> Request:
    """Give the request that an export was made of; LibraryChanged where it would give others now, unless `anyway`."""
    try:
        state, request = read_export_id(export_id)
    except BadQuery as error:
        raise NoSuchExport(str(error)) from None
    now = engines.engine(request.index).state()
    if state != now and not anyway:
        raise LibraryChanged(
            f"the library has changed since this export: it was made of {state[:40]!r} and would now be of {now!r}; "
            "make it anyway, or open the library as it was then"
        )
    return whole(request)


def _listed(value: Any) -> Iterable[str]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        value = (value,)
    return [str(int(one)) if isinstance(one, bool) else str(one) for one in value]


def _group(name: str) -> str:
    for known in names():
        if known.id == name:
            return known.group
    raise BadQuery(f"names = {name!r} is unknown; choose from {', '.join(known.id for known in names())}")


def _range(key: str, value: Any) -> str:
    """Write (8, 12), (8, None) or "8:12" as an address has it."""
    if isinstance(value, str):
        return value
    try:
        low, high = ("" if end is None else f"{float(end):.6f}" for end in value)
    except (TypeError, ValueError):
        raise BadQuery(f"{key} = {value!r} is no range; give (8, 12), (8, None) or '8:12'") from None
    return f"{low}:{high}"
