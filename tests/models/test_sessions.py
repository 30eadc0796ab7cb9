from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from smallprint.models import store
from smallprint.models.sessions import open_session

from ..cli.running import in_process_of_its_own

VARIABLE = "ORT_DISABLE_TELEMETRY"
ROOT = Path(__file__).parents[2]
IMPORT = re.compile(
    r"""^\s*(?:import|from)\s+onnxruntime\b|(?:importorskip|import_module|__import__)\(\s*["']onnxruntime""",
    re.MULTILINE,
)


def test_a_session_runs_a_graph():
    graph = store.load("encoder", only=("embeddings",)).arrays["embeddings"]
    (states,) = open_session(graph).run(None, {"tokens": np.array([[101, 102]], dtype=np.int64)})
    assert states.shape[:2] == (1, 2)


@pytest.mark.parametrize("value", ["0", "", "false"])
def test_every_process_turns_telemetry_off_whatever_the_user_set(value):
    code = f"import os, smallprint.errors; print(os.environ['{VARIABLE}'])"
    assert in_process_of_its_own(code, **{VARIABLE: value}).stdout == "1\n"


def test_onnxruntime_is_imported_by_the_package_alone():
    # Whoever imports the package has run its first file, which turns telemetry off. A test or script that imported
    # onnxruntime by itself could come first.
    files = [path for folder in ("src", "tests", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")]
    importers = {str(path.relative_to(ROOT)) for path in files if IMPORT.search(path.read_text(encoding="utf-8"))}
    assert importers == {"src/smallprint/models/sessions.py", "src/smallprint/train/export.py"}
