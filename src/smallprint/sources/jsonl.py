"""Pages from JSON lines, one object a line, with fields that are named beforehand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from smallprint import limits
from smallprint.controls import tidy
from smallprint.errors import BadAddress, BadSource
from smallprint.records import Page, PageKind, Reason, Rejection
from smallprint.sources.items import Source, checked_address, iso_date, numbered_lines, unreadable, urn
from smallprint.sources.streams import ByteStream

JSON_TYPES = {bool: "a truth value", int: "a number", float: "a number", list: "a list", dict: "an object"}


class _RowError(ValueError):
    """A row that holds no page; the message says why."""


@dataclass(frozen=True, slots=True)
class FieldMap:
    """The names under which a row may hold each thing; the first not empty counts. An `id` may be joined: "a/b"."""

    url: tuple[str, ...] = ("url", "final_url")
    html: tuple[str, ...] = ("html",)
    text: tuple[str, ...] = ("text", "markdown")
    final_url: tuple[str, ...] = ("final_url",)
    fetched_at: tuple[str, ...] = ("fetched_at", "date")
    title: tuple[str, ...] = ("title",)
    id: tuple[str, ...] = ("id",)

    @classmethod
    def declared(cls, declarations: Iterable[str]) -> FieldMap:
        """Read declarations such as "html=body"; they replace defaults, and those of html or text drop the other's."""
        known = [field.name for field in fields(cls)]
        named: dict[str, tuple[str, ...]] = {}
        for declaration in declarations:
            thing, _, name = declaration.partition("=")
            if thing not in known or not name:
                raise BadSource(f"{declaration!r} maps no field; write it as html=body, with one of {', '.join(known)}")
            named[thing] = (*named.get(thing, ()), name)
        if ("html" in named) != ("text" in named):
            named.setdefault("html", ())
            named.setdefault("text", ())
        return replace(cls(), **named)


def read_jsonl(stream: ByteStream, source: Source, skip: int = 0) -> Iterator[tuple[int, Page | Rejection]]:
    """Read each line after the first `skip` as a page; blank lines are passed over."""
    mapping = source.mapping or FieldMap()
    for number, line in numbered_lines(stream, source.name, skip):
        if isinstance(line, Rejection):
            yield number, line
        elif line.strip():
            try:
                yield number, _page(_row(line), number, source, mapping)
            except _RowError as problem:
                yield number, unreadable(source.name, number, f"line {number} {problem}")


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise _RowError("is not UTF-8") from None
    except (ValueError, RecursionError):
        raise _RowError("is not JSON, or is cut short") from None
    if not isinstance(row, dict):
        raise _RowError("is not a JSON object")
    return row


def _page(row: Mapping[str, Any], number: int, source: Source, mapping: FieldMap) -> Page | Rejection:
    try:
        kind, content = _content(row, mapping)
        url = (_string(row, mapping.url) or "").strip() or urn(source.name, _key(row, mapping.id) or number)
        checked_address(url)
        final_url, title = _string(row, mapping.final_url) or url, _first(row, mapping.title)
        checked_address(final_url)
        title = title if isinstance(title, str) else ""
        title.encode("utf-8")
        page = Page(
            url=url,
            content=content.encode("utf-8"),
            kind=kind,
            source=source.name,
            fetched_at=iso_date(_first(row, mapping.fetched_at)),
            final_url=final_url if final_url != url else None,
            charset="utf-8",
            title=tidy(title)[: limits.MAX_TITLE] or None,
        )
    except BadAddress as error:
        raise _RowError(f"has a bad address: {error}") from None
    except UnicodeEncodeError:
        raise _RowError("contains half a character (a lone surrogate)") from None
    if len(page.content) > source.max_bytes:
        return Rejection(url, Reason.TOO_LARGE, f"{len(page.content):,} bytes", source.name, page.fetched_at)
    return page


def _content(row: Mapping[str, Any], mapping: FieldMap) -> tuple[PageKind, str]:
    html = _string(row, mapping.html)
    if html:
        return "html", html
    text = _string(row, mapping.text)
    if html is None and text is None:
        raise _RowError(f"has no field {' or '.join(mapping.html + mapping.text)}")
    # An empty page is a page too; it is the clean stage that turns it away.
    return ("html", "") if not text and html is not None else ("text", text or "")


def _key(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        parts = [row.get(part) for part in name.split("/")]
        if all(isinstance(part, str | int) and part != "" for part in parts):
            return "/".join(map(str, parts))
    return ""


def _string(row: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    value = _first(row, names)
    if value is not None and not isinstance(value, str):
        present = next(name for name in names if row.get(name) is value)
        raise _RowError(f"has {JSON_TYPES[type(value)]} as {present!r}, where text should be")
    return value


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> object:
    present = [row[name] for name in names if row.get(name) is not None]
    return next((value for value in present if value != ""), present[0] if present else None)
