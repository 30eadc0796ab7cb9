from __future__ import annotations

import sys

import numpy as np
import pytest

from smallprint.annotate.sector import Vector
from smallprint.errors import MissingExtra
from smallprint.evaluate import corpus
from smallprint.train import sector
from smallprint.train.sector import Policy, training_companies, training_pages

NOTHING = Vector(np.zeros(0, dtype=np.int64), np.zeros(0))


def policy(domain: str, *bands: bytes) -> Policy:
    return Policy(f"id of {domain}", domain, NOTHING, NOTHING, bands)


def test_training_without_scikit_learn_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtra, match="make train-install"):
        sector.train(tmp_path, tmp_path, print)


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
    kept, families = sector._joined(policies, frozenset({"held.example"}))
    assert [one.domain for one in kept] == ["a.example", "b.example", "a.example", "alone.example", "bare.example"]
    assert families["a.example"] == families["b.example"]
    assert len({families[name] for name in ("a.example", "alone.example", "bare.example")}) == 3
    assert [one.family for one in kept] == [families[one.domain] for one in kept]


def test_categories_are_read_off_ids():
    assert sector.category("dmoz:cat13-shopping/moorepet-com-1") == "shopping"
    assert sector.category("ota:s/cat3-business/x#1") == ""


def test_rare_words_weigh_more_and_slips_nothing():
    seen = [Policy("", "", Vector(np.array(places), np.ones(len(places))), NOTHING, ()) for places in
            ([0, 1, 2], [0, 1], [0, 1], [0])]  # fmt: skip
    rarity = sector._rarity(seen)
    assert rarity[0] == 0
    assert rarity[1] > 0
    assert rarity[2] == 0


@pytest.mark.real_data("exclude.txt", "corpus/companies.csv", "corpus/dmoz_policies.jsonl.zst")
def test_nothing_kept_for_evaluation_is_trained_on(data_dir):
    held = {row["domain"] for row in corpus.listed("sector_test")}
    names = corpus.excluded(data_dir)
    companies = training_companies(data_dir)
    assert len(companies) > 18_000
    assert not companies.keys() & (held | names)
    seen = 0
    for page in training_pages(data_dir):
        seen += 1
        assert not corpus.is_excluded(page, names)
        assert not {corpus.site(page.url), page.id} & names
    assert seen > 24_000
