from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard

from smallprint import sample
from smallprint.clean.cleaning import clean
from smallprint.datasets import corpus
from smallprint.errors import NoData
from smallprint.records import Capture
from smallprint.settings import Settings
from smallprint.train.sentences import LONGEST_PASSAGE, _passages, unlabelled

KEPT = [
    made
    for page, truth in zip(sample.pages(), sample.truths(), strict=True)
    if truth.outcome == "kept" and isinstance(made := clean(page, Settings()), Capture)
][:6]
# Marks in which page a passage stood; long enough to be a passage by itself.
MARK = "We, the people of {}, may share what you tell us with the companies that work for us."


def row(domain: str, text: str, **other: str) -> dict[str, str]:
    return {
        "id": f"cat1-arts/{domain.replace('.', '-')}-1",
        "url": f"http://{domain}/privacy",
        "domain": domain,
        "date": "2020-12-01",
        "lang": "en",
        "text": f"{text}\n{MARK.format(domain)}\n",
    } | other


def sampled(page: dict[str, str]) -> corpus.Sample:
    """Give a row as it is read."""
    return corpus.Sample(page["id"], page["url"], None, page["text"], "", page["domain"])


def written(data: Path, *rows: dict[str, str], exclude: str = "# sites\n\nkept.example\n") -> Path:
    """Write pages in the layout of the research data."""
    (data / "corpus").mkdir(exist_ok=True)
    lines = "".join(json.dumps(one) + "\n" for one in rows)
    (data / "corpus" / "dmoz_policies.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    (data / "exclude.txt").write_text(exclude, encoding="utf-8")
    return data


def read_of(found: list[str], *domains: str) -> list[str]:
    """Say which of the domains' pages were read."""
    return [domain for domain in domains if any(MARK.format(domain) in text for text in found)]


def test_passages_as_the_clean_stage_cuts_them(tmp_path):
    data = written(tmp_path, row("one.example", KEPT[0].page_text), row("two.example", KEPT[1].page_text))
    found = unlabelled(data, 10, 1)
    assert read_of(found, "one.example", "two.example") == ["one.example", "two.example"]
    assert found == sorted(set(found))
    assert len(found) > 10
    assert all(text == " ".join(text.split()) and 0 < len(text) <= LONGEST_PASSAGE for text in found)


def test_what_may_not_be_trained_on_is_never_read(tmp_path):
    tested = corpus.listed("practices_test")[0]["id"].partition("_")[2]
    rows = [
        row("free.example", KEPT[0].page_text),
        row("kept.example", KEPT[1].page_text),
        row("byid.example", KEPT[2].page_text),
        row(tested, KEPT[3].page_text),
        row("deutsch.example", KEPT[4].page_text, lang="de"),
    ]
    data = written(tmp_path, *rows, exclude="kept.example\ndmoz:cat1-arts/byid-example-1\n")
    found = unlabelled(data, 10, 1)
    assert read_of(found, *(one["domain"] for one in rows)) == ["free.example"]


@pytest.mark.parametrize(
    "kept",
    [
        "opp115:394_other.example",  # DMOZ has the policy of newsbusters.org, which is kept by its name in OPP-115
        "dmoz:cat1-arts/www-other-example-1",  # and that of moorepet.com twice, with "www." and without
        "sub.other.example",  # and jlab.org, of which education.jlab.org is kept
    ],
)
def test_a_policy_kept_by_its_name_is_not_read_under_another(tmp_path, kept):
    rows = [row(name, KEPT[0].page_text) for name in ("free.example", "other.example")]
    rows.append(row("other.example", KEPT[1].page_text, id="cat1-arts/www-other-example-1"))
    found = unlabelled(written(tmp_path, *rows, exclude=f"{kept}\n"), 10, 1)
    assert read_of(found, "free.example", "other.example") == ["free.example"]


def test_the_draw_is_the_same_every_time(tmp_path):
    names = [f"h{n}.example" for n in range(12)]
    data = written(tmp_path, *(row(name, KEPT[n % 6].page_text) for n, name in enumerate(names)))
    drawn = unlabelled(data, 4, 7)
    assert len(read_of(drawn, *names)) == 4
    assert unlabelled(data, 4, 7) == drawn
    assert any(read_of(unlabelled(data, 4, seed), *names) != read_of(drawn, *names) for seed in (8, 9))
    assert read_of(unlabelled(data, 12, 7), *names) == read_of(unlabelled(data, 1000, 7), *names) == names


def test_the_same_passage_of_several_pages_is_given_once(tmp_path):
    one, two = row("one.example", KEPT[0].page_text), row("two.example", KEPT[0].page_text)
    separate = set(_passages(sampled(one))) | set(_passages(sampled(two)))
    found = unlabelled(written(tmp_path, one, two), 2, 1)
    assert found == sorted(separate)
    assert len(found) < len(_passages(sampled(one))) + len(_passages(sampled(two)))


def test_a_page_that_is_not_kept_has_no_passages():
    assert _passages(sampled(row("one.example", "The match ended two to one."))) == []
    assert _passages(sampled(row("one.example", ""))) == []


def test_no_pages(tmp_path):
    assert unlabelled(written(tmp_path), 10, 1) == []


def test_without_the_list_of_what_may_not_be_trained_on_nothing_is_read(tmp_path):
    data = written(tmp_path, row("one.example", KEPT[0].page_text))
    (data / "exclude.txt").unlink()
    with pytest.raises(NoData, match="nobody knows what may not be trained on"):
        unlabelled(data, 1, 1)
