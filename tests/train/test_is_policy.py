from __future__ import annotations

from collections import Counter

import pytest

from smallprint.datasets import corpus, kept_out
from smallprint.evaluate import pages

pytest.importorskip("sklearn", reason="training tests need scikit-learn: run 'make train-install'")

from smallprint.train.is_policy import training_pages

NAMES = ("ota_pages_html", "other_pages_html", "opp115_pages_html", "dmoz_policies")


@pytest.mark.slow
@pytest.mark.real_data("exclude.txt", *(f"corpus/{name}.jsonl.zst" for name in NAMES))
def test_nothing_kept_for_evaluation_is_trained_on(data_dir):
    names = kept_out.excluded(data_dir)
    tested = [(page.id, page.group, corpus.site(page.url)) for page in pages.test_pages(data_dir)]
    test_ids, test_groups, test_sites = (set(column) - {""} for column in zip(*tested, strict=True))
    counts: Counter[str] = Counter()
    for page in training_pages(data_dir):
        counts[page.id.partition(":")[0]] += 1
        site, service = corpus.site(page.url), page.group.removeprefix("service:")
        own = page.id.partition("#")[0]
        assert not names & {own, site, page.group, service, f"ota:{service}", own.replace("_www.", "_")}, page.id
        assert page.id not in test_ids
        assert page.group not in test_groups, page.id
        assert site not in test_sites, page.id
    assert set(counts) == {"ota", "other", "opp115", "dmoz"}
    assert len(tested) > 900
    # Something must be left to train on, or the assertions above hold of nothing.
    assert counts["ota"] > 300
    assert counts["dmoz"] > 20_000
