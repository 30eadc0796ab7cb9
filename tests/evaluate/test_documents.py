from __future__ import annotations

import pytest

from smallprint.datasets.documents import PageDocument, ReadPage
from smallprint.evaluate.documents import Finding, measures, overlap

TERMS, POLICY, LINKS = PageDocument("terms", 0, 40), PageDocument("privacy", 40, 140), PageDocument("links", 140, 150)


def finding(documents: tuple[PageDocument, ...], f1: float | None, probability: float) -> Finding:
    return Finding(ReadPage("ota:x", "test", documents, None), f1, probability, ())


def test_what_is_kept_is_compared_word_by_word_and_links_do_not_count():
    documents = (TERMS, POLICY, LINKS)
    assert overlap(documents, range(40, 140)) == 1
    assert overlap(documents, range(40, 150)) == 1
    assert overlap(documents, range(140)) == 2 * 100 / (100 + 140)
    assert overlap(documents, ()) == 0
    assert overlap((TERMS,), range(40)) is None


def test_what_is_found_whole_and_turned_away_is_counted_apart():
    several, single = (TERMS, POLICY), (POLICY, LINKS)
    findings = [
        finding(several, 0.95, 0.9),
        finding(several, 0.95, 0.1),
        finding(several, 0.5, 0.9),
        finding(single, 1.0, 0.9),
        finding((TERMS,), None, 0.1),
        finding((TERMS,), None, 0.9),
    ]
    assert measures(findings, 0.55) == pytest.approx({
        "several": 3, "found": 2 / 3, "F1": 0.8, "kept": 1 / 3, "single": 1, "whole": 1.0, "none": 2,
        "turned_away": 0.5,
    })  # fmt: skip
    assert measures([], 0.55)["found"] is None
