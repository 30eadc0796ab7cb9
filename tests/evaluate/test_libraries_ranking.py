from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from smallprint.datasets.corpus import listed
from smallprint.errors import NoData
from smallprint.evaluate.libraries import SYSTEMS, THEMES, judgements, queries, ranking_measures
from smallprint.index.opening import WHICH, index_folder

from .answerers import evaluator

evaluate = evaluator("ranking")


def test_the_papers_queries():
    assert [len(theme) for theme in THEMES.values()] == [7, 5, 5]
    assert len(set(queries())) == 17


def test_our_judgements_are_on_these_queries_each_once():
    found = judgements(Path("nowhere.db"))
    assert {query for query, _ in found} == set(queries())
    rows = listed("ranking_judgements")
    assert len(found) == len(rows) == 705
    assert all(row["reason"] for row in rows)
    assert 0 < sum(found.values()) < len(found)


def test_precision_counts_what_is_not_judged_as_irrelevant():
    run = {query: [f"p{number}" for number in range(10)] for query in queries()}
    judged = {("SSL", "p0"): True, ("SSL", "p9"): True, ("firewall", "p4"): True, ("SSL", "elsewhere"): False}
    found = ranking_measures(run, judged)
    assert found["by_query"]["SSL"] == {"P@5": 0.2, "P@10": 0.2}
    assert found["by_theme"]["security"] == pytest.approx({"P@5": 0.08, "P@10": 0.06})
    assert found["P@5"] == pytest.approx(0.4 / 17)
    assert found["judged"] == pytest.approx(3 / 170)
    assert ranking_measures({query: [] for query in queries()} | {"SSL": ["p0"]}, judged)["P@10"] == pytest.approx(
        0.1 / 17
    )


def test_every_system_is_measured_over_a_library_with_its_own_judgements(annotated_sample, tmp_path):
    path = tmp_path / "mine.db"
    shutil.copy(annotated_sample, path)
    for which in WHICH:
        shutil.copytree(index_folder(annotated_sample, which), index_folder(path, which))
    plain = evaluate(path, SYSTEMS)
    assert {system: found["P@5"] for system, found in plain["systems"].items()} == dict.fromkeys(SYSTEMS, 0.0)
    predictions = tmp_path / "said.jsonl"
    evaluate(path, ["custom, policy"], predictions=predictions)
    lines = [json.loads(line) for line in predictions.read_text().splitlines()]
    first = next(line for line in lines if line["query"] == "encryption" and line["rank"] == 1)
    path.with_name("mine.judgements.tsv").write_text(
        f"query\tpolicy_id\tverdict\treason\nencryption\t{first['id']}\trelevant\tencrypts\n"
    )
    found = evaluate(path, ["custom, policy", "popularity, page"])
    assert found["systems"]["custom, policy"]["by_query"]["encryption"]["P@5"] == 0.2
    assert found["judged"] == 1


def test_it_wants_a_library(tmp_path):
    with pytest.raises(NoData, match="--data"):
        evaluate(tmp_path, SYSTEMS)


def test_judgements_without_a_column_are_told_of(annotated_sample, tmp_path):
    path = tmp_path / "mine.db"
    shutil.copy(annotated_sample, path)
    path.with_name("mine.judgements.tsv").write_text("query\tpolicy_id\tverdict\n")
    with pytest.raises(NoData, match=r"mine\.judgements\.tsv has no column 'reason'; it needs query, policy_id"):
        evaluate(path, SYSTEMS)
