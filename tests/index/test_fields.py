"""The table of fields: what it makes, on every surface, of one row."""

from __future__ import annotations

import inspect

import pytest

from smallprint.api.parameters import Search
from smallprint.cli import search as commands
from smallprint.cli.options import with_shared_options
from smallprint.index.fields import BY_PREFIX, FACETS, FIELDS, KEYED, RANGES, STORED, Material, values_of
from smallprint.library.findable import Findable
from smallprint.mcp.catalogue import Tools
from smallprint.search.request import read_request, request_of


def made(**facts):
    usual = {
        "policy_id": "a", "version_id": "a@1", "url": "https://www.a.example/privacy", "domain": "a.example",
        "title": "Privacy", "seen": "2024-03-01T10:00:00", "sector": "medical", "grade": 9.5, "vagueness": None,
        "country": "united states", "employees": "51-200", "group": "a",
        "is_grouped": False, "p_policy": 0.9, "popularity": 1.0, "stamp": "1",
    }  # fmt: skip
    return Material(Findable(**(usual | facts)), "we collect cookies", ("gdpr",), ("retention",))


def test_keys_prefixes_and_stored_names_are_given_once():
    keys = [field.key for field in KEYED]
    assert len(set(keys)) == len(keys)
    prefixes = [prefix for field in FIELDS for prefix in field.prefixes]
    assert len(set(prefixes)) == len(prefixes) == len(BY_PREFIX)
    assert {field.name for field in FIELDS} == {field.name for field in STORED}
    assert len({field.name for field in STORED}) == len(STORED)


def test_values_come_from_the_policy_its_names_and_its_labels():
    values = values_of(made())
    assert values == values | {
        "title": "Privacy", "body": "we collect cookies", "sector": ("medical",), "year": ("2024",), "group": (),
        "site": ("a.example", "www.a.example"), "mention": ("gdpr",), "practice": ("retention",), "grade": 9.5,
        "vagueness": None,
    }  # fmt: skip
    assert values_of(made(is_grouped=True))["group"] == ("a",)
    assert values_of(made(seen=""))["year"] == ()


@pytest.mark.parametrize("field", KEYED, ids=lambda field: field.key)
def test_what_can_be_chosen_is_a_parameter_an_option_an_input_and_a_filter_with_a_description(field):
    assert field.label
    assert field.description
    assert field.key in Search.model_fields
    for command in (with_shared_options(commands.search), with_shared_options(commands.export), Tools.search):
        assert field.key in inspect.signature(command).parameters
    value = "8:12" if field in RANGES else next((choice.value for choice in field.choices()), "2024")
    request = read_request([(field.key, value)])
    assert request.chosen or request.ranges
    assert request == request_of("", {field.key: value})


def test_a_name_is_looked_for_in_the_facet_that_lists_it():
    request = read_request([("names", "gdpr"), ("names", "cookies"), ("regulation", "ccpa")])
    assert request.chosen == {"technology": ("cookies",), "regulation": ("ccpa", "gdpr")}
    assert all(facet.is_choice for facet in FACETS)
