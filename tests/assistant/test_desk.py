"""The evidence of stored policies: made once, kept in memory and in the library, and made again where it must be."""

from __future__ import annotations

import fcntl

import numpy as np
import pytest

from smallprint.annotate.vectors import finder
from smallprint.ask.model_set import Kit, kit
from smallprint.ask.ranking.evidence import evidence_of
from smallprint.assistant.desk import Desk, source_of
from smallprint.library import Library, reading
from smallprint.library.annotations import read_annotation
from smallprint.library.pool import Pool
from smallprint.shelf.shelf import save_vectors

BANK = "tidemarkbank.example"


class Counting:
    """The finder, counting what it reads."""

    def __init__(self) -> None:
        self.read = 0

    def vectors(self, texts):
        self.read += len(texts)
        return kit().finder.vectors(texts)


@pytest.fixture
def counting():
    models = Kit()
    models.finder = Counting()
    return models


@pytest.fixture
def stored(annotated_library, tmp_path):
    with Library(tmp_path / "own.db", create=True) as library:
        annotated_library.db.backup(library.db)
        with library.transaction() as db:
            db.execute("DELETE FROM annotations WHERE kind = 'sentences'")
        yield library


@pytest.fixture
def version_id(stored):
    return reading.find_policy(stored, BANK).current_version


def test_sentences_are_turned_into_vectors_once(stored, version_id, counting):
    first = Desk(counting, save=save_vectors).stored(stored, version_id)
    assert counting.finder.read == len(first) > 20
    assert len(read_annotation(stored, version_id, finder())) == len(first)
    again = Desk(counting, save=save_vectors).stored(stored, version_id)
    assert counting.finder.read == len(first)
    assert np.array_equal(again.vectors, first.vectors)
    assert again.sentences == first.sentences


def test_the_last_policies_are_kept_in_memory(stored, version_id, counting):
    desk = Desk(counting, policies=1)
    first = desk.stored(stored, version_id)
    assert desk.stored(stored, version_id) is first
    desk.stored(stored, reading.find_policy(stored, "kitegram.example").current_version)
    assert desk.stored(stored, version_id) is not first


def test_to_keep_vectors_changes_nothing_that_is_counted(stored, version_id, counting):
    pool = Pool(stored.path)
    before = pool.state()
    Desk(counting, save=save_vectors).stored(stored, version_id)
    assert pool.state() == before
    pool.close()


def test_while_somebody_writes_it_is_answered_and_not_kept(stored, version_id, counting):
    with stored.path.with_name(f"{stored.path.name}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert len(Desk(counting, save=save_vectors).stored(stored, version_id)) > 20
    assert read_annotation(stored, version_id, finder()) is None


def test_a_text_without_words_has_evidence_too(counting):
    assert len(evidence_of("", (), counting.labeller, counting.finder.vectors)) == 0


def test_a_policy_that_was_asked_before_is_not_read_again(stored, version_id, counting):
    desk, source = Desk(counting), source_of(reading.find_policy(stored, BANK))
    first = desk.answer(stored, source, "Do you sell my data?")
    statements = []
    stored.db.set_trace_callback(statements.append)
    assert desk.answer(stored, source, "Do you sell my data?") == first
    assert [statement.partition(" kind = ")[2][:6] for statement in statements] == ["'card'"]  # there may be one by now
    assert 0 < first.certainty <= 1


def test_damaged_vectors_are_made_again(stored, version_id, counting):
    first = Desk(counting, save=save_vectors).stored(stored, version_id)
    with stored.transaction(aside=True) as db:
        db.execute("UPDATE annotations SET content = zeroblob(30) WHERE kind = 'sentences'")
    again = Desk(counting, save=save_vectors).stored(stored, version_id)
    assert counting.finder.read == 2 * len(first)
    assert np.array_equal(again.vectors, first.vectors)
    assert len(read_annotation(stored, version_id, finder())) == len(first)
