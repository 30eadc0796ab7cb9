from __future__ import annotations

from smallprint.datasets.verdicts import Wording
from smallprint.evaluate.wordings import wording_measures
from smallprint.models.card_mapper import CardMatch

# Each wording with what the mapper says of it: code, polarity, scope, whether it is sure.
WORDED = [
    (Wording("sells", "one", "+", "r u flogging my stuff"), ("sells", "+", "one", True)),
    (Wording("sells", "one", "-", "is my info kept off the market"), ("sells", "+", "one", True)),
    (Wording("ai", "one", "+", "do bots learn from {name}'s users"), ("ai", "+", "one", False)),
    (Wording("dnt", "one", "+", "does my browser's plea count"), ("cookies", "+", "one", True)),
    (Wording("ai", "many", "-", "who keeps bots off user content"), ("ai", "-", "many", True)),
    (Wording("ai", "many", "0", "who says nothing of bots"), ("ai", "-", "many", True)),
]


class Known:
    """A mapper that knows a few wordings by heart."""

    def match(self, question):
        (code, polarity, scope, is_sure) = {wording.text: said for wording, said in WORDED}[question]
        return CardMatch(code, polarity, scope, 0.9, 0.9, is_sure)


def test_every_measure():
    assert wording_measures([wording for wording, _ in WORDED], Known()) == {
        "one": 0.75,
        "many": 1.0,
        "polarity_one": 2 / 3,
        "polarity_many": 0.5,
        "sure_one": 0.5,
        "sure_many": 1.0,
        "n": 6,
    }


def test_a_share_of_nothing_is_null():
    measures = wording_measures([WORDED[3][0]], Known())
    assert (measures["one"], measures["polarity_one"], measures["many"], measures["n"]) == (0.0, None, None, 1)
