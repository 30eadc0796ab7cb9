"""Where among the pages of a result one is, and which of them are linked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from smallprint import limits
from smallprint.search.results import Results
from smallprint.web.modes import address

# Pages that are linked on each side of the one that is shown.
AROUND = 2


@dataclass(frozen=True, slots=True)
class Step:
    """A page by its number; one without an address is the one that is shown, one without a number is a gap."""

    number: int | None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Paging:
    """The pages of a result. `beyond` counts the results that no page shows."""

    previous: str | None
    next: str | None
    steps: tuple[Step, ...]
    last: int
    beyond: int


def paging(found: Results) -> Paging:
    """Lay out the pages of a result."""
    request = found.request
    every = -(-found.groups // request.size)
    last = min(every, limits.MAX_RESULT_PAGES)

    def at(page: int) -> str | None:
        return address(request.on_page(page)) if 1 <= page <= last else None

    steps = tuple(
        Step(number, None if number in {None, request.page} else at(number or 0))
        for number in _numbers(request.page, last)
    )
    # From beyond the last page one step back leads to it.
    back = at(min(request.page - 1, last))
    beyond = found.groups - last * request.size if every > last else 0
    return Paging(back, at(request.page + 1), steps if last > 1 else (), last, beyond)


def _numbers(current: int, last: int) -> Iterator[int | None]:
    """Give the first page, the last, and those around the current one; None where some are left out."""
    wanted = sorted({1, last, *range(current - AROUND, current + AROUND + 1)} & set(range(1, last + 1)))
    before = 0
    for number in wanted:
        if number - before == 2:
            yield number - 1  # a gap of one page takes no less room than the page
        elif number - before > 2:
            yield None
        yield number
        before = number
