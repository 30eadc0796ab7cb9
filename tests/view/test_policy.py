from __future__ import annotations

import pytest

from smallprint.annotate.registry import Annotations
from smallprint.library import reading
from smallprint.library.annotations import read_annotations
from smallprint.library.reading import captures
from smallprint.library.statistics import rates
from smallprint.library.writing import save
from smallprint.models.labels import holding
from smallprint.view.policy import policy_view

from ..library.making import capture


@pytest.fixture(scope="module")
def counted(annotated_library):
    return rates(annotated_library)


@pytest.fixture(scope="module")
def bank(annotated_library, counted):
    return policy_view(annotated_library, reading.find_policy(annotated_library, "tidemarkbank.example"), rates=counted)


def test_the_whole_text_is_there_in_segments(annotated_library, bank):
    assert bank.text == reading.text(annotated_library, bank.entry.current_version)
    assert [(one.segment, one.kind, one.start, one.end, one.headings, one.sentences) for one in bank.segments] == [
        (one.ordinal, one.kind, one.start, one.end, one.headings, one.sentences)
        for one in reading.segments(annotated_library, bank.entry.current_version)
    ]
    assert all(bank.text[one.start : one.end] == one.text for one in bank.segments)


def test_labels_are_those_that_hold(annotated_library, bank):
    holds = holding(read_annotations(annotated_library, bank.entry.current_version).practices)
    for one, row in zip(bank.segments, holds, strict=True):
        assert len(one.labels) == row.sum()
        assert all(label.attribute is None for label in one.categories)
        assert {label.category for label in one.labels} == {label.category for label in one.categories}
    assert sum(len(one.labels) - len(one.categories) for one in bank.segments) > 20


def test_marks_are_within_their_segments(bank):
    marks = (*bank.annotations.mentions, *bank.annotations.vagueness.words)
    for mark in marks:
        assert any(one.start <= mark.start < mark.end <= one.end for one in bank.segments)
    assert bank.annotations.mentions
    assert bank.annotations.vagueness.words


def test_headings_make_a_table_of_contents(bank):
    headings = [(one.text, one.segment, len(one.headings)) for one in bank.segments if one.kind == "heading"]
    assert headings[:2] == [("Tidemark Bank Privacy Notice", 0, 0), ("1. The words we use", 3, 1)]
    assert ("Do Not Track", 41, 2) in headings


def test_measures(annotated_library, counted, bank):
    annotations = read_annotations(annotated_library, bank.entry.current_version)
    assert (bank.measures.grade, bank.measures.vagueness) == (
        annotations.readability.grade,
        annotations.vagueness.score,
    )
    assert (bank.unusual.basis, bank.unusual.policies) == ("too few in sector", counted.whole.policies)


def test_what_else_is_known(annotated_library, bank):
    assert (bank.sector.sector, bank.company.domain, bank.is_current) == ("finance", "tidemarkbank.example", True)
    assert bank.popularity.value > 1
    kinds = {"readability", "mentions", "sector", "vagueness", "practices", "links", "card"}
    assert set(bank.annotations.made_by) == kinds
    assert bank.captures == captures(annotated_library, bank.entry.policy_id)
    assert len(bank.entry.versions) > 1


def test_an_earlier_version_has_its_own_text(annotated_library, bank):
    earlier = bank.entry.versions[0]
    found = policy_view(annotated_library, bank.entry, earlier)
    assert (found.version, found.is_current) == (earlier, False)
    assert found.text == reading.text(annotated_library, earlier.version_id) != bank.text
    # Without rates it is not set against others.
    assert found.unusual is None


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
    measured = (found.measures.grade, found.measures.vagueness)
    assert (*measured, found.unusual, found.company) == (None, None, None, None)
    assert found.annotations == Annotations({})
    assert [(one.text, one.labels) for one in found.segments] == [("We keep your data.", ())]
