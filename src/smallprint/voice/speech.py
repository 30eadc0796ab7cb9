"""Text for the eye in, text for the ear out: addresses by their domain, dates and signs in words, lists with "and"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from smallprint.controls import tidy

LONGEST = 300
_MONTHS = (
    "January February March April May June July August September October November December"
).split()  # fmt: skip
_ADDRESS = re.compile(r"\b(?:https?://|www\.)[^\s<>\"“”()]+", re.IGNORECASE)
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DOMAIN = re.compile(
    r"\b(?:[a-z0-9-]+\.)+(?:com|org|net|example|io|co|uk|eu|gov|edu|de|fr|us|app|info)\b", re.IGNORECASE
)
_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_CAPITALS = re.compile(r"\b[A-Z]{6,}\b")
# What XML cannot have at all.
_UNSPEAKABLE = re.compile("[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# In this order: what is written, and what is said for it.
_SAID = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        (r"\be\.\s?g\.,?", "for example,"),
        (r"\bi\.\s?e\.,?", "that is,"),
        (r"\betc\.?(?=\s*$)", "and so on."),
        (r"\betc\.", "and so on"),
        (r"\bvs?\.(?=\s)", "versus"),
        (r"\bU\.\s?S\.\s?A?\.?(?=\W|$)", "US"),
        (r"\bU\.\s?K\.(?=\W|$)", "UK"),
        (r"\b(Inc|Ltd|Corp|Co|LLC|Mr|Mrs|Ms|Dr)\.(?=\W)", r"\1"),
        (r"\bNo\.\s?(?=\d)", "number "),
        (r"§+\s*", "section "),
        (r"(?<=\d)\s?%", " percent"),
        (r"\s&\s", " and "),
        (r"\band/or\b", "or"),
        (r"\b24/7\b", "around the clock"),
        (r"(?<=[a-z])/(?=[a-z])", " or "),
        (r"(?<=\d)\s?[–—-]\s?(?=\d)", " to "),
        (r"(?<=[a-z])\((?:s|es|ies)\)", "s"),
        (r"\s*[–—]\s*", ", "),
        (r"[“”\"«»•·*_#|<>\[\]{}^~`\\]", " "),
        (r"…", "."),
    )
)


def for_ear(text: str) -> str:
    """Shape a sentence for being heard, short enough to be followed."""
    said = _UNSPEAKABLE.sub("", tidy(text))
    said = _ADDRESS.sub(lambda found: _domain(found[0]), said)
    said = _MAIL.sub(lambda found: found[0].replace("@", " at ").replace(".", " dot "), said)
    said = _DATE.sub(_date, said)
    said = _DOMAIN.sub(lambda found: found[0].replace(".", " dot "), said)
    for pattern, instead in _SAID:
        said = pattern.sub(instead, said)
    said = _CAPITALS.sub(lambda found: found[0].lower(), said)
    said = re.sub(r"\s+([,.;:!?])", r"\1", " ".join(said.split()))
    said = _short(said)
    return _ended(said[:1].upper() + said[1:])


def listed(names: Sequence[str]) -> str:
    """Say a list: "a", "a and b", "a, b and c"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def ssml(sentences: Sequence[str]) -> str:
    """Write sentences in the language for speech, a pause after each."""
    return f"<speak>{''.join(f'<s>{escape(one, quote=False)}</s>' for one in sentences)}</speak>"


def _domain(address: str) -> str:
    """Say an address by its domain; what ends the sentence is kept."""
    bare = address.rstrip(".,;:!?'")
    host = re.sub(r"^(?:https?://)?(?:www\.)?", "", bare, flags=re.IGNORECASE)
    return re.split(r"[/?#:]", host)[0].replace(".", " dot ") + address[len(bare) :]


def _date(found: re.Match[str]) -> str:
    year, month, day = (int(part) for part in found.groups())
    return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= 12 and 1 <= day <= 31 else found[0]


def _short(said: str) -> str:
    if len(said) <= LONGEST:
        return said
    return f"{said[:LONGEST].rpartition(' ')[0].rstrip(',;:')}, and so on"


def _ended(said: str) -> str:
    """End as a sentence does, so that the voice falls."""
    return said if not said or said[-1] in ".!?:" else f"{said.rstrip(',;')}."
