"""The interaction models, by the rules of Alexa's schema that can be checked without it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from smallprint.errors import BadSetting
from smallprint.voice.requests import LOCALES, interaction_model

REQUIRED = {"AMAZON.StopIntent", "AMAZON.CancelIntent", "AMAZON.HelpIntent", "AMAZON.NavigateHomeIntent",
            "AMAZON.FallbackIntent", "AMAZON.YesIntent", "AMAZON.NoIntent", "AMAZON.RepeatIntent"}  # fmt: skip
MODELS = Path(__file__).parents[2] / "docs" / "alexa"


@pytest.mark.parametrize("locale", LOCALES)
def test_the_structure(locale):
    model = interaction_model(locale)["interactionModel"]["languageModel"]
    assert re.fullmatch(r"[a-z']+( [a-z']+)+", model["invocationName"])
    intents = {one["name"]: one for one in model["intents"]}
    assert len(intents) == len(model["intents"])
    assert intents.keys() >= REQUIRED
    for name, one in intents.items():
        assert re.fullmatch(r"(AMAZON\.)?[A-Za-z_]+", name)
        assert bool(one["samples"]) != name.startswith("AMAZON.")
        for sample in one["samples"]:
            assert re.fullmatch(r"[a-z']+( [a-z']+)*( \{question\})?", sample)
            # A slot of free words must stand beside words that are fixed, and alone of its kind.
            assert ("{question}" in sample) == bool(one["slots"])
        assert all(slot == {"name": "question", "type": "AMAZON.SearchQuery"} for slot in one.get("slots", ()))
    samples = [sample for one in intents.values() for sample in one["samples"]]
    assert len(samples) == len(set(samples))


@pytest.mark.parametrize("locale", LOCALES)
def test_what_is_printed_is_what_lies_in_the_docs(locale, capsys):
    from smallprint.cli.app import main

    with pytest.raises(SystemExit) as left:
        main(["alexa-model", "--locale", locale])
    assert not left.value.code
    printed = capsys.readouterr().out
    assert json.loads(printed) == interaction_model(locale)
    assert (MODELS / f"{locale}.json").read_text(encoding="utf-8") == printed


def test_an_unknown_locale_is_one_line():
    with pytest.raises(BadSetting, match="choose en-US or en-GB"):
        interaction_model("tlh")
