from __future__ import annotations

import csv

import pyarrow.parquet as pq
import pytest

from smallprint.library import Library


@pytest.fixture
def look(run, annotated_sample):
    return lambda command, *arguments: run(command, *arguments, "--library", annotated_sample)


def test_a_search_shows_titles_addresses_and_passages(look):
    done = look("search", "do not sell", "--explain")
    assert done.code == 0
    assert "results" in done.out
    assert "https://" in done.out
    assert "popularity" in done.out
    assert "sell" in done.out


def test_filters_narrow(look):
    every, medical, plain = (
        look("search", "cookies", "--json", *extra).json["total"]
        for extra in ((), ("--sector", "medical"), ("--sector", "medical", "--grade", ":10", "--names", "gdpr"))
    )
    assert every > medical > plain


def test_facets_list_the_values_that_can_be_chosen(look):
    done = look("search", "cookies", "--facets")
    assert "--sector" in done.out
    assert "medical" in done.out


def test_nothing_found_says_what_to_remove(look):
    done = look("search", "cookies", "--grade", "0:1")
    assert done.code == 0
    assert "Try removing Reading grade" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rank", "best"), "rank"), (("--sector", "magic"), "magic"), (("--grade", "low"), "8:12"),
        (("--names", "magic"), "gdpr"), (("--page", "0"), "page"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_one_line(look, arguments, said):
    done = look("search", "cookies", *arguments)
    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_library_without_an_index_says_how_to_make_it(run, library):
    done = run("search", "x", "--library", library.path)
    assert done.code == 1
    assert "smallprint index" in done.err
    assert run("index", "--library", library.path, "--json").json["policy"]["total"] == 0
    assert "0 results" in run("search", "x", "--library", library.path).out


def test_exports_are_whole_and_can_be_made_again(look, tmp_path):
    total = look("search", "cookies", "--json").json["total"]
    made = {}
    for kind in ("csv", "jsonl", "parquet"):
        made[kind] = look("export", "cookies", "--to", tmp_path / f"a.{kind}", "--json").json
        assert made[kind]["policies"] == total
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == total
    assert pq.read_table(tmp_path / "a.parquet").num_rows == total
    again = look("export", "--again", made["csv"]["export_id"], "--to", tmp_path / "b.csv")
    assert again.code == 0
    assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_an_export_made_again_of_another_library_says_so(run, look, tmp_path, annotated_sample):
    number = look("export", "cookies", "--to", tmp_path / "a.csv", "--json").json["export_id"]
    path = tmp_path / "copy.db"
    with Library(annotated_sample) as library:
        library.db.execute("VACUUM INTO ?", (str(path),))
    with Library(path) as library:
        library.db.execute("UPDATE versions SET title = 'Another'")
    run("index", "--library", path)
    done = run("export", "--again", number, "--to", tmp_path / "b.csv", "--library", path, "--json")
    assert (done.code, done.err) == (0, "The library has changed since that export; this one may differ.\n")
    assert done.json["bytes"] == (tmp_path / "b.csv").stat().st_size
    assert ",Another," in (tmp_path / "b.csv").read_text(encoding="utf-8")


def test_an_export_wants_a_file(look):
    for arguments in ((), ("--to", "x.doc"), ("--again", "nonsense", "--to", "x.csv")):
        done = look("export", "cookies", *arguments)
        assert done.code == 1
        assert done.err.count("\n") == 1
