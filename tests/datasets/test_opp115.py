from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from smallprint.datasets.corpus import listed
from smallprint.datasets.opp115 import Passage, passages, plain
from smallprint.errors import NoData
from smallprint.taxonomy import Label

FIRST, SECURITY = Label("first-party"), Label("security")
INTRODUCTION, CONTACT, NOT_COVERED = Label("introduction"), Label("contact"), Label("not-covered")
NAME = Label("first-party", "Personal Information Type", "Contact")
HEALTH = Label("first-party", "Personal Information Type", "Health")
DOES = Label("first-party", "Does/Does Not", "Does")
GENERIC = Label("security", "Security Measure", "Generic")

Row = tuple[str, int, str, dict[str, str]]


def written(folder: Path, name: str, policy: str, rows: list[Row] | None = None) -> Path:
    """Write a policy in OPP-115's layout; a row is who annotates, which segment, the category, and the values."""
    for part in ("sanitized_policies", "annotations"):
        (folder / part).mkdir(exist_ok=True)
    (folder / "sanitized_policies" / f"{name}.html").write_text(policy, encoding="utf-8")
    path = folder / "annotations" / f"{name}.csv"
    if rows is not None:
        with path.open("w", encoding="utf-8", newline="") as file:
            for number, (person, segment, category, values) in enumerate(rows):
                said = {
                    attribute: {
                        "value": value,
                        "selectedText": "x, y",
                        "startIndexInSegment": 0,
                        "endIndexInSegment": 4,
                    }
                    for attribute, value in values.items()
                }
                csv.writer(file).writerow(
                    [number, "batch", person, "3905", segment, category, json.dumps(said), "Not specified", "http://x"]
                )
    return path


def votes(tmp_path: Path, *rows: Row) -> dict[Label, int]:
    written(tmp_path, "1_one.example", "Text", list(rows))
    (found,) = passages(tmp_path)
    return found.votes


def test_segments_with_what_each_annotator_saw(tmp_path):
    first, information = "First Party Collection/Use", "Personal Information Type"
    written(
        tmp_path,
        "12_one.example",
        "<p>We keep<br>your  name &amp; age.</p>|||<strong>Safe</strong>|||Nobody read this",
        [
            ("121", 0, first, {information: "Contact", "Does/Does Not": "Does"}),
            ("121", 0, first, {information: "Contact"}),  # twice, but one person
            ("121", 0, first, {information: "Health"}),
            ("85", 0, first, {information: "Contact", "Does/Does Not": "Does"}),
            ("7", 0, "Data Security", {"Security Measure": "Generic"}),
            ("85", 1, "Data Security", {"Security Measure": "Generic"}),
        ],
    )
    found = list(passages(tmp_path))
    assert found == [
        Passage(
            "12_one.example#0",
            "12_one.example",
            "We keep your name & age.",
            3,
            {FIRST: 2, NAME: 2, DOES: 2, HEALTH: 1, SECURITY: 1, GENERIC: 1},
        ),
        Passage("12_one.example#1", "12_one.example", "Safe", 1, {SECURITY: 1, GENERIC: 1}),
        Passage("12_one.example#2", "12_one.example", "Nobody read this"),
    ]
    assert [label for label in (FIRST, NAME, DOES, HEALTH, SECURITY, INTRODUCTION) if found[0].holds(label)] == [
        FIRST, NAME, DOES,
    ]  # fmt: skip
    assert not found[1].holds(SECURITY)


def test_policies_by_name(tmp_path):
    for name in ("2_b.example", "10_a.example", "2_a.example"):
        written(tmp_path, name, "One|||Two")
    assert [one.id for one in passages(tmp_path)] == [
        f"{name}#{segment}" for name in ("10_a.example", "2_a.example", "2_b.example") for segment in (0, 1)
    ]


def test_without_annotations_passages_have_no_labels(tmp_path):
    written(tmp_path, "1_one.example", "One|||Two")
    (tmp_path / "annotations").rmdir()
    assert list(passages(tmp_path)) == [
        Passage("1_one.example#0", "1_one.example", "One"),
        Passage("1_one.example#1", "1_one.example", "Two"),
    ]


def test_other_is_split_in_three(tmp_path):
    kinds = ("Introductory/Generic", "Privacy contact information", "Practice not covered", "Other")
    rows = [("1", 0, "Other", {"Other Type": kind}) for kind in kinds]
    assert votes(tmp_path, *rows) == {INTRODUCTION: 1, CONTACT: 1, NOT_COVERED: 1}


def test_who_says_only_other_is_counted_among_the_annotators(tmp_path):
    written(tmp_path, "1_one.example", "Text", [("1", 0, "Other", {"Other Type": "Other"})])
    assert list(passages(tmp_path)) == [Passage("1_one.example#0", "1_one.example", "Text", 1, {})]


def test_values_that_are_not_of_the_taxonomy_are_left_out(tmp_path):
    values = {
        "Personal Information Type": "Horoscope",
        "Choice Type": "Unspecified",  # an attribute of another category
        "Identifiability": "not-selected",
        "Does/Does Not": "Does",
    }
    assert votes(tmp_path, ("1", 0, "First Party Collection/Use", values)) == {FIRST: 1, DOES: 1}
    # Only collecting and sharing are affirmed or denied.
    assert votes(tmp_path, ("1", 0, "Data Security", {"Does/Does Not": "Does"})) == {SECURITY: 1}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", ""),
        ("<br><br>", ""),
        ("a<br>b", "a b"),
        ("<a href='x'>a</a>, b", "a , b"),
        ("  a\n b\t", "a b"),
        ("&lt;b&gt; &nbsp; &#8217;", "<b> ’"),
    ],
)
def test_tags_are_taken_out(raw, expected):
    assert plain(raw) == expected


# What is no OPP-115


def test_a_folder_without_policies(tmp_path):
    with pytest.raises(NoData) as error:
        list(passages(tmp_path))
    assert str(error.value) == (f"{tmp_path} holds no sanitized_policies/*.html; give a folder in OPP-115's layout")


GOOD = '1,b,121,3905,0,Data Security,"{}",d,u\n'


@pytest.mark.parametrize(
    "line",
    [
        "1,b,121,3905\n",
        '1,b,121,3905,first,Data Security,"{}",d,u\n',
        '1,b,121,3905,0,Data Security,"{",d,u\n',
        "\n",
        '1,b,121,3905,0,Alchemy,"{}",d,u\n',
        '1,b,121,3905,0,Other,"{}",d,u\n',
        '1,b,121,3905,0,Data Security,"[]",d,u\n',
        '1,b,121,3905,0,Data Security,"{""Security Measure"": ""Generic""}",d,u\n',
    ],
)
def test_a_line_that_is_no_annotation_is_named(tmp_path, line):
    path = written(tmp_path, "1_one.example", "Text", [])
    path.write_text(GOOD + GOOD + line + GOOD, encoding="utf-8")
    with pytest.raises(NoData) as error:
        list(passages(tmp_path))
    assert str(error.value) == f"line 3 of {path} is no annotation of OPP-115"


# The research data


@pytest.mark.real_data("labelled/opp115")
def test_the_segments_of_the_research_data(data_dir):
    found = list(passages(data_dir / "labelled" / "opp115"))
    assert (len(found), len({one.policy for one in found}), len({one.id for one in found})) == (3193, 95, 3193)
    assert (found[0].id, found[-1].id) == ("1017_sci-news.com#0", "988_solarviews.com#0")
    assert found[0].text.startswith(
        "Privacy Policy Sci-News.com is committed to protecting and respecting your privacy."
    )
    assert found[0].holds(INTRODUCTION)
    assert all(one.text and one.annotators for one in found)


@pytest.mark.real_data("labelled/opp115", "labelled/policyqa")
def test_the_test_split_is_policyqas(data_dir):
    held = [row["id"] for row in listed("practices_test")]
    assert (len(held), held) == (20, sorted(set(held)))
    assert (held[0], held[-1]) == ("1017_sci-news.com", "940_internetbrands.com")
    sites = {name.partition("_")[2] for name in held}
    titles = {
        name: {one["title"] for one in json.loads((data_dir / "labelled" / "policyqa" / name).read_text())["data"]}
        for name in ("dev.json", "train_rebuilt.json")
    }
    assert sites == titles["dev.json"]
    assert not sites & titles["train_rebuilt.json"]
    assert set(held) <= {one.policy for one in passages(data_dir / "labelled" / "opp115")}
