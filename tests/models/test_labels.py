from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.labels import BITS, LEAST_KNOWN, LONGEST, Bag, Vocabulary, places
from smallprint.text import hashed, ngrams, word_hashes

WORDS = "we collect your name and share it".split()


def sigmoid(score: float) -> float:
    return 1 / (1 + np.exp(-score))


@pytest.fixture(scope="module")
def bag(tmp_path_factory):
    """Give a student of two labels: "collect" speaks for the first, "share it" as a pair for the second."""
    where = tmp_path_factory.mktemp("weights")
    vectors = np.zeros((1 << BITS, 3), dtype=np.int8)
    vectors[places(hashed(["collect"]))[0]] = (10, 0, 0)
    vectors[places(hashed(["share", "it"]))[-1]] = (0, 10, 0)
    vectors[places(hashed(["name"]))[0]] = (0, 0, 10)
    arrays = {
        "vectors": vectors,
        "step": np.array([1, 2, 1], dtype=np.float16),
        # The third hidden unit is below zero whatever is said, and so says nothing.
        "hidden": np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float16),
        "hidden_bias": np.array([0, 0, -100], dtype=np.float16),
        "out": np.array([[1, 0], [0, 1], [50, 50]], dtype=np.float16),
        "out_bias": np.array([-1, -2], dtype=np.float16),
        "vocabulary": np.unique((hashed(WORDS) & np.uint64(0xFFFFFFFF)).astype(np.uint32)),
    }
    store.save("toy", arrays, where)
    return Bag("toy", where)


# Places


def test_words_and_pairs_of_words_have_places():
    one, pair = hashed(["share"]), hashed(["share", "it"])
    assert places(hashed([])).tolist() == []
    assert len(places(one)) == 1
    assert len(places(pair)) == 3
    assert places(pair)[0] == places(one)[0]
    assert len(places(hashed(WORDS))) == 2 * len(WORDS) - 1
    assert not np.array_equal(places(hashed(["it", "share"]))[-1:], places(pair)[-1:])


@given(st.text(max_size=40))
def test_places_lie_in_the_table(text):
    found = places(word_hashes(text))
    assert found.dtype == np.int64
    assert ((found >= 0) & (found < 1 << BITS)).all()


def test_a_pair_is_a_gram_of_two():
    hashes = hashed(["share", "it"])
    assert places(hashes)[-1] == places(ngrams(hashes, 2))[0]


# Labels


def test_a_passage_is_the_mean_of_its_words_and_pairs(bag):
    # Five grams in "we collect name": three words, two pairs; seven in "we share it and".
    said = bag.labels(["We collect name.", "we share it and", "we"])
    assert said.dtype == np.float32
    assert said == pytest.approx(
        np.array(
            [
                [sigmoid(10 / 5 - 1), sigmoid(-2)],
                [sigmoid(-1), sigmoid(2 * 10 / 7 - 2)],
                [sigmoid(-1), sigmoid(-2)],
            ]
        ),
        abs=1e-6,
    )


def test_what_cannot_be_read_gets_no_label(bag):
    texts = ["", " … ", "zebra crossings collect", "Wir erheben Daten", "1234 5678", "\ud800"]
    assert bag.labels(texts).tolist() == [[0.0, 0.0]] * len(texts)


def test_half_of_the_words_known_is_enough(bag):
    # Of "collect zebra" the two words and the pair make three grams.
    assert bag.labels(["collect zebra"])[0, 0] == pytest.approx(sigmoid(10 / 3 - 1))


def test_a_score_does_not_depend_on_its_neighbours(bag):
    texts = ["We collect name.", "", "we share it and", "zebra", "your name"]
    together = bag.labels(texts)
    assert np.array_equal(together, np.concatenate([bag.labels([text]) for text in texts]))
    assert np.array_equal(bag.labels(texts[::-1]), together[::-1])


def test_no_texts_have_no_labels(bag):
    assert bag.labels([]).shape == (0, 2)


def test_a_passage_is_read_to_its_20000th_character(bag):
    beginning = "we " * (LONGEST // 3 + 1)
    assert LONGEST == 20_000
    assert np.array_equal(bag.labels([beginning[:LONGEST] + " collect" * 9000]), bag.labels([beginning[:LONGEST]]))


def test_a_student_nobody_made(tmp_path):
    with pytest.raises(NoModel, match="no model 'toy'"):
        Bag("toy", tmp_path)


# The vocabulary


def vocabulary(*words: str) -> Vocabulary:
    return Vocabulary(np.unique((hashed(list(words)) & np.uint64(0xFFFFFFFF)).astype(np.uint32)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0.0),
        (" … ", 0.0),
        ("zebra", 0.0),
        ("name", 1.0),
        ("We COLLECT your Name.", 1.0),
        ("we we we zebra", 0.75),
        ("we collect zebra crossings", 0.5),
        ("Wir erheben Daten we", 0.25),
    ],
)
def test_the_share_of_words_that_are_known(text, expected):
    assert vocabulary(*WORDS).share(word_hashes(text)) == expected


def test_a_text_is_read_where_half_of_its_words_are_known():
    known = vocabulary(*WORDS)
    assert LEAST_KNOWN == 0.5
    assert known.can_read("we collect zebra crossings")
    assert not known.can_read("we like zebra crossings")
    assert not known.can_read("")
    assert not known.can_read("当社は、お客様の個人情報を適切に取り扱います。")


def test_a_long_text_is_judged_by_its_beginning():
    beginning = "we share it. " * (LONGEST // 13 + 1)
    assert vocabulary(*WORDS).can_read(beginning + "zebra " * 100_000)


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1), st.lists(st.text("abc", min_size=1, max_size=3)))
def test_shares_are_counted(known, words):
    expected = sum(word in known for word in words) / len(words) if words else 0.0
    assert vocabulary(*known).share(hashed(words)) == pytest.approx(expected)
