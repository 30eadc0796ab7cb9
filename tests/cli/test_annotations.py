from __future__ import annotations

import pytest

from smallprint import sample


@pytest.fixture(scope="module")
def annotated(tmp_path_factory):
    """Give the path of the sample's library, annotated as a newcomer gets it."""
    from smallprint.cli.app import main

    path = tmp_path_factory.mktemp("annotated") / "sample.db"
    with pytest.raises(SystemExit) as left:
        main(["ingest", "--sample", "--library", str(path), "--workers", "1", "--json"])
    assert not left.value.code
    return path


def test_ingest_annotates(run, annotated):
    assert run("annotate", "--library", annotated, "--json").json == {"quality": "fast", "versions": 0, "set_aside": 0}
    assert run("annotate", "--library", annotated).out == "Nothing to annotate.\n"


def test_ingest_leaves_it_when_told(run, tmp_path):
    path = tmp_path / "plain.db"
    assert run("ingest", "--sample", "--quality", "none", "--library", path, "--json").json["annotated"] == 0
    shown = run("show", "tidemarkbank.example", "--brief", "--library", path)
    assert "none yet; run 'smallprint annotate'" in shown.out


def test_nothing_to_do_in_quality_none(run, annotated):
    done = run("annotate", "--quality", "none", "--library", annotated)
    assert (done.code, done.err) == (
        1,
        "smallprint: there is nothing to do in quality 'none'; give --quality fast or full\n",
    )


def test_an_unknown_quality(run, annotated):
    done = run("annotate", "--quality", "best", "--library", annotated)
    assert (done.code, done.err) == (1, "smallprint: quality = 'best': choose 'fast', 'full' or 'none'\n")


def test_annotating_a_library_that_is_not_there(run, tmp_path):
    done = run("annotate", "--library", tmp_path / "none.db")
    assert (done.code, done.err.startswith("smallprint: there is no library at")) == (1, True)


def test_show_says_where_the_sector_is_from(run, annotated):
    shown = run("show", "tidemarkbank.example", "--library", annotated).out
    assert "Finance, Marketing and Human Resources (company list)" in shown
    assert "(Flesch-Kincaid)" in shown


def test_every_quotation_is_the_policys_own(run, annotated):
    found = run("show", "tidemarkbank.example", "--library", annotated, "--json").json
    text, said = found["text"], found["annotations"]
    assert set(said["made_by"]) == {"readability", "mentions", "sector", "vagueness", "practices", "links", "card"}
    assert said["practices"]
    assert said["mentions"]
    assert said["vagueness"]["words"]
    for practice in said["practices"]:
        for place in practice["segments"]:
            assert text[place["start"] : place["end"]] == place["text"]
    for place in (*said["mentions"], *said["vagueness"]["words"]):
        assert text[place["start"] : place["end"]] == place["text"]


def test_what_it_says_comes_with_quotations(run, annotated):
    shown = run("show", "tidemarkbank.example", "--says", "--library", annotated).out
    for heading in ("What they collect and why", "Who else gets it", "It names", "Vague words", "Annotated by"):
        assert heading in shown
    assert shown.count("“") == shown.count("”") > 10


def test_statistics_add_up(run, annotated):
    found = run("statistics", "--library", annotated, "--json").json
    assert found["policies"] == found["annotated"] == sum(one["policies"] for one in found["sectors"].values())
    assert found["vague_sentences"] <= found["candidate_sentences"] <= found["sentences"]
    assert sum(found["grade"]["bins"]) == found["grade"]["n"] == found["policies"]
    assert "reading grade" in run("statistics", "--library", annotated).out


def test_statistics_of_nothing(run, tmp_path):
    from smallprint.library import Library

    Library(tmp_path / "empty.db", create=True).close()
    assert run("statistics", "--library", tmp_path / "empty.db").code == 0


def test_companies_are_imported_and_replaced(run, annotated, tmp_path):
    path = tmp_path / "new.db"
    first = run("import", "companies", str(sample.COMPANIES), "--library", path, "--json").json
    assert first["domains"] > 50
    other = tmp_path / "one.csv"
    other.write_text("name,domain,industry\nSpoonbill,spoonbill.example,restaurants\n", encoding="utf-8")
    assert run("import", "companies", other, "--library", path, "--json").json == {"domains": 1, "rows skipped": 0}


def test_a_list_that_is_none(run, tmp_path):
    broken = tmp_path / "list.csv"
    broken.write_text("a,b\n1,2\n", encoding="utf-8")
    done = run("import", "companies", broken, "--library", tmp_path / "new.db")
    assert (done.code, done.err.count("\n"), "list.csv" in done.err) == (1, 1, True)
