"""The project's commands: each that the Makefile promises has a rule, and contributors are told of those that test."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_command_has_a_rule_and_a_line_of_help():
    promised = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[1].split()
    explained = re.findall(r"^([a-z-]+):.*## \S", MAKEFILE, re.MULTILINE)
    assert sorted(promised) == sorted(explained)


def test_contributors_are_told_of_every_command_that_tests():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    commands = re.findall(r"^(test(?:-[a-z]+)?|nightly|attack|results|check):", MAKEFILE, re.MULTILINE)
    assert {"test", "test-browser", "test-train", "nightly"} < set(commands)
    assert [command for command in commands if f"$ make {command} " not in guide] == []
