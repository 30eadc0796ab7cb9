"""A script of few lines works as it stands, without `if __name__ == "__main__"`: workers do not run it again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import smallprint

PAGE = Path(smallprint.__file__).parent / "sample" / "written" / "brightwithy-ashford.html"
SCRIPT = """
import smallprint
with smallprint.open("library.db", create=True, workers=2) as shelf:
    print(shelf.ingest("pages").tally.kept)
"""


@pytest.mark.parametrize("from_file", [True, False])
def test_a_script_ingests_pages(tmp_path, from_file):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "policy.html").write_bytes(PAGE.read_bytes())
    (tmp_path / "script.py").write_text(SCRIPT)
    run = subprocess.run(
        [sys.executable, "script.py" if from_file else "-"],
        cwd=tmp_path, input=None if from_file else SCRIPT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (run.stdout, run.stderr) == ("1\n", "")
