from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.ranking.evidence import Evidence
from smallprint.ask.ranking.features import (
    CHEAP,
    CHEAP_SCORERS,
    FULL,
    UNREAD,
    cheap_features,
    full_features,
    neighbours,
)
from smallprint.models.reader import Reading
from smallprint.records import Sentence, Span


def evidence(*texts):
    return Evidence(
        tuple(Sentence(text) for text in texts),
        np.zeros((len(texts), 1), dtype=np.float32),
        np.zeros((len(texts), 2), dtype=np.float16),
    )


def scores(*values):
    return dict.fromkeys(CHEAP_SCORERS, np.array(values, dtype=np.float32))


def test_every_feature_has_its_column():
    cheap = cheap_features(evidence("one two", "three", "four five six"), scores(0.1, 0.2, 0.6))
    assert cheap.shape == (3, len(CHEAP))
    assert full_features(cheap, [None] * 3).shape == (3, len(FULL))
    assert cheap[:, CHEAP.index("dense")].tolist() == pytest.approx([0.1, 0.2, 0.6])
    assert cheap[:, CHEAP.index("place")].tolist() == [0.0, 0.5, 1.0]
    assert cheap[:, CHEAP.index("dense of the sentence before")].tolist() == pytest.approx([0.0, 0.1, 0.2])
    assert cheap[:, CHEAP.index("dense, against the policy's others")].tolist() == pytest.approx(
        [-0.27, 0.64, 4.27], abs=0.01
    )


def test_of_many_sentences_their_own_mean_is_the_measure():
    many = cheap_features(evidence(*["one two"] * 30), scores(*np.linspace(0, 1, 30)))
    assert many[:, CHEAP.index("dense, against the policy's others")].mean() == pytest.approx(0.0, abs=1e-6)


def test_scores_that_are_all_alike_stand_out_nowhere():
    cheap = cheap_features(evidence("one", "two"), scores(0.5, 0.5))
    assert not cheap[:, CHEAP.index("bm25, against the policy's others")].any()


def test_one_sentence_and_none():
    assert cheap_features(evidence("one"), scores(0.5)).shape == (1, len(CHEAP))
    assert cheap_features(evidence(), scores()).shape == (0, len(CHEAP))


def test_what_was_not_read_counts_as_a_no():
    cheap = cheap_features(evidence("one", "two"), scores(0.1, 0.2))
    full = full_features(cheap, [Reading(1.0, 2.0, 3.0, Span(0, 1)), None])
    assert full[:, FULL.index("bears")].tolist() == [2.0, UNREAD]


def test_a_neighbour_that_was_not_read_counts_as_a_middling_one():
    cheap = cheap_features(evidence(*["one"] * 4), scores(0.1, 0.2, 0.3, 0.4))
    read = [Reading(0.0, bears, 0.0, Span(0, 1)) for bears in (1.0, 2.0, 6.0)]
    full = full_features(cheap, [*read, None])
    assert full[:, FULL.index("bears, of the sentence before")].tolist() == [2.0, 1.0, 2.0, 6.0]
    assert full[:, FULL.index("bears, of the sentence after")].tolist() == [2.0, 6.0, 2.0, 2.0]


def test_what_is_around_a_sentence():
    cheap = cheap_features(evidence(*["one"] * 5), scores(0.0, 0.0, 1.0, 0.0, 0.5))
    assert cheap[:, CHEAP.index("dense of the sentences around")].tolist() == pytest.approx([0.2, 0.2, 0.3, 0.4, 0.5])


def test_neighbours_of_the_first_and_the_last():
    before, after = neighbours(np.array([1.0, 2.0, 3.0], dtype=np.float32), -1.0)
    assert (before.tolist(), after.tolist()) == ([-1.0, 1.0, 2.0], [2.0, 3.0, -1.0])
