from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.models.finder import Finder  # noqa: E402 - needs torch
from smallprint.models.towers import Base  # noqa: E402 - needs torch
from smallprint.train.era import material, retrievers  # noqa: E402 - needs torch
from smallprint.train.era.material import wordings  # noqa: E402 - needs torch
from smallprint.train.era.retrievers import CHUNK, encode, mean_rank, nearest, pairs_of, worth  # noqa: E402 - needs torch
from smallprint.train.finder import RELATED_WEIGHT  # noqa: E402 - needs torch

from . import world  # noqa: E402 - needs torch


def drawn(rows, width, seed):
    return np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)


# Search


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_search_by_blocks_gives_what_all_at_once_gives(block, monkeypatch):
    monkeypatch.setattr(retrievers, "BLOCK", block)
    questions, matrix = drawn(5, 8, 1), drawn(200, 8, 2).astype(np.float16)
    matrix[150] = matrix[3]  # as near as one before it
    near = questions @ matrix.astype(np.float32).T
    rows, nearness = nearest(questions, matrix, 20, [frozenset()] * 5)
    assert np.array_equal(rows, np.argsort(-near, axis=1, kind="stable")[:, :20])
    assert np.allclose(nearness, -np.sort(-near, axis=1)[:, :20], atol=1e-5)


def test_rows_that_are_not_to_be_found_are_not(monkeypatch):
    monkeypatch.setattr(retrievers, "BLOCK", 4)
    questions, matrix = drawn(2, 8, 1), drawn(30, 8, 2).astype(np.float16)
    without = [frozenset(range(20)), frozenset()]
    rows, _ = nearest(questions, matrix, 15, without)
    assert set(rows[0].tolist()) == {*range(20, 30), -1}
    assert rows[0, 10:].tolist() == [-1] * 5
    assert np.array_equal(rows[1], nearest(questions, matrix, 15, [frozenset()] * 2)[0][1])


class Counting:
    """Gives a text's number as its vector; stops at a call if told so."""

    def __init__(self, stop_at=None):
        self.read, self.calls, self.stop_at = [], 0, stop_at

    def vectors(self, texts):
        self.calls += 1
        if self.calls == self.stop_at:
            raise KeyboardInterrupt
        self.read += texts
        return np.array([[int(text), 1.0] for text in texts], dtype=np.float32)


def test_encoding_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(retrievers, "CHUNK", 10)
    texts = [str(number) for number in range(35)]
    with pytest.raises(KeyboardInterrupt):
        encode(Counting(stop_at=4), texts, tmp_path, lambda line: None)
    encoder = Counting()
    assert encode(encoder, texts, tmp_path, lambda line: None) == 2
    assert encoder.read[1:] == texts[20:]  # the first one tells the width
    matrix = np.load(tmp_path / retrievers.VECTORS)
    assert matrix.dtype == np.float16
    assert matrix[:, 0].tolist() == list(range(35))
    assert CHUNK > 10


# Questions


def test_a_wording_is_there_once_and_what_is_not_on_privacy_is_not(bench):
    own = wordings(bench)
    texts = [one.text for one in own]
    assert len(set(texts)) == len(texts)
    assert len(own[texts.index("Do you sell my data?")].asked) == len(world.TRAINED)
    assert "Where is the nearest baker?" not in texts


# Retrievers


def test_a_batch_knows_what_answers_what(bench):
    labelled = material.load_labelled(bench)
    by_place = {(one.asked.id, one.place): one for one in pairs_of(labelled)}
    alder, birch = world.TRAINED[:2]
    found = worth([by_place[f"{alder}#0", 0], by_place[f"{alder}#1", 1], by_place[f"{birch}#0", 0]])
    assert found.tolist() == [
        [1.0, pytest.approx(RELATED_WEIGHT), 1.0],  # its own, one that is related, and the same wording's
        [0.0, 1.0, 0.0],
        [1.0, 0.0, 1.0],
    ]


def test_the_mean_rank_is_that_of_the_first_right_one():
    sentences_ = np.eye(4, dtype=np.float32)
    questions = np.array([[0.9, 0.5, 0.1, 0.0], [0.0, 0.1, 0.5, 0.9]], dtype=np.float32)
    assert mean_rank(questions, sentences_, [[0], [3]]) == 1.0
    assert mean_rank(questions, sentences_, [[2, 1], [0]]) == (2 + 4) / 2
    assert mean_rank(np.zeros((1, 4), dtype=np.float32), sentences_, [[0]]) == 4.0


def test_the_best_epoch_is_kept(toy, bench, monkeypatch):
    said = iter([3.0, 1.0, 2.0])
    states = []

    def rank(questions, sentences_, right):
        states.append(questions.copy())
        return next(said)

    monkeypatch.setattr(retrievers, "mean_rank", rank)
    # So great a rate that an epoch changes more than int8 does.
    monkeypatch.setattr(retrievers, "PLAN", replace(retrievers.PLAN, rate=1e-2))
    made = retrievers.step(replace(bench, sizes=replace(bench.sizes, epochs=3)), "general")
    assert made.counts["mean rank"] == {"1": 3.0, "2": 1.0, "3": 2.0}
    texts = [one.text for one in _tuning_questions(bench)]
    found = Finder(Base(toy), made.folder).vectors(texts)
    apart = [float(np.abs(found - one).mean()) for one in states]
    assert min(apart) == apart[1]
    assert json.loads((made.folder / "ranks.json").read_text()) == made.counts["mean rank"]


def _tuning_questions(bench):
    from smallprint.train.era.bench import collection

    return [one for one in collection(bench.data).questions if one.policy == world.TUNING and one.relevant]


def test_nothing_of_a_question_s_own_policy_is_found_for_it(bench):
    asked = wordings(bench)
    own = world.policy(world.TRAINED[0])["sentences"][0]["text"]
    rows = retrievers.own_rows(asked, ["Something else entirely.", own.upper()], bench)
    assert rows[0] == {1}
    with np.load(retrievers.search_step(bench, "general").folder / retrievers.FOUND) as arrays:
        found = arrays["rows"]
    count = len(material.load_sentences(bench))
    assert found.shape == (len(asked), 100)
    assert found.max() < count
