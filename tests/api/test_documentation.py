"""The examples in the docs are run, so that they go on working."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd

from smallprint.index.opening import open_engine
from smallprint.search.exports import export_id
from smallprint.search.request import Request
from smallprint.settings import Settings

WRITTEN = Path(__file__).parents[2] / "src" / "smallprint" / "sample" / "written"
DOCS = Path(__file__).parents[2] / "docs"
ADDRESS = re.compile(r"^\$ curl .*?(['\"])http://127\.0\.0\.1:8017(?P<path>/.+?)\1$", re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.+?)^```", re.MULTILINE | re.DOTALL)


def test_every_address_in_the_docs_answers(client, annotated_sample):
    found = [match["path"] for match in ADDRESS.finditer((DOCS / "api.md").read_text(encoding="utf-8"))]
    assert len(found) >= 10
    number = export_id(open_engine(Settings(library=annotated_sample)), Request("cookies"))
    for path in found:
        answer = client.get(path.replace("$EXPORT_ID", number))
        assert answer.status_code == 200, path
        if path.startswith("/api/v1/search"):
            assert answer.json()["total"] > 0, path


def test_every_endpoint_is_in_the_docs(client):
    docs = (DOCS / "api.md").read_text(encoding="utf-8")
    for path, methods in client.get("/api/v1/openapi.json").json()["paths"].items():
        written = path.removeprefix("/api/v1").replace("{policy_id}", "ID").replace("{export_id}", "EXPORT_ID")
        assert f"| `{written}` |" in docs, path
        if path == "/api/v1/search":
            for parameter in methods["get"]["parameters"]:
                name = parameter["name"]
                assert f"`{name}`" in docs or name.endswith(("_min", "_max")), name


def test_the_python_in_the_docs_runs(annotated_sample, tmp_path, monkeypatch, capsys):
    ask, talk, build, code = [
        block
        for block in PYTHON.findall((DOCS / "how-to.md").read_text(encoding="utf-8"))
        if "smallprint.open" in block
    ]
    shutil.copytree(annotated_sample.parent, tmp_path / ".smallprint")
    monkeypatch.chdir(tmp_path)
    exec(compile(ask, "how-to.md", "exec"), {})
    assert capsys.readouterr().out.split()[0] in {"answered", "silent", "unsure", "conflicting"}
    exec(compile(talk, "how-to.md", "exec"), {})
    assert capsys.readouterr().out.startswith("do you sell my location? ")
    (tmp_path / "pages").mkdir()
    shutil.copy(WRITTEN / "brightwithy-ashford.html", tmp_path / "pages")
    exec(compile(build, "how-to.md", "exec"), {})
    assert "\n1 kept, {}\n" in capsys.readouterr().out
    exec(compile(code, "how-to.md", "exec"), {})
    said = capsys.readouterr().out
    assert "Finance, Marketing and Human Resources" in said
    assert "Smallprint " in said.splitlines()[-1]
    assert (tmp_path / "cookies.parquet").is_file()


def test_the_pandas_in_the_docs_runs(client, tmp_path, monkeypatch):
    (code,) = PYTHON.findall((DOCS / "api.md").read_text(encoding="utf-8"))
    (address,) = re.findall(r'"(http://127\.0\.0\.1:8017(/.+?))"', code)
    saved = tmp_path / "export.parquet"
    saved.write_bytes(client.get(address[1]).content)
    here = {}
    exec(compile(code.replace(address[0], str(saved)), "api.md", "exec"), here)
    assert isinstance(here["table"], pd.DataFrame)
    assert len(here["table"]) > 50
