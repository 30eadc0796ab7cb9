"""The study of ERA, small: its tables, the diagram and the sample; needs torch."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from research.era import retrieved, tables  # noqa: E402 - needs torch
from research.era.__main__ import main  # noqa: E402 - needs torch
from research.era.retrieved import PICTURE, SAMPLE, drawn, regions  # noqa: E402 - needs torch
from research.era.tables import ALL, COMPARED, ROWS, difference, plain, row, row_figures  # noqa: E402 - needs torch
from smallprint.errors import BadSetting  # noqa: E402 - needs torch
from smallprint.evaluate.measures import precision_recall_f1  # noqa: E402 - needs torch
from smallprint.train.era.bench import SMALL, WORK  # noqa: E402 - needs torch
from smallprint.train.era.benchmark import MEASURES, figures, outcomes  # noqa: E402 - needs torch
from smallprint.train.era.filters import Added  # noqa: E402 - needs torch

from .test_benchmark import item, scores  # noqa: E402 - needs torch


@pytest.fixture(scope="module")
def run(toy, data, tmp_path_factory):
    """Give what runs the study in one folder, so that its steps are made once."""
    out = tmp_path_factory.mktemp("study")

    def study(*arguments):
        return main([*arguments, "--small", "--data", str(data), "--out", str(out)])

    study.work = out / WORK
    return study


def test_rows_are_trained_with_every_seed_and_all_have_as_many_pairs(run):
    names = ("none, drawn likewise", "ERA-D", "ensemble without filter", "ERA, from adapted", "grown")
    result = run("table", *(part for name in names for part in ("--row", name)), "--seed", "1", "--seed", "2")
    rows = result["rows"]
    # What they are compared with is made as well.
    assert set(rows) == {*names, "none", "none, from adapted", "grown, none"}
    for name, told in rows.items():
        assert told["held"]["seeds"] == [1, 2]
        assert 0 <= told["privacyqa"]["selection_F1"] <= 1
        if name != "grown":
            counts = told["counts"]
            assert counts["labelled"] + counts["added"] + counts["spans"] == SMALL.pairs
    assert rows["ERA-D"]["counts"]["added, right"] == int(SMALL.pairs / 3) // 2
    assert rows["none"]["counts"]["added"] == 0
    assert rows["none"]["privacyqa"]["minus none"]["F@5"] == 0.0
    pooled = result["few labels, what adds minus what does not"]["held"]
    assert pooled["runs"] == [4, 4]
    plain_ones = [rows[name]["held"]["MRR"] for name in ("none", "none, drawn likewise")]
    adds = [rows[name]["held"]["MRR"] for name in ("ERA-D", "ensemble without filter")]
    assert pooled["MRR"] == pytest.approx(sum(adds) / 2 - sum(plain_ones) / 2)
    lines = (run.work / "tables.md").read_text().splitlines()
    spread = {line.split("|")[1].strip() for line in lines if "±" in line}
    assert "grown, none" in spread
    assert "grown" not in spread  # which is one reader


def test_the_installed_reader_has_a_row_of_its_own_and_is_not_trained(run, monkeypatch, capsys):
    made = next(path for path in (run.work / "final").glob("labelled-1") if path.is_dir())
    monkeypatch.setattr(tables, "installed", lambda: made)
    rows = run("table", "--row", "installed", "--row", "grown", "--seed", "1")["rows"]
    assert rows["installed"]["counts"]["pairs"] == 0
    assert rows["installed"]["held"]["F@5"] == rows["grown"]["held"]["F@5"]
    assert "making it" not in capsys.readouterr().err.replace("rows/installed-1-0: making it", "")


def test_the_overlap_is_drawn(run):
    assert set(run("venn")) == {"the 10 nearest", "what filters keep of them"}
    assert "<title" in (run.work / "venn-1" / PICTURE).read_text()


def test_a_sample_is_drawn_once_and_verdicts_are_counted(run, monkeypatch):
    counts = run("sample")
    path = run.work / "sample-1" / SAMPLE
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    assert len(lines) == counts["drawn"] + 1
    monkeypatch.setattr(retrieved, "listed", lambda name: [{"id": lines[1][0], "verdict": "bears"}])
    told = run("sample")
    again = [line.split("\t") for line in path.read_text().splitlines()]
    assert [line[0] for line in again] == [line[0] for line in lines]
    assert [line[2] for line in again[1:]] == ["bears"] + [""] * (len(again) - 2)
    counts = told["verdict: kept by the filter"]
    assert sum(count for own in counts.values() for name, count in own.items() if name.startswith("bears: ")) == 1
    assert sum(count for own in counts.values() for count in own.values()) == told["drawn"]


def test_rows_have_names_and_folders_of_their_own():
    assert len({variant.slug for variant in ROWS.values()}) == len(ROWS)
    assert row("ERA").models == ("general", "adapted", "simcse")
    assert row("ERA-D").models == ("adapted", "simcse")
    with pytest.raises(BadSetting, match="'beauty' is no row"):
        row("beauty")


def test_a_row_is_compared_with_what_begins_from_the_same():
    names = {variant.name: plain(variant).name for variant in ROWS.values()}
    assert names["ERA"] == names["none, from adapted"] == names["none, same labels again"] == "none"
    assert names["ERA, from adapted"] == "none, from adapted"
    assert {names[variant.name] for variant in ALL} == {"grown, none"}


def test_regions_are_counted_apart():
    parts = {
        "a": Added(dict.fromkeys([(0, 1), (0, 2), (0, 3)], 1.0), frozenset()),
        "b": Added(dict.fromkeys([(0, 2), (0, 3), (1, 1)], 1.0), frozenset()),
        "c": Added(dict.fromkeys([(0, 3)], 1.0), frozenset()),
    }
    assert regions(parts) == {
        "a": 1, "b": 1, "c": 0, "a and b": 1, "a and c": 0, "b and c": 0, "a and b and c": 1,
    }  # fmt: skip


# Tables


ITEMS = [item({number % 4}) for number in range(12)]


def right(share):
    """Say the truth of so many of the questions, and the contrary of the others."""
    return outcomes(ITEMS, [scores(*(one.truth if n < share else ~one.truth)) for n, one in enumerate(ITEMS)], 0.5)


def figure(rows, name):
    return figures(rows)[MEASURES.index(name)]


def test_a_row_has_mean_spread_and_distance():
    found = row_figures({1: right(12), 2: right(6)}, {1: right(6), 2: right(6), 3: right(0)})
    assert found["seeds"] == [1, 2]
    each = [figure(rows, "MRR") for rows in (right(12), right(6))]
    assert found["MRR"] == pytest.approx(np.mean(each))
    assert found["MRR_spread"] == pytest.approx(np.std(each, ddof=1))
    assert found["minus none"]["MRR"] == pytest.approx((each[0] - each[1]) / 2)
    low, high = found["minus none"]["MRR_ci"]
    assert 0 < low < found["minus none"]["MRR"] < high
    low, high = found["selection_F1_ci"]
    assert low < found["selection_F1"] < high


def test_the_same_reader_is_no_better_than_itself():
    found = difference([right(5)], [right(5)])
    assert {found[name] for name in COMPARED} == {0.0}
    assert found["F@5_ci"] == [0.0, 0.0]


def test_compared_figures_are_those_of_the_evaluation():
    truth = np.concatenate([one.truth for one in ITEMS])
    picked = np.concatenate([one.truth if n < 7 else ~one.truth for n, one in enumerate(ITEMS)])
    found = difference([right(7)], [outcomes(ITEMS, [scores(0, 0, 0, 0)] * 12, 9.0)])
    assert found["selection_F1"] == pytest.approx(precision_recall_f1(truth, picked)[2])


# The picture


def test_the_picture_has_all_counts_and_says_what_it_shows():
    names = ("a", "b", "<c>")
    counts = {
        "a": 1001, "b": 2, "<c>": 3, "a and b": 4, "a and <c>": 5, "b and <c>": 6, "a and b and <c>": 7,
    }  # fmt: skip
    picture = drawn({"found": counts}, names)
    assert picture.count("<circle") == 3
    for count in ("1,001", "2", "3", "4", "5", "6", "7"):
        assert f">{count}</text>" in picture
    assert "<title" in picture
    assert "a and b 4" in picture
    assert "<c>" not in picture
