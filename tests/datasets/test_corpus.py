from __future__ import annotations

from collections import Counter

import pytest

from smallprint.cli.app import main
from smallprint.datasets import corpus, kept_out
from smallprint.datasets.corpus import Sample, table
from smallprint.errors import NoData

NAMES = ("ota_pages_html", "other_pages_html", "opp115_pages_html", "dmoz_policies")
FILES = {name: f"corpus/{name}.jsonl.zst" for name in NAMES}


@pytest.mark.parametrize(
    ("sample", "names", "excluded"),
    [
        (Sample("ota:c/Acme/Privacy#1", "https://acme.com/p", "", None, "policy", "service:Acme"), {"acme.com"}, True),
        (
            Sample("ota:c/Acme/Privacy#1", "https://www.acme.com/p", "", None, "policy", "service:Acme"),
            {"acme.com"},
            True,
        ),
        (Sample("ota:c/Acme/Privacy#1", "", "", None, "policy", "service:Acme"), {"ota:Acme"}, True),
        (Sample("opp115:105_www.amazon.com", "", "", None, "policy", "x"), {"opp115:105_amazon.com"}, True),
        (Sample("opp115:105_www.amazon.com", "", "", None, "policy", "x"), {"opp115:105_www.amazon.com"}, True),
        (Sample("dmoz:cat1/a-1", "http://a.com/", None, "t", "", "a.com"), {"dmoz:cat1/a-1"}, True),
        (Sample("dmoz:cat1/a-1", "http://a.com/", None, "t", "", "a.com"), {"b.com", "ota:a"}, False),
        (Sample("ota:c/Acme/Privacy#1", "http://[bad", "", None, "policy", "service:Acme"), {"acme.com"}, False),
    ],
)
def test_what_is_kept_for_evaluation(sample, names, excluded):
    assert kept_out.is_excluded(sample, frozenset(names)) is excluded


def test_the_list_of_what_is_excluded(tmp_path):
    with pytest.raises(NoData, match="without it nobody knows what may not be trained on"):
        kept_out.excluded(tmp_path)
    (tmp_path / "exclude.txt").write_text("# sites\nacme.com\n\n  ota:Acme  \n")
    assert kept_out.excluded(tmp_path) == {"acme.com", "ota:Acme"}


def test_our_own_lists():
    tested, held, taught = (corpus.listed(name) for name in ("is_policy_test", "dmoz_test_labels", "dmoz_train_labels"))
    assert (len(tested), len(held)) == (669, 300)
    ids = [row["id"] for row in (*tested, *held, *taught)]
    assert len(ids) == len(set(ids))  # no page is both taught and tested
    assert {row["label"] for row in held} == {"policy", "other"}
    labels = corpus.dmoz_labels("dmoz_test_labels", "dmoz_train_labels")
    assert set(labels.values()) == {"policy", "other"}
    assert len(labels) > 1000
    assert {row["id"] for row in corpus.listed("is_policy_wrong")} <= {row["id"] for row in tested}


CORPORA = {
    # The loader, pages by label, distinct ids: OPP-115 has several pages of some policies under one id.
    "ota_pages_html": (corpus.ota_pages, {"policy": 285, "other": 744}, 1029),
    "other_pages_html": (corpus.other_pages, {"other": 820}, 820),
    "opp115_pages_html": (corpus.opp115_pages, {"policy": 106}, 95),
    "dmoz_policies": (lambda data: corpus.dmoz_pages(data, {}), {"": 24_738}, 24_738),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.real_data(FILES[name])) for name in CORPORA])
def test_the_corpora_are_whole(data_dir, name):
    load, labels, distinct = CORPORA[name]
    found, ids = Counter(), set()
    for sample in load(data_dir):
        found[sample.label] += 1
        ids.add(sample.id)
        assert (sample.html is None) != (sample.text is None)
    assert (found, len(ids)) == (labels, distinct)
    assert {sample_id.partition(":")[0] for sample_id in ids} == {name.partition("_")[0]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "task",
    [
        pytest.param("extraction", marks=pytest.mark.real_data(FILES["opp115_pages_html"], "labelled/opp115")),
        pytest.param("is-policy", marks=pytest.mark.real_data(*FILES.values())),
        pytest.param("practices", marks=pytest.mark.real_data("labelled/opp115")),
        pytest.param("polarity", marks=pytest.mark.real_data("labelled/opp115")),
        pytest.param("mentions", marks=pytest.mark.real_data(FILES["dmoz_policies"])),
    ],
)
def test_the_figures_are_not_below_their_floors(data_dir, task, capsys):
    with pytest.raises(SystemExit) as left:
        main(["evaluate", task, "--data", str(data_dir), "--json", "--gate"])
    said = capsys.readouterr()
    assert (left.value.code, said.err) == (0, "")


# Tables


def test_quotes_as_spreadsheets_write_them(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('a\tb\n"under ""Cookies""."\t1\nan "inner" one\t2\n\n"never closed\t3\n', newline="")
    assert table(path, ("a", "b")) == [
        {"a": 'under "Cookies".', "b": "1"},
        {"a": 'an "inner" one', "b": "2"},
        {"a": '"never closed', "b": "3"},
    ]


def test_line_ends_and_a_mark_of_byte_order(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\xef\xbb\xbfa\tb\r\n1\t2\r\n")
    assert table(path, ("a",)) == [{"a": "1", "b": "2"}]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a\tc\n1\t2\n", "has no column 'b'; it needs a, b"),
        (b"a\tb\n1\n", "line 2 of .* has 1 fields, the first line 2"),
        (b"\xff\xff", "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_such_table(tmp_path, content, says):
    path = tmp_path / "a.tsv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(NoData, match=says):
        table(path, ("a", "b"))
