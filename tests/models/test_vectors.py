from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.errors import NoModel
from smallprint.models import store
from smallprint.models.vectors import LEAST_COUNT, LONGEST, NAME, PARTS, Neighbour, Vectors, parts, shipped

# Four words around a circle, the first two near each other, and a part of speech for each.
WORDS = ["phone", "telephone", "sell", "phones", "zzz"]
ANGLES = np.array([0.0, 0.2, 1.5, 0.1, 0.15])
SPEECH = ["NN", "NN", "VB", "NNS", ""]
BUCKETS = 20


def save(where, words=WORDS, angles=ANGLES, speech=SPEECH, buckets=BUCKETS):
    rows = np.stack([np.cos(angles), np.sin(angles), np.zeros(len(words))], axis=1)
    luck = np.random.default_rng(1)
    store.save(NAME, {
        "words": np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        "counts": np.arange(len(words), 0, -1, dtype=np.uint32) * LEAST_COUNT,
        "total": np.array(100, dtype=np.uint32),
        "parts": np.array([PARTS.index(part) for part in speech], dtype=np.uint8),
        "vectors": np.rint(rows * 127).astype(np.int8),
        "steps": np.full(len(words), 1 / 127, dtype=np.float16),
        "buckets": luck.integers(-127, 128, (buckets, 3)).astype(np.int8),
        "bucket_steps": np.full(buckets, 0.5, dtype=np.float16),
        "lengths": np.array([3, 6], dtype=np.uint8),
    }, where)  # fmt: skip
    return Vectors(where)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return save(tmp_path_factory.mktemp("vectors"))


@pytest.fixture(scope="module")
def without_parts(tmp_path_factory):
    return save(tmp_path_factory.mktemp("vectors"), buckets=0)


def names(found):
    return [near.word for near in found]


def test_known_words_have_a_rank_a_part_of_speech_and_a_vector(small):
    assert [word in small for word in (*WORDS, "fax", "")] == [True] * 5 + [False] * 2
    assert [small.rank(word) for word in ("phone", "zzz", "fax")] == [1, 5, None]
    assert [small.part(word) for word in ("phone", "phones", "sell", "zzz", "fax")] == ["NN", "NNS", "VB", "", ""]
    assert small.vector("telephone") == pytest.approx([np.cos(0.2), np.sin(0.2), 0], abs=0.01)
    assert small.vector("telephone").dtype == np.float32
    assert (small.counts.tolist(), small.sentences, small.width) == ([125, 100, 75, 50, 25], 100, 3)


def test_what_belongs_to_somebody_is_known_by_their_name(small):
    assert "phone's" in small
    assert np.array_equal(small.vector("phone's"), small.vector("phone"))
    assert "'s" not in small


def test_vectors_of_many_words(small):
    assert small.vectors([]).shape == (0, 3)
    assert np.array_equal(small.vectors(["sell", "fax"]), np.stack([small.vector("sell"), small.vector("fax")]))


def test_a_word_nobody_met_is_the_mean_of_its_parts(small):
    rows = small._buckets[parts("fax", 3, 6, BUCKETS)]
    assert np.allclose(small.vector("fax"), rows.mean(axis=0) * 0.5, atol=1e-5)
    assert not small.vector("").any()
    long = "a" * 10_000
    assert np.array_equal(small.vector(long), small.vector(long[:LONGEST]))


def test_without_parts_a_word_nobody_met_has_none(without_parts):
    assert not without_parts.vector("fax").any()
    assert without_parts.nearest("fax", 3) == ()


def test_the_nearest_words(small):
    assert names(small.nearest("phone", 10)) == ["telephone"]
    assert names(small.nearest("phone", 10, same_part=False)) == ["phones", "zzz", "telephone", "sell"]
    assert names(small.nearest("phone", 2, same_part=False)) == ["phones", "zzz"]
    (near,) = small.nearest("telephone", 1)
    assert near == Neighbour("phone", pytest.approx(np.cos(0.2), abs=0.01))


def test_a_word_of_no_part_of_speech_has_neighbours_of_any(small):
    assert names(small.nearest("zzz", 2)) == ["phones", "telephone"]
    assert len(small.nearest("fax", 9)) == 5


def test_a_rare_word_is_nobody_s_neighbour_but_has_neighbours(tmp_path):
    made = save(tmp_path)
    made.counts[0] = LEAST_COUNT - 1
    assert "phone" not in names(made.nearest("telephone", 9, same_part=False))
    assert names(made.nearest("phone", 1)) == ["telephone"]


@pytest.mark.parametrize("count", [0, -1])
def test_no_neighbours_are_asked_for(small, count):
    assert small.nearest("phone", count) == ()


def test_the_share_of_words_that_policies_use(small):
    assert small.known(["phone", "fax", "sell", "fax"]) == 0.5
    assert small.known([]) == 0.0


def test_parts_of_words_are_hashed_as_fasttext_does():
    # Figures of gensim 4.4's ft_ngram_hashes.
    assert parts("a", 3, 6, 50_000) == [37_600]
    assert parts("é", 3, 6, 50_000) == [6_231]
    assert parts("ip", 3, 6, 50_000) == [34_818, 7_828, 22_966]
    assert len(parts("privacy", 3, 6, 50_000)) == 22
    assert parts("", 3, 6, 50_000) == []


@given(st.text(max_size=60))
def test_any_text_is_a_word(text):
    known = shipped()
    assert known.vector(text).shape == (known.width,)
    assert np.isfinite(known.vector(text)).all()
    assert all(-1.001 <= near.likeness <= 1.001 for near in known.nearest(text, 3))


def test_threads_may_ask_at_the_same_time(small):
    found = []
    threads = [threading.Thread(target=lambda: found.append(small.nearest("phone", 3))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1


def test_weights_that_are_not_there(tmp_path):
    with pytest.raises(NoModel, match=r"^no model 'vectors' in .*; run 'smallprint train vectors'$"):
        Vectors(tmp_path)


class TestShipped:
    """The vectors that are shipped."""

    def test_they_are_within_their_bounds(self):
        known = shipped()
        assert 20_000 <= len(known.words) <= 30_000
        assert known.width == 100
        assert known._buckets.shape == (50_000, 100)
        assert {array.dtype for array in (known._rows, known._buckets)} == {np.dtype(np.int8)}
        assert len(set(known.words)) == len(known.words)
        assert (store.folder() / f"{NAME}.npz").stat().st_size < 9_000_000

    def test_the_commonest_words_come_first(self):
        known = shipped()
        assert {"the", "and", "information", "privacy"} <= set(known.words[:60])
        assert known.sentences > 300_000

    @pytest.mark.parametrize(
        ("word", "near"),
        [
            ("phone", "telephone"), ("sell", "rent"), ("children", "minors"), ("photos", "videos"),
            ("cookies", "beacons"), ("delete", "erase"), ("encrypted", "encryption"), ("advertisers", "advertiser"),
            ("retain", "keep"), ("share", "disclose"), ("subpoena", "summons"), ("location", "geolocation"),
        ],
    )  # fmt: skip
    def test_words_of_one_meaning_are_near(self, word, near):
        assert near in names(shipped().nearest(word, 15, same_part=False))

    @pytest.mark.parametrize(
        ("word", "part"),
        [("phone", "NN"), ("photos", "NNS"), ("sell", "VB"), ("shared", "VBN"), ("collecting", "VBG"), ("may", "MD")],
    )
    def test_parts_of_speech(self, word, part):
        assert shipped().part(word) == part

    def test_neighbours_have_the_word_s_own_form(self):
        known = shipped()
        for word in ("photos", "sell", "collected", "device"):
            assert {known.part(near.word) for near in known.nearest(word, 10)} == {known.part(word)}

    def test_a_slip_is_near_what_was_meant(self):
        assert "information" in names(shipped().nearest("informatiom", 10, same_part=False))
        assert "encryption" in names(shipped().nearest("encryptionn", 10, same_part=False))
