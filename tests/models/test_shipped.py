"""The weights that are shipped: what they say of plain passages, and that they say nothing of what is none."""

from __future__ import annotations

import json

import numpy as np
import pytest

from smallprint.annotate.kinds import ENCODER, WINDOWS
from smallprint.models import store
from smallprint.models.encoder import Encoder
from smallprint.models.labels import STUDENT, Bag, column
from smallprint.models.windows import Windows
from smallprint.taxonomy import POLARITY, Label

PLAIN = {
    "first-party": "We collect your name and e-mail address when you open an account, so that we can send your order.",
    "third-party": "We share your personal information with our advertising partners.",
    "choice": "You may opt out of receiving our newsletter by following the link at the end of each message.",
    "access": "You can log in to your account to correct or delete the information we hold about you.",
    "retention": "We keep your personal information for seven years after your account is closed.",
    "security": "We use encryption and firewalls to protect your information against unauthorised access.",
    "change": "We may change this policy from time to time; we will post the new version on this page.",
    "do-not-track": "Our site does not respond to Do Not Track signals sent by your browser.",
    "audiences": "Our service is not meant for children under 13, and California residents have further rights.",
    "contact": "If you have questions about this privacy policy, write to us at privacy@shop.example.",
}
NOTHING = {
    "empty": "",
    "blanks": " \n\t ",
    "digits": "0123456789 " * 300,
    "keys": "a8f3-99c1-bb20 x7Yq9zPl0w " * 200,
    "one letter": "a" * 100_000,
    "German": "Wir erheben personenbezogene Daten, wenn Sie unsere Website besuchen, und geben diese nicht an Dritte "
    "weiter, es sei denn, dass wir gesetzlich dazu verpflichtet sind oder Sie eingewilligt haben.",
    "French": "Nous recueillons vos données personnelles lorsque vous utilisez notre site et nous ne les partageons "
    "pas avec des tiers sans votre consentement préalable, sauf obligation légale.",
    "Spanish": "Recopilamos sus datos personales cuando usted utiliza nuestro sitio y no los compartimos con terceros "
    "sin su consentimiento previo, salvo que la ley nos obligue a ello.",
    "Russian": "Мы собираем ваши персональные данные, когда вы пользуетесь нашим сайтом, и не передаём их никому.",
    "Chinese": "当您使用我们的网站时，我们会收集您的个人信息，未经您的同意，我们不会与第三方共享。",
    "emoji": "🍪" * 500,
    "nulls": "\x00" * 1000,
}


@pytest.fixture(scope="module", params=["encoder", "student"])
def labeller(request):
    return Encoder() if request.param == "encoder" else Bag(STUDENT)


@pytest.mark.parametrize(("category", "text"), PLAIN.items())
def test_a_plain_passage_gets_its_category(labeller, category, text):
    assert labeller.labels([text])[0, column(Label(category))] >= 0.5


@pytest.mark.parametrize("name", NOTHING)
def test_what_cannot_be_read_gets_no_label(labeller, name):
    assert not labeller.labels([NOTHING[name]]).any()


def test_a_very_long_passage_keeps_its_topic(labeller):
    said = labeller.labels([(PLAIN["security"] + " ") * 1200])[0]
    assert said[column(Label("security"))] >= 0.5
    assert said[column(Label("do-not-track"))] < 0.5


def test_a_score_does_not_depend_on_its_neighbours(labeller):
    texts = [*PLAIN.values(), *NOTHING.values()]
    alone = np.stack([labeller.labels([text])[0] for text in texts])
    assert np.allclose(labeller.labels(texts), alone, atol=1e-6)
    assert np.allclose(labeller.labels(texts[::-1])[::-1], alone, atol=1e-6)


def test_denying_is_told_from_affirming(labeller):
    denied = column(POLARITY[3])
    said = labeller.labels(
        ["We do not sell, rent or share your personal information with anybody.", PLAIN["third-party"]]
    )
    assert said[0, denied] > 0.5 > said[1, denied]


def test_the_encoder_says_what_the_network_said():
    card = json.loads((store.folder() / f"{ENCODER}.json").read_text(encoding="utf-8"))
    reference = card["parity"]["reference"]
    said = Encoder().labels(list(reference))
    apart = np.abs(said - np.array(list(reference.values())))
    assert (apart.mean() < 0.02, apart.max() < 0.35) == (True, True)
    figures = card["parity"]["on the test policies"]
    assert all(abs(figures["float"][name] - figures["int8"][name]) <= 0.005 for name in ("micro_F1", "macro_F1"))


@pytest.mark.parametrize("marker", [Encoder, lambda: Windows(WINDOWS)])
def test_vague_words_are_marked(marker):
    words = "We may share certain information with our partners from time to time .".split()
    made = marker()
    marked = [word for word, mark in zip(words, made.mark(words), strict=True) if mark >= made.threshold]
    assert {"may", "certain"} <= set(marked)
    assert not {"We", "with", "our", "."} & set(marked)


def test_cards_name_the_weights_that_are_shipped():
    for name in (ENCODER, STUDENT, WINDOWS):
        card = json.loads((store.folder() / f"{name}.json").read_text(encoding="utf-8"))
        assert card["version"] == store.version(name)


def test_weights_are_small():
    assert sum(path.stat().st_size for path in store.folder().iterdir()) < 80_000_000
