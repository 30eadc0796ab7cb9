from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.train.era import material
from smallprint.train.sentences import Sentence, key_of

from . import world


def test_only_distinct_sentences_of_some_length_are_used():
    texts = [
        "We sell your data.", "we sell, your data", "Your rights", "We sell nothing to anybody.", "word " * 101,
        "A sentence of eight words that was copied.",
    ]  # fmt: skip
    read = [Sentence("a.example", text.strip()) for text in texts]
    found, out = material.usable(read, frozenset({key_of(texts[-1])}))
    assert [one.text for one in found] == ["We sell your data.", "We sell nothing to anybody."]
    assert out == {"too short": 1, "too long": 1, "met before": 1, "evaluated on": 1}


def test_what_questions_are_measured_on_is_known_by_its_text(data):
    found = material.evaluated(data)
    for name in (world.HELD[-5:], world.TUNING[-5:], "Fiver", "Seven"):
        assert key_of(world.COPIED.format(name)) in found
    assert key_of(world.COPIED.format(world.TRAINED[0][-5:])) not in found
    assert all(key.count(" ") >= 7 for key in found)


def test_a_copy_of_what_is_measured_on_is_not_used(bench, tmp_path):
    copied = [world.COPIED.format(name) for name in (world.HELD[-5:], "Fiver", "Seven")]
    data = world.build(tmp_path / "data", pages=3)
    page = world.page(50) | {"text": " ".join([*copied, world.COPIED.format("other")])}
    world._packed(data / "corpus" / "dmoz_policies.jsonl.zst", [page])
    bench = replace(bench, data=data)
    made = material.sentences_step(bench)
    assert material.load_sentences(bench) == [world.COPIED.format("other")]
    assert made.counts["left out"]["evaluated on"] == 3


def test_sentences_keep_their_order(bench):
    made = material.sentences_step(bench)
    found = material.load_sentences(bench)
    assert len(found) == made.counts["sentences"] == len({key_of(text) for text in found})
    assert found[0].startswith("On page 0")
