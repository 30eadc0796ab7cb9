from __future__ import annotations

import pytest

from smallprint.annotate.practices import holding
from smallprint.library import reading
from smallprint.library.annotations import read_annotations
from smallprint.library.captures import captures
from smallprint.library.rates import rates
from smallprint.library.writing import save
from smallprint.view.policy import Heading, policy_view

from ..library.making import capture


@pytest.fixture(scope="module")
def counted(annotated_library):
    return rates(annotated_library)


@pytest.fixture(scope="module")
def bank(annotated_library, counted):
    return policy_view(annotated_library, reading.find_policy(annotated_library, "tidemarkbank.example"), rates=counted)


def test_the_whole_text_is_there_in_passages(annotated_library, bank):
    assert bank.text == reading.text(annotated_library, bank.entry.current_version)
    assert [one.segment for one in bank.passages] == list(
        reading.segments(annotated_library, bank.entry.current_version)
    )
    assert all(bank.text[one.segment.start : one.segment.end] == one.text for one in bank.passages)


def test_labels_are_those_that_hold(annotated_library, bank):
    holds = holding(read_annotations(annotated_library, bank.entry.current_version).practices)
    for one, row in zip(bank.passages, holds, strict=True):
        assert len(one.categories) + len(one.values) + len(one.polarity) == row.sum()
        assert all(held.label.attribute is None for held in one.categories)
        assert all(held.label.attribute == "Does/Does Not" for held in one.polarity)
        assert {held.label.category for held in one.values} <= {held.label.category for held in one.categories}
    assert sum(len(one.values) for one in bank.passages) > 20


def test_marks_are_within_their_passages(bank):
    for one in bank.passages:
        for mark in (*one.mentions, *one.vague_words):
            assert one.segment.start <= mark.start < mark.end <= one.segment.end
    assert tuple(mark for one in bank.passages for mark in one.mentions) == bank.mentions
    assert tuple(mark for one in bank.passages for mark in one.vague_words) == bank.vague_words
    assert bank.mentions
    assert bank.vague_words


def test_the_table_of_contents(bank):
    assert bank.contents[:2] == (Heading("Tidemark Bank Privacy Notice", 0, 0), Heading("1. The words we use", 3, 1))
    assert Heading("Do Not Track", 41, 2) in bank.contents
    for one in bank.contents:
        assert " ".join(bank.passages[one.ordinal].text.split()) == one.text
        assert bank.passages[one.ordinal].segment.kind == "heading"
    assert len(bank.contents) == sum(one.segment.kind == "heading" for one in bank.passages)


def test_measures_know_their_place(counted, bank):
    grade = bank.grade
    assert (grade.library, grade.sector) == (counted.whole.grade.n, counted.sectors["finance"].grade.n)
    assert grade.below_in_library == counted.whole.grade.share_below(grade.value)
    assert grade.below_in_sector == counted.sectors["finance"].grade.share_below(grade.value)
    assert 0 < bank.vagueness.below_in_library < 1
    assert (bank.unusual.basis, bank.unusual.policies) == ("too few in sector", counted.whole.policies)


def test_what_else_is_known(annotated_library, bank):
    assert (bank.sector.sector, bank.company.domain, bank.is_current) == ("finance", "tidemarkbank.example", True)
    assert bank.popularity.value > 1
    assert set(bank.made_by) == {"readability", "mentions", "sector", "vagueness", "practices"}
    assert bank.captures == captures(annotated_library, bank.entry.policy_id)
    assert len(bank.entry.versions) > 1


def test_an_earlier_version_has_its_own_text(annotated_library, bank):
    earlier = bank.entry.versions[0]
    found = policy_view(annotated_library, bank.entry, earlier)
    assert (found.version, found.is_current) == (earlier, False)
    assert found.text == reading.text(annotated_library, earlier.version_id) != bank.text
    # Without rates it is not set against others.
    assert (found.unusual, found.grade.below_in_library, found.grade.sector) == (None, None, 0)


def test_near_duplicates(annotated_library):
    leaders = [
        policy_id
        for policy_id in reading.policies(annotated_library)
        if reading.duplicates(annotated_library, policy_id)
    ]
    found = policy_view(annotated_library, reading.find_policy(annotated_library, leaders[0]))
    assert found.duplicates == reading.duplicates(annotated_library, leaders[0])
    assert len(found.duplicates) == 2


def test_a_policy_of_which_nothing_is_known(library):
    with library.transaction() as db:
        save(db, [capture()])
    found = policy_view(library, reading.find_policy(library, "one.example"), rates=rates(library))
    assert (found.grade, found.vagueness, found.unusual, found.made_by) == (None, None, None, {})
    assert (found.mentions, found.vague_words, found.contents, found.company) == ((), (), (), None)
    assert [(one.text, one.categories) for one in found.passages] == [("We keep your data.", ())]
