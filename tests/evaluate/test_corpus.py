from __future__ import annotations

from collections import Counter

import pytest

from smallprint.cli.app import main
from smallprint.errors import NoData
from smallprint.evaluate import corpus
from smallprint.evaluate.corpus import Sample

FILES = {name: f"corpus/{name}.jsonl.zst" for name in ("ota_pages_html", "other_pages_html", "opp115_pages_html", "dmoz_policies")}


@pytest.mark.parametrize(
    ("sample", "names", "excluded"),
    [
        (Sample("ota:c/Acme/Privacy#1", "https://acme.com/p", "", None, "policy", "service:Acme"), {"acme.com"}, True),
        (Sample("ota:c/Acme/Privacy#1", "https://www.acme.com/p", "", None, "policy", "service:Acme"), {"acme.com"}, True),
        (Sample("ota:c/Acme/Privacy#1", "", "", None, "policy", "service:Acme"), {"ota:Acme"}, True),
        (Sample("opp115:105_www.amazon.com", "", "", None, "policy", "x"), {"opp115:105_amazon.com"}, True),
        (Sample("opp115:105_www.amazon.com", "", "", None, "policy", "x"), {"opp115:105_www.amazon.com"}, True),
        (Sample("dmoz:cat1/a-1", "http://a.com/", None, "t", "", "a.com"), {"dmoz:cat1/a-1"}, True),
        (Sample("dmoz:cat1/a-1", "http://a.com/", None, "t", "", "a.com"), {"b.com", "ota:a"}, False),
        (Sample("ota:c/Acme/Privacy#1", "http://[bad", "", None, "policy", "service:Acme"), {"acme.com"}, False),
    ],
)
def test_what_is_kept_for_evaluation(sample, names, excluded):
    assert corpus.is_excluded(sample, frozenset(names)) is excluded


def test_the_list_of_what_is_excluded(tmp_path):
    with pytest.raises(NoData, match="without it nobody knows what may not be trained on"):
        corpus.excluded(tmp_path)
    (tmp_path / "exclude.txt").write_text("# sites\nacme.com\n\n  ota:Acme  \n")
    assert corpus.excluded(tmp_path) == {"acme.com", "ota:Acme"}


def test_our_own_lists():
    tested, held, taught = (corpus.listed(name) for name in ("is_policy_test", "dmoz_test_labels", "dmoz_train_labels"))
    assert (len(tested), len(held)) == (669, 300)
    ids = [row["id"] for row in (*tested, *held, *taught)]
    assert len(ids) == len(set(ids))  # no page is both taught and tested
    assert {row["label"] for row in (*held, *taught)} == {"policy", "other"}
    assert {row["id"] for row in corpus.listed("is_policy_wrong")} <= {row["id"] for row in tested}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("load", "count", "labels", "first"),
    [
        pytest.param(corpus.ota_pages, 1029, {"policy": 285, "other": 744}, "ota:", marks=pytest.mark.real_data(FILES["ota_pages_html"])),
        pytest.param(corpus.other_pages, 820, {"other": 820}, "other:", marks=pytest.mark.real_data(FILES["other_pages_html"])),
        pytest.param(corpus.opp115_pages, 106, {"policy": 106}, "opp115:", marks=pytest.mark.real_data(FILES["opp115_pages_html"])),
        pytest.param(lambda data: corpus.dmoz_pages(data, {}), 24738, {"": 24738}, "dmoz:", marks=pytest.mark.real_data(FILES["dmoz_policies"])),
    ],
    ids=FILES,
)  # fmt: skip
def test_the_corpora_are_whole(data_dir, load, count, labels, first):
    found: Counter[str] = Counter()
    ids = set()
    for sample in load(data_dir):
        found[sample.label] += 1
        ids.add(sample.id)
        assert (sample.html is None) != (sample.text is None)
    assert found == labels
    assert len(ids) == count
    assert all(name.startswith(first) for name in ids)


@pytest.mark.slow
@pytest.mark.parametrize(
    "task",
    [
        pytest.param("extraction", marks=pytest.mark.real_data(FILES["opp115_pages_html"], "labelled/opp115")),
        pytest.param("is-policy", marks=pytest.mark.real_data(FILES["ota_pages_html"], FILES["other_pages_html"], FILES["dmoz_policies"])),
    ],
)  # fmt: skip
def test_the_figures_are_not_below_their_floors(data_dir, task, capsys):
    with pytest.raises(SystemExit) as left:
        main(["evaluate", task, "--data", str(data_dir), "--json", "--gate"])
    said = capsys.readouterr()
    assert (left.value.code, said.err) == (0, "")
