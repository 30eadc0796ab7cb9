"""Every command that the documents print is one that the program takes, with these arguments and options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main

from smallprint.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/tutorial.md", "docs/how-to.md", "docs/voice.md", "docs/mcp.md")
COMMAND = re.compile(r"^\s*\$ (?:.*&& )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?smallprint (.+)$", re.MULTILINE)
GIVEN = [(page, line) for page in PAGES for line in COMMAND.findall((ROOT / page).read_text(encoding="utf-8"))]


def test_the_documents_print_commands():
    assert {page for page, _ in GIVEN} == set(PAGES)
    assert len(GIVEN) > 60


@pytest.mark.parametrize(("page", "line"), GIVEN)
def test_a_printed_command_is_one_that_the_program_takes(page, line):
    words = shlex.split(line.partition(" > ")[0], comments=True)
    group = typer.main.get_command(app)
    name, command, rest = group.resolve_command(group.make_context("smallprint", [], resilient_parsing=True), words)
    if hasattr(command, "commands"):
        name, command, rest = command.resolve_command(command.make_context(name, [], resilient_parsing=True), rest)
    command.make_context(name, rest)  # which fails on an unknown option or argument


def test_a_command_that_is_wrong_would_be_noticed():
    command = typer.main.get_command(app).commands["search"]
    with pytest.raises(Exception, match="No such option: --colour"):
        command.make_context("search", ["x", "--colour", "red"])
