"""Nothing in `ask` looks anything up or writes: a question and sentences in, an answer out."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import smallprint.ask

MODULES = sorted(Path(smallprint.ask.__file__).parent.rglob("*.py"))
# Its own tables are read by importlib.resources, models by `smallprint.models`.
ALLOWED = {"addresses", "ask", "card", "errors", "limits", "models", "records", "taxonomy", "text"}
FORBIDDEN = {"sqlite3", "pathlib", "os", "io", "shutil", "socket", "subprocess", "tempfile", "urllib"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_it_imports_nothing_that_looks_up_or_writes(module):
    tree = ast.parse(module.read_text(encoding="utf-8"))
    imported = {name for node in ast.walk(tree) for name in names_of(node)}
    assert imported.isdisjoint(FORBIDDEN)
    rooms = {name.split(".")[1] for name in imported if name.startswith("smallprint.")}
    assert rooms <= ALLOWED
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert "open" not in called


def names_of(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module == "smallprint":
        return [f"smallprint.{alias.name}" for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) else []
