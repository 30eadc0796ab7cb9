"""Sectors, by the words of a question."""

from __future__ import annotations

import pytest

from smallprint.ask.sector_words import sectors_in


@pytest.mark.parametrize(
    ("text", "sectors"),
    [
        ("which medical sites", ("medical",)),
        ("banks that sell data", ("finance",)),
        ("which sites share my medical records", ()),
        ("which travel and news sites", ("travel", "media")),
    ],
)
def test_sectors_are_told_by_their_words(text, sectors):
    assert sectors_in(text) == sectors
