"""Policies that attack whoever reads them in a terminal: their escapes are shown as signs, only ours are obeyed."""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import suppress

import pytest

from smallprint.cli.app import main
from smallprint.controls import CONTROLS, escaped, printable, tidy
from smallprint.index.opening import open_engine
from smallprint.library import Library
from smallprint.library.writing import save
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.pipeline.refresh import annotate_library
from smallprint.settings import Settings

from ..library.making import capture, rejection
from .making import COMMANDS, EVIL

# Bold, dim, underlined, red, green, and the end of it: what our own words are set in.
OURS = re.compile(r"\x1b\[(?:0|1|2|4|22|31|32)m")
SAID = "".join(COMMANDS)


class Terminal(io.StringIO):
    """Standard output as somebody sees it, colours and all."""

    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture(scope="module")
def untidy(tmp_path_factory):
    """Give a library that was not made by us, or before we were careful: commands stand in it wherever words do."""
    path = tmp_path_factory.mktemp("untidy") / "untidy.db"
    words = "We may share cookies as the GDPR has it."
    found = [
        capture("https://old.example/privacy", f"{words} {SAID} Some words.", "2021-01-01", title=f"{SAID} old"),
        capture("https://old.example/privacy", f"{words} {SAID} Others {SAID}.", "2022-01-01", title=f"{SAID} new"),
        capture("https://another.example/privacy", f"{SAID} {words}", title=SAID),
        rejection(f"https://no.example/{SAID}"),
    ]
    with Library(path, create=True) as library:
        with library.transaction() as db:
            save(db, found)
        annotate_library(library, Settings(workers=1), "fast")
        bring_up_to_date(library, open_engine(Settings(library=path), create=True), "policy")
    return path


@pytest.fixture
def seen(monkeypatch):
    """Give a function that runs a command in a terminal, and gives what that would be sent."""

    def run(*arguments):
        terminal, errors = Terminal(), io.StringIO()  # bars of progress are for terminals alone
        monkeypatch.setattr(sys, "stdout", terminal)
        monkeypatch.setattr(sys, "stderr", errors)
        with suppress(SystemExit):
            main([str(one) for one in arguments])
        return terminal.getvalue() + errors.getvalue()

    return run


HOSTILE = [
    ("search", "cookies"), ("search", "cookies", "--explain", "--facets", "--no-fold"), ("search", "x", "--in", "url"),
    ("show", EVIL), ("show", EVIL, "--page"), ("show", EVIL, "--says"), ("show", EVIL, "--brief"), ("diff", EVIL),
    ("compare", EVIL, "bare-evil.example", "--all"), ("rejections",), ("status",), ("statistics",), ("show", SAID),
    ("search", SAID), ("search", "--sector", SAID),
]  # fmt: skip
UNTIDY = [
    ("show", "old.example"), ("show", "old.example", "--page"), ("show", "old.example", "--says"),
    ("diff", "old.example"), ("compare", "old.example", "another.example", "--all"),
    ("rejections",), ("search", "cookies"), ("search", '"it 31m"'),
]  # fmt: skip


def is_tame(said):
    return re.findall(f"[{CONTROLS}]", OURS.sub("", said)) == []


@pytest.mark.parametrize("command", HOSTILE)
def test_a_terminal_is_sent_no_command_of_a_policy(seen, hostile, command):
    said = seen(*command, "--library", hostile)
    assert said.strip()
    assert is_tame(said)
    assert "\x1b[31m" not in said or command[0] == "diff"  # what went is red


@pytest.mark.parametrize("command", UNTIDY)
def test_a_terminal_is_sent_no_command_that_a_library_has_already(seen, untidy, command):
    said = seen(*command, "--library", untidy)
    assert is_tame(said)
    assert "\ufffd" in said


@pytest.mark.parametrize("command", [*UNTIDY, ("show", "another.example")])
def test_json_means_the_same_and_holds_no_command(seen, untidy, command):
    said = seen(*command, "--json", "--library", untidy)
    assert re.findall(f"[{CONTROLS}]", said) == []
    if command[0] == "rejections":
        assert json.loads(said)["url"].endswith(SAID)
    if command == ("show", "another.example"):
        assert json.loads(said)["text"].startswith(SAID)


def test_what_is_added_is_named_tamely(seen, tmp_path):
    page = tmp_path / "privacy\x1b[31m\u202e.html"
    page.write_text("<p>Too short.")
    said = seen("add", page, "--library", tmp_path / "library.db")
    assert "too short" in said
    assert is_tame(said)


def test_a_terminal_is_sent_colours_where_it_can_show_them(seen, hostile):
    assert "\x1b[1m" in seen("search", "cookies", "--library", hostile)


def test_words_keep_their_blanks_and_lose_commands():
    assert tidy(f" a{SAID}b \x1b c\u00a0d\te ") == "a[31m]0;owned[2J[H]8;;https://evil.example\\31m b c d e"
    assert tidy("a\x85b\u2028c\x0bd") == "a b c d"
    assert printable("a\tb\nc \x1b[1m\r") == "a\tb\nc \ufffd[1m\ufffd"
    assert printable("naïve – “words” \u200e") == "naïve – “words” \u200e"
    assert escaped('["\u2028\x7f\u202e é"]') == '["\\u2028\\u007f\\u202e é"]'
