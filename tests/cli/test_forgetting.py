"""The command that forgets pasted texts."""

from __future__ import annotations

import json

import pytest

from smallprint.library.pastes import Pastes


@pytest.fixture
def pastes(library):
    return Pastes(library.path, 60)


def test_one_text_or_all_of_them(run, library, pastes):
    first, second, third = (pastes.keep(text).paste_id for text in ("One.", "Two.", "Three."))
    assert run("forget", f"http://localhost:8017/read/{first}/", "-l", library.path).out == "Deleted 1 pasted text.\n"
    assert pastes.ids() == [second, third]
    assert json.loads(run("forget", "--all", "--json", "-l", library.path).out) == {"forgotten": 2}
    assert run("forget", "--all", "-l", library.path).out == "Deleted 0 pasted texts.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a pasted text by its id or address, or give --all"),
        (("x", "--all"), "name a pasted text by its id or address, or give --all"),
        (("gone",), "no text is kept by the id 'gone': it was deleted or has expired"),
    ],
)
def test_what_is_not_there_is_one_line(run, library, arguments, message):
    done = run("forget", *arguments, "-l", library.path)
    assert (done.code, done.out, done.err) == (1, "", f"smallprint: {message}\n")
