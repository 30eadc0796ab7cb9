"""A library from Python: the same records as the rest gives, whole results as tables, and exports made again."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import smallprint
from smallprint.errors import BadQuery, LibraryChanged, LibraryError, NoSuchExport, NoSuchPolicy, NoSuchVersion
from smallprint.index.opening import open_engine
from smallprint.index.tree import Ranking
from smallprint.library import Library, reading
from smallprint.library.statistics import statistics
from smallprint.library.writing import save
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.search import exports, results
from smallprint.search.request import Request, request_of
from smallprint.settings import Settings

from ..library.making import capture, read_again

BANK = "tidemarkbank.example"


@pytest.fixture
def shelf(annotated_sample):
    with smallprint.open(annotated_sample) as shelf:
        yield shelf


@pytest.fixture
def library(annotated_sample):
    with Library(annotated_sample) as library:
        yield library


def test_importing_the_package_imports_nothing_else():
    code = "import sys, smallprint; print([name for name in sys.modules if name.startswith('smallprint.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_without_a_path_the_library_of_the_settings_is_opened(annotated_sample, monkeypatch):
    monkeypatch.setenv("SMALLPRINT_LIBRARY", str(annotated_sample))
    monkeypatch.setenv("SMALLPRINT_SEARCH_MATCH", "all")
    with smallprint.open() as shelf:
        assert shelf.path == annotated_sample
        assert shelf.search("cookies advertising").request.match == "all"
        assert shelf.search("cookies advertising", match="any").request.match == "any"


def test_a_library_that_is_not_there_is_told(tmp_path):
    with pytest.raises(LibraryError, match="there is no library"):
        smallprint.open(str(tmp_path / "none.db"))


def test_after_the_with_statement_it_is_closed(annotated_sample):
    with smallprint.open(str(annotated_sample)) as shelf:
        pass
    with pytest.raises(Exception, match="closed"):
        shelf.text(BANK)


# Searches


def test_a_search_gives_the_records_of_the_library(shelf, library, annotated_sample):
    found = shelf.search("cookies", sector=["medical", "travel"], size=3)
    request = Request("cookies", chosen={"sector": ("medical", "travel")}, size=3)
    expected = results.search(library, open_engine(Settings(library=annotated_sample)), request, with_facets=False)
    assert (found.request, found.total, found.hits) == (request, expected.total, expected.hits)
    assert found.facets == ()
    assert shelf.search("cookies", facets=True).facets[0].facet.key == "sector"


@pytest.mark.parametrize(
    ("filters", "request_"),
    [
        ({}, Request("data")),
        ({"sector": "medical"}, Request("data", chosen={"sector": ("medical",)})),
        ({"year": 2024}, Request("data", chosen={"year": ("2024",)})),
        ({"year": [2023, "2024"]}, Request("data", chosen={"year": ("2023", "2024")})),
        ({"names": ["gdpr", "cookies"]},
         Request("data", chosen={"regulation": ("gdpr",), "technology": ("cookies",)})),
        ({"grade": (8, 12)}, Request("data", ranges={"grade": (8.0, 12.0)})),
        ({"grade": (None, 12.5)}, Request("data", ranges={"grade": (None, 12.5)})),
        ({"vagueness": "0.1:"}, Request("data", ranges={"vagueness": (0.1, None)})),
        ({"vagueness": (0.00001, None)}, Request("data", ranges={"vagueness": (0.00001, None)})),
        ({"domain": "a.example"}, Request('site:"a.example" data')),
        ({"where": "url", "rank": "date", "fold": False, "page": 2, "index": "page", "match": "all"},
         Request("data", "url", rank=Ranking.DATE, page=2, index="page", match="all", fold=False)),
        ({"sector": None, "grade": None}, Request("data")),
    ],
)  # fmt: skip
def test_filters_are_those_of_the_page(filters, request_):
    assert request_of("data", filters) == request_


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"colour": "blue"}, "'colour' is not a known filter"),
        ({"sector": "farming"}, "sector has no value 'farming'"),
        ({"names": "farming"}, "names = 'farming' is unknown; choose from cookies"),
        ({"grade": 8}, "grade = 8 is not a range"),
        ({"grade": (1, 2, 3)}, "is not a range"),
        ({"grade": (12, 8)}, "the lower end comes first"),
        ({"rank": "best"}, "rank = 'best' is unknown"),
    ],
)
def test_what_cannot_be_asked_is_told(shelf, filters, said):
    for ask in (shelf.search, shelf.table):
        with pytest.raises(BadQuery, match=re.escape(said)):
            ask("data", **filters)


def test_a_domain_holds_whatever_the_words_are(shelf):
    for text in ("", "privacy", '"personal information', "-unicorns"):
        found = shelf.search(text, domain="https://www.tidemarkbank.example/legal")
        assert [hit.policy.domain for hit in found.hits] == [BANK], text
    assert shelf.search("unicorns", domain=BANK).total == 0


# Policies


def test_policies_are_all_that_are_kept(shelf, library):
    found = list(shelf.policies())
    assert [one.policy_id for one in found] == list(reading.policies(library))
    assert found[0] == shelf.policy(found[0].policy_id)
    assert all(one.shown == one.current_version for one in found)


def test_policies_of_a_sector_or_a_domain(shelf, library):
    medical = list(shelf.policies(sector="medical"))
    assert len(medical) == statistics(library).sectors["medical"].policies > 5
    assert [one.domain for one in shelf.policies(domain=BANK)] == [BANK]
    assert len(list(shelf.policies(domain="example"))) == len(list(shelf.policies()))
    assert list(shelf.policies(domain="bank.example")) == []


def test_policies_as_they_were_on_a_date(shelf):
    (now,) = shelf.policies(domain=BANK)
    first, *_, last = now.versions
    (then,) = shelf.policies(domain=BANK, on=first.last_seen)
    assert (then.shown, then.version, then.title) == (first.version_id, first, first.title)
    assert then.measures.words == first.words != last.words == now.measures.words
    assert list(shelf.policies(on="1999")) == []
    assert 0 < len(list(shelf.policies(on=first.last_seen))) < len(list(shelf.policies()))


def test_a_guessed_sector_is_that_of_the_version(annotated_sample, tmp_path):
    path = tmp_path / "copy.db"
    with Library(annotated_sample) as library:
        library.db.execute("VACUUM INTO ?", (str(path),))
    with Library(path) as library, smallprint.open(path) as shelf:
        first = shelf.policy(BANK).versions[0].version_id
        library.db.execute("DELETE FROM companies")
        library.db.execute(
            "UPDATE measures SET sector = 'media', sector_probability = 0.5 WHERE version_id = ?", (first,)
        )
        then = shelf.policy(BANK, first).sector
        assert (then.sector, then.source, then.probability) == ("media", "classifier", 0.5)
        assert shelf.policy(BANK).sector.sector != "media"


@pytest.mark.parametrize("wrong", [{"on": "yesterday"}, {"on": "2021/06"}, {"sector": "farming"}])
def test_a_snapshot_that_cannot_be_is_told(shelf, wrong):
    with pytest.raises(BadQuery, match=r"yesterday|2021/06|farming"):
        next(shelf.policies(**wrong))


def test_one_policy_with_its_texts_and_annotations(shelf, library):
    entry = reading.find_policy(library, BANK)
    first, current = entry.versions[0].version_id, entry.current_version
    assert shelf.policy(BANK).versions == entry.versions
    assert shelf.text(BANK) == reading.text(library, current)
    assert shelf.text(BANK, first) == shelf.text(BANK, entry.versions[0].last_seen) == reading.text(library, first)
    assert shelf.page_text(BANK) == reading.page_text(library, current)
    assert b"<html" in shelf.page(BANK)
    text, said = shelf.text(BANK), shelf.annotations(BANK)
    assert all(text[one.start : one.end] == one.text for one in said.mentions)
    assert said.practices
    assert {one.category for one in said.practices} == {
        label.category for segment in shelf.segments(BANK) for label in segment.labels
    }
    assert shelf.annotations(BANK, first) != said
    assert shelf.statistics() == statistics(library)


def test_what_is_not_there_is_told(shelf):
    with pytest.raises(NoSuchPolicy):
        shelf.text("nobody.example")
    with pytest.raises(NoSuchVersion):
        shelf.annotations(BANK, "1999")


# Tables and exports


def test_a_table_has_the_whole_result_and_says_what_it_is(shelf, library, annotated_sample):
    table = shelf.table("cookies", sector="medical", size=2, page=3)
    request, engine = (
        Request("cookies", chosen={"sector": ("medical",)}),
        open_engine(Settings(library=annotated_sample)),
    )
    rows = list(exports.rows(library, engine, request))
    assert table.column("policy_id").to_pylist() == [row.policy_id for row in rows]
    assert table.column("practices").to_pylist() == [list(row.practices) for row in rows]
    head = exports.heading(engine, request)
    assert table.schema.metadata[b"export_id"].decode() == head.export_id
    assert table.schema.metadata[b"citation"].decode() == head.citation


def test_a_table_is_made_again_by_its_id(shelf):
    table = shelf.table("cookies", sector="medical", rank="date")
    again = shelf.again(table.schema.metadata[b"export_id"].decode())
    assert again.equals(table, check_metadata=True)
    with pytest.raises(NoSuchExport, match="is not the id of an export"):
        shelf.again("nonsense")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_export_is_the_table_in_a_file(shelf, tmp_path, kind):
    path = tmp_path / f"medical.{kind}"
    head = shelf.export(path, "cookies", sector="medical")
    assert head.export_id == shelf.table("cookies", sector="medical").schema.metadata[b"export_id"].decode()
    again = shelf.export(tmp_path / f"again.{kind}", again=head.export_id)
    assert (again, path.read_bytes()) == (head, (tmp_path / f"again.{kind}").read_bytes())
    assert sorted(one.name for one in tmp_path.iterdir()) == [f"again.{kind}", f"medical.{kind}"]
    if kind == "parquet":
        assert pq.read_table(path).equals(shelf.table("cookies", sector="medical"), check_metadata=True)
    elif kind == "jsonl":
        assert json.loads(path.read_text().splitlines()[0])["export"]["policies"] == head.policies


def test_a_file_that_does_not_say_its_kind_is_not_written(shelf, tmp_path):
    with pytest.raises(BadQuery, match=r"\.csv, \.jsonl or \.parquet"):
        shelf.export(tmp_path / "medical.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_leaves_nothing_behind(shelf, tmp_path, monkeypatch):
    (tmp_path / "medical.csv").write_text("from before")
    monkeypatch.setattr(exports, "rows", lambda *_: iter([None]))
    with pytest.raises(AttributeError):
        shelf.export(tmp_path / "medical.csv", "cookies")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("medical.csv", "from before")]


def test_a_library_that_changed_since_is_told(annotated_sample, tmp_path):
    path = tmp_path / "copy.db"
    with Library(annotated_sample) as library:
        library.db.execute("VACUUM INTO ?", (str(path),))
    with Library(path) as library, smallprint.open(path) as shelf:
        bring_up_to_date(library, open_engine(Settings(library=path), create=True), "policy")
        number = shelf.table("cookies").schema.metadata[b"export_id"].decode()
        library.db.execute("UPDATE versions SET title = 'Another'")
        bring_up_to_date(library, open_engine(Settings(library=path)), "policy")
        with pytest.raises(LibraryChanged, match="has changed since this export"):
            shelf.again(number)
        with pytest.raises(LibraryChanged):
            shelf.export(tmp_path / "again.csv", again=number)
        assert not (tmp_path / "again.csv").exists()
        assert set(shelf.again(number, anyway=True).column("title").to_pylist()) == {"Another"}


def test_a_conversation_goes_on(shelf):
    now, first = shelf.reply("does Kitegram sell my data?")
    now, then = shelf.reply("and my location?", now)
    assert first.policy == then.policy
    assert then.answer.question == "do you sell my location?"
    assert [one.asked for one in now.past] == ["does Kitegram sell my data?", "and my location?"]


def test_a_version_that_was_replaced_leads_to_the_new_and_keeps_its_text(tmp_path):
    path = tmp_path / "library.db"
    old = capture(text="We keep data.")
    with Library(path, create=True) as library:
        with library.transaction() as db:
            save(db, [old])
        again = read_again(library, old, "We keep your data.")
    with smallprint.open(path) as shelf:
        assert shelf.policy("one.example", old.version_id).shown == again.version_id
        assert shelf.text("one.example", old.version_id) == "We keep data."
        assert shelf.page("one.example", old.version_id) == b"<p>We keep data.</p>"
        assert [one.text for one in shelf.segments("one.example", old.version_id)] == ["We keep data."]
        assert shelf.text("one.example") == "We keep your data."


def test_a_wrong_number_of_policies_to_compare_is_a_bad_query(shelf):
    with pytest.raises(BadQuery, match="name 2 to 4 policies"):
        shelf.compare([BANK])
