from __future__ import annotations

import io

import pytest

from smallprint.index.opening import WHICH, open_engine
from smallprint.library import Library, reading
from smallprint.library.dump import logical_dump
from smallprint.settings import Settings

BANK = "tidemarkbank.example"


@pytest.fixture
def path(copy_sample, tmp_path):
    return copy_sample(tmp_path)


def stored(path) -> list[str]:
    with Library(path) as library:
        return list(logical_dump(library))


def id_of(path, name: str) -> str:
    with Library(path) as library:
        return reading.find_policy(library, name).policy_id


def test_a_policy_is_removed_from_library_and_indexes(run, path):
    policy_id = id_of(path, BANK)
    done = run("remove", BANK, "--yes", "--json", "--library", path)
    assert (done.code, done.err) == (0, "")
    assert (done.json["policies"], done.json["versions"]) == ([policy_id], 3)
    for which in WHICH:
        assert policy_id not in dict(open_engine(Settings(library=path), which).stamps())
    failed = run("show", BANK, "--library", path)
    assert (failed.code, failed.err) == (
        1, f"smallprint: the library has no policy {BANK!r}; give an id, an address or a domain\n",
    )  # fmt: skip
    assert run("search", "site:" + BANK, "--json", "--library", path).json["total"] == 0


def test_a_copy_comes_back_annotated_and_found(run, path):
    with Library(path) as library:
        copy, original = library.db.execute("SELECT policy_id, copy_of FROM policies WHERE copy_of NOT NULL").fetchone()
    text = run("remove", original, "-y", "--library", path).out
    assert text.startswith("Removed 1 policy with ")
    assert copy in dict(open_engine(Settings(library=path)).stamps())
    with Library(path) as library:
        current = reading.find_policy(library, copy).current_version
        assert library.db.execute("SELECT count(*) FROM annotations WHERE version_id = ?", (current,)).fetchone()[0] > 3


def test_a_whole_site(run, path):
    done = run("remove", "--site", f"www.{BANK}", "--yes", "--json", "--library", path)
    assert done.json["policies"] == [done.json["policies"][0]]
    unknown = run("remove", "--site", BANK, "--yes", "--library", path)
    assert (unknown.code, unknown.err) == (
        1, f"smallprint: no policy of the site {BANK!r} is in the library; give a domain such as example.com\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a policy to remove by id, address or domain, or give --site"),
        (("nobody.example", "--yes"), "the library has no policy 'nobody.example'; give an id, an address or a domain"),
        ((BANK,), "this removes 1 policy for good; add --yes to confirm"),
        (
            (BANK, "nobody.example", "-y"),
            "the library has no policy 'nobody.example'; give an id, an address or a domain",
        ),
    ],
)
def test_what_is_not_meant_or_not_there_removes_nothing(run, path, monkeypatch, arguments, said):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    before = stored(path)
    done = run("remove", *arguments, "--library", path)
    assert (done.code, done.out, done.err) == (1, "", f"smallprint: {said}\n")
    assert stored(path) == before


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_on_a_terminal_it_asks(run, path, monkeypatch, typed, code):
    terminal = io.StringIO(typed)
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", terminal)
    done = run("remove", BANK, "--library", path)
    assert done.code == code
    assert "Remove 1 policy for good?" in done.err
    assert ("nothing was removed" in done.err) is (code == 1)
    with Library(path) as library:
        assert bool(reading.known_by(library, BANK)) is (code == 1)


def test_a_search_leaves_out_what_was_removed_and_says_that_the_index_is_behind(run, path):
    from smallprint.library.removing import remove_policies

    whole = run("search", "bank", "--json", "--size", "50", "--library", path).json
    with Library(path) as library:
        remove_policies(library, [id_of(path, BANK)])
    found = run("search", "bank", "--json", "--size", "50", "--library", path).json
    assert [hit["policy_id"] for hit in found["hits"]] == [
        hit["policy_id"] for hit in whole["hits"] if hit["domain"] != BANK
    ]
    assert found["total"] == whole["total"] - 1
    assert any("behind" in note for note in found["notes"])
    export = run("export", "bank", "--to", path.with_suffix(".csv"), "--library", path)
    assert (export.code, "run 'smallprint index'" in export.err) == (1, True)
    run("index", "--library", path)
    assert run("search", "bank", "--json", "--library", path).json["notes"] == []
