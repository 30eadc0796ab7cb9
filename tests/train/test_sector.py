from __future__ import annotations

import sys

import numpy as np
import pytest

from smallprint.datasets import corpus, kept_out
from smallprint.errors import MissingExtra
from smallprint.models.logistic import Vector

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make train-install'")

from smallprint.cli.research import train
from smallprint.train.sector import Policy, joined, rarity_of, training_companies, training_pages

NOTHING = Vector(np.zeros(0, dtype=np.int64), np.zeros(0))


def policy(domain: str, *bands: bytes) -> Policy:
    return Policy(f"id of {domain}", domain, NOTHING, NOTHING, bands)


@pytest.mark.parametrize("task", ["sector", "is-policy", "question-mapper", "combiner"])
def test_training_without_scikit_learn_says_what_to_install(tmp_path, monkeypatch, task):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    for name in [name for name in sys.modules if name.startswith(("sklearn.", "smallprint.train."))]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra, match=f"training '{task}' needs sklearn.*; run 'make train-install'"):
        train(task, tmp_path, tmp_path, folds=None)


def test_templates_join_sites_and_held_out_families_are_left_out():
    policies = [
        policy("a.example", b"1", b"2"),
        policy("b.example", b"2"),
        policy("a.example", b"9"),
        policy("held.example", b"3"),
        policy("copy.example", b"3", b"4"),
        policy("alone.example"),
        policy("bare.example"),
    ]
    kept, families = joined(policies, frozenset({"held.example"}))
    assert [one.domain for one in kept] == ["a.example", "b.example", "a.example", "alone.example", "bare.example"]
    assert families["a.example"] == families["b.example"]
    assert len({families[name] for name in ("a.example", "alone.example", "bare.example")}) == 3
    assert [one.family for one in kept] == [families[one.domain] for one in kept]


def test_categories_are_read_off_ids():
    ids = ("dmoz:cat13-shopping/moorepet-com-1", "ota:s/cat3-business/x#1")
    assert [Policy(name, "", NOTHING, NOTHING, ()).category for name in ids] == ["shopping", ""]


def test_rare_words_weigh_more_and_slips_nothing():
    seen = [Policy("", "", Vector(np.array(places), np.ones(len(places))), NOTHING, ()) for places in
            ([0, 1, 2], [0, 1], [0, 1], [0])]  # fmt: skip
    rarity = rarity_of(seen)
    assert rarity[0] == 0
    assert rarity[1] > 0
    assert rarity[2] == 0


@pytest.mark.real_data("exclude.txt", "corpus/companies.csv", "corpus/dmoz_policies.jsonl.zst")
def test_nothing_kept_for_evaluation_is_trained_on(data_dir):
    held = {row["domain"] for row in corpus.listed("sector_test")}
    names = kept_out.excluded(data_dir)
    companies = training_companies(data_dir)
    assert len(companies) > 18_000
    assert not companies.keys() & (held | names)
    seen = 0
    for page in training_pages(data_dir):
        seen += 1
        assert not kept_out.is_excluded(page, names)
        assert not {corpus.site(page.url), page.id} & names
    assert seen > 24_000
