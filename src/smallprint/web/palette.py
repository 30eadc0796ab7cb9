"""The twelve practice categories as pages show them: a colour, and a code of two letters for who sees no colours."""

from __future__ import annotations

from dataclasses import dataclass

from smallprint.taxonomy import CATEGORIES

# Letters of the dataset's own names, which whoever knows it will recognise.
_CODES = {
    "first-party": "Fp",
    "third-party": "Tp",
    "choice": "Ch",
    "access": "Ac",
    "retention": "Re",
    "security": "Se",
    "change": "Pc",
    "do-not-track": "Dt",
    "audiences": "Au",
    "introduction": "In",
    "contact": "Co",
    "not-covered": "Nc",
}


@dataclass(frozen=True, slots=True)
class Hue:
    """How a category is marked. The style sheet has the colours, as `--hue-ID` and the class `hue-ID`."""

    id: str
    code: str
    name: str
    plain: str

    @property
    def css(self) -> str:
        """The class that gives an element this colour."""
        return f"hue-{self.id}"


HUES = tuple(Hue(c.id, _CODES[c.id], c.name, c.plain) for c in CATEGORIES)
_BY_ID = {one.id: one for one in HUES}


def hue(category: str) -> Hue:
    """Find how a category is marked, by its id; KeyError if there is none."""
    return _BY_ID[category]
