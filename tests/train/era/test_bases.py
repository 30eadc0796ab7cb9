from __future__ import annotations

import random

import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.train.era import bases  # noqa: E402 - needs torch
from smallprint.train.era.bases import MASK, TEMPERATURE, Guesser, base_model, guess_loss, hide, self_loss, twice  # noqa: E402 - needs torch
from smallprint.train.era.bench import ADAPTED, GENERAL, SIMCSE  # noqa: E402 - needs torch
from smallprint.train.fitting import Plan, padded  # noqa: E402 - needs torch
from smallprint.train.network import Tower, pretrained  # noqa: E402 - needs torch

WORDS = 30522
TEXT = [101, *range(2000, 2100), 102]


def network(layers=None):
    return pretrained(Tower({}, each_token=True), layers)


# Masks


def test_some_words_are_hidden_and_none_that_opens_or_closes():
    for seed in range(20):
        made, stood = hide(TEXT, WORDS, random.Random(seed))
        assert len(stood) == 15
        assert 0 not in stood
        assert len(TEXT) - 1 not in stood
        assert all(TEXT[place] == word for place, word in stood.items())
        assert [one for place, one in enumerate(made) if place not in stood] == [
            one for place, one in enumerate(TEXT) if place not in stood
        ]


def test_eight_in_ten_become_the_mask_one_another_word_and_one_stays():
    made = [hide(TEXT, WORDS, random.Random(seed)) for seed in range(200)]
    said = [(text[place], word) for text, stood in made for place, word in stood.items()]
    assert sum(one == MASK for one, _ in said) / len(said) == pytest.approx(0.8, abs=0.03)
    assert sum(one == word for one, word in said) / len(said) == pytest.approx(0.1, abs=0.02)


def test_even_a_short_text_has_something_hidden():
    assert len(hide([101, 2000, 102], WORDS, random.Random(1))[1]) == 1


def test_the_head_is_tied_to_embeddings_that_stay_as_they_are(toy):
    made = network()
    guesser = Guesser(made)
    trained = {name for name, one in guesser.named_parameters() if one.requires_grad}
    assert not [name for name in trained if "embeddings" in name]
    assert {"guess.heads.transform.weight", "guess.bias", "network.tower.layers.0.query.weight"} <= trained
    states = torch.randn(3, made.embeddings.words.embedding_dim)
    before = guesser.guesses(states)
    assert before.shape == (3, WORDS)
    with torch.no_grad():
        made.embeddings.words.weight[7] *= 2
    assert not torch.allclose(guesser.guesses(states)[:, 7], before[:, 7])
    assert torch.allclose(guesser.guesses(states)[:, 8], before[:, 8])


@torch.no_grad()
def test_only_hidden_places_are_guessed(toy):
    guesser = Guesser(network()).eval()
    seen = []
    guessed = guesser.guesses
    guesser.guesses = lambda states: seen.append(len(states)) or guessed(states)
    states = guesser(*padded([[101, 5, 6, 102], [101, 7, 102]]))
    loss = guess_loss(guesser, states, [{1: 5, 2: 6}, {1: 7}])
    assert seen == [3]
    every = torch.log_softmax(guessed(states.flatten(0, 1)), dim=1)
    expected = -(every[1, 5] + every[2, 6] + every[5, 7]) / 3
    assert float(loss) == pytest.approx(float(expected), rel=1e-4)


def test_words_that_always_stand_there_are_learnt(toy, tmp_path):
    texts = [[101, 2000 + n % 3, 2010 + n % 3, 2020 + n % 3, 102] for n in range(48)]
    guesser = bases.adapt(
        network(), texts, Plan(epochs=30, batch=8, rate=5e-3, head_rate=2e-2), lambda line: None, tmp_path / "c"
    )
    assert bases.measure(guesser, texts, 1)["right"] > 0.6


# SimCSE


def test_the_loss_is_that_of_finding_oneself():
    one = torch.nn.functional.normalize(torch.randn(4, 8, generator=torch.Generator().manual_seed(1)), dim=1)
    other = torch.nn.functional.normalize(torch.randn(4, 8, generator=torch.Generator().manual_seed(2)), dim=1)
    near = (one @ other.T / TEMPERATURE).softmax(1)
    assert float(self_loss(torch.cat([one, other]))) == pytest.approx(float(-near.diagonal().log().mean()), rel=1e-5)
    assert float(self_loss(torch.cat([one, one]))) < float(self_loss(torch.cat([one, other])))


def test_every_text_is_in_its_batch_twice_in_the_same_order():
    for batch, _ in twice([[length] * length for length in (5, 3, 9, 2, 7, 1, 4)], 3, random.Random(1)):
        half = len(batch) // 2
        assert batch[:half] == batch[half:]
        assert half > 1


def test_two_readings_of_a_text_differ_and_training_brings_them_together(toy, tmp_path):
    luck = random.Random(1)
    texts = [[101, *(luck.randrange(1000, 3000) for _ in range(8)), 102] for _ in range(24)]
    made = network()

    def loss():
        made.train()
        torch.manual_seed(5)
        with torch.no_grad():
            return float(self_loss(made.vectors(*padded(texts + texts))))

    before = loss()
    assert before > 0
    bases.contrast(made, texts, Plan(epochs=6, batch=8, rate=1e-3), lambda line: None, tmp_path / "c")
    assert loss() < before


# Base models


def test_each_base_model_begins_from_the_one_before(bench):
    general, adapted, simcse_ = (base_model(bench, name) for name in (GENERAL, ADAPTED, SIMCSE))
    assert (general.layers, general.steps) == (None, ())
    layers = [network(one.layers).state_dict() for one in (general, adapted, simcse_)]
    for name in layers[0]:
        same = torch.equal(layers[0][name], layers[1][name]), torch.equal(layers[1][name], layers[2][name])
        assert same == ((True, True) if name.startswith("embeddings") else (False, False))
    assert adapted.steps[0].counts["sentences"] == bench.sizes.masked
    assert adapted.steps[0].counts["steps"] == 1
