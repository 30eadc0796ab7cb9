"""From a decision to an answer: order, length, what is referred to, and the summary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from smallprint.ask.answer.answering import practice_of, refers_back, shortened, summarised, whole_words, worded
from smallprint.ask.answer.decision import AT_FIRST, Decision, conflicting
from smallprint.ask.question.analysis import Asked
from smallprint.ask.question.normalising import Question
from smallprint.ask.ranking.evidence import Evidence
from smallprint.card import Verdict
from smallprint.models.labels import COLUMNS, column
from smallprint.models.reader import Reading
from smallprint.records import Sentence, Span
from smallprint.taxonomy import DOES, DOES_NOT, Label

SHARED = Label("third-party")


def said(*labels):
    found = np.zeros(len(COLUMNS), dtype=np.float32)
    found[[column(label) for label in labels]] = 0.9
    return found


def evidence(texts, passages=None, labels=None):
    places = np.cumsum([0, *(len(text) + 1 for text in texts)])
    return Evidence(
        tuple(
            Sentence(text, ("Sharing",), passage, int(start), int(start) + len(text))
            for text, passage, start in zip(texts, passages or range(len(texts)), places, strict=False)
        ),
        np.stack(labels) if labels else np.zeros((len(texts), len(COLUMNS)), dtype=np.float32),
        np.full((len(texts), 4), 0.5, dtype=np.float32),
    )


def asked(text="do you sell my data?"):
    nothing = np.zeros(len(COLUMNS), dtype=np.float32)
    return Asked(Question(text, text, tuple(text.strip("?").split())), (), np.zeros((1, 4)), nothing, 0.0, 1.0)


def decision(scores, chosen, verdict=Verdict.TOLD, readings=None, conflict=None):
    own, numbers = np.array(scores, dtype=np.float32), (0.8, 0.9, 0.85)
    places = tuple(chosen), tuple(chosen), tuple(sorted(chosen))
    return Decision(verdict, verdict, *places, *numbers, own, readings or (None,) * len(scores), conflict)


def test_the_best_quote_comes_first_and_the_rest_on_request():
    texts = [
        "We sell data now.",
        "We keep it.",
        "We sell data there.",
        "Selling data is fun.",
        "To sell data is our trade.",
    ]
    many = evidence([*texts, *(["We like cookies."] * 20)])
    answer = worded(asked(), many, decision([1, 0, 3, 2, 0.5, *([-1] * 20)], [2, 3, 0, 4]))
    assert [quote.text for quote in answer.quotes] == [texts[2], texts[3], texts[0]]
    assert len(answer.quotes) == AT_FIRST
    assert [quote.text for quote in answer.rest] == [texts[4]]
    assert (answer.quotes[2].start, answer.quotes[2].end) == (0, len(texts[0]))
    assert answer.quotes[0].probability == pytest.approx(0.953, abs=0.01)


def test_the_sentence_that_the_line_rests_on_is_told():
    texts = ["We like tea.", "We do not sell your data.", "We sell cakes, not data."]
    answer = worded(asked(), evidence(texts), decision([1, 0.5, 0.2], [0, 1, 2], Verdict.NO))
    assert answer.line == "No, it says it does not sell your data:"
    assert [quote.earns for quote in answer.quotes] == [False, True, False]


def test_the_sentences_that_say_what_the_verdict_says_earn_it():
    texts = ["We like tea.", "To nobody do we pass on what you tell us."]
    readings = (Reading(1, 1, 1, Span(0, 0)), Reading(1, 1, 1, Span(0, 0), (0.1, 0.1, 0.8, 0.0)))
    answer = worded(asked(), evidence(texts), decision([1, 0.5], [1, 0], Verdict.NO, readings))
    assert (answer.verdict, answer.line) == ("no", "No, going by this:")
    assert [quote.earns for quote in answer.quotes] == [True, False]


def test_a_sentence_that_refers_back_comes_with_the_one_before_it_in_its_passage():
    texts = ["We share names with partners.", "They may sell them.", "They like you."]
    answer = worded(asked(), evidence(texts, [0, 0, 1]), decision([0, 1, 1], [1, 2]))
    assert [quote.refers_to for quote in answer.quotes] == [Span(0, len(texts[0])), None]
    assert [quote.lead_in for quote in answer.quotes] == [texts[0], None]


@pytest.mark.parametrize(
    ("text", "refers"),
    [
        ("They may sell it.", True),
        ("This information is shared.", True),
        ("However, these partners are bound.", True),
        ("This privacy policy applies to you.", False),
        ("This site uses cookies.", False),
        ("We sell data.", False),
        ("Thistle is a plant.", False),
    ],
)
def test_what_refers_back(text, refers):
    assert refers_back(text) is refers


def test_the_span_is_marked_where_it_is_a_part():
    text = "We keep your data for two years after you leave."
    part, whole = Reading(1, 1, 1, Span(18, 31)), Reading(1, 1, 1, Span(0, len(text)))
    for reading, span in ((part, Span(18, 31)), (whole, None)):
        answer = worded(asked(), evidence([text]), decision([1], [0], readings=(reading,)))
        assert answer.quotes[0].answer == span


def test_a_span_that_tells_nothing_is_not_marked():
    text = "We keep your data for two years after you leave."
    for end, marked in ((7, None), (17, Span(0, 17))):
        reading = Reading(1, 1, 1, Span(0, end))
        answer = worded(asked(), evidence([text]), decision([1], [0], readings=(reading,)))
        assert answer.quotes[0].answer == marked


def test_beyond_the_first_three_only_what_speaks_for_it_is_kept():
    texts = ["we sell", "we sell", "we sell", "sell data", "data here"]
    kept = shortened(asked("sell data"), evidence(texts), (0, 1, 2, 3, 4))
    assert kept == (0, 1, 2, 4)


def test_the_summary_has_the_best_passages_in_order():
    many = evidence(["a b c"] * 6, [0, 0, 1, 2, 2, 3])
    assert summarised(many, np.array([0.1, 0.9, 0.2, 0.3, 0.1, 0.8], dtype=np.float32), 2) == (0, 3)


def test_one_that_says_and_one_that_denies_are_in_conflict():
    says, denies = (
        said(SHARED, Label("third-party", "Does/Does Not", DOES)),
        said(SHARED, Label("third-party", "Does/Does Not", DOES_NOT)),
    )
    found = evidence(["We share.", "We do not share.", "Other."], labels=[says, denies, said()])
    assert conflicting(found, [0, 1, 2]) == (0, 1)
    assert conflicting(found, [0, 2]) is None
    for other in ("We do not sell.", "We do not share, except with partners.", "We do not share if you say no."):
        assert conflicting(evidence(["We share.", other], labels=[says, denies]), [0, 1]) is None
    apart = replace(found, vectors=np.eye(3, dtype=np.float32))
    assert conflicting(apart, [0, 1, 2]) is None
    answer = worded(asked(), found, decision([2, 1, 0], [0, 1], Verdict.BOTH, conflict=(0, 1)))
    assert answer.conflict == (Span(0, 9), Span(10, 26))


def test_a_practice_is_named_where_it_holds():
    assert practice_of(said(SHARED)) == "who else gets it"
    assert practice_of(said()) is None


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [(8, 13, "Airbnb Platform"), (5, 11, "Airbnb"), (0, 2, "the"), (3, 3, ""), (12, 20, "Platform")],
)
def test_spans_end_where_words_do(start, end, words):
    text = "the, Airbnb Platform"
    found = whole_words(text, start, end)
    assert text[slice(*found)].strip(", ") == words
