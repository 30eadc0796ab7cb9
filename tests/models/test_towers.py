from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from smallprint.models import store
from smallprint.models.towers import open_session

from ..cli.running import in_process_of_its_own

VARIABLE = "ORT_DISABLE_TELEMETRY"
ROOT = Path(__file__).parents[2]
CALLS = ("importorskip", "import_module", "__import__")


def test_a_session_runs_a_graph():
    graph = store.load("encoder", only=("embeddings",))["embeddings"]
    (states,) = open_session(graph).run(None, {"tokens": np.array([[101, 102]], dtype=np.int64)})
    assert states.shape[:2] == (1, 2)


@pytest.mark.parametrize("value", ["0", "", "false"])
def test_every_process_turns_telemetry_off_whatever_the_user_set(value):
    code = f"import os, smallprint.errors; print(os.environ['{VARIABLE}'])"
    assert in_process_of_its_own(code, **{VARIABLE: value}).stdout == "1\n"


def imports(path: Path) -> set[str]:
    """Return the packages that a file imports, by statement or by a call with the name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(CALLS):
            names |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    return {name.partition(".")[0] for name in names}


def test_onnxruntime_is_imported_by_the_package_alone():
    # Whoever imports the package has run its first file, which turns telemetry off. A test or script that imported
    # onnxruntime by itself could come first.
    files = [path for folder in ("src", "tests", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")]
    importers = {str(path.relative_to(ROOT)) for path in files if "onnxruntime" in imports(path)}
    assert importers == {"src/smallprint/models/towers.py", "src/smallprint/train/export.py"}


@pytest.mark.parametrize(
    "code",
    [
        "import time, onnxruntime",
        "def f():\n    from onnxruntime.quantization import quantize_dynamic",
        "import pytest\nort = pytest.importorskip('onnxruntime')",
        "import importlib\nimportlib.import_module('onnxruntime.capi')",
    ],
)
def test_every_way_to_import_it_is_seen(tmp_path, code):
    (tmp_path / "code.py").write_text(code)
    assert "onnxruntime" in imports(tmp_path / "code.py")
