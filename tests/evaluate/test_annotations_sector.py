from __future__ import annotations

import json

import pytest
import zstandard

from smallprint import sample
from smallprint.datasets import corpus, kept_out
from smallprint.errors import NoData
from smallprint.evaluate import annotations
from smallprint.models.sector import GUESSED
from smallprint.records import SectorGuess

from .answerers import evaluator

evaluate = evaluator("sector")

KEPT = [(page, truth) for page, truth in zip(sample.pages(), sample.truths(), strict=True) if truth.outcome == "kept"]
SITES = ("tidemarkbank.example", "harbourlightclinic.example")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give a folder in the layout of the research data, made of the sample, with two companies held out."""
    where = tmp_path / "data" / "corpus"
    where.mkdir(parents=True)
    (where / "companies.csv").write_text(sample.COMPANIES.read_text(encoding="utf-8"), encoding="utf-8")
    html = [(page.url, page.content.decode()) for page, _ in KEPT]
    held = [(url, content) for url, content in html if corpus.site(url) in SITES]
    for name, rows in {
        "dmoz_policies": [{"id": "d", "url": "http://nobody.example/privacy", "domain": "nobody.example", "text": "x"}],
        "ota_pages_html": [
            {"source": "s", "service": url, "doc": "p", "terms_type": "Privacy Policy", "url": url, "html": content}
            for url, content in held
        ],
        "opp115_pages_html": [{"id": "1", "url": None, "host": "h.example", "html": "x"}],
        "history_tosback2": [
            {"domain": "t.example", "doc": "p", "version": version, "url": "http://t.example", "text": str(version)}
            for version in (0, 2, 1)
        ],
    }.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (where / f"{name}.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    monkeypatch.setattr(annotations, "listed", lambda name: [{"domain": site} for site in (*SITES, "unlisted.example")])
    return where.parent


def test_the_benchmark(folder, tmp_path):
    result = evaluate(folder, predictions=tmp_path / "said.jsonl")
    assert list(result) == ["task", "data", "n", "systems", "by_sector"]
    assert (result["task"], result["n"]) == ("sector", 2)
    assert list(result["systems"]) == ["default", "text only", "domain only", "majority"]
    assert result["systems"]["majority"] == {"coverage": 1.0, "accuracy of answered": 0.5, "accuracy": 0.5}
    assert list(result["by_sector"]) == list(GUESSED)
    assert sum(row["n"] for row in result["by_sector"].values()) == 2
    said = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    assert [row["id"] for row in said] == sorted(SITES)[: len(said)]
    assert all(0 <= row["score"] <= 1 and row["sector"] in {*GUESSED, "unknown"} for row in said)


def test_some_systems_on_some_companies(folder):
    result = evaluate(folder, ("majority",), frozenset({SITES[0]}))
    assert result["systems"] == {"majority": {"coverage": 1.0, "accuracy of answered": 1.0, "accuracy": 1.0}}
    assert "by_sector" not in result
    assert evaluate(folder, ids=frozenset({"other.example"})) == {
        "task": "sector",
        "data": "our held-out companies, by domain",
        "n": 0,
    }


def test_the_last_version_of_a_policy_is_read(folder):
    assert [(page.id, page.text) for page in corpus.tosback_pages(folder)] == [("tosback:t.example/p", "2")]


def test_data_that_are_not_there(tmp_path):
    with pytest.raises(NoData, match="is not a folder"):
        evaluate(tmp_path / "none")


def test_measures():
    truth = ["finance", "finance", "media", "media"]
    said = [SectorGuess(one, 0.9) for one in ("finance", "media", "unknown", "media")]
    assert annotations.sector_measures(truth, said) == {
        "coverage": 0.75,
        "accuracy of answered": 2 / 3,
        "accuracy": 0.5,
    }
    assert annotations.sector_measures([], []) == {"coverage": 0.0, "accuracy of answered": 0.0, "accuracy": 0.0}
    table = annotations.by_sector(truth, said)
    assert table["media"] == {"n": 2, "answered": 2, "precision": 0.5, "recall": 0.5}
    assert table["finance"] == {"n": 2, "answered": 1, "precision": 1.0, "recall": 0.5}
    assert table["travel"] == {"n": 0, "answered": 0, "precision": 0.0, "recall": 0.0}


@pytest.mark.real_data("exclude.txt")
def test_the_held_out_companies(data_dir):
    held = [row["domain"] for row in corpus.listed("sector_test")]
    assert len(held) == len(set(held)) == 134
    assert held == sorted(held)
    assert (held[0], held[-1]) == ("a-dec.com", "yamaha-motor.com")
    assert not kept_out.excluded(data_dir) & set(held)
