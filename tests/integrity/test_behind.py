"""An index that is behind its library is told of by every surface; a partial result is never shown as whole."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from smallprint.api import router
from smallprint.cli.app import main
from smallprint.index.opening import open_engine
from smallprint.library import Library
from smallprint.mcp.catalogue import Tools
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.settings import Settings
from smallprint.shelf import Shelf
from smallprint.web.app import application

NOTE = "The search index is behind the library by 7 policies, so some results may be missing."


@pytest.fixture
def behind(copy_sample, tmp_path):
    """Give a library whose indexes know 7 policies in an older state."""
    path = copy_sample(tmp_path)
    with Library(path) as library, library.transaction() as db:
        db.execute(
            "UPDATE versions SET title = 'new' WHERE version_id IN (SELECT current_version FROM policies "
            "WHERE copy_of IS NULL ORDER BY policy_id LIMIT 7)"
        )
    return path


@pytest.fixture
def client(behind):
    app = application(Settings(library=behind, serve_rate=0, serve_seconds=0), routers=[router])
    with TestClient(app, base_url="http://localhost:8017") as client:
        yield client


def run(capsys, *arguments) -> str:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    assert not left.value.code
    return "".join(capsys.readouterr())


def test_pages_and_api_say_so_until_the_index_is_brought_up_to_date(client, behind):
    asked = {"said": "Which policies share data with advertisers?"}
    assert client.get("/search?q=cookies").text.count(NOTE) == 1
    found = client.get("/api/v1/search?q=cookies").json()
    assert (found["behind"], found["notes"]) == (7, [NOTE])
    assert client.post("/api/v1/chat", json=asked).json()["reply"]["lines"][-1] == NOTE
    exported = json.loads(client.get("/api/v1/export?format=jsonl&q=cookies").text.partition("\n")[0])["export"]
    assert exported["behind"] == 7
    assert exported["citation"].endswith(f". {NOTE}")
    with Library(behind) as library:
        bring_up_to_date(library, open_engine(Settings(library=behind)), "policy")
    assert NOTE not in client.get("/search?q=cookies").text
    found = client.get("/api/v1/search?q=cookies").json()
    assert (found["behind"], found["notes"]) == (0, [])
    assert client.post("/api/v1/chat", json=asked).json()["reply"]["lines"][-1] != NOTE


def test_tools_and_python_say_so(behind):
    with Shelf(Settings(library=behind)) as shelf:
        assert Tools(shelf).search("cookies").notes == (NOTE,)
        assert (shelf.search("cookies").behind, shelf.search("cookies").notes) == (7, (NOTE,))


def test_commands_say_so_and_what_to_do(behind, capsys, tmp_path):
    library = ("--library", behind)
    assert f"{NOTE}\nRun 'smallprint index' to update it.\n" in run(capsys, "search", "cookies", *library)
    status = "The index is behind by 7 policies; run 'smallprint index'.\n"
    assert run(capsys, "status", *library).endswith(status)
    assert json.loads(run(capsys, "status", "--json", *library))["index_behind"] == {"policy": 7, "page": 7}
    exported = run(capsys, "export", "cookies", "--to", tmp_path / "cookies.csv", *library)
    assert "The index is behind by 7 policies, so some may be missing; run 'smallprint index'." in exported
    run(capsys, "index", *library)
    assert json.loads(run(capsys, "status", "--json", *library))["index_behind"] == {"policy": 0, "page": 0}
    assert "behind" not in run(capsys, "search", "cookies", *library)


def test_a_missing_index_is_behind_by_all(behind, capsys):
    import shutil

    shutil.rmtree(f"{behind}.index")
    status = json.loads(run(capsys, "status", "--json", "--library", behind))
    assert status["index_behind"] == {"policy": status["policies"], "page": status["policies"]}


def test_a_policy_that_the_library_has_no_more_is_left_out(client, behind):
    with Library(behind) as library:
        library.db.execute("PRAGMA foreign_keys = OFF")
        with library.transaction() as db:
            (gone,) = db.execute("SELECT min(policy_id) FROM policies WHERE folded_under IS NULL").fetchone()
            db.execute("DELETE FROM policies WHERE policy_id = ?", (gone,))
    found = client.get("/api/v1/search?size=100").json()
    assert gone not in {hit["policy_id"] for hit in found["hits"]}
    assert len(found["hits"]) == found["groups"]
    assert found["behind"] == 7
