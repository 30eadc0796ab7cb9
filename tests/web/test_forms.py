"""Forms are read as urllib reads them, and the loop goes on while a long one is read."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint import limits
from smallprint.server.dependencies import _read

PIECES = ["%", "=", "+", "&", "\n", "\r", " ", "_", "a", "F", "%41", "%3D", "%26", "%0A", "%E9", "%C3%A9", "\x00", "."]


def by_urllib(body: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(body, errors="replace").items()}


@given(st.lists(st.sampled_from(PIECES), max_size=18))
def test_whatever_is_sent_is_read_as_urllib_reads_it(pieces):
    body = f"given={''.join(pieces)}"
    assert _read(body.encode()) == by_urllib(body)


@given(st.text())
def test_what_a_browser_sends_comes_back(text):
    whole = text.encode("utf-8", "replace").decode()
    assert _read(urlencode({"given": whole}).encode()) == ({"given": whole} if whole else {})


def test_only_so_many_fields_are_taken():
    most = "&".join(f"a{number}=1" for number in range(limits.MAX_FORM_FIELDS))
    assert len(_read(most.encode())) == limits.MAX_FORM_FIELDS
    for body in (f"{most}&b=1".encode(), "given=é".encode()):
        with pytest.raises(ValueError, match="too many fields"):
            _read(body)
