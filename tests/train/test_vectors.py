from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("gensim", reason="training tests need gensim: run 'make test-train'")

from smallprint.models import store
from smallprint.models.vectors import NAME, Vectors, parts
from smallprint.train import vectors as module
from smallprint.train.sentences import Sentence
from smallprint.train.vectors import learn, make, packed, tokens, vocabulary_of

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
    assert found.words == ["all", "b", "two"]  # "own" is of one site only
    assert found.counts == [3, 2, 2]


def test_headings_that_run_into_paragraphs_are_no_words():
    texts = [["parties", "we", "behaviour", "somewhere"]] * 40 + [["partieswe"]] + [["thepartieswe", "harbour"]] * 2
    found = vocabulary_of(texts, [str(number) for number in range(len(texts))]).words
    assert set(found) == {"parties", "we", "behaviour", "somewhere", "thepartieswe", "harbour"}


def test_what_all_words_have_in_common_is_taken_away(learnt):
    found, subwords = learnt
    assert np.abs(found.words.mean(axis=0)).max() < (0.1 if subwords else 1e-5)


def test_a_word_seldom_met_is_what_its_parts_say(vocabulary):
    texts = [*TEXTS, ["encryptedly", "zzz"]]
    known = vocabulary_of(texts, ["one.example"] * len(texts))
    found = learn(texts, known, quiet)
    rows = found.words / np.linalg.norm(found.words, axis=1, keepdims=True)
    likeness = {
        word: float(rows[known.words.index(word)] @ rows[known.words.index("encryptedly")]) for word in known.words
    }
    assert max(likeness.items(), key=lambda pair: pair[1] * (pair[0] != "encryptedly"))[0] == "encrypted"


def test_words_of_one_kind_are_nearer(learnt, vocabulary):
    found, _ = learnt
    rows = found.words / np.linalg.norm(found.words, axis=1, keepdims=True)
    place = {word: number for number, word in enumerate(vocabulary.words)}
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
    speech = ["NN"] * len(vocabulary.words)
    store.save(NAME, packed(vocabulary, found, speech, 300), tmp_path)
    made = Vectors(tmp_path)
    assert made.words == tuple(vocabulary.words)
    assert made.counts.tolist() == vocabulary.counts
    assert made.sentences == 300
    most = np.abs(found.words).max(axis=1)
    assert (np.abs(made.vectors(vocabulary.words) - found.words).max(axis=1) <= most / 127).all()
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
    rows = packed(module.Vocabulary(["a", "b"], [1, 1]), nothing, ["", ""], 2)
    assert not rows["vectors"].any()
    assert np.isfinite(rows["steps"]).all()


def test_weights_and_card(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "tagged", lambda texts, words, say: ["NN"] * len(words))
    monkeypatch.setattr(
        module, "sentences", lambda data, say: [Sentence(f"{n}.example", " ".join(t)) for n, t in enumerate(TEXTS)]
    )
    monkeypatch.setattr(module, "measured", lambda data, vectors, say: {"words": len(vectors.words)})
    card = module.train(tmp_path, tmp_path / "out", quiet, subwords=False)
    assert json.loads((tmp_path / "out" / "vectors.json").read_text(encoding="utf-8")) == card
    assert card["version"] == store.version(NAME, tmp_path / "out")
    assert (card["sentences"], card["subwords"], card["measured"]) == (300, "none", {"words": card["vocabulary"]})


def test_nothing_is_learnt_of_words_that_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "tagged", lambda texts, words, say: [""] * len(words))
    monkeypatch.setattr(module, "LEAST_SITES", 2)
    read = [Sentence("one.example", "secret words"), *(Sentence(f"{n}.example", "plain words here") for n in range(9))]
    make(read, tmp_path, quiet)
    assert sorted(Vectors(tmp_path).words) == ["here", "plain", "words"]
