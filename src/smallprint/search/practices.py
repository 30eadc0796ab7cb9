"""The practices that the words of a search name, so that policies which have them are favoured."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources

from smallprint.index.tree import Favoured
from smallprint.index.words import words

# Chosen on queries of our own (docs/results.md).
WEIGHT = 2.0


def favoured(typed: Iterable[str]) -> tuple[Favoured, ...]:
    """Give the practices that words typed without prefix or quotes name; a longer name replaces a shorter one."""
    have = frozenset(typed)
    named = [(practice, name) for name, practices in _names() if name <= have for practice in practices]
    told = [practice for practice, name in named if not any(name < other for _, other in named)]
    return tuple(Favoured("practice", practice, WEIGHT) for practice in dict.fromkeys(told))


@cache
def _names() -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    table = tomllib.loads(resources.files(__package__).joinpath("practices.toml").read_text(encoding="utf-8"))
    found: dict[frozenset[str], list[str]] = {}
    for practice, names in table.items():
        for name in names:
            found.setdefault(frozenset(words(name)), []).append(practice)
    return tuple((name, tuple(practices)) for name, practices in found.items())
