from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from smallprint.annotate.kinds import Annotator, Kind
from smallprint.annotate.readability import Readability
from smallprint.annotate.registry import KINDS, Annotation, Annotations, annotate
from smallprint.annotate.vagueness import Vagueness, VagueWord
from smallprint.library import Library, reading
from smallprint.library import annotations as store_module
from smallprint.library.annotations import (
    document,
    forget_annotations,
    out_of_date,
    pack,
    read_annotation,
    read_annotations,
    save_annotations,
)
from smallprint.library.dump import logical_dump
from smallprint.library.likeness import settle
from smallprint.library.schema import APPLICATION_ID, MIGRATIONS
from smallprint.library.writing import save
from smallprint.models.finder import WIDTH
from smallprint.models.labels import COLUMNS, column
from smallprint.records import Document, Mention, SectorGuess, Segment, Span
from smallprint.taxonomy import Label

from .making import capture, prose

READABILITY = Annotator("readability", "flesch-kincaid", "1")
MENTIONS = Annotator("mentions", "patterns", "1.abc")
SECTOR = Annotator("sector", "sector", "s1")
VAGUENESS = Annotator("vagueness", "vagueness-student", "w1")
PRACTICES = Annotator("practices", "practices-student", "b1")
SENTENCES = Annotator("sentences", "finder", "f1")
BETTER = Annotator("practices", "encoder", "e1")

FIRST, CONTACT = Label("first-party"), Label("first-party", "Personal Information Type", "Contact")
SECURITY = Label("security")


def table(*rows: dict[Label, int]) -> np.ndarray:
    found = np.zeros((len(rows), len(COLUMNS)), dtype=np.uint8)
    for row, said in zip(found, rows, strict=True):
        for name, value in said.items():
            row[column(name)] = value
    return found


SAID = {
    READABILITY: Readability(100, 5, 150, 0, 9.91),
    MENTIONS: (
        Mention("technology", "cookies", 0, 7),
        Mention("regulation", "gdpr", 9, 13),
        Mention("technology", "cookies", 20, 26),
    ),
    SECTOR: SectorGuess("finance", 0.8125),
    VAGUENESS: Vagueness(4, 2, 1, (VagueWord(3, 6, 0.9), VagueWord(8, 12, 0.513))),
    PRACTICES: table({FIRST: 255, CONTACT: 128, SECURITY: 127}, {FIRST: 128, CONTACT: 255}, {FIRST: 100, CONTACT: 255}),
}
EMPTY = {
    READABILITY: Readability(0, 0, 0, 0, None),
    SECTOR: SectorGuess("unknown", 0.0),
    VAGUENESS: Vagueness(0, 0, 0),
}


def store(library: Library, *captures) -> list[str]:
    with library.transaction() as db:
        save(db, captures)
    return [one.version_id for one in captures]


def annotated(library: Library, version_id: str, said: dict) -> None:
    with library.transaction() as db:
        save_annotations(db, version_id, [pack(Annotation(by, content)) for by, content in said.items()])


def rows(library: Library, name: str) -> list[tuple]:
    return [tuple(row) for row in library.db.execute(f"SELECT * FROM {name} ORDER BY 1, 2")]


def counts(library: Library) -> dict[str, int]:
    return {name: len(rows(library, name)) for name in ("annotations", "measures", "mentioned", "practised")}


@pytest.fixture
def version_id(library):
    (version_id,) = store(library, capture())
    return version_id


# The store and its kinds


def test_the_store_knows_no_kind_by_name():
    source = Path(store_module.__file__).read_text()
    assert not [name for name in KINDS if f'"{name}"' in source or f"'{name}'" in source]


def test_a_new_kind_needs_nothing_from_the_store(library, version_id, monkeypatch):
    lengths = Kind(
        name="lengths",
        annotator=lambda quality: Annotator("lengths", "counter", "1"),
        make=lambda document, model: len(document.text),
        encode=lambda length: str(length).encode(),
        decode=int,
        rows=lambda length: (("characters", length),),
        table="lengths",
        readable=False,
    )
    monkeypatch.setitem(KINDS, "lengths", lengths)
    library.db.execute("CREATE TABLE lengths (version_id TEXT, name TEXT, length INTEGER)")
    by = lengths.annotator("fast")
    (made,) = annotate(document(library, version_id), (by,))
    annotated(library, version_id, {by: made.content})
    assert read_annotation(library, version_id, by) == made.content > 0
    assert rows(library, "lengths") == [(version_id, "characters", made.content)]
    with library.transaction() as db:
        forget_annotations(db, version_id)
    assert read_annotation(library, version_id, by) is None
    assert rows(library, "lengths") == []


def test_an_annotation_carries_its_model_and_its_date(library, version_id):
    annotated(library, version_id, {SECTOR: SAID[SECTOR]})
    (by,) = read_annotations(library, version_id).made_by.values()
    today = datetime.now(tz=UTC).date().isoformat()
    assert (by.model, by.version, by.made_on) == ("sector", "s1", today)
    library.db.execute("UPDATE annotations SET made_on = NULL")  # stored before dates were
    (by,) = read_annotations(library, version_id).made_by.values()
    assert (by, by.made_on) == (SECTOR, None)


# What was said is read back


def test_a_version_of_which_nothing_was_said(library, version_id):
    assert read_annotations(library, version_id) == Annotations({})
    assert read_annotations(library, "no such version") == Annotations({})


@pytest.mark.parametrize("by", SAID, ids=lambda by: by.kind)
def test_each_kind_comes_back_as_it_was(library, version_id, by):
    annotated(library, version_id, {by: SAID[by]})
    found = read_annotations(library, version_id)
    assert found.made_by == {by.kind: by}
    assert np.array_equal(getattr(found, by.kind), SAID[by])
    assert [kind for kind in ("readability", "mentions", "sector", "vagueness", "practices") if
            getattr(found, kind) is not None] == [by.kind]  # fmt: skip


def test_all_kinds_side_by_side(library, version_id):
    (other,) = store(library, capture("https://two.example/privacy", "We keep nothing."))
    annotated(library, version_id, SAID)
    annotated(library, other, {SECTOR: SectorGuess("media", 0.5)})
    found = read_annotations(library, version_id)
    assert found.made_by == {by.kind: by for by in SAID}
    assert (found.readability, found.mentions, found.sector, found.vagueness) == tuple(
        SAID[by] for by in (READABILITY, MENTIONS, SECTOR, VAGUENESS)
    )
    assert found.practices.dtype == np.uint8
    assert np.array_equal(found.practices, SAID[PRACTICES])
    assert read_annotations(library, other).sector == SectorGuess("media", 0.5)


@pytest.mark.parametrize("by", EMPTY, ids=lambda by: by.kind)
def test_what_says_nothing_comes_back_too(library, version_id, by):
    annotated(library, version_id, {by: EMPTY[by]})
    assert getattr(read_annotations(library, version_id), by.kind) == EMPTY[by]


def test_a_policy_that_names_nothing(library, version_id):
    annotated(library, version_id, {MENTIONS: SAID[MENTIONS]})
    annotated(library, version_id, {MENTIONS: ()})
    assert read_annotations(library, version_id).mentions == ()
    assert rows(library, "mentioned") == []


@pytest.mark.parametrize("segments", [0, 2])
def test_a_policy_that_does_nothing(library, version_id, segments):
    annotated(library, version_id, {PRACTICES: SAID[PRACTICES]})
    annotated(library, version_id, {PRACTICES: table(*[{}] * segments)})
    found = read_annotations(library, version_id).practices
    assert (found.shape, found.any()) == ((segments, len(COLUMNS)), np.False_)
    assert rows(library, "practised") == []


def test_vectors_of_sentences_are_given_to_whoever_asks_for_them_alone(library, version_id):
    rows = np.arange(3 * WIDTH, dtype=np.int8).reshape(3, WIDTH)
    with library.transaction(aside=True) as db:
        save_annotations(db, version_id, [pack(Annotation(SENTENCES, rows))])
    assert np.array_equal(read_annotation(library, version_id, SENTENCES), rows)
    assert read_annotation(library, version_id, replace(SENTENCES, version="f2")) is None
    assert read_annotation(library, "nobody@0", SENTENCES) is None
    assert read_annotations(library, version_id) == Annotations({})


def test_a_version_without_sentences_has_no_vectors(library, version_id):
    with library.transaction(aside=True) as db:
        save_annotations(db, version_id, [pack(Annotation(SENTENCES, np.zeros((0, WIDTH), dtype=np.int8)))])
    assert read_annotation(library, version_id, SENTENCES).shape == (0, WIDTH)


def test_names_that_are_no_longer_in_the_table_are_left_out(library, version_id):
    said = (Mention("body", "alchemists", 0, 4), Mention("technology", "cookies", 5, 12))
    annotated(library, version_id, {MENTIONS: said})
    assert read_annotations(library, version_id).mentions == said[1:]


# What is filtered by


def test_rows_to_filter_by(library, version_id):
    annotated(library, version_id, SAID)
    assert rows(library, "measures") == [(version_id, 9.91, 4, 2, 1, "finance", 0.8125)]
    assert rows(library, "mentioned") == [(version_id, "cookies", 2), (version_id, "gdpr", 1)]
    # A value is as likely as it is together with its category.
    assert rows(library, "practised") == [
        (version_id, "first-party", 2, 1.0),
        (version_id, "first-party / Personal Information Type / Contact", 2, round(128 / 255, 3)),
    ]


def test_measures_not_made_yet_are_unknown(library, version_id):
    annotated(library, version_id, {SECTOR: SAID[SECTOR]})
    assert rows(library, "measures") == [(version_id, None, None, None, None, "finance", 0.8125)]
    annotated(library, version_id, {READABILITY: EMPTY[READABILITY], VAGUENESS: SAID[VAGUENESS]})
    assert rows(library, "measures") == [(version_id, None, 4, 2, 1, "finance", 0.8125)]


# Replacing and forgetting


def test_what_is_said_anew_replaces_what_was_said(library, version_id):
    annotated(library, version_id, SAID)
    newer = {
        replace(MENTIONS, version="2"): (Mention("regulation", "ccpa", 3, 7),),
        BETTER: table({SECURITY: 200}),
        replace(READABILITY, version="2"): Readability(10, 1, 20, 0, 12.5),
    }
    annotated(library, version_id, newer)
    found = read_annotations(library, version_id)
    assert found.made_by == {by.kind: by for by in (*newer, SECTOR, VAGUENESS)}
    assert (found.readability, found.mentions) == (
        Readability(10, 1, 20, 0, 12.5),
        newer[replace(MENTIONS, version="2")],
    )
    assert np.array_equal(found.practices, newer[BETTER])
    assert rows(library, "measures") == [(version_id, 12.5, 4, 2, 1, "finance", 0.8125)]
    assert rows(library, "mentioned") == [(version_id, "ccpa", 1)]
    assert rows(library, "practised") == [(version_id, "security", 1, 0.784)]


def test_the_same_said_twice_changes_nothing(library, version_id):
    annotated(library, version_id, SAID)
    before = list(logical_dump(library))
    annotated(library, version_id, SAID)
    assert list(logical_dump(library)) == before
    assert counts(library) == {"annotations": 5, "measures": 1, "mentioned": 2, "practised": 2}


def test_annotations_of_one_version_are_forgotten(library, version_id):
    (other,) = store(library, capture("https://two.example/privacy", "We keep nothing."))
    before = list(logical_dump(library))
    annotated(library, other, SAID)
    only_other = list(logical_dump(library))
    annotated(library, version_id, SAID)
    with library.transaction() as db:
        forget_annotations(db, version_id)
    assert read_annotations(library, version_id) == Annotations({})
    assert list(logical_dump(library)) == only_other
    with library.transaction() as db:
        forget_annotations(db, other)
        forget_annotations(db, "no such version")
    assert list(logical_dump(library)) == before


@pytest.mark.parametrize("by", SAID, ids=lambda by: by.kind)
def test_nothing_is_said_of_a_version_that_is_not_there(library, by):
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        annotated(library, "no such version", {by: SAID[by]})
    assert list(logical_dump(library)) == []


@pytest.mark.parametrize(
    "row",
    ["measures (version_id) VALUES ('x')", "mentioned VALUES ('x', 'gdpr', 1)", "practised VALUES ('x', 'y', 1, 1)"],
)
def test_rows_to_filter_by_are_of_versions_that_are_there(library, row):
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), library.transaction() as db:
        db.execute(f"INSERT INTO {row}")


# When a version is saved again


def test_an_earlier_capture_of_a_version_forgets_what_was_said_of_it(library, version_id):
    (other,) = store(library, capture("https://two.example/privacy", "We keep nothing."))
    annotated(library, version_id, SAID)
    annotated(library, other, SAID)
    assert store(library, capture(at="2023-12-31", title="Older title")) == [version_id]
    assert reading.find_policy(library, "one.example").current.title == "Older title"
    assert read_annotations(library, version_id) == Annotations({})
    assert counts(library) == {"annotations": 5, "measures": 1, "mentioned": 2, "practised": 2}
    assert [due for due, _ in out_of_date(library, {"sector": (SECTOR,)})] == [version_id]


@pytest.mark.parametrize("at", ["2024-01-01", "2024-06-01"])
def test_the_same_or_a_later_capture_keeps_what_was_said(library, version_id, at):
    annotated(library, version_id, SAID)
    assert store(library, capture(at=at)) == [version_id]
    assert read_annotations(library, version_id).made_by == {by.kind: by for by in SAID}


def test_a_new_version_leaves_the_old_ones_annotations(library, version_id):
    annotated(library, version_id, SAID)
    (newer,) = store(library, capture(text="We keep your data for a year.", at="2025-01-01"))
    assert read_annotations(library, version_id).made_by == {by.kind: by for by in SAID}
    assert read_annotations(library, newer) == Annotations({})


# What is out of date


ACCEPTED = {"readability": (READABILITY,), "sector": (SECTOR,), "practices": (PRACTICES, BETTER)}


def test_what_was_never_made_is_due(library, version_id):
    assert list(out_of_date(library, ACCEPTED)) == [(version_id, (READABILITY, SECTOR, PRACTICES))]
    assert list(out_of_date(library, {})) == []


def test_only_what_is_missing_is_due(library, version_id):
    annotated(library, version_id, {SECTOR: SAID[SECTOR], MENTIONS: SAID[MENTIONS]})
    assert list(out_of_date(library, ACCEPTED)) == [(version_id, (READABILITY, PRACTICES))]
    annotated(library, version_id, SAID)
    assert list(out_of_date(library, ACCEPTED)) == []


@pytest.mark.parametrize("older", [replace(SECTOR, version="s0"), replace(SECTOR, model="other")])
def test_what_another_version_or_model_made_is_due(library, version_id, older):
    annotated(library, version_id, {**SAID, older: SAID[SECTOR]})
    assert list(out_of_date(library, ACCEPTED)) == [(version_id, (SECTOR,))]


def test_what_the_better_model_made_is_not_due(library, version_id):
    annotated(library, version_id, {**SAID, BETTER: SAID[PRACTICES]})
    assert list(out_of_date(library, ACCEPTED)) == []
    assert list(out_of_date(library, {"practices": (PRACTICES,)})) == [(version_id, (PRACTICES,))]
    annotated(library, version_id, {replace(BETTER, version="e0"): SAID[PRACTICES]})
    assert list(out_of_date(library, ACCEPTED)) == [(version_id, (PRACTICES,))]


def test_every_version_of_a_policy_is_due_by_its_id(library):
    made = store(
        library,
        capture("https://two.example/privacy", "We keep nothing."),
        capture(text="We keep it."),
        capture(text="We keep it for a year.", at="2025"),
    )
    assert [due for due, _ in out_of_date(library, ACCEPTED)] == sorted(made)


def test_copies_are_left_out(library):
    text = prose(1)
    kept, copy = store(library, capture("https://a.example/privacy", text), capture("https://b.example/privacy", text))
    assert [due for due, _ in out_of_date(library, ACCEPTED)] == [kept, copy]
    settle(library, 0.9)
    assert [due for due, _ in out_of_date(library, ACCEPTED)] == [kept]


def test_annotations_may_be_saved_while_one_goes_through_what_is_due(library):
    made = store(library, *(capture(f"https://h{n}.example/privacy", prose(n)) for n in range(3)))
    for due, wanted in out_of_date(library, {"sector": (SECTOR,)}):
        annotated(library, due, {by: SAID[by] for by in wanted})
    assert [read_annotations(library, one).sector for one in made] == [SAID[SECTOR]] * 3


# Documents


def test_a_version_as_the_annotate_stage_reads_it(library, version_id):
    assert document(library, version_id) == Document(
        version_id,
        "https://one.example/privacy",
        "Privacy policy",
        "We keep your data.",
        "Menu\nWe keep your data.",
        (Segment(0, "paragraph", 0, 18, ("Data",), None, (Span(0, 18),)),),
    )


# A library from before there were annotations


def test_a_library_of_the_first_schema_is_brought_up_to_date(tmp_path):
    path = tmp_path / "library.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(f"{MIGRATIONS[0]}; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1;")
        rows_of = {
            "facts": ("key", "value"),
            "pages": ("p", "html", None, 3, b"..."),
            "texts": ("t", 3, b"..."),
            "policies": ("one", "https://one.example/", "one.example", "one@t", None, None),
            "versions": ("one@t", "one", "t", "t", "p", "Privacy", 0.9, None, "2024-01-01", 3, 1),
            "captures": ("one", "2024-01-01", "one@t", "p", "https://one.example/", "test"),
            "segments": ("one@t", 0, "paragraph", 0, 3, "[]", None, "[[0,3]]"),
            "rejections": ("test", "https://two.example/", "2024", "too short", "3 words"),
            "bands": (7, "t"),
            "banded": ("t", 1, 0),
            "ingests": ("f", "source", 2, 1),
            "frontier": (1, "https://one.example/", 0, 0, 0.0, None, None, None),
            "popularity": ("one.example", 1e-6, 4.0, 0),
        }
        for name, row in rows_of.items():
            db.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
    with Library(path) as library:
        assert library.db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS) >= 2
        # Columns that later migrations added come last, and are empty.
        for name, row in rows_of.items():
            (stored,) = library.db.execute(f"SELECT * FROM {name}").fetchall()
            assert tuple(stored)[: len(row)] == row, name
            assert set(tuple(stored)[len(row) :]) <= {None, "en"}, name
        assert counts(library) == {"annotations": 0, "measures": 0, "mentioned": 0, "practised": 0}
        assert rows(library, "companies") == []
        assert library.db.execute("PRAGMA foreign_key_check").fetchall() == []
        assert list(out_of_date(library, ACCEPTED)) == [("one@t", (READABILITY, SECTOR, PRACTICES))]
        annotated(library, "one@t", SAID)
        assert read_annotations(library, "one@t").sector == SAID[SECTOR]
