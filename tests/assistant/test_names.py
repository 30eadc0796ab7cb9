"""Companies and domains found in what somebody says; words of the language are no names."""

from __future__ import annotations

import pytest

from smallprint.assistant.names import Directory
from smallprint.library.directory import Listed, directory, proper
from smallprint.models.vectors import shipped

LISTED = [
    Listed("kitegram.example-1", "kitegram.example", "kitegram", "Privacy Policy", 3.0),
    Listed("oakandember.example-1", "oakandember.example", "oak & ember", "Privacy", 2.0),
    Listed("brightwithy-ashford.example-1", "brightwithy-ashford.example", "brightwithy dental ashford", "", 1.5),
    Listed("brightwithy-millbrook.example-1", "brightwithy-millbrook.example", "brightwithy dental millbrook", "", 1.0),
    Listed("target.example-1", "target.example", "target", "Privacy Policy", 4.0),
    Listed("trundlerides.example-1", "trundlerides.example", "", "Privacy Policy", 1.0),
    Listed("sitesforbrokers.example-1", "sitesforbrokers.example", "", "Privacy Policy", 1.0),
    Listed("safety.example-1", "safety.example", "", "Privacy Policy", 1.0),
    Listed("bankofwrexford.example-1", "bankofwrexford.example", "bank of wrexford", "Privacy Policy", 1.0),
]


@pytest.fixture(scope="module")
def known():
    return Directory(LISTED, shipped())


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("does Kitegram sell my data?", [("Kitegram", 1)]),
        ("is kitegram's data safe?", [("kitegram", 1)]),
        ("what about Oak & Ember?", [("Oak & Ember", 1)]),
        ("oak and ember", [("oak and ember", 1)]),
        ("does www.oakandember.example/privacy track me", [("oakandember.example", 1)]),
        ("does Brightwithy sell my data?", [("Brightwithy", 2)]),
        ("Brightwithy Dental Millbrook", [("Brightwithy Dental Millbrook", 1)]),
        ("does Trundle share my trips?", [("Trundle", 1)]),
        ("compare Kitegram and Oak & Ember", [("Kitegram", 1), ("Oak & Ember", 1)]),
        ("does Target sell my data?", [("Target", 1)]),
        ("do you target me with ads?", []),
        ("does target sell my data", [("target", 1)]),
        ("is target selling my data", [("target", 1)]),
        ("what about target?", [("target", 1)]),
        ("no, I meant target", [("target", 1)]),
        ("target's cookies", [("target", 1)]),
        ("does target or kitegram keep my data longer", [("target", 1), ("kitegram", 1)]),
        ("compare kitegram and target", [("kitegram", 1), ("target", 1)]),
        ("does bank of wrexford sell my data", [("bank of wrexford", 1)]),
        ("sites for children that collect location", []),
        ("what do you say about safety?", []),
        ("does safety share my data?", [("safety", 1)]),
        ("do you share my data?", []),
        ("", []),
    ],
)
def test_names_are_found(known, said, found):
    assert [(one.name, len(one.policies)) for one in known.find(said)] == found


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("does Fitbit sell my data?", "Fitbit"),
        ("does fitbit.com sell my data?", "fitbit.com"),
        ("Is The Daily Example safe?", None),
        ("does Kitegram sell my data?", None),
        ("Do you use cookies?", None),
        ("Can I delete it?", None),
        ("does fitbit sell my data", "fitbit"),
        ("is fitbit selling my data", "fitbit"),
        ("does facebook track me", "facebook"),
        ("compare kitegram and facebook on cookies", "facebook"),
        ("does kitegram or fitbit keep my data longer", "fitbit"),
        ("what about zorbflix?", "zorbflix"),
        ("what about cookies?", None),
        ("what about cookkies?", None),
        ("does anyone share my data", None),
        ("does data get sold", None),
        ("does deleting my account remove it", None),
        ("can parents delete it", None),
        ("can hackers read my messages", None),
        ("does the app track me", None),
        ("does my data leave europe?", None),
    ],
)
def test_a_name_that_nobody_has(known, said, name):
    assert known.unknown(said) == name


def test_the_best_known_comes_first(known):
    (found,) = known.find("Brightwithy")
    assert found.policies == ("brightwithy-ashford.example-1", "brightwithy-millbrook.example-1")


def test_names_are_written_with_capitals():
    assert (proper("oak & ember"), proper("PulseWell"), proper("")) == ("Oak & Ember", "PulseWell", "")


def test_a_library_has_a_directory(annotated_library):
    found = {one.domain: one for one in directory(annotated_library)}
    assert found["tidemarkbank.example"].company == "tidemark bank"
    assert len(found) > 70
