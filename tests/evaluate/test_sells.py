"""The first question of all, asked of every policy of the sample, whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from smallprint.errors import NoData

from .answerers import evaluator

evaluate = evaluator("sells")


def test_what_was_said_is_counted_by_what_is_true(annotated_sample):
    result = evaluate(annotated_sample, ("answer",), frozenset({"tidemarkbank.example", "nowhere.example"}))
    assert result["n"] <= 1
    assert set(result["systems"]) == {"answer"}


@pytest.mark.slow
def test_nobody_is_told_the_opposite(annotated_sample):
    result = evaluate(annotated_sample)
    for system in ("answer", "card"):
        figures = result["systems"][system]
        assert (figures["sells_told_no"], figures["denies_told_yes"]) == (0, 0), result["counts"][system]
        assert figures["silent_unsaid"] >= 0.8
        assert figures["sells_admitted"] >= 0.8
        assert figures["denies_told_no"] >= 0.8


def test_only_a_library_can_be_asked():
    with pytest.raises(NoData, match="is no library"):
        evaluate(Path("/nowhere"))
