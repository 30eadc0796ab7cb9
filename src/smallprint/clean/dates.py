"""The dates a policy states of itself: from when it holds, and when it was last changed."""

from __future__ import annotations

import re
from datetime import date

MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
         "sep sept september", "oct october", "nov november", "dec december"), 1)
    for name in names.split()
}  # fmt: skip
MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
DATE = re.compile(
    rf"\b(?P<iso>(?:19|20)\d\d(?P<dash>[-/.])\d{{1,2}}(?P=dash)\d{{1,2}})(?!\d)"
    rf"|\b(?P<month1>{MONTH})\s+(?P<day1>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,\s*|\s+)(?P<year1>(?:19|20)\d\d)"
    rf"|\b(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[\s/-]+(?P<month2>{MONTH})[\s,/-]*(?P<year2>(?:19|20)\d\d)"
    rf"|\b(?P<month3>{MONTH})\s*,?\s+(?P<year3>(?:19|20)\d\d)"
    rf"|\b(?P<a>\d{{1,2}})(?P<mark>[/.-])(?P<b>\d{{1,2}})(?P=mark)(?P<year4>(?:19|20)\d\d|\d\d)(?!\d)",
    re.IGNORECASE,
)
EFFECTIVE = re.compile(
    r"\beffective\s+(?:date|as\s+of|on|from|since|beginning|starting)\b|\b(?:is|becomes?|are)\s+effective\b"
    r"|\beffective\s*:|\b(?:comes?|came)\s+into\s+(?:force|effect)\b|\bin\s+(?:force|effect)\s+(?:as\s+of|from|since)\b"
    rf"|\beffective(?=\s+(?:the\s+)?(?:\d|(?:[a-z]{{3,6}}day,?\s+)?{MONTH}))",
    re.IGNORECASE,
)
UPDATED = re.compile(
    r"\b(?:last|latest|most\s+recently|recently)\s+(?:updated?|revised|revision|modified|modification|changed|amended|reviewed|edited)\b"
    r"|\b(?:updated|revised|modified|amended)\s*(?::|on\b|as\s+of\b|in\b)|\b(?:date\s+of\s+(?:last\s+)?(?:revision|update)|revision\s+date)\b"
    r"|\bversion\s+dated\b",
    re.IGNORECASE,
)
# The date follows the words that announce it, within a short clause.
REACH = 60
# Policies state their dates where they begin or where they end; between, dates are of other things.
HEAD, TAIL = 5000, 3000


def effective_on(text: str) -> str | None:
    """Return the date from which a policy says it holds, as ISO 8601 ("2024-03" where no day is said)."""
    return _announced(EFFECTIVE, text)


def updated_on(text: str) -> str | None:
    """Return the date on which a policy says it was last changed, as ISO 8601."""
    return _announced(UPDATED, text)


def _announced(words: re.Pattern[str], text: str) -> str | None:
    for start, end in ((0, HEAD), (max(HEAD, len(text) - TAIL), len(text))):
        for announcement in words.finditer(text, start, end):
            date_match = DATE.search(text, announcement.end(), announcement.end() + REACH)
            if date_match and (stated := _iso(date_match)):
                return stated
    return None


def _iso(match: re.Match[str]) -> str | None:
    part = match.groupdict()
    if part["iso"]:
        return _valid(*(int(number) for number in part["iso"].split(part["dash"])))
    for which in "12":
        if part[f"month{which}"]:
            return _valid(int(part[f"year{which}"]), _month(part[f"month{which}"]), int(part[f"day{which}"]))
    if part["month3"]:
        return f"{part['year3']}-{_month(part['month3']):02d}"
    a, b, year = int(part["a"]), int(part["b"]), int(part["year4"])
    year += (2000 if year < 70 else 1900) if year < 100 else 0
    # 3/4/2020 is the American 4 March unless its first number can be no month.
    return _valid(year, b, a) if a > 12 or part["mark"] == "." else _valid(year, a, b)


def _month(name: str) -> int:
    return MONTHS[name.lower().rstrip(".")]


def _valid(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
