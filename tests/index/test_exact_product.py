"""Custom ranking against brute force, over real policies with their real probabilities and popularity."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from smallprint.datasets.corpus import dmoz_pages
from smallprint.evaluate.libraries import queries
from smallprint.index import embedded
from smallprint.index.embedded import EmbeddedEngine
from smallprint.index.ordering import find
from smallprint.index.tree import Ranking
from smallprint.index.words import words
from smallprint.library.directory import scaled
from smallprint.models.policyhood import evidence, probability
from smallprint.search.language import parse_query
from smallprint.sources.ranks import read_ranks
from smallprint.sources.streams import text_lines

from .making import entry

TOP = 50
# How many policies are indexed, and how many queries are asked of them: some in every run, all of them at night.
SIZES = [(1000, 200), pytest.param((5000, 200), marks=pytest.mark.nightly)]
CORPUS, RANKS = "corpus/dmoz_policies.jsonl.zst", "corpus/domain_popularity.csv.zst"


@pytest.fixture(scope="module", params=SIZES, ids=str)
def sizes(request):
    return request.param


@pytest.fixture(scope="module")
def entries(data_folder, tmp_path_factory, sizes):
    """Give policies that the classifier keeps, as they are indexed."""
    kept = (
        (page, p)
        for page in dmoz_pages(data_folder, {})
        if (p := probability(evidence(page.url, "", (), page.text[:4000]))) >= 0.5
    )
    pages = list(islice(kept, sizes[0]))
    # Of a million lines those of their sites are enough: to read all of them took 8 s.
    sites = {"domain", *(page.group for page, _ in pages)}
    path = tmp_path_factory.mktemp("ranks") / "ranks.csv"
    lines = text_lines(data_folder / RANKS)
    path.write_text("\n".join(line for line in lines if line.partition(",")[0] in sites), encoding="utf-8")
    least, ranks = read_ranks(path)
    popularity = {rank.domain: scaled(rank.pagerank, least) for rank in ranks}
    assert len(popularity) > sizes[0] // 13  # most sites of an old directory are in no list
    return [
        entry(page.id, page.text, title="", url=page.url, p_policy=p, popularity=popularity.get(page.group, 1.0))
        for page, p in pages
    ]


@pytest.fixture(scope="module")
def asked(entries, sizes):
    """Give the paper's queries, and others of one to three words that stand side by side in policies."""
    luck, found = random.Random(11), list(queries())
    while len(found) < sizes[1]:
        near = words(luck.choice(entries).values["body"])
        start = luck.randrange(max(1, len(near) - 3))
        found.append(" ".join(near[start : start + luck.randrange(1, 4)]))
    return [parse_query(text).query for text in found]


def products(engine, asked, entries):
    """Give for each query the product by hand of every policy that has its words."""
    prior = {one.policy_id: one.p_policy * one.popularity for one in entries}
    every = (find(engine, query, Ranking.RELEVANCE, len(entries), fold=False).hits for query in asked)
    return [{hit.policy_id: hit.score * prior[hit.policy_id] for hit in hits} for hits in every]


def misranked(engine, asked, products):
    """Count the queries whose first 50 are not those of the product by hand; equal products may change places."""
    wrong = 0
    for query, product in zip(asked, products, strict=True):
        best = sorted(product.values(), reverse=True)[:TOP]
        found = find(engine, query, Ranking.CUSTOM, TOP, fold=False).hits
        wrong += [product[hit.policy_id] for hit in found] != pytest.approx(best, rel=1e-5)
    return wrong


@pytest.mark.real_data(CORPUS, RANKS)
@pytest.mark.slow
def test_the_first_fifty_are_those_of_brute_force_and_the_naive_weight_fails(
    entries, asked, sizes, tmp_path, monkeypatch
):
    assert (len(entries), len(asked)) == sizes
    exact = EmbeddedEngine(tmp_path / "exact", create=True)
    exact.update(entries, [])
    by_hand = products(exact, asked, entries)
    assert misranked(exact, asked, by_hand) == 0
    monkeypatch.setattr(embedded, "prior_field", lambda p, popularity: p * popularity)
    naive = EmbeddedEngine(tmp_path / "naive", create=True)
    naive.update(entries, [])
    assert misranked(naive, asked, by_hand) > sizes[1] // 2
