from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make test-train'")

from smallprint.ask.verdict.card import card_of, stances_of
from smallprint.card import CODES, STANCES, VERDICTS
from smallprint.datasets.verdicts import AskedItem, CardItem, Labels
from smallprint.models import store
from smallprint.models.verdicts import NAME, VerdictRule, card_majority, majority_of
from smallprint.records import Sentence
from smallprint.train import verdicts

SPEAKS = {"yes": "+", "no": "-", "depends": "~", "silent": "0"}


def labelled(policies=12, sentences=6):
    """Give policies whose second sentence says on each question what the card says, and the logits that tell so."""
    luck = np.random.default_rng(1)
    items, logits = [], []
    texts = {f"p{number}": (Sentence("A sentence."),) * sentences for number in range(policies)}
    for name in texts:
        own = np.zeros((sentences, len(CODES), len(STANCES)), dtype=np.float32)
        own[:, :, 0] = 4
        for place, code in enumerate(CODES):
            verdict = str(luck.choice(list(SPEAKS)))
            own[1, place, STANCES.index(SPEAKS[verdict])] += 8
            items.append(CardItem(name, code, verdict, (verdict,), (1,) if verdict != "silent" else (), ()))
        logits.append(own + luck.normal(0, 0.3, own.shape).astype(np.float32))
    return Labels(texts, tuple(items)), stances_of(np.concatenate(logits)[None])


def test_the_rule_tells_verdicts_from_stances(tmp_path):
    labels, stances = labelled()
    arrays, figures = verdicts.fit(labels, stances, lambda _: None)
    assert figures["accuracy"] > 0.95
    store.save(NAME, arrays, tmp_path)
    rule = VerdictRule(tmp_path)
    sentences = labels.policies["p0"]
    card = card_of(sentences, stances[:, : len(sentences)], rule)
    truth = [item.verdict for item in labels.card[: len(CODES)]]
    assert np.mean([own.verdict == true for own, true in zip(card, truth, strict=True)]) > 0.9
    assert {own.places for own, true in zip(card, truth, strict=True) if own.verdict == true != "silent"} == {(1,)}


def test_a_verdict_that_was_never_met_is_never_given():
    labels, stances = labelled()
    arrays, _ = verdicts.fit(labels, stances, lambda _: None)
    assert (arrays["bias"][:, VERDICTS.index("both")] < -50).all()


def test_the_commonest_verdict_of_questions(tmp_path):
    items = [
        AskedItem(str(n), "p", "?", "", v, (v,), {}, (), ()) for n, v in enumerate(["yes", "yes", "no", "", "told"])
    ]
    store.save(NAME, {"majority_asked": verdicts.commonest(items)}, tmp_path)
    assert majority_of("asked", tmp_path) == ("yes", pytest.approx(2 / 3))


def test_the_commonest_verdict_of_each_question(tmp_path):
    items = [
        CardItem(name, "sells", verdict, (), (), ()) for name, verdict in zip("pqr", ("no", "no", "yes"), strict=True)
    ]
    items += [CardItem("p", code, "yes", (), (), ()) for code in CODES[1:]]
    store.save(NAME, {"majority": verdicts.majority(Labels({}, tuple(items)))}, tmp_path)
    assert card_majority(tmp_path)["sells"] == ("no", pytest.approx(2 / 3))
    assert card_majority(tmp_path)["ai"] == ("yes", 1.0)
