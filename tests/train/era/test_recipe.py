"""ERA as a whole, small: from pages to the reader; and what is there is not made again."""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.models import store  # noqa: E402 - needs torch
from smallprint.models.reader import NAME, Read, Reader  # noqa: E402 - needs torch
from smallprint.models.towers import Base  # noqa: E402 - needs torch
from smallprint.train.era.bench import COUNTS, SMALL, WORK  # noqa: E402 - needs torch
from smallprint.train.era.final import train  # noqa: E402 - needs torch

from . import world  # noqa: E402 - needs torch


@pytest.fixture(scope="module")
def trained(toy, data, tmp_path_factory):
    """Train the reader once; gives where it is and its card."""
    where = tmp_path_factory.mktemp("weights")
    return where, train(data, where, lambda line: None, SMALL)


def test_the_path_ends_with_a_reader_that_reads(toy, trained):
    where, card = trained
    reader = Reader(Base(toy), where)
    (said,) = reader.read("Do you sell my data?", [Read("We sell nothing.")])
    assert isinstance(said.bears, float)
    assert card["version"] == store.version(NAME, where)
    assert card["learnt_from"]["pairs"] == SMALL.pairs
    assert card["learnt_from"]["added, right"] == int(SMALL.pairs / 3) // 2
    assert card["learnt_from"]["spans"] == 1  # which is all there is
    assert set(card["added"]["by model"]) == {"general", "adapted", "simcse"}
    assert "PolicyQA" in card["data"]
    assert "unlabelled" in card["data"]
    assert json.loads((where / "reader.json").read_text()) == card


def test_every_step_left_its_counts(trained):
    work = trained[0] / WORK
    told = {path.parent.relative_to(work).as_posix(): json.loads(path.read_text()) for path in work.rglob(COUNTS)}
    kinds = {name.partition("/")[0] for name in told}
    assert kinds == {
        "sentences", "labelled", "measured", "bases", "retrievers", "vectors", "found", "filters", "scores", "sets",
        "final",
    }  # fmt: skip
    assert all(one["seconds"] >= 0 and one["counts"] for one in told.values())
    assert not list(work.rglob("*.checkpoint"))
    assert not list(work.rglob("*.begun"))
    assert "bases/general-1" not in told  # which is MiniLM as it is


def test_what_is_there_is_not_made_again(trained, data):
    lines = []
    train(data, trained[0], lines.append, SMALL)
    assert lines == []


def test_nothing_that_is_measured_on_is_found(trained):
    text = next((trained[0] / WORK).glob("sentences/sentences.tsv")).read_text()
    assert "free1.example" in text
    assert not [name for name in (world.HELD, world.TUNING) if name[-5:] in text]
