"""The whole of it, small: from pages to the reader, and to the tables; and what is there is not made again."""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.errors import BadSetting  # noqa: E402 - needs torch
from smallprint.models import store  # noqa: E402 - needs torch
from smallprint.models.reader import NAME, Read, Reader  # noqa: E402 - needs torch
from smallprint.train.era import bench as benches  # noqa: E402 - needs torch
from smallprint.train.era import judging, readers, train  # noqa: E402 - needs torch
from smallprint.train.era.bench import SMALL  # noqa: E402 - needs torch
from smallprint.train.era.recipe import PATH, SMALL_WORK  # noqa: E402 - needs torch
from smallprint.train.era.rows import SHIPPED, USUAL  # noqa: E402 - needs torch
from smallprint.train.era.steps import COUNTS  # noqa: E402 - needs torch

from . import world  # noqa: E402 - needs torch

ROW = "grown, ERA-D"


@pytest.fixture(scope="module")
def shipped(toy, data, tmp_path_factory):
    """Train the reader of a row with augmentation once; gives where it is and its card."""
    where = tmp_path_factory.mktemp("weights")
    return where, train(data, where, lambda line: None, small=True, rows=[ROW])


def small(shipped, data, lines=None, **options):
    said = [] if lines is None else lines
    return train(data, shipped[0], said.append, small=True, **options)


def test_the_path_ends_with_a_reader_that_reads(shipped):
    where, card = shipped
    reader = Reader(benches.base(), where)
    (said,) = reader.read("Do you sell my data?", [Read("We sell nothing.")])
    assert isinstance(said.bears, float)
    assert card["version"] == store.version(NAME, where)
    assert card["row"] == ROW
    assert card["and then on"]["pairs"] == SMALL.pairs
    assert "PolicyQA" in card["data"]
    assert "unlabelled" in card["data"]
    assert json.loads((where / "reader.json").read_text()) == card


def test_without_a_row_the_reader_is_the_one_that_is_shipped_and_reads_no_corpus(toy, data, tmp_path):
    card = train(data, tmp_path, lambda line: None, small=True)
    assert card["row"] == SHIPPED
    assert card["grown on"]
    assert "and then on" not in card
    assert "unlabelled" not in card["data"]
    assert not (tmp_path / SMALL_WORK / "sentences").exists()


def test_the_reader_that_is_installed_is_of_the_row_that_is_shipped():
    card = json.loads((store.folder() / "reader.json").read_text())
    assert (card["row"], card["version"]) == (SHIPPED, store.version(NAME))


def test_options_without_a_row_are_of_a_reader_that_has_all_labels(toy, data, tmp_path):
    card = train(data, tmp_path, lambda line: None, small=True, models=("general",), filtered=False)
    assert card["row"] == f"{USUAL}, filtered=False, models=general"
    assert card["grown on"]


def test_every_step_left_its_counts(shipped):
    where, _ = shipped
    work = where / SMALL_WORK
    told = {path.parent.relative_to(work).as_posix(): json.loads(path.read_text()) for path in work.rglob(COUNTS)}
    kinds = {name.partition("/")[0] for name in told}
    assert kinds == {
        "sentences", "labelled", "measured", "bases", "retrievers", "vectors", "found", "filters", "scores", "sets",
        "final", "rows",
    }  # fmt: skip
    assert all(one["seconds"] >= 0 and one["counts"] for one in told.values())
    assert not list(work.rglob("*.checkpoint"))
    assert not list(work.rglob("*.begun"))
    assert "bases/general-1" not in told  # which is MiniLM as it is


def test_what_is_there_is_not_made_again(shipped, data):
    lines = []
    small(shipped, data, lines, rows=[ROW])
    assert lines == []


@pytest.mark.parametrize("step", PATH[:-1])
def test_a_step_alone_gives_its_counts(shipped, data, step):
    lines = []
    found = small(shipped, data, lines, step=step, rows=[ROW])
    assert found
    assert all(isinstance(counts, dict) for counts in found.values())
    assert lines == []


def test_rows_of_the_table_are_trained_one_by_one_and_all_have_as_many_pairs(shipped, data):
    names = ["none", "ERA-D", "ensemble without filter"]
    tables = small(shipped, data, step="table", rows=names)
    assert list(tables["rows"]) == ["none", "ensemble without filter", "ERA-D", ROW]
    for row in (tables["rows"][name] for name in names):
        assert row["counts"]["labelled"] + row["counts"]["added"] == SMALL.pairs
        assert 0 <= row["privacyqa"]["selection_F1"] <= 1
        assert row["held"]["seeds"] == [1]
    plain, added = tables["rows"]["none"], tables["rows"]["ensemble without filter"]
    assert plain["counts"]["added"] == 0
    assert added["counts"]["added, right"] == int(SMALL.pairs / 3) // 2
    assert plain["privacyqa"]["minus none"]["F@5"] == 0.0
    more = small(shipped, data, step="table", rows=names, seed=2)
    assert more["rows"]["ERA-D"]["held"]["seeds"] == [1, 2]
    pooled = more["few labels, what adds minus what does not"]["held"]
    assert pooled["runs"] == [4, 2]
    adds = [more["rows"][name]["held"]["MRR"] for name in names[1:]]
    assert pooled["MRR"] == pytest.approx(sum(adds) / 2 - more["rows"]["none"]["held"]["MRR"])
    path = shipped[0] / SMALL_WORK / f"tables-{SMALL.pairs}"
    assert "| ERA-D |" in path.with_suffix(".md").read_text()
    assert json.loads(path.with_suffix(".json").read_text()) == more


def test_the_grown_reader_is_a_filter_too_and_learns_on(shipped, data):
    names = ["grown", "grown, none", "grown, real questions, soft labels"]
    tables = small(shipped, data, step="table", rows=names)
    as_it_is, plain, soft = (tables["rows"][name] for name in names)
    work = shipped[0] / SMALL_WORK
    versions = {
        store.version(NAME, work / name) for name in ("filters/reader-1", "final/none-1-1", "rows/grown-1-1-64")
    }
    assert len(versions) == 1
    assert as_it_is["counts"]["pairs"] == 0
    assert plain["counts"]["spans"] == 1  # which is all there is
    assert plain["counts"]["labelled"] == SMALL.pairs - 1
    assert soft["counts"]["added"] == int(SMALL.pairs / 3)
    assert soft["counts"]["surely wrong"] == 0
    assert plain["held"]["minus none"]["selection_F1"] == 0.0
    assert set(tables["chosen without its policy"]) == {"App"}
    assert tables["together"]["readers"] == 4  # the three, and the one that was shipped
    assert 0 <= tables["together"]["privacyqa"]["selection_F1"] <= 1
    text = (work / f"tables-{SMALL.pairs}.md").read_text()
    assert "## All labels" in text
    seeds = small(shipped, data, step="table", rows=["grown, none"], seed=2)
    assert seeds["rows"]["grown"]["held"]["seeds"] == seeds["rows"]["grown, none"]["held"]["seeds"] == [1, 2]
    lines = (work / f"tables-{SMALL.pairs}.md").read_text().splitlines()
    spread = {line.split("|")[1].strip() for line in lines if "±" in line}
    assert "grown, none" in spread
    assert "grown" not in spread  # which is one reader


def test_the_installed_reader_has_a_row_of_its_own_and_is_not_trained(shipped, data, monkeypatch):
    monkeypatch.setattr(readers, "weights", lambda bench, name: shipped[0])
    before = small(shipped, data, step="table", rows=[ROW])
    tables = small(shipped, data, step="table", rows=["installed"])
    assert tables["rows"]["installed"]["counts"]["pairs"] == 0
    assert tables["rows"]["installed"]["held"]["F@5"] == tables["rows"][ROW]["held"]["F@5"]
    # It is one of the rows itself, and neither chosen instead of that nor counted twice.
    told = "best", "together", "chosen without its policy"
    assert [tables[name] for name in told] == [before[name] for name in told]
    with pytest.raises(BadSetting, match="there already"):
        small(shipped, data, rows=["installed"])


def test_tables_of_two_sizes_stand_beside_each_other(shipped, data):
    fewer = small(shipped, data, step="table", rows=["none"], pairs=32)
    assert fewer["rows"]["none"]["counts"]["pairs"] == 32
    usual = small(shipped, data, step="table", rows=["none"])
    again = small(shipped, data, step="table", rows=["none"], pairs=32)
    assert usual["rows"]["none"]["counts"]["pairs"] == SMALL.pairs
    assert again == fewer | {"seconds": again["seconds"]}


def test_the_overlap_is_drawn_and_a_sample_is_written(shipped, data):
    (counts,) = small(shipped, data, step="venn").values()
    assert set(counts) == {"the 10 nearest", "what filters keep of them"}
    picture = next((shipped[0] / SMALL_WORK).glob("venn*/venn.svg")).read_text()
    assert "<title" in picture


def test_a_sample_is_drawn_once_whatever_filters_it_and_verdicts_are_counted(shipped, data, monkeypatch):
    (drawn,) = small(shipped, data, step="sample").values()
    path = shipped[0] / SMALL_WORK / "sample-1" / "sample.tsv"
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    assert len(lines) == drawn["drawn"] + 1
    first = lines[1][0]
    monkeypatch.setattr(judging, "listed", lambda name: [{"id": first, "verdict": "bears"}])
    (told,) = small(shipped, data, step="sample", rows=["grown, its own filter"]).values()
    again = [line.split("\t") for line in (path.parents[1] / "sample-1-by-reader" / path.name).read_text().splitlines()]
    assert [line[0] for line in again] == [line[0] for line in lines]
    assert [line[2] for line in again[1:]] == ["bears"] + [""] * (len(again) - 2)
    counts = told["verdict: kept by the filter"]
    assert sum(count for own in counts.values() for name, count in own.items() if name.startswith("bears: ")) == 1
    assert sum(count for own in counts.values() for count in own.values()) == told["drawn"]


def test_nothing_that_is_measured_on_is_found(shipped):
    text = next((shipped[0] / SMALL_WORK).glob("sentences/sentences.tsv")).read_text()
    assert "free1.example" in text
    assert not [name for name in (world.HELD, world.TUNING) if name[-5:] in text]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"step": "beauty"}, "'beauty' is no step"),
        ({"rows": ["beauty"]}, "'beauty' is no row"),
        ({"models": ("bert",)}, "'bert' is no base model"),
        ({"pairs": 20_001}, "at most 20,000 pairs"),
    ],
)
def test_what_cannot_be_is_said(toy, data, tmp_path, options, told):
    with pytest.raises(BadSetting, match=told):
        train(data, tmp_path, lambda line: None, small=True, **options)


def test_a_small_run_is_not_installed(toy, data):
    with pytest.raises(BadSetting, match="give --out"):
        train(data, store.folder(), lambda line: None, small=True)
