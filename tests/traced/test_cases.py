"""Every command and every address of the site has a case; the table lists each. None of this needs strace."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

from smallprint.api import router
from smallprint.cli.app import app
from smallprint.settings import Settings
from smallprint.web.app import PAGES, application

from .cases import CASES, TALKING
from .surfaces import SURFACES
from .table import TABLE

REQUESTS = [request for requests in SURFACES.values() for request in requests]


def commands(group, path=""):
    for name, command in group.commands.items():
        here = f"{path} {name}".strip()
        yield from commands(command, here) if hasattr(command, "commands") else [here]


COMMANDS = sorted(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_traced(command):
    traced = [*(case.command for case in CASES), *TALKING]
    assert traced.count(command) == 1, f"add a case for 'smallprint {command}' to tests/traced/cases.py"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_table(command):
    listed = re.findall(r"^\| `smallprint ([^`]+)`(?: \||:)", Path(TABLE).read_text(encoding="utf-8"), re.MULTILINE)
    assert command in listed, f"'smallprint {command}' is not in {TABLE.name}; run 'make traces'"


def test_no_case_is_of_a_command_that_is_gone():
    assert {*(case.command for case in CASES), *TALKING} == set(COMMANDS)


def test_every_page_is_traced():
    routes = [(method, route) for pages in PAGES for route in pages.routes for method in route.methods - {"HEAD"}]
    assert routes
    for method, route in routes:
        requests = [request.path for request in REQUESTS if request.method == method]
        assert any(map(route.path_regex.match, requests)), f"add {method} {route.path} to tests/traced/surfaces.py"


def test_every_endpoint_is_traced():
    paths = application(Settings(), routers=[router]).openapi()["paths"]
    assert paths
    for path, operations in paths.items():
        pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
        for method in set(operations) - {"head"}:
            requests = [request.path for request in REQUESTS if request.method == method.upper()]
            assert any(map(pattern.fullmatch, requests)), f"add {method} {path} to tests/traced/surfaces.py"
