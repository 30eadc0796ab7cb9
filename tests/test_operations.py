"""docs/operations.md is true: every route, method, command and tool is in its table, and every gap has a reason."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import typer.main

from smallprint.api import router
from smallprint.cli.app import app
from smallprint.mcp.catalogue import Tools
from smallprint.settings import Settings
from smallprint.shelf import Shelf
from smallprint.web.app import PAGES, application

PAGE = (Path(__file__).parents[1] / "docs" / "operations.md").read_text(encoding="utf-8")
EDGES = ("page", "API", "Python", "command", "MCP")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| operation")
]
REASONS = dict(re.findall(r"^(\d+)\. (.+)$", PAGE, re.MULTILINE))
OTHERS = set(re.findall(r"`([^`]+)`", PAGE.partition("Not operations")[2]))


def named(edge: str) -> set[str]:
    """Return what the table names in a column."""
    column = EDGES.index(edge) + 1
    return {name for row in ROWS for name in re.findall(r"`([^`]+)`", row[column])}


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.fixture(scope="module")
def api_operations(tmp_path_factory, served_jobs):
    settings = Settings(library=tmp_path_factory.mktemp("none") / "none.db")
    described = application(settings, routers=[router], jobs=served_jobs).openapi()["paths"]
    return {
        f"{method.upper()} {path.removeprefix('/api/v1')}"
        for path, methods in described.items()
        for method in methods
        if path.startswith("/api/v1")
    }


def test_every_row_has_every_edge_or_a_reason():
    assert len(ROWS) >= 35
    for name, *cells in ROWS:
        assert len(cells) == len(EDGES), name
        for cell in cells:
            gap = re.fullmatch(r"\((\d+)\)", cell)
            assert (gap and gap[1] in REASONS) or re.fullmatch(r"(`[^`]+` ?)+", cell), (name, cell)
    assert set(REASONS) == set(re.findall(r"\((\d+)\)", " ".join(cell for row in ROWS for cell in row)))


def test_pages():
    routes = {route.path for part in PAGES for route in part.routes}
    assert named("page") | {name for name in OTHERS if name.startswith("/")} == routes


def test_api(api_operations):
    assert named("API") == api_operations


def test_python():
    methods = {name for name in named("Python") if "." not in name}
    assert methods | (OTHERS & public(Shelf)) == public(Shelf)
    for name in named("Python") - methods:
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(f"smallprint.shelf.{module}"), function))


def test_commands():
    commands = set(typer.main.get_command(app).commands)
    assert named("command") | (OTHERS & commands) == commands


def test_mcp():
    assert named("MCP") == public(Tools) - {"all"}


@pytest.mark.parametrize(
    "operation",
    ["search", "count by facet", "read a policy's text", "ask a policy", "converse", "ask over the whole library",
     "see what changed between versions", "compare policies", "make an evidence sheet", "export a whole result",
     "ingest files", "add a policy", "remove policies", "check for damage", "list rejected pages",
     "statistics of the library"],
)  # fmt: skip
def test_what_every_edge_is_to_offer_is_in_the_table(operation):
    assert operation in {row[0] for row in ROWS}
