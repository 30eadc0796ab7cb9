from __future__ import annotations

import numpy as np
import pytest

from smallprint.ask.model_set import kit
from smallprint.ask.question.analysis import ask
from smallprint.ask.ranking.evidence import Evidence
from smallprint.ask.ranking.rankers import RANKERS, combined, rank

from ..shop import SENTENCES, shop

QUESTIONS = {
    "Do you sell my data?": "never sell",
    "How long are my orders kept?": "seven years",
    "Is my card number safe?": "encrypted",
    "Will you tell me when the policy changes?": "before this policy changes",
}
GOOD = ("combined", "combined with all read", "reader", "reader without spans", "dense", "paraphrased")


@pytest.mark.parametrize("ranker", RANKERS)
def test_every_ranker_scores_every_sentence(ranker):
    scores = rank(ranker, ask("Who gets my address?", kit()), shop(), kit())
    assert scores.shape == (len(SENTENCES),)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("ranker", RANKERS)
def test_of_no_sentences_none_is_scored(ranker):
    nothing = Evidence((), shop().labels[:0], shop().vectors[:0])
    assert len(rank(ranker, ask("Who gets my address?", kit()), nothing, kit())) == 0


@pytest.mark.parametrize("ranker", GOOD)
@pytest.mark.parametrize(("question", "words"), QUESTIONS.items())
def test_what_answers_is_among_the_first_two(ranker, question, words):
    scores = rank(ranker, ask(question, kit()), shop(), kit())
    assert any(words in SENTENCES[place].text for place in np.argsort(-scores)[:2])


def test_what_was_not_read_comes_after_what_was():
    scores, readings = combined(ask("Do you sell my data?", kit()), shop(), kit(), rescored=3)
    read = [place for place, one in enumerate(readings) if one is not None]
    assert len(read) == 3
    assert set(np.argsort(-scores)[:3].tolist()) == set(read)


def test_without_the_reader_nothing_is_read():
    _, readings = combined(ask("Do you sell my data?", kit()), shop(), kit(), without="the reader")
    assert not any(readings)


def test_the_reader_goes_by_the_best_of_some_ways_of_asking():
    asked = ask("do u sell my info", kit())
    alone, ways = (rank(name, asked, shop(), kit()) for name in ("reader without expansion", "reader"))
    assert (ways >= alone - 1e-4).all()
