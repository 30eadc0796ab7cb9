from __future__ import annotations

import numpy as np

from smallprint.ask.answer.answering import Source
from smallprint.models.labels import COLUMNS, column
from smallprint.records import Quote, Segment, Span
from smallprint.taxonomy import Label
from smallprint.view.comparison import Cell, cells

from ..library.test_annotations import table

THIRD, SECURITY = Label("third-party"), Label("security")
DOES, DOES_NOT = Label("third-party", "Does/Does Not", "Does"), Label("third-party", "Does/Does Not", "Does Not")


class Knowing:
    """A labeller that knows what each sentence says."""

    def __init__(self, **known):
        self.known = known
        self.asked = []

    def labels(self, texts):
        self.asked += texts
        found = np.zeros((len(texts), len(COLUMNS)), dtype=np.float32)
        for row, text in enumerate(texts):
            for words, labels in self.known.items():
                if words in text:
                    for label, probability in labels.items():
                        found[row, column(label)] = probability
        return found


SHOP = Source("shop.example", "shop.example@1")


def quote(segment, start, end, text, **more):
    return Quote(**SHOP.cite(segment), start=start, end=end, text=text, **more)


def policy(*passages: tuple[str, ...], kinds=()) -> tuple[str, list[Segment]]:
    """Lay out passages of sentences, each by itself."""
    text, segments = "", []
    for ordinal, sentences in enumerate(passages):
        spans = []
        for sentence in sentences:
            spans.append(Span(len(text), len(text) + len(sentence)))
            text += sentence + " "
        segments.append(Segment(ordinal, "paragraph", spans[0].start, spans[-1].end, sentences=tuple(spans)))
    return text, segments


def texts(found: Cell) -> tuple[str | None, str | None]:
    return found.affirmed and found.affirmed.text, found.denied and found.denied.text


def test_the_likeliest_sentence_is_quoted_with_its_place():
    text, segments = policy(("Welcome to us.", "We guard it very well.", "Bye."))
    labeller = Knowing(guard={SECURITY: 0.9})
    found = cells(SHOP, text, segments, table({SECURITY: 204}), [SECURITY, THIRD], labeller)
    assert found == {SECURITY: Cell("says", 0.8, quote(0, 15, 37, "We guard it very well.", probability=0.8), None, 1)}
    assert labeller.asked == ["Welcome to us.", "We guard it very well.", "Bye."]


def test_a_whole_sentence_goes_before_a_cell():
    text, segments = policy(("Guarded | always",), ("We guard it very well.",))
    found = cells(SHOP, text, segments, table({SECURITY: 220}, {SECURITY: 204}), [SECURITY],
                 Knowing(uarded={SECURITY: 0.9}, guard={SECURITY: 0.9}))  # fmt: skip
    assert texts(found[SECURITY]) == ("We guard it very well.", None)
    # But where nothing else says it, the cell is better than nothing.
    found = cells(SHOP, text, segments, table({SECURITY: 220}, {}), [SECURITY], Knowing())
    assert texts(found[SECURITY]) == ("Guarded | always", None)


def test_a_few_words_that_only_name_a_thing_are_passed_over():
    text, segments = policy(("Guarded doors.", "We guard it as well as we can."))
    found = cells(SHOP, text, segments, table({SECURITY: 220}), [SECURITY],
                 Knowing(doors={SECURITY: 1.0}, guard={SECURITY: 0.3}))  # fmt: skip
    assert texts(found[SECURITY]) == ("We guard it as well as we can.", None)


def test_an_item_is_read_and_quoted_with_its_lead_in():
    text = "We share it with: brokers"
    segments = [Segment(0, "paragraph", 0, 17, sentences=(Span(0, 17),)),
                Segment(1, "item", 18, 25, (), Span(0, 17), (Span(18, 25),))]  # fmt: skip
    labeller = Knowing(brokers={THIRD: 1.0, DOES: 1.0})
    found = cells(SHOP, text, segments, table({}, {THIRD: 255, DOES: 255}), [THIRD], labeller)
    assert found[THIRD].affirmed == quote(
        1, 18, 25, "brokers", probability=1.0, lead_in="We share it with:", refers_to=Span(0, 17)
    )
    assert labeller.asked == ["We share it with: brokers"]


def test_a_passage_that_denies():
    text, segments = policy(("We sell nothing.",), ("We share it with some.",))
    probabilities = table({THIRD: 255, DOES_NOT: 255}, {THIRD: 204, DOES: 255})
    assert texts(cells(SHOP, text, segments, probabilities, [THIRD], Knowing())[THIRD]) == (
        "We share it with some.",
        "We sell nothing.",
    )
    assert texts(cells(SHOP, text, segments, table({THIRD: 255, DOES_NOT: 255}, {}), [THIRD], Knowing())[THIRD]) == (
        None,
        "We sell nothing.",
    )


def test_where_a_passage_does_both_its_sentences_decide():
    text, segments = policy(("We share it with some.", "We sell nothing."))
    labeller = Knowing(share={THIRD: 0.8, DOES: 0.9}, sell={THIRD: 0.9, DOES_NOT: 0.9})
    both = table({THIRD: 255, DOES: 255, DOES_NOT: 255})
    assert texts(cells(SHOP, text, segments, both, [THIRD], labeller)[THIRD]) == (
        "We share it with some.",
        "We sell nothing.",
    )


def test_a_sentence_that_says_the_contrary_of_its_passage_is_passed_over():
    text, segments = policy(("We sell nothing.", "We share it with some."))
    labeller = Knowing(share={THIRD: 0.6, DOES: 0.9}, sell={THIRD: 0.9, DOES_NOT: 0.9})
    found = cells(SHOP, text, segments, table({THIRD: 255, DOES: 255}), [THIRD], labeller)
    assert texts(found[THIRD]) == ("We share it with some.", None)


def test_categories_without_polarity_are_never_denied():
    text, segments = policy(("We do not guard it.",))
    labeller = Knowing(guard={SECURITY: 0.9, DOES_NOT: 0.9})
    assert texts(
        cells(SHOP, text, segments, table({SECURITY: 255, DOES_NOT: 255}), [SECURITY], labeller)[SECURITY]
    ) == (
        "We do not guard it.",
        None,
    )


def test_nothing_holds():
    text, segments = policy(("We sell nothing.",))
    assert cells(SHOP, text, segments, table({THIRD: 127}), [THIRD, SECURITY], Knowing()) == {}
    assert cells(SHOP, "", [], table(), [THIRD], Knowing()) == {}
