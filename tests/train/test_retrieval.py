from __future__ import annotations

import pytest

from smallprint.annotate.sentences import Sentence
from smallprint.errors import NoData
from smallprint.evaluate.heading_answers import Item, Outline
from smallprint.models.vectors import Neighbour
from smallprint.train.retrieval import found_paragraphs, known_words, widened


class Near:
    """Vectors that know that photos are pictures."""

    def nearest(self, word, count, *, same_part):
        return (Neighbour("pictures", 0.9), Neighbour("picture", 0.5)) if word == "photos" else ()

    def known(self, words):
        return sum(word == "photos" for word in words) / len(words)


RARITY = dict.fromkeys(["photo", "pictur", "name"], 1.0)
PARAGRAPHS = tuple(map(Sentence, ("We keep your pictures.", "We keep your name.", "We keep nothing of it.")))
OUTLINE = Outline("one", PARAGRAPHS, (Item("1", "Your photos", "What about your photos?", 0, (1, 2), 1),))


def test_a_question_is_widened_by_the_nearest_words():
    assert widened("my photos", None) == {"photo": 1.0}
    assert widened("my photos", Near()) == {"photo": 1.0, "pictur": 0.9}
    assert widened("my photos", Near(), 0.5) == {"photo": 1.0, "pictur": 0.45}


def test_the_right_paragraph_is_found_with_other_words():
    assert found_paragraphs([OUTLINE], RARITY, None) == {"n": 1, "P@1": 0.0, "MRR": 0.5}  # nobody knows: half of two
    assert found_paragraphs([OUTLINE], RARITY, Near()) == {"n": 1, "P@1": 1.0, "MRR": 1.0}
    assert found_paragraphs([], RARITY, None) == {"n": 0}


def test_the_share_of_words_that_are_known(tmp_path):
    folder = tmp_path / "labelled" / "privacyqa"
    folder.mkdir(parents=True)
    (folder / "train_questions.tsv").write_text("Query\tother\nmy photos 13\t1\nmy photos\t0\n", encoding="utf-8")
    assert known_words(tmp_path, Near()) == 0.5


def test_questions_that_are_not_there(tmp_path):
    with pytest.raises(NoData, match=r"train_questions\.tsv is not there; set data_dir"):
        known_words(tmp_path, Near())
