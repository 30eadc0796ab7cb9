"""Times as the library has them in, days as people write them out."""

from __future__ import annotations

import re

MONTHS = (
    "January February March April May June July August September October November December".split()
)  # fmt: skip
_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:[T ].*)?")


def day(time: str) -> str:
    """Write a time as a day, as exact as it is: "1 June 2024", "June 2024", "2024"; what is no time stays as it is."""
    found = _ISO.fullmatch(time)
    if found is None:
        return time
    year, month, date = found.groups()
    if month is None or not 1 <= int(month) <= 12:
        return year if month is None else time
    named = f"{MONTHS[int(month) - 1]} {year}"
    return f"{int(date)} {named}" if date else named
