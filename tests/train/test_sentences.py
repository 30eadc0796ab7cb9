from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard

from smallprint import sample
from smallprint.clean.cleaning import clean
from smallprint.datasets import corpus, kept_out
from smallprint.datasets.kept_out import is_held
from smallprint.errors import NoData
from smallprint.records import Capture
from smallprint.settings import Settings
from smallprint.train import sentences as module
from smallprint.train.sentences import sentences

KEPT = [
    made
    for page, truth in zip(sample.pages(), sample.truths(), strict=True)
    if truth.outcome == "kept" and isinstance(made := clean(page, Settings()), Capture)
][:6]
# Marks in which page a sentence stood; long enough to be a sentence by itself.
MARK = "We, the good people of {}, may share what you tell us with the companies that work for us."
# Names of which nothing is measured on, and one that is.
FREE = [name for name in (f"site{number}" for number in range(40)) if not is_held(f"{name}.example")]
HELD = next(name for name in (f"site{number}" for number in range(100)) if is_held(f"{name}.example"))


def text_of(name: str, place: int = 0) -> str:
    return f"{KEPT[place].page_text}\n{MARK.format(name)}\n"


def dmoz(name: str, place: int = 0, **other: str) -> dict[str, str]:
    host = f"{name}.example"
    return {
        "id": f"cat1-arts/www-{name}-example-1", "url": f"http://www.{host}/privacy", "domain": host,
        "date": "2020-12-01", "lang": "en", "text": text_of(name, place),
    } | other  # fmt: skip


def ota(service: str, url: str | None = None, **other: object) -> dict[str, object]:
    return {
        "source": "versions", "service": service, "doc": "Privacy Policy", "terms_type": "Privacy Policy", "version": 1,
        "url": url, "markdown": text_of(service), "html": f"<p>{text_of(service)}</p>",
    } | other  # fmt: skip


def tosback(name: str, **other: object) -> dict[str, object]:
    return {
        "domain": f"{name}.example", "doc": "Privacy", "url": f"http://{name}.example/privacy", "version": 0,
        "text": text_of(name),
    } | other  # fmt: skip


def written(data: Path, exclude: str = "", **files: list[dict[str, object]]) -> Path:
    """Write pages in the layout of the research data."""
    (data / "corpus").mkdir(exist_ok=True)
    for name in ("dmoz_policies", "ota_pages_html", "history_ota", "history_tosback2"):
        lines = "".join(json.dumps(row) + "\n" for row in files.get(name, []))
        (data / "corpus" / f"{name}.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    (data / "exclude.txt").write_text(exclude, encoding="utf-8")
    return data


def said(data: Path) -> list[str]:
    return [one.text for one in sentences(data, lambda _: None)]


def read_of(found: list[str], *names: str) -> list[str]:
    return [name for name in names if any(MARK.format(name) in text for text in found)]


def test_all_collections_are_read(tmp_path):
    dmozed, served, versioned, kept = FREE[:4]
    data = written(
        tmp_path,
        dmoz_policies=[dmoz(dmozed)],
        ota_pages_html=[ota(served, f"https://{served}.example/privacy")],
        history_ota=[ota(versioned)],
        history_tosback2=[tosback(kept)],
    )
    assert read_of(said(data), dmozed, served, versioned, kept) == [dmozed, served, versioned, kept]


def test_each_sentence_is_given_once_with_the_site_it_was_met_at_first(tmp_path):
    one, two = FREE[:2]
    found = sentences(written(tmp_path, dmoz_policies=[dmoz(one), dmoz(two)]), lambda _: None)
    assert len({text.text for text in found}) == len(found)
    assert {sentence.site for sentence in found if MARK.format(two) not in sentence.text} == {f"{one}.example"}
    assert [sentence.site for sentence in found if MARK.format(two) in sentence.text] == [f"{two}.example"]


def test_one_version_of_a_policy_is_read_the_last(tmp_path):
    name = FREE[0]
    data = written(
        tmp_path,
        history_ota=[ota(name, markdown=text_of("old")), ota(name, version=2, markdown=text_of("new"))],
        history_tosback2=[tosback(name, version=3, text=text_of("last")), tosback(name, text=text_of("first"))],
    )
    assert read_of(said(data), "old", "new", "last", "first") == ["new", "last"]


def test_only_english_policies_are_read(tmp_path):
    german, other = FREE[:2]
    news = "The match ended two to one after a goal in the last minute of the game. " * 30
    data = written(tmp_path, dmoz_policies=[dmoz(german, lang="de"), dmoz(other, text=news)])
    assert said(data) == []


@pytest.mark.parametrize(
    "kept",
    [
        "shop.example",
        "dmoz:cat1-arts/www-shop-example-1",
        "opp115:394_shop.example",
        "sub.shop.example",
        "ota:shop",
    ],
)
def test_what_is_kept_for_evaluation_is_read_under_no_name(tmp_path, kept, monkeypatch):
    monkeypatch.setitem(kept_out.SERVICE_SITES, "shop", "shop.example")
    free = FREE[0]
    data = written(
        tmp_path,
        f"# sites\n\n{kept}\n",
        dmoz_policies=[dmoz("shop"), dmoz(free), dmoz("deals", 1, url="http://shop.example/privacy")],
        ota_pages_html=[ota("Deals", "https://www.shop.example/privacy")],
        history_ota=[ota("Shop"), ota("shop"), ota("Deals", "https://shop.example/p")],
        history_tosback2=[tosback("shop")],
    )
    if kept.startswith("dmoz:"):  # whose services and other suffixes nobody knows by its id
        data = written(
            tmp_path, f"{kept}\n", dmoz_policies=[dmoz("shop"), dmoz(free)], history_tosback2=[tosback("shop")]
        )
    assert read_of(said(data), "shop", "Shop", "Deals", "deals", free) == [free]


def test_other_suffixes_and_products_of_what_is_kept_are_not_read(tmp_path):
    data = written(
        tmp_path,
        "shop.example\n",
        history_ota=[ota("Shop Music"), ota("Shop.com")],
        history_tosback2=[tosback("x", domain="shop.de", url="http://shop.de/privacy")],
    )
    assert said(data) == []


def test_a_sentence_of_what_is_kept_is_not_read_elsewhere_either(tmp_path):
    copied, short = MARK.format("both"), "We love you."
    free = FREE[0]
    kept = dmoz("shop", text=f"{text_of('shop', 1)}\n{copied}\n{short}\n")
    data = written(
        tmp_path, "shop.example\n", dmoz_policies=[dmoz(free, text=f"{text_of(free)}\n{copied}\n{short}\n"), kept]
    )
    found = said(data)
    assert read_of(found, free, "both", "shop") == [free]
    assert short in found  # which is anybody's


def test_what_is_measured_on_is_not_read(tmp_path):
    tested = corpus.listed("practices_test")[0]["id"].partition("_")[2]
    asked = next(row for row in corpus.listed("ask_test") if row["id"].startswith("ota:"))
    tuned = next(row["id"] for row in corpus.listed("ask_tuning") if row["id"].startswith("ota:"))
    free = FREE[0]
    data = written(
        tmp_path,
        dmoz_policies=[dmoz(HELD), dmoz(free), dmoz("t", url=f"http://{tested}/privacy", domain=tested)],
        history_ota=[
            ota(asked["id"].removeprefix("ota:")),
            ota(tuned.removeprefix("ota:")),
            ota("y", f"https://{asked['sites'].split()[0]}/privacy"),
        ],
    )
    assert {one.site for one in sentences(data, lambda _: None)} == {f"{free}.example"}


def test_without_the_list_of_what_may_not_be_trained_on_nothing_is_read(tmp_path):
    data = written(tmp_path, dmoz_policies=[dmoz(FREE[0])])
    (data / "exclude.txt").unlink()
    with pytest.raises(NoData, match="nobody knows what may not be trained on"):
        said(data)


def test_what_was_read_is_said(tmp_path):
    lines = []
    sentences(written(tmp_path, dmoz_policies=[dmoz(FREE[0])]), lines.append)
    assert len(lines) == 1
    assert "1 of dmoz" in lines[0]


@pytest.mark.real_data("exclude.txt", "corpus/history_tosback2.jsonl.zst", "corpus/ota_pages_html.jsonl.zst")
def test_nothing_of_the_real_data_s_exclusions_is_read(data_dir, monkeypatch):
    """Look at addresses and names alone: to read all pages takes a quarter of an hour."""
    names = kept_out.excluded(data_dir)
    passed = []
    monkeypatch.setattr(module, "english_dmoz_pages", lambda data: iter(()))
    monkeypatch.setattr(module, "ota_versions", lambda data: iter(()))

    def looked_at(samples):
        for one in samples:
            passed.append(one)
            yield one, []

    monkeypatch.setattr(module, "_read_all", looked_at)
    evaluated = kept_out.evaluated(data_dir)
    sentences(data_dir, lambda _: None)
    read = [one for one in passed if not kept_out.is_evaluated(one, evaluated)]
    assert len(read) > 1500
    assert not [one.id for one in read if kept_out.is_excluded(one, names)]
    services = {one.group.removeprefix("service:").lower() for one in read}
    assert not [one for one in services if one.split(" ")[0] in {"twitter", "tinder", "twitch", "amazon", "viber"}]
    assert not [one.url for one in read if corpus.site(one.url).startswith(("amazon.", "twitter.", "groupon."))]
