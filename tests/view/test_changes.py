from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from smallprint.records import Span
from smallprint.view.changes import Piece, apply, diff, undo

WORDS = st.sampled_from("We we keep share your data location partners the a for years , ; . “so” It’s it's 12".split())
BLANKS = st.sampled_from([" ", "\n", "  ", "\n\n", "", "\t", "\xa0"])
TEXTS = st.lists(st.tuples(WORDS, BLANKS), max_size=40).map(lambda some: "".join(word + blank for word, blank in some))


@st.composite
def edited(draw):
    """Give a text and what an editor makes of it."""
    old = draw(st.lists(st.tuples(WORDS, BLANKS), max_size=40))
    new = list(old)
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, len(new)))
        new[place : place + draw(st.integers(0, 3))] = draw(st.lists(st.tuples(WORDS, BLANKS), max_size=3))
    return "".join(map("".join, old)), "".join(map("".join, new))


PAIRS = st.one_of(edited(), st.tuples(TEXTS, TEXTS), st.tuples(st.text(max_size=80), st.text(max_size=80)))


def shown(old: str, new: str) -> str:
    """Write a diff down, with marks around what went and what came."""
    parts = []
    for change in diff(old, new).changes:
        for piece in change.pieces:
            if piece.kind == "removed":
                parts.append(f"[{piece.removed}]")
            elif piece.kind == "added":
                parts.append(f"{{{piece.added}}}")
            else:
                parts.append(new[piece.new.start : piece.new.end])
    return "".join(parts)


def kinds(old: str, new: str) -> list[str]:
    return [change.kind for change in diff(old, new).changes]


# Nothing is lost


@given(PAIRS)
@settings(deadline=None, max_examples=300)
@example(("", ""))
@example((" ", ""))
@example(("", "\n"))
@example(("a", " a"))
@example(("a b", "a  b "))
def test_either_text_can_be_made_of_the_other(pair):
    old, new = pair
    found = diff(old, new)
    assert apply(found.changes, old) == new
    assert undo(found.changes, new) == old


@given(PAIRS)
@settings(deadline=None, max_examples=300)
def test_changes_and_pieces_lie_end_to_end_in_both_texts(pair):
    for side, text in zip(("old", "new"), pair, strict=True):
        changes = diff(*pair).changes
        spans = [getattr(change, side) for change in changes if getattr(change, side)]
        assert [span.start for span in spans] == [0, *(span.end for span in spans)][: len(spans)]
        assert (spans[-1].end if spans else 0) == len(text)
        for change in changes:
            own, parts = getattr(change, side), [getattr(piece, side) for piece in change.pieces]
            parts = [part for part in parts if part]
            assert (own is None) == (not parts)
            if own:
                assert (parts[0].start, parts[-1].end) == (own.start, own.end)
                assert all(one.end == other.start for one, other in pairwise(parts))


@given(PAIRS)
@settings(deadline=None, max_examples=300)
def test_pieces_are_what_they_say(pair):
    old, new = pair
    for change in diff(old, new).changes:
        for piece in change.pieces:
            ours = old[piece.old.start : piece.old.end] if piece.old else ""
            theirs = new[piece.new.start : piece.new.end] if piece.new else ""
            if piece.kind == "same":
                assert (ours, piece.removed, piece.added) == (theirs, "", "")
            else:
                assert (piece.removed, piece.added) == (ours, theirs)
            if piece.kind in {"added", "removed"}:
                assert (ours + theirs).strip()
                # Whole words: no mark begins or ends within one.
                text, span = (old, piece.old) if piece.kind == "removed" else (new, piece.new)
                before, after = text[: span.start][-1:], text[span.end :][:1]
                assert not (before.isalnum() and text[span.start].isalnum())
                assert not (text[span.end - 1].isalnum() and after.isalnum())


@given(PAIRS)
@settings(deadline=None, max_examples=200)
def test_kinds_agree_with_sides_and_pieces(pair):
    for change in diff(*pair).changes:
        found = {piece.kind for piece in change.pieces}
        if change.kind == "same":
            assert found <= {"same", "quiet"}
        elif change.kind == "changed":
            assert found & {"added", "removed"}
            assert change.old
            assert change.new
        else:
            assert found == {change.kind}
            assert (change.old is None) == (change.kind == "added")


@given(TEXTS, st.sampled_from([" ", "\n", " \n\n "]))
@settings(deadline=None, max_examples=300)
def test_blanks_alone_are_no_change(text, blank):
    other = blank.join(text.split())
    found = diff(text, other)
    assert found.summary.is_empty
    assert {change.kind for change in found.changes} <= {"same"}
    assert (found.summary.quiet == 0) == (text == other)


@given(TEXTS)
@settings(deadline=None)
def test_a_text_has_not_changed_from_itself(text):
    found = diff(text, text).summary
    assert (found.is_empty, found.quiet, found.words_added, found.words_removed) == (True, 0, 0, 0)


# It reads well


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("We keep logs for two years.", "We keep logs for six months.", "We keep logs for [two years]{six months}."),
        # Marks and blanks go with the words they belong to.
        ("We use it to detect malware, and spam.", "We use it to detect malware and spam.",
         "We use it to detect malware[,] and spam."),
        ("Shared with affiliates and partners only.", "Shared with affiliates, partners only.",
         "Shared with affiliates[ and]{,} partners only."),
        ("We keep your data safe.", "We keep your data safe, always.", "We keep your data safe{, always}."),
        ("We collect your name and address.", "We collect your name, email and address.",
         "We collect your name{, email} and address."),
        # An island of one word between two changes goes with them.
        ("We may share your data with our partners.", "We may sell your information with our partners.",
         "We may [share your data]{sell your information} with our partners."),
        # Whole words, never letters.
        ("We may collect your device identifier and other things from you.",
         "We may collect your device identifiers and other things from you.",
         "We may collect your device [identifier]{identifiers} and other things from you."),
        ("Updated: 1 May 2020", "Updated: 3 June 2024", "Updated: [1 May 2020]{3 June 2024}"),
    ],
)  # fmt: skip
def test_words_that_changed(old, new, expected):
    assert shown(old, new) == expected
    assert kinds(old, new) == ["changed"]


def test_a_sentence_that_is_mostly_different_is_gone_and_another_come():
    old = "Log files are removed after six months, where practicable."
    new = "We never ask for your telephone number when you write to us."
    assert kinds(old, new) == ["removed", "added"]
    assert shown(old, new) == f"[{old}]{{{new}}}"


def test_sentences_that_stay_are_left_alone():
    old = "We keep data. We share nothing. We use cookies. Write to us."
    new = "We keep data. We use many cookies. You may object. Write to us."
    assert shown(old, new) == (
        "We keep data. [We share nothing. ]We use {many }cookies. {You may object. }Write to us."
    )


def test_a_long_addition_to_a_sentence_stays_one():
    old = "Then we may pass on your information to companies of our group."
    new = (
        "From today we may pass on your information to companies of our group, as well as to advertisers, to brokers "
        "of data, analysts, insurers, landlords, employers, universities, broadcasters and whoever else asks politely."
    )
    assert kinds(old, new) == ["changed"]
    assert shown(old, new).startswith("[Then]{From today} we may pass on")


def test_a_sentence_that_was_split_is_one_change():
    old = "We keep your account data for two years, and we delete your payment details after one month."
    new = "We keep your account data for two years. We delete your payment details after one month."
    (change,) = diff(old, new).changes
    assert (change.kind, change.old, change.new) == ("changed", Span(0, len(old)), Span(0, len(new)))
    assert shown(old, new) == old.replace(", and we", "[, and we]{. We}")


def test_the_shape_of_quotes_and_dashes_is_quiet():
    found = diff("We don't “sell” data - ever.", 'We don’t "sell" data – ever.')
    assert (found.summary.is_empty, found.summary.quiet) == (True, 4)
    (change,) = found.changes
    assert Piece("quiet", Span(3, 9), Span(3, 9), "don't ", "don’t ") in change.pieces
    assert not diff("We “sell” data.", "We “Sell” data.").summary.is_empty


def test_a_paragraph_that_moved():
    one, two, three = "We never sell what you tell us.", "Cookies are small files on your disk.", "Write to us."
    found = diff(f"{one}\n\n{two}\n\n{three}", f"{two}\n\n{three}\n\n{one}")
    moved = [place for place, change in enumerate(found.changes) if change.twin is not None]
    assert [found.changes[place].kind for place in moved] == ["removed", "added"]
    assert [found.changes[place].twin for place in moved] == moved[::-1]
    assert (found.summary.moved, found.summary.added, found.summary.removed) == (1, 0, 0)
    assert (found.summary.words_added, found.summary.words_removed) == (0, 0)


def test_what_went_twice_and_came_twice_is_not_told_as_moved():
    line, rest = (
        "We never sell what you tell us.",
        "Cookies are files. They are small. They stay for years. Write to us.",
    )
    found = diff(f"{line}\n{line}\n{rest}", f"{rest}\n{line}\n{line}")
    assert (found.summary.same, found.summary.removed, found.summary.added, found.summary.moved) == (4, 2, 2, 0)
    # Nor are a few words, which may come from anywhere.
    assert diff("Learn more\nWe keep data for years.", "We keep data for years.\nLearn more").summary.moved == 0


def test_the_summary_counts_sentences_and_words():
    old = "We keep data. We share nothing at all. We use cookies for one year."
    new = "We keep data. We use cookies for two years. You may always object."
    found = diff(old, new).summary
    assert (found.same, found.added, found.removed, found.changed, found.moved) == (1, 1, 1, 1, 0)
    assert (found.words_added, found.words_removed) == (4 + 2, 5 + 2)


def test_sentences_that_are_known_are_taken_as_they_are():
    old, new = "Dr. No keeps data. It is safe.", "Dr. No keeps data. It is gone."
    cut = [Span(0, 18), Span(19, 30)]
    assert [change.kind for change in diff(old, new, cut, cut).changes] == ["same", "changed"]


# It does not take long


def long_text(chance: random.Random, words: int = 30_000) -> list[str]:
    vocabulary = [f"{chance.choice('bdfgklmnprst')}{chance.choice('aeiou')}{number}" for number in range(4000)]
    sentences = []
    while words > 0:
        length = chance.randint(5, 40)
        words -= length
        chosen = [vocabulary[min(3999, int(chance.paretovariate(0.6)) - 1)] for _ in range(length)]
        sentences.append(" ".join(chosen).capitalize() + ".")
    return sentences


def one_word_other(chance: random.Random, sentence: str) -> str:
    words = sentence.split()
    words[chance.randrange(len(words) - 1)] = f"new{chance.randrange(1000)}"
    return " ".join(words)


SLOW = {
    "everything is different": lambda chance, old: (old, long_text(random.Random(2))),
    "a word in each sentence": lambda chance, old: (old, [one_word_other(chance, one) for one in old]),
    "shuffled": lambda chance, old: (old, chance.sample(old, len(old))),
    "one sentence over and over": lambda chance, old: (["We keep it."] * 6000, ["We keep it!", "We keep it."] * 3000),
    "one word over and over": lambda chance, old: (["data data data;"] * 8000, ["data data, data;"] * 8000),
    "one endless sentence": lambda chance, old: (
        [" ".join(old).replace(".", "")],
        [" ".join(one_word_other(chance, one) for one in old).replace(".", "")],
    ),
    "a word of two": lambda chance, old: ([f"a{n} b{n}" for n in range(15_000)], [f"a{n} c{n}" for n in range(15_000)]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", SLOW)
def test_thirty_thousand_words_are_compared_in_seconds(case):
    chance = random.Random(1)
    old, new = (" ".join(side) for side in SLOW[case](chance, long_text(chance)))
    started = time.process_time()
    found = diff(old, new)
    assert time.process_time() - started < 15  # some 1 s on the machine on which it was written
    assert apply(found.changes, old) == new
    assert undo(found.changes, new) == old


def test_a_word_in_each_sentence_is_found_in_each():
    chance = random.Random(1)
    old = long_text(chance, 3000)
    found = diff(" ".join(old), " ".join(one_word_other(chance, one) for one in old)).summary
    assert found.changed > 0.95 * len(old)
    assert found.words_added < 1.2 * len(old)
