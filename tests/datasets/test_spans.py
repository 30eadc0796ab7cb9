from __future__ import annotations

import pytest

from smallprint.datasets import corpus
from smallprint.datasets.kept_out import held_out_policies
from smallprint.datasets.opp115 import Span, spans
from smallprint.errors import NoData
from smallprint.taxonomy import Label

from ..train.research import annotations, mark

FIRST, OTHER = "First Party Collection/Use", "Other"
KIND = "Personal Information Type"
HEALTH = Label("first-party", KIND, "Health")


@pytest.fixture
def data(tmp_path):
    (tmp_path / "exclude.txt").write_text("opp115:9_kept.example\n", encoding="utf-8")
    return tmp_path


def test_what_was_marked_with_its_label(data):
    annotations(
        data,
        "1_a.example",
        (FIRST, {KIND: mark("Health", "your \n pulse"), "Purpose": mark("Marketing", "to sell")}),
        (FIRST, {KIND: mark("Health", "your weight")}),
    )
    assert list(spans(data)) == [
        Span(HEALTH, "your pulse", "1_a.example"),
        Span(Label("first-party", "Purpose", "Marketing"), "to sell", "1_a.example"),
        Span(HEALTH, "your weight", "1_a.example"),
    ]


def test_other_is_a_category_of_its_own_where_its_type_says_which(data):
    kinds = ("Introductory/Generic", "Privacy contact information", "Practice not covered", "Other")
    annotations(data, "1_a.example", *((OTHER, {"Other Type": mark(kind, kind.lower())}) for kind in kinds))
    assert [(one.label, one.text) for one in spans(data)] == [
        (Label("introduction"), "introductory/generic"),
        (Label("contact"), "privacy contact information"),
        (Label("not-covered"), "practice not covered"),
    ]


def test_what_is_not_marked_or_no_label_of_ours_is_left_out(data):
    annotations(
        data,
        "1_a.example",
        (FIRST, {KIND: {"value": "Health", "selectedText": None, "startIndexInSegment": -1}}),
        (FIRST, {KIND: {"value": "Health"}}),
        (FIRST, {KIND: mark("Health", "  "), "User Type": mark("User with account", "members")}),
        (OTHER, {"Another": mark("Introductory/Generic", "hello")}),
    )
    assert list(spans(data)) == []


def test_policies_held_out_are_not_read(data):
    tested = corpus.listed("practices_test")[0]["id"]
    for policy in (tested, "9_kept.example", "2_b.example"):
        annotations(data, policy, (FIRST, {KIND: mark("Health", "your pulse")}))
    assert [one.policy for one in spans(data)] == ["2_b.example"]


def test_a_folder_without_annotations(data):
    with pytest.raises(NoData, match=r"annotations holds no \*\.csv"):
        list(spans(data))


@pytest.mark.parametrize(
    "line", ["1,2,3", '1,b,2,7,0,Data Security,"{"', '1,b,2,7,0,Nonsense,"{""a"": {""startIndexInSegment"": 0}}"']
)
def test_a_line_that_is_no_annotation(data, line):
    annotations(data, "1_a.example", (FIRST, {}))
    path = data / "labelled" / "opp115" / "annotations" / "1_a.example.csv"
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(NoData, match=r"line 2 of .*1_a\.example\.csv is no annotation"):
        list(spans(data))


@pytest.mark.real_data("exclude.txt", "labelled/opp115")
def test_no_span_is_of_a_policy_that_is_held_out(data_dir):
    found = list(spans(data_dir))
    assert not {one.policy for one in found} & held_out_policies(data_dir)
    assert len({one.policy for one in found}) == 72
