import csv
import hashlib
import re
from collections import Counter
from itertools import combinations, pairwise
from urllib.parse import urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint import sample
from smallprint.records import Reason
from smallprint.sectors import SECTORS, sector
from smallprint.sources.items import is_candidate
from smallprint.taxonomy import category

# Real companies that a writer of policies is tempted to name.
REAL = re.compile(
    r"\b(google|facebook|meta platforms|instagram|apple|microsoft|amazon|twitter|tiktok|linkedin|youtube|yahoo|adobe|"
    r"paypal|stripe|shopify|mailchimp|hotjar|cloudflare|uber|lyft|spotify|netflix|zoom|whatsapp|experian|"
    r"equifax|visa inc|mastercard)\b",
    re.IGNORECASE,
)
# Changes whenever a clause, a layout or a written page does: look at what changed, then pin it anew.
DIGEST = "767be2c25b0ac001d06dc1851704646142c79891c357d41a58bc9dbd394a824a"


@pytest.fixture(scope="module")
def pages():
    return tuple(sample.pages())


@pytest.fixture(scope="module")
def texts(pages):
    return tuple(text_of(page.content.decode()) for page in pages)


def text_of(html, without=""):
    tree = LexborHTMLParser(html)
    for node in tree.css(f"script, style, noscript, head{without}"):
        node.decompose()
    return " ".join(tree.body.text(separator="").split())


def kept():
    return [truth for truth in sample.truths() if truth.outcome == "kept"]


def policies():
    """The kept policies, each at its latest capture."""
    return {truth.url: truth for truth in kept()}.values()


def test_there_are_as_many_pages_as_the_guide_says(pages):
    assert len(pages) == len(sample.truths()) == 100
    assert Counter(truth.outcome for truth in sample.truths()) == {
        "kept": 90,
        Reason.NOT_POLICY: 6,
        Reason.NOT_ENGLISH: 2,
        Reason.COPY: 1,
        Reason.TOO_SHORT: 1,
    }
    assert len(policies()) == 81
    assert Counter(truth.origin for truth in policies()) == {"written": 22, "composed": 59}


def test_pages_and_truths_go_together(pages):
    assert [(p.url, p.fetched_at) for p in pages] == [(t.url, t.captured_on) for t in sample.truths()]
    assert {(p.source, p.kind) for p in pages} == {("sample", "html")}
    assert all(p.url.startswith("https://") and is_candidate(p.url) for p in pages)


def test_the_pages_are_the_same_bytes_everywhere(pages):
    digest = hashlib.sha256()
    for page in pages:
        digest.update(page.content)
    assert digest.hexdigest() == DIGEST


def test_every_quote_stands_in_its_page(texts):
    for truth, text in zip(sample.truths(), texts, strict=True):
        missing = [p.quote for p in truth.practices if p.quote not in text]
        assert not missing, truth.url


def test_a_quote_stands_once_unless_it_is_a_few_words(texts):
    for truth, text in zip(sample.truths(), texts, strict=True):
        repeated = {p.quote for p in truth.practices if len(p.quote.split()) > 4 and text.count(p.quote) > 1}
        assert not repeated, truth.url


def test_most_quotes_belong_to_one_company():
    companies: dict[str, set[str]] = {}
    for truth in kept():
        for practice in truth.practices:
            companies.setdefault(practice.quote, set()).add(truth.family or truth.company)
    assert sum(len(names) == 1 for names in companies.values()) > 0.7 * len(companies)


def test_practices_are_told_in_the_names_of_the_taxonomy():
    for topic in sample.topics().values():
        for values in (topic.values, topic.values_not):
            attributes = {a.name: {v.name for v in a.values} for a in category(topic.category).attributes}
            assert {name for name, _ in values} == set(attributes), topic.id
            assert all(value in attributes[name] for name, value in values), topic.id


def test_every_policy_says_who_it_is_and_much_else():
    for truth in kept():
        assert {"intro", "contact-us"} <= {p.topic for p in truth.practices}, truth.url
        assert len({p.topic for p in truth.practices}) >= 10, truth.url
    assert all(not truth.practices for truth in sample.truths() if truth.outcome != "kept")


def test_every_sector_is_there():
    found = Counter(truth.sector for truth in policies())
    assert set(found) == {s.name for s in SECTORS}
    assert found["Medical"] >= 8
    assert min(found.values()) >= 3
    assert all(sector(truth.sector) for truth in sample.truths())
    assert sum(truth.app for truth in policies()) >= 6


def everybody(truth):
    return True


def medical(truth):
    return truth.sector == "Medical"


def apps(truth):
    return truth.app


@pytest.mark.parametrize(
    ("topic", "chosen"),
    [
        ("share-advertisers", medical),
        ("share-location", apps),
        ("share-location-advertisers", apps),
        ("collect-location", everybody),
        ("sell", everybody),
        ("do-not-track", everybody),
        ("children", everybody),
        ("access-delete", everybody),
    ],
)
def test_questions_over_many_policies_have_answers_of_every_kind(topic, chosen):
    stances = Counter(truth.stance(topic) for truth in policies() if chosen(truth))
    assert min(stances["does"], stances["does not"], stances["silent"]) >= 3, stances


def test_only_those_contradict_themselves_that_are_meant_to():
    torn = {t.company: {topic for topic in sample.topics() if t.stance(topic) == "both"} for t in kept()}
    assert {company: topics for company, topics in torn.items() if topics} == {
        "PulseWell": {"share-location", "share-location-advertisers", "share-health"},
        "Trundle": {"share-location", "share-location-advertisers"},
        "Glucolark": {"share-advertisers", "share-health"},
        "Puddlewatch": {"share-location", "share-location-advertisers"},
    }
    assert {t.company for t in kept() if t.style == "contradictory"} == {c for c, topics in torn.items() if topics}


def test_some_policies_have_a_history_that_matters():
    versions: dict[str, list[sample.Truth]] = {}
    for truth in kept():
        versions.setdefault(truth.url, []).append(truth)
    several = {url: found for url, found in versions.items() if len(found) > 1}
    assert sorted(len(found) for found in several.values()) == [2, 2, 3, 3, 4]
    for found in several.values():
        assert [t.captured_on for t in found] == sorted(t.captured_on for t in found)
        for before, after in pairwise(found):
            assert {(p.topic, p.polarity, p.quote) for p in before.practices} != {
                (p.topic, p.polarity, p.quote) for p in after.practices
            }


def test_near_duplicates_are_as_near_as_they_say(texts):
    likeness = {}
    latest = {t.url: (t, shingles(x)) for t, x in zip(sample.truths(), texts, strict=True) if t.outcome == "kept"}
    for (one, a), (other, b) in combinations(latest.values(), 2):
        jaccard = len(a & b) / len(a | b)
        if one.family and one.family == other.family:
            assert jaccard >= 0.93
        else:
            likeness[one.company, other.company] = jaccard
    closest = sorted(likeness, key=likeness.__getitem__)
    assert closest[-1] == ("Brindle Courses", "Halloway Tutors")
    assert 0.5 < likeness[closest[-1]] < 0.65
    assert likeness[closest[-2]] < 0.5


def shingles(text):
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


def test_the_copy_is_exact_but_for_its_furniture(pages):
    copy = next(t for t in sample.truths() if t.outcome is Reason.COPY)
    content = {page.url: LexborHTMLParser(page.content.decode()) for page in pages}
    original = content[copy.copy_of].css_first("main")
    assert content[copy.url].css_first(".entry-content").text().split() == original.text().split()


def test_only_example_hosts_are_named(pages):
    for page in pages:
        hosts = re.findall(r"(?:https?:|[\"'=])//([\w.-]+)", page.content.decode()) + re.findall(
            r"@([\w.-]+\.\w+)", page.content.decode()
        )
        assert all(host.rstrip(".").endswith(".example") for host in [urlsplit(page.url).netloc, *hosts]), page.url


def test_no_real_company_is_named(texts):
    for truth, text in zip(sample.truths(), texts, strict=True):
        assert not REAL.search(text), truth.url


def test_every_page_says_that_it_is_invented(texts):
    for truth, text in zip(sample.truths(), texts, strict=True):
        assert "part of the Smallprint sample" in text, truth.url
        assert re.search(r"invent|erfunden", text), truth.url


def test_no_placeholder_is_left_over(pages):
    for page in pages:
        assert not re.search(r"\{\{|\}\}\}|\{\w+\}|\[\[|\]\(", text_of(page.content.decode())), page.url


def test_every_topic_is_spoken_of():
    assert {practice.topic for truth in kept() for practice in truth.practices} == set(sample.topics())


def test_company_list_has_the_layout_of_the_public_one():
    rows = list(csv.DictReader(sample.COMPANIES.read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == ["name", "domain", "year founded", "industry", "size range", "locality", "country"]
    listed = {row["domain"] for row in rows}
    domains = {".".join(urlsplit(t.url).netloc.split(".")[-2:]): t for t in sample.truths()}
    assert listed < set(domains)
    assert len(rows) == len(listed) == 75
    unlisted = [domains[domain] for domain in set(domains) - listed]
    assert sum(t.sector != "Unknown" for t in unlisted) >= 8
    assert {t.url for t in sample.truths() if t.sector == "Unknown"} <= {t.url for t in unlisted}


def test_popularity_is_known_for_most_and_by_rank_alone_for_some():
    rows = list(csv.DictReader(sample.POPULARITY.read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == ["domain", "cc_pagerank", "cc_harmonic", "alexa2016_rank"]
    ranks = [float(row["cc_pagerank"]) for row in rows if row["cc_pagerank"]]
    assert 1e-9 <= min(ranks) < max(ranks) <= 1e-4
    assert sum(bool(row["alexa2016_rank"]) and not row["cc_pagerank"] for row in rows) >= 5
    domains = {".".join(urlsplit(t.url).netloc.split(".")[-2:]) for t in sample.truths()}
    assert {row["domain"] for row in rows} < domains
