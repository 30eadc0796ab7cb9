from __future__ import annotations

import pytest

from smallprint.models.labels import COLUMNS
from smallprint.taxonomy import CATEGORIES, Label
from smallprint.view.labels import TELLING, LabelHeld, chance, full_name, is_telling, labels_that_hold, percent

from ..library.test_annotations import table

FIRST, SECURITY, CONTACT = (
    Label("first-party"),
    Label("security"),
    Label("first-party", "Personal Information Type", "Contact"),
)


def test_labels_that_stand_by_themselves():
    assert full_name(SECURITY) == "how they protect it"
    assert full_name(CONTACT) == "what they collect and why · what is collected: name, address, e-mail or phone number"
    assert len({full_name(label) for label in TELLING}) == len(TELLING)


def test_what_leaves_things_open_tells_nothing():
    assert [is_telling(label) for label in (FIRST, SECURITY, CONTACT)] == [True] * 3
    for label in (
        Label("introduction"),
        Label("not-covered"),
        Label("retention", "Retention Period", "Unspecified"),
        Label("do-not-track", "Do Not Track policy", "Not mentioned"),
        Label("security", "Security Measure", "Other"),
        Label("third-party", "Does/Does Not", "Does Not"),
    ):
        assert label in COLUMNS
        assert not is_telling(label)


def test_categories_come_before_their_values():
    order = [category.id for category in CATEGORIES]
    assert list(TELLING) == sorted(TELLING, key=lambda label: order.index(label.category))
    for place, label in enumerate(TELLING):
        if label.attribute is None:
            assert not any(other.category == label.category for other in TELLING[:place])


def test_labels_that_hold_for_each_segment():
    found = labels_that_hold(table({FIRST: 255, CONTACT: 128, SECURITY: 127}, {}, {CONTACT: 255, SECURITY: 204}))
    assert found == [
        (
            LabelHeld(*FIRST, "what they collect and why", 1.0),
            LabelHeld(*CONTACT, "what is collected: name, address, e-mail or phone number", 0.502),
        ),
        (),
        (LabelHeld(*SECURITY, "how they protect it", 0.8),),  # a value without its category does not hold
    ]


@pytest.mark.parametrize(
    ("probability", "shown"), [(0.0, "under 1 %"), (0.01, "1 %"), (0.426, "43 %"), (0.99, "99 %"), (0.996, "over 99 %")]
)
def test_chances_claim_neither_none_nor_all(probability, shown):
    assert chance(probability) == shown


@pytest.mark.parametrize(("share", "shown"), [(0.0, "0 %"), (0.001, "under 1 %"), (0.5, "50 %"), (1.0, "100 %")])
def test_a_counted_share_may_be_none_or_all(share, shown):
    assert percent(share) == shown
