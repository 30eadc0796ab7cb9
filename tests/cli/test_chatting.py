"""A conversation in a terminal: lines in, replies out; kept in a file, resumed, and as JSON."""

from __future__ import annotations

import io
import json

import pytest

from .test_failures import one_line

SELL = "does Kitegram sell my data?"


@pytest.fixture
def say(run, copy_sample, tmp_path, monkeypatch):
    """Give a function that runs the command with lines to read; the library is a copy, since it may grow."""
    path = copy_sample(tmp_path)

    def said(*lines, options=()):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return run("chat", *options, "--library", path)

    return said


def test_questions_and_follow_ups_are_answered(say):
    done = say(SELL, "and my location?", "bye", "never read")
    assert (done.code, done.err) == (0, "")
    assert "Kitegram (kitegram.example): do you sell my location?" in done.out
    assert "“" in done.out
    assert done.out.rstrip().endswith("Goodbye.")
    assert "never read" not in done.out
    assert "\x1b" not in done.out


def test_a_policy_may_be_named_at_the_start(say):
    done = say("how long do you keep my data?", options=["tidemarkbank.example"])
    assert "Tidemark Bank (tidemarkbank.example)" in done.out
    assert one_line(say("hello", options=["nowhere.example"])).startswith("the library has no policy 'nowhere.example'")


def test_options_can_be_chosen_by_number(say):
    done = say("does Brightwithy sell my data?", "2")
    assert "    2. Brightwithy Dental Millbrook (brightwithy-millbrook.example)" in done.out
    assert "Brightwithy Dental Millbrook (brightwithy-millbrook.example): do you sell my data?" in done.out


def test_sentences_of_many_policies_stand_under_their_names_and_those_of_one_do_not(say):
    done = say("which banks do not sell data?", "what is Kitegram vague about?")
    many, one = done.out.split("Kitegram (kitegram.example)")
    assert "  Tidemark Bank (tidemarkbank.example)\n    “We do not sell personal information.”" in many
    assert "“" in one


def test_a_conversation_is_kept_and_gone_on_with(say, tmp_path):
    keep = tmp_path / "talk.json"
    say(SELL, "bye", options=["--keep", keep])
    done = say("and my location?", options=["--keep", keep])
    assert f"> {SELL}" in done.out
    assert "Kitegram (kitegram.example): do you sell my location?" in done.out
    assert len(json.loads(keep.read_text("utf-8"))["past"]) == 3


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"version": 9}', b"\xff\xfe", b'"' + b"x" * 20_000 + b'"'])
def test_what_is_no_conversation_is_one_line_and_left_alone(say, tmp_path, content):
    keep = tmp_path / "talk.json"
    keep.write_bytes(content)
    assert one_line(say(SELL, options=["--keep", keep]))
    assert keep.read_bytes() == content


def test_each_line_gets_a_line_of_json(say):
    done = say(SELL, "", "more", options=["--json"])
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [one["reply"]["kind"] for one in lines] == ["answer", "note", "answer"]
    assert lines[0]["reply"]["answer"]["quotes"][0]["permalink"].startswith("/policies/")
    assert lines[-1]["conversation"]["question"] == "do you sell my data?"


def test_nothing_is_fetched_without_a_yes_and_a_bad_address_ends_nothing(say):
    done = say(
        "does 127.0.0.1.example.com/privacy sell my data?", "no", "does localhost.invalid sell my data?", "yes", SELL
    )
    assert done.code == 0
    assert done.out.count("Shall I fetch it?") == 2
    assert "It was not" in done.out
    assert "Kitegram (kitegram.example)" in done.out


def test_no_lines_are_no_conversation(say):
    assert say().code == 0


def test_without_a_library_it_is_said_how_to_make_one(run, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
    assert "smallprint ingest" in one_line(run("chat", "--library", tmp_path / "none.db"))
