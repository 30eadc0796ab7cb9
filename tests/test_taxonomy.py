import csv
import json

import pytest

from smallprint import taxonomy
from smallprint.taxonomy import CATEGORIES, OTHER, OTHER_TYPES, Label, category, plain_name

SIZES = {
    "First Party Collection/Use": {"Action First-Party": 10, "Personal Information Type": 16, "Purpose": 11},
    "Third Party Sharing/Collection": {
        "Third Party Entity": 7,
        "Action Third Party": 6,
        "Personal Information Type": 15,
        "Purpose": 11,
    },
    "User Choice/Control": {"Choice Type": 9, "Choice Scope": 5, "Personal Information Type": 16, "Purpose": 11},
    "User Access, Edit and Deletion": {"Access Type": 9, "Access Scope": 6},
    "Data Retention": {"Retention Period": 5, "Retention Purpose": 8, "Personal Information Type": 16},
    "Data Security": {"Security Measure": 10},
    "Policy Change": {"Change Type": 5, "Notification Type": 6, "User Choice": 6},
    "Do Not Track": {"Do Not Track policy": 5},
    "International and Specific Audiences": {"Audience Type": 5},
    "Introductory/Generic": {},
    "Privacy contact information": {},
    "Practice not covered": {},
}


def test_every_category_has_its_attributes_and_as_many_values_as_the_scheme():
    assert {c.name: {a.name: len(a.values) for a in c.attributes} for c in CATEGORIES} == SIZES


def test_names_are_unique_where_they_are_looked_up():
    assert len({c.id for c in CATEGORIES} | {c.name for c in CATEGORIES}) == 2 * len(CATEGORIES)
    for c in CATEGORIES:
        assert len({a.name for a in c.attributes}) == len(c.attributes)
        for attribute in c.attributes:
            assert len({v.name for v in attribute.values}) == len(attribute.values)
            assert len({v.plain for v in attribute.values}) == len(attribute.values)


def test_everything_has_a_plain_name():
    for c in CATEGORIES:
        assert c.plain
        assert all(a.plain and all(v.plain for v in a.values) for a in c.attributes)


def test_lookups_take_the_id_or_the_name():
    assert category("first-party") is category("First Party Collection/Use")
    assert category("First Party Collection/Use").plain == "what they collect and why"
    assert plain_name(Label("retention", "Retention Period", "Stated Period")) == "how long: for a time they state"


@pytest.mark.parametrize(
    "find",
    [category, lambda name: plain_name(Label("security", name, "Generic")), lambda name: plain_name(Label(name))],
)
def test_an_unknown_name_is_a_key_error(find):
    with pytest.raises(KeyError):
        find("no such thing")


def test_other_is_split_in_three():
    assert {name for name in OTHER_TYPES if name != OTHER} <= {c.name for c in CATEGORIES}


@pytest.mark.real_data("labelled/opp115/annotations")
def test_every_annotated_value_is_known(data_dir):
    seen: dict[tuple[str, str], set[str]] = {}
    for path in sorted((data_dir / "labelled/opp115/annotations").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.reader(lines):
                for attribute, chosen in json.loads(row[6]).items():
                    seen.setdefault((row[5], attribute), set()).add(chosen["value"])
    assert seen.pop((OTHER, "Other Type")) == set(OTHER_TYPES)
    optional = {key for key in seen if key[1] not in {a.name for a in category(key[0]).attributes}}
    assert {name for _, name in optional} == {
        "Choice Scope", "Choice Type", "Collection Mode", "Does/Does Not", "Identifiability", "User Type"
    }  # fmt: skip
    for (name, attribute), values in seen.items():
        if (name, attribute) not in optional:
            known = {a.name: {v.name for v in a.values} for a in category(name).attributes}
            assert values <= known[attribute], (name, attribute)
    assert {c.name for c in taxonomy.CATEGORIES} - {name for name, _ in seen} == set(OTHER_TYPES) - {OTHER}
