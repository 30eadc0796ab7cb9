"""Which practices the words of a search name."""

from __future__ import annotations

import pytest

from smallprint.index.words import words
from smallprint.search.facets import facet
from smallprint.search.language import understand
from smallprint.search.practices import favoured


def named(text):
    return {one.value for one in favoured(words(text))}


@pytest.mark.parametrize(
    ("text", "practices"),
    [
        ("do not track", {"do-not-track"}),
        ("European audience", {"audiences / Audience Type / Europeans"}),
        ("not on a track", set()),
        ("third party advertisers", {"third-party / Purpose / Advertising"}),
        ("retention of location", {"retention", "first-party / Personal Information Type / Location"}),
        ("privacy policy", set()),
        ("", set()),
    ],
)
def test_what_words_name(text, practices):
    assert named(text) == practices


def test_every_practice_in_the_table_can_be_chosen_as_a_facet():
    from smallprint.search.practices import _names

    known = {choice.value for choice in facet("practice").choices}
    assert {practice for _, practices in _names() for practice in practices} <= known


def test_only_plain_words_of_a_search_of_texts_name_practices():
    assert understand("retention").query.favoured
    assert not understand("retention", "url").query.favoured
    assert not understand('"retention"').query.favoured
    assert not understand("title:retention -location").query.favoured
