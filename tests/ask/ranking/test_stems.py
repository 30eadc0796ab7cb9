from __future__ import annotations

import math
import threading

from hypothesis import given
from hypothesis import strategies as st

from smallprint.ask.ranking.stems import STOP_WORDS, Rarity, rarity, stemmed, stems


class Counted:
    words = ("information", "inform", "share", "the")
    sentences = 10
    counts = __import__("numpy").array([4, 8, 2, 10])


def test_stems_without_what_every_sentence_has():
    assert stems("Do you share the user's locations with anyone?") == ["share", "user", "locat"]
    assert stems("informing, informed, INFORMS") == ["inform"] * 3
    assert stems("") == stems("the of and") == []


def test_stems_of_words_keep_their_order():
    assert stemmed(["selling", "my", "photos"]) == ["sell", "photo"]
    assert stemmed(["'s", "user's"]) == ["user"]


def test_stop_words_are_in_lower_case_and_say_nothing():
    assert all(word == word.lower() for word in STOP_WORDS)
    assert not STOP_WORDS & {"data", "share", "sell", "children", "location", "information", "long", "third", "parties"}


def test_rarity_is_counted_by_stems():
    found = Rarity(Counted())
    assert found["share"] == math.log(1 + 8.5 / 2.5)
    assert found["inform"] == math.log(
        1 + 0.5 / 10.5
    )  # both words have this stem, and no more sentences than there are
    assert found["never"] == math.log(1 + 10.5 / 0.5)
    assert set(found) == {"inform", "share"}


def test_common_stems_of_policies_weigh_less():
    found = rarity()
    assert 0 < found["inform"] < found["locat"] < found["fingerprint"] < found["qqqqqq"]
    assert found is rarity()


@given(st.text(max_size=200))
def test_any_text_has_stems(text):
    assert all(stems(text))


def test_every_thread_has_a_stemmer_of_its_own():
    found = []
    threads = [
        threading.Thread(target=lambda: found.append([stems("sharing locations") for _ in range(500)]))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {tuple(one) for every in found for one in every} == {("share", "locat")}
