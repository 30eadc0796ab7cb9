"""Deeds, by the forms of their verbs."""

from __future__ import annotations

from collections import Counter

import pytest

from smallprint.ask.deeds import DEEDS, deeds


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Do you sell my data?", {"sell"}),
        ("It is disclosed, and then erased.", {"share", "delete"}),
        ("Kept and encrypted.", {"store", "encrypt"}),
        ("We provide, process and access it.", set()),
        ("", set()),
    ],
)
def test_a_text_speaks_of_deeds(text, found):
    assert deeds(text) == found


def test_no_form_is_of_two_deeds():
    every = Counter(form for forms in DEEDS.values() for form in forms.split())
    assert max(every.values()) == 1
