from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint import limits
from smallprint.annotate import readability
from smallprint.annotate.readability import LONGEST_SENTENCE, Readability, grade, running, syllables
from smallprint.clean.segments import compose
from smallprint.records import Block, Span
from smallprint.text import sentences

from ..growth import cpu_seconds, grows_linearly

NOTHING = Readability(0, 0, 0, 0, None)


def counts(text: str, spans: list[Span] | None = None) -> tuple[int, int, int, float | None]:
    found = grade(text, sentences(text) if spans is None else spans)
    return found.words, found.sentences, found.syllables, found.grade


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # 6 words of 1 syllable: 0.39 · 6 + 11.8 · 1 − 15.59
        ("The cat sat on the mat.", (6, 1, 6, -1.45)),
        # Wikipedia's own example, of reading ease 69: This(1) sen-tence(2) ta-ken(2) as(1) a(1) read-ing(2) pas-sage(2)
        # un-to(2) it-self(2) is(1) be-ing(2) used(1) to(1) prove(1) a(1) point(1): 16 words, 23 syllables.
        # 206.835 − 1.015 · 16 − 84.6 · 23 / 16 = 68.98; 0.39 · 16 + 11.8 · 23 / 16 − 15.59 = 7.6125
        (
            "This sentence, taken as a reading passage unto itself, is being used to prove a point.",
            (16, 1, 23, 7.6125),
        ),
        # We(1) don't(1) sell(1) your(1) da-ta(2) | You(1) may(1) opt-out(2) at(1) an-y(2) time(1)
        # 11 words, 2 sentences, 14 syllables: 0.39 · 5.5 + 11.8 · 14 / 11 − 15.59
        ("We don’t sell your data. You may opt-out at any time.", (11, 2, 14, 1.573)),
        # Write to ADDRESS or see ADDRESS by DATE, 1 syllable each: 0.39 · 8 + 11.8 − 15.59
        ("Write to privacy@example.com or see https://example.com/privacy by 25/05/2018.", (8, 1, 8, -0.67)),
        # Un-der(2) U.S.(1) law(1) e.g.(1) the(1) CCPA(1) we(1) keep(1) and(1) or(1) e-rase(2) it(1); "(a)" is a label
        # 12 words, 14 syllables: 0.39 · 12 + 11.8 · 14 / 12 − 15.59
        ("(a) Under U.S. law, e.g. the CCPA, we keep and/or erase it.", (12, 1, 14, 2.857)),
        # We(1) share(1) per-son-ally(3) i-den-ti-fi-a-ble(6) in-for-ma-tion(4) with(1) af-fil-i-ates(4) |
        # They(1) use(1) it(1) for(1) ad-ver-ti-sing(4) pur-pos-es(3)
        # 13 words, 2 sentences, 31 syllables: 0.39 · 6.5 + 11.8 · 31 / 13 − 15.59
        (
            "We share personally identifiable information with affiliates. They use it for advertising purposes.",
            (13, 2, 31, 15.083),
        ),
        # Pri-va-cy(3): 0.39 + 35.4 − 15.59
        ("Privacy", (1, 1, 3, 20.2)),
        # We(1) keep(1) it(1) 1,000(1) days(1) from(1) 12:30(1) on(1): 0.39 · 8 + 11.8 − 15.59
        ("We keep it 1,000 days from 12:30 on.", (8, 1, 8, -0.67)),
    ],
)
def test_counted_by_hand(text, expected):
    words, sentence_count, syllable_count, value = expected
    assert counts(text) == (words, sentence_count, syllable_count, pytest.approx(value, abs=0.0005))


@pytest.mark.parametrize("text", ["", " \n ", "2018 1,000 3.14", "1.", "(a)", "iv)", "• — …", "🙂🙂", "12/12/2018"])
def test_what_has_no_words_has_no_grade(text):
    assert grade(text, [Span(0, len(text))]) == NOTHING


def test_no_sentences():
    assert grade("We sell nothing.", []) == NOTHING


def test_only_words_in_the_sentences_count():
    text = "Unquestionably irrelevant. We sell it. Unquestionably irrelevant."
    start = text.index("We")
    assert grade(text, [Span(start, start + len("We sell it."))]) == grade("We sell it.", [Span(0, 11)])


def test_what_was_cut_off_is_no_sentence():
    text = "2. We sell it."
    assert counts(text, [Span(0, 2), Span(3, 14)]) == counts("We sell it.")


@pytest.mark.parametrize("label", ["1.", "12)", "3.2", "3.2.1.", "(a)", "b.", "iv)", "(XII)", "• 1."])
def test_the_number_of_a_paragraph_is_no_word(label):
    assert counts(f"{label} We sell it", [Span(0, len(label) + 11)]) == counts("We sell it")


@pytest.mark.parametrize("start", ["A cookie is", "U.S. law is", "2018 was", "I.B.M. was"])
def test_a_word_is_no_label(start):
    assert counts(start, [Span(0, len(start))])[0] == len(start.split())


def test_a_wall_of_words_is_no_single_sentence():
    # 250 words of 2 syllables, as 3 sentences: 0.39 · 250 / 3 + 23.6 − 15.59
    text = "data " * 250
    assert grade(text, [Span(0, len(text))]) == Readability(250, 3, 500, 250, pytest.approx(40.51))
    text = "data " * LONGEST_SENTENCE
    assert grade(text, [Span(0, len(text))]).overlong == 0
    text = "data " * 3000
    assert grade(text, [Span(0, len(text))]).grade == pytest.approx(0.39 * LONGEST_SENTENCE + 8.01)


def test_running_text_leaves_out_headings_and_rows():
    kinds = ("heading", "paragraph", "item", "row")
    text, segments = compose(Block(kind, f"This {kind}. It is read.", level=1) for kind in kinds)
    assert [text[span.start : span.end] for span in running(segments)] == [
        "This paragraph.", "It is read.", "This item.", "It is read.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "a the share shares shared used while rules called you eye don't we'll his league 2018 GDPR U.S. _ga"),
        (1, "3rd 1,000 COVID-19 " + "x" * 100 + " " + "aeiou-" * 50),
        (2, "able user's people cookie website being doing create hereby someone doesn't opt-out OPT‑OUT café layer"),
        (2, "social changes notice client’s business Facebook’s thereof quiet using safeguard trying rely settle"),
        (3, "area created via-mail video privacy applying media enabled purposes settlement solely-used"),
        (3, "period science-led anyone wherever unlawful museum employee employer"),
        (4, "information identify mechanism advertising affiliate European society security specifically geography"),
        (5, "individual identifier associated communication opportunity"),
        (6, "identifiable responsibility"),
        (7, "confidentiality"),
    ],
)
def test_syllables(count, words):
    assert {word: syllables(word) for word in words.split()} == dict.fromkeys(words.split(), count)


@given(st.text(min_size=1))
def test_every_word_is_spoken(word):
    assert syllables(word) >= 1


@given(st.text(alphabet=st.sampled_from("aeiouyst'’-.@/_1 \n🙂é(")) | st.text())
def test_counts_hold_together(text):
    found = grade(text, [Span(0, len(text))])
    assert (found.grade is None) == (found.words == 0) == (found.sentences == 0)
    assert found.syllables >= found.words >= found.overlong
    assert found.sentences == -(-found.words // LONGEST_SENTENCE)


@given(st.lists(st.text(alphabet="ab. ", max_size=9), max_size=5), st.integers(0, 30), st.integers(0, 60))
def test_any_span_is_read(parts, start, end):
    text = "".join(parts)
    assert grade(text, [Span(start, end)]) == grade(text[start:end], [Span(0, len(text[start:end]))])


@pytest.mark.parametrize(
    "unit", "a e 1 🙂 - ' . @ _ a.a. 1.1. 123. a- a' (a) www. :// .co é 個 1, \u00ad ( eu ie".split(" ")
)
def test_hostile_text_takes_linear_time(unit):
    assert grows_linearly(
        lambda text: grade(text, [Span(0, len(text))]), lambda length: (unit * length)[:length], 100_000
    )


def test_remembers_only_so_much(monkeypatch):
    monkeypatch.setattr(limits, "MAX_KNOWN_CHUNKS", 10)
    readability._chunks.clear()
    text = " ".join(f"w{number}" for number in range(1000))
    assert grade(text, [Span(0, len(text))]).words == 1000
    assert len(readability._chunks) <= 10


def test_grading_costs_little_more_than_finding_the_words():
    chance = random.Random(1)
    vocabulary = ["".join(chance.choices("aeioustrnl", k=chance.randint(2, 12))) for _ in range(5_000)]
    text = "\n".join(" ".join(chance.choices(vocabulary, k=20)) + "." for _ in range(5_000))
    spans = [Span(*match.span()) for match in re.finditer(".+", text)]
    grade(text, spans)
    grading = min(cpu_seconds(grade, text, spans) for _ in range(5))
    # Some 1.3 times as much where every word is known already.
    assert grading < 6 * min(cpu_seconds(re.findall, r"\w+", text) for _ in range(5))
