from __future__ import annotations

import shutil

import numpy as np
import pytest

from smallprint.annotate import kinds, links, mentions, readability, sector
from smallprint.annotate.kinds import Annotator
from smallprint.annotate.registry import Annotation, acceptable, annotate, annotators
from smallprint.annotate.vagueness import Vagueness, VagueWord
from smallprint.ask.ranking.units import UNITS
from smallprint.card import CODES
from smallprint.errors import NoModel
from smallprint.models import labels, store, windows
from smallprint.models.labels import COLUMNS, column
from smallprint.records import Document, Mention, Segment, Span
from smallprint.taxonomy import Label
from smallprint.text import hashed

TEXT = "Cookies\nWe may set cookies. We keep your name.\nname: cookie"
SEGMENTS = (
    Segment(0, "heading", 0, 7, (), None, (Span(0, 7),)),
    Segment(1, "paragraph", 8, 46, ("Cookies",), None, (Span(8, 27), Span(28, 46))),
    Segment(2, "row", 47, 59, ("Cookies",), None, (Span(47, 59),)),
)
DOCUMENT = Document("v", "https://one.example/privacy", "Privacy", TEXT, f"Menu\n{TEXT}", SEGMENTS)
READABILITY = Annotator("readability", "flesch-kincaid", readability.VERSION)
MENTIONS = Annotator("mentions", "patterns", mentions.VERSION)
SECTOR = Annotator("sector", "sector", store.version("sector"))
LINKS = Annotator("links", "patterns", links.VERSION)


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """Put toy models beside the shipped ones, in a folder of weights of its own."""
    where = tmp_path / "weights"
    shutil.copytree(store.folder(), where)
    weights = np.zeros(1 << windows.BITS, dtype=np.int8)
    weights[windows.features(["may"])[0, 0]] = 100
    store.save(
        "vagueness-student",
        {"weights": weights, "scale": np.float32(0.04), "bias": np.float32(-2), "threshold": np.float32(0.6)},
        where,
    )
    out_bias = np.full(len(COLUMNS), -20, dtype=np.float32)
    out_bias[column(Label("first-party"))] = 3
    store.save(
        "practices-student",
        {
            "vectors": np.zeros((1 << labels.BITS, 2), dtype=np.int8),
            "step": np.float32(1),
            "hidden": np.zeros((2, 2), dtype=np.float32),
            "hidden_bias": np.zeros(2, dtype=np.float32),
            "out": np.zeros((2, len(COLUMNS)), dtype=np.float32),
            "out_bias": out_bias,
            "vocabulary": np.unique(hashed("we may set cookies keep your name".split()).astype(np.uint32)),
        },
        where,
    )
    store.save("encoder", {"threshold": np.float32(0.5)}, where)
    monkeypatch.setattr(store, "folder", lambda: where)
    kinds.loaded.cache_clear()
    labels.student.cache_clear()
    yield where
    kinds.loaded.cache_clear()
    labels.student.cache_clear()


# Who annotates


def test_versions_come_from_tables_and_manifests(toys):
    fast, full = annotators("fast"), annotators("full")
    assert fast == (
        READABILITY,
        MENTIONS,
        SECTOR,
        Annotator("vagueness", "vagueness-student", store.version("vagueness-student")),
        Annotator("practices", "practices-student", store.version("practices-student")),
        LINKS,
        Annotator("card", "card-student", f"{store.version('card-student')}.{UNITS}"),
    )
    encoder, vectors = store.version("encoder"), f"{store.version('finder')}.{UNITS}"
    assert full == (
        *fast[:3],
        Annotator("vagueness", "encoder", encoder),
        Annotator("practices", "encoder", encoder),
        LINKS,
        Annotator(
            "card",
            "card",
            f"{store.version('card')}+{store.version('card-tower')}+{store.version('verdicts')}+{vectors}",
        ),
        Annotator("sentences", "finder", vectors),
    )


def test_no_model_is_loaded_to_ask_who_annotates(toys):
    for path in toys.glob("*.npz"):
        path.write_bytes(b"")
    assert (len(annotators("fast")), len(annotators("full"))) == (7, 8)


def test_what_the_better_model_said_is_up_to_date(toys):
    fast, full = annotators("fast"), annotators("full")
    assert acceptable("fast") == {
        "readability": (READABILITY,),
        "mentions": (MENTIONS,),
        "sector": (SECTOR,),
        "vagueness": (fast[3], full[3]),
        "practices": (fast[4], full[4]),
        "links": (LINKS,),
        "card": (fast[6], full[6]),
    }
    assert acceptable("full") == {one.kind: (one,) for one in full}


def test_a_model_that_is_missing_is_said_when_one_asks_who_annotates(toys):
    (toys / store.MANIFEST).unlink()
    with pytest.raises(NoModel, match="no model 'sector'"):
        annotators("fast")


# Annotating


def test_nothing_is_made_that_is_not_wanted():
    assert annotate(DOCUMENT, ()) == ()


def test_readability_mentions_and_sector():
    found = annotate(DOCUMENT, (READABILITY, MENTIONS, SECTOR))
    assert found == (
        Annotation(READABILITY, readability.grade(TEXT, [Span(8, 27), Span(28, 46)])),
        Annotation(
            MENTIONS,
            (
                Mention("technology", "cookies", 0, 7),
                Mention("technology", "cookies", 19, 26),
                Mention("technology", "cookies", 53, 59),
            ),
        ),
        Annotation(SECTOR, sector.guess(DOCUMENT.page_text, "Privacy", DOCUMENT.url)),
    )
    assert (found[0].content.words, found[0].content.sentences) == (8, 2)


def test_the_sector_is_guessed_from_the_whole_page():
    clinic = "Our hospital and its physicians treat patients. Your doctor keeps your medical records for your care. "
    document = Document("v", "https://stelswythhospital.org/privacy", "Hospital", "We keep it.", clinic * 20, ())
    (found,) = annotate(document, (SECTOR,))
    assert found.content.sector == "medical"


def test_an_empty_document():
    empty = Document("v", "https://one.example/", "", "", "", ())
    made = annotate(empty, (READABILITY, MENTIONS, SECTOR))
    assert [one.content for one in made] == [readability.grade("", []), (), sector.guess("", "", "")]


def test_the_quick_models(toys):
    *_, vague, practised, _, card = annotate(DOCUMENT, annotators("fast"))
    # 100 * 0.04 - 2 is the score of "may", which is 0.88 as a probability; headings and rows are no running text.
    assert vague.content == Vagueness(2, 1, 1, (VagueWord(11, 14, 0.881),))
    assert practised.content.dtype == np.uint8
    first = practised.content[:, column(Label("first-party"))]
    # The row has two words, and states nothing.
    assert first.tolist() == [0, round(255 / (1 + np.exp(-3))), 0]
    assert practised.content.sum() == first.sum()
    assert [entry.code for entry in card.content] == list(CODES)


def test_models_are_loaded_once_a_process(toys):
    wanted = annotators("fast")
    made = annotate(DOCUMENT, wanted)
    for path in toys.glob("*-student.npz"):
        path.unlink()
    again = annotate(DOCUMENT, wanted)
    assert [one.annotator for one in again] == [one.annotator for one in made]
    assert again[3] == made[3]
    assert np.array_equal(again[4].content, made[4].content)
