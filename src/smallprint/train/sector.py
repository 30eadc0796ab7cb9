"""Train the sector classifier: one linear model of a page's words, one of its site's name, added and calibrated."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.sector import (
    BODY_BITS,
    CHARACTERS,
    GUESSED,
    MODEL,
    NAME_BITS,
    answer,
    body_counts,
    name_vector,
    sector_of,
    weighed,
)
from smallprint.clean.duplicates import groups
from smallprint.clean.policyhood import Vector
from smallprint.errors import MissingExtra
from smallprint.evaluate import corpus
from smallprint.evaluate.corpus import Sample
from smallprint.evaluate.sector import by_sector, capture, companies, measured, policy_pages
from smallprint.models import store
from smallprint.records import Company
from smallprint.text import word_hashes

SEED = 20_261_115
FOLDS = 5
# How loosely weights are held, chosen by cross-validation over the companies that are not held out.
BODY_LOOSENESS, NAME_LOOSENESS, STACK_STRICTNESS = 30.0, 3.0, 0.01
STEPS = {"body": 60, "name": 40}
# A word that fewer pages have is a name or a slip.
LEAST_PAGES = 3
# The rule for the threshold, fixed beforehand: the lowest at which so many of the answers are right, out of fold.
RIGHT = 0.80
THRESHOLDS = tuple(step / 100 for step in range(20, 100))
# A DMOZ page of a site that no list knows teaches the sector on which its words, name and category agree so far. In
# every sector they count together as much as its listed companies, and none above MOST, lest they shift how common a
# sector is: coverage at 80 % right rose from 0.75 to 0.79 out of fold. Without "business" among them it stayed at 0.75.
AGREED, MOST = 0.6, 0.3
CATEGORY_GRAIN = 0.5
# The score of a sector that a fold has no company of.
ABSENT = -5.0
LARGEST = 127


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy as numbers; `family` joins the policies of one site and of one template, which must not be split."""

    id: str
    domain: str
    counts: Vector
    name: Vector
    bands: tuple[bytes, ...]
    family: int = -1


@dataclass(frozen=True, slots=True)
class Set:
    """Policies as matrices of words and of names, with the truth, -1 where none is known, and how much each counts."""

    policies: list[Policy]
    body: Any
    names: Any
    truth: NDArray[np.int64]
    weights: NDArray[np.float64]
    families: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Listing:
    """Every company of the list by its name alone, with the family of its policies where it has any."""

    names: Any
    truth: NDArray[np.int64]
    families: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Model:
    body: NDArray[np.float64]
    name: NDArray[np.float64]
    bias: NDArray[np.float64]


def train(data: Path, where: Path, say: Callable[[str], None], folds: int = FOLDS) -> dict[str, Any]:
    """Train on all but the held-out companies and what is kept for evaluation; write weights, card and predictions."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "training needs scikit-learn; run 'make train-install' or pip install 'smallprint[train]'"
        ) from None
    say("reading companies and pages")
    known = training_companies(data)
    policies, families = _joined(_read(training_pages(data)), _tested())
    rarity = _rarity(policies)
    pages = _numbers([policy for policy in policies if policy.domain in known], known, rarity)
    others = _numbers([one for one in policies if one.domain not in known and category(one.id)], known, rarity)
    listing = _listing(known, families)
    say(f"{len(pages.policies):,} policies of companies, {len(others.policies):,} of other sites, {len(known):,} names")
    out_of_fold = np.zeros((len(pages.policies), len(GUESSED)))
    for number, (seen, held) in enumerate(_split(pages.families, folds), 1):
        unseen = pages.families[held]
        apart = np.flatnonzero(~np.isin(others.families, unseen))
        model, _ = _fit(_at(pages, seen), _at(others, apart), _without(listing, unseen), folds)
        out_of_fold[held] = _said(model, _at(pages, held))
        say(f"fold {number} of {folds}")
    threshold = _threshold(pages, out_of_fold)
    model, weak = _fit(pages, others, listing, folds)
    store.save(MODEL, _packed(model, rarity, threshold), where)
    taken = Counter(f"{category(others.policies[place].id)}: {GUESSED[sector]}" for place, sector in weak)
    card = {
        **_card(pages, out_of_fold, threshold, folds),
        "companies by name": len(known),
        "other sites' policies": len(weak),
        "by category": dict(sorted(taken.items())),
        "policies for rarity": len(policies),
    }
    (where / f"{MODEL}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    lines = (
        json.dumps({"id": one.id, "domain": one.domain, "label": GUESSED[true], "sector": GUESSED[int(said.argmax())],
                    "score": round(float(said.max()), 6)})
        for one, true, said in zip(pages.policies, pages.truth, out_of_fold, strict=True)
    )  # fmt: skip
    (where / f"{MODEL}.out-of-fold.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return card


def training_companies(data: Path) -> dict[str, Company]:
    """Give the companies that may be trained on: none that is held out or kept for evaluation."""
    out = corpus.excluded(data) | _tested()
    return {domain: company for domain, company in companies(data).items() if domain not in out}


def training_pages(data: Path) -> Iterator[Sample]:
    """Give the pages that may be read: none kept for evaluation; those of held-out families are left out later."""
    names = corpus.excluded(data)
    for sample in policy_pages(data):
        if not corpus.is_excluded(sample, names):
            yield sample


def category(page: str) -> str:
    """Give the DMOZ category that a page's id begins with ("dmoz:cat3-business/…"); empty for pages from elsewhere."""
    source, _, name = page.partition(":")
    return name.partition("/")[0].partition("-")[2] if source == "dmoz" else ""


def _tested() -> frozenset[str]:
    return frozenset(row["domain"] for row in corpus.listed("sector_test"))


def _read(samples: Iterator[Sample]) -> list[Policy]:
    with ProcessPoolExecutor() as pool:
        return [policy for policy in pool.map(_policy, samples, chunksize=50) if policy is not None]


def _policy(sample: Sample) -> Policy | None:
    found = capture(sample)
    if found is None:
        return None
    counts = body_counts(word_hashes(found.page_text[:CHARACTERS]))
    return Policy(sample.id, found.domain, counts, name_vector(found.url, found.title), found.bands)


def _joined(policies: list[Policy], tested: frozenset[str]) -> tuple[list[Policy], dict[str, int]]:
    """Join sites that share a band of their texts into families, and leave out those of a held-out company."""
    pairs = [(f"site {policy.domain}", f"site {policy.domain}") for policy in policies]
    for policy in policies:
        pairs.extend((f"site {policy.domain}", f"band {band.hex()}") for band in policy.bands)
    families: dict[str, int] = {}
    for number, members in enumerate(groups(pairs)):
        sites = {member.removeprefix("site ") for member in members if member.startswith("site ")}
        if not sites & tested:
            families |= dict.fromkeys(sites, number)
    kept = [replace(one, family=families[one.domain]) for one in policies if one.domain in families]
    return kept, families


def _rarity(policies: list[Policy]) -> NDArray[np.float64]:
    """Weigh every word by the logarithm of how few policies have it; nothing for slips."""
    pages = np.zeros(1 << BODY_BITS)
    for policy in policies:
        pages[policy.counts.places] += 1
    found = np.log((len(policies) + 1) / (pages + 1))
    found[pages < LEAST_PAGES] = 0.0
    return np.asarray(found.astype(np.float16), dtype=np.float64)


def _numbers(policies: list[Policy], known: dict[str, Company], rarity: NDArray[np.float64]) -> Set:
    """Put policies into matrices; a site counts once, however many policies it has."""
    many = Counter(policy.domain for policy in policies)
    return Set(
        policies,
        _matrix([weighed(policy.counts, rarity) for policy in policies], BODY_BITS),
        _matrix([policy.name for policy in policies], NAME_BITS),
        np.array([_truth(known.get(policy.domain)) for policy in policies], dtype=np.int64),
        np.array([1 / many[policy.domain] for policy in policies]),
        np.array([policy.family for policy in policies], dtype=np.int64),
    )


def _listing(known: dict[str, Company], families: dict[str, int]) -> Listing:
    """Put companies into a matrix by their domains, once with their names for a title and once without."""
    domains = sorted(known)
    vectors = [name_vector(domain, title) for domain in domains for title in ("", known[domain].name)]
    truth = np.array([_truth(known[domain]) for domain in domains], dtype=np.int64)
    family = np.array([families.get(domain, -1) for domain in domains], dtype=np.int64)
    return Listing(_matrix(vectors, NAME_BITS), truth.repeat(2), family.repeat(2))


def _truth(company: Company | None) -> int:
    sector = sector_of(company.industry) if company else None
    return GUESSED.index(sector) if sector else -1


def _matrix(vectors: list[Vector], bits: int) -> Any:
    from scipy.sparse import csr_matrix

    ends = np.cumsum([0, *(len(vector.places) for vector in vectors)])
    values, places = (np.concatenate([getattr(v, part) for v in vectors]) for part in ("values", "places"))
    return csr_matrix((values.astype(np.float32), places, ends), shape=(len(vectors), 1 << bits))


def _split(families: NDArray[np.int64], folds: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    from sklearn.model_selection import GroupKFold

    return list(GroupKFold(folds, shuffle=True, random_state=SEED).split(families, groups=families))


def _at(pages: Set, places: NDArray[np.int64]) -> Set:
    policies = [pages.policies[place] for place in places.tolist()]
    return Set(policies, pages.body[places], pages.names[places], pages.truth[places], pages.weights[places],
               pages.families[places])  # fmt: skip


def _without(listing: Listing, families: NDArray[np.int64]) -> Listing:
    kept = ~np.isin(listing.families, families)
    return Listing(listing.names[kept], listing.truth[kept], listing.families[kept])


def _linear(matrix: Any, truth: NDArray[np.int64], weights: NDArray[np.float64] | None, zone: str) -> Any:
    """Fit one zone and give its weights, a column a sector, and its bias."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    matrix.eliminate_zeros()
    used = np.unique(matrix.indices)
    looseness = {"body": BODY_LOOSENESS, "name": NAME_LOOSENESS}[zone]
    with warnings.catch_warnings():
        # Stopping early holds weights back as well, and costs a third of the time.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = LogisticRegression(C=looseness, max_iter=STEPS[zone], tol=1e-3).fit(matrix[:, used], truth, weights)
    columns = np.zeros((matrix.shape[1], len(GUESSED)))
    bias = np.full(len(GUESSED), ABSENT)
    columns[np.ix_(used, fitted.classes_)], bias[fitted.classes_] = fitted.coef_.T, fitted.intercept_
    return columns, bias


def _fit(pages: Set, others: Set, listing: Listing, folds: int) -> tuple[_Model, list[tuple[int, int]]]:
    """Fit both zones, weigh them on families not seen, fit words again with other sites; say which taught what."""
    scores = {zone: np.zeros((len(pages.policies), len(GUESSED))) for zone in STEPS}
    for seen, held in _split(pages.families, max(2, folds // 2)):
        zones = _zones(_at(pages, seen), _without(listing, pages.families[held]))
        for zone, (columns, bias) in zones.items():
            scores[zone][held] = (pages.body if zone == "body" else pages.names)[held] @ columns + bias
    factors, shift = _stacked(scores["body"], scores["name"], pages.truth, pages.weights)
    zones = _zones(pages, listing)
    places, taught = _agreed(_added(zones, factors, shift), pages, others)
    if len(places):
        from scipy.sparse import vstack

        listed = np.bincount(pages.truth, pages.weights, len(GUESSED))
        unlisted = np.bincount(taught, others.weights[places], len(GUESSED))
        share = np.minimum(MOST, listed / np.maximum(unlisted, 1.0))
        zones["body"] = _linear(
            vstack([pages.body, others.body[places]]).tocsr(),
            np.concatenate([pages.truth, taught]),
            np.concatenate([pages.weights, others.weights[places] * share[taught]]),
            "body",
        )
    return _added(zones, factors, shift), list(zip(places.tolist(), taught.tolist(), strict=True))


def _added(zones: dict[str, Any], factors: NDArray[np.float64], shift: NDArray[np.float64]) -> _Model:
    (body, body_bias), (name, name_bias) = zones["body"], zones["name"]
    return _Model(factors[0] * body, factors[1] * name, factors[0] * body_bias + factors[1] * name_bias + shift)


def _agreed(model: _Model, pages: Set, others: Set) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the policies of unlisted sites of which model and category agree on a sector, and that sector."""
    if not others.policies:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    table = categories(pages)
    overall = np.bincount(pages.truth, pages.weights, len(GUESSED)) + CATEGORY_GRAIN
    even = np.ones(len(GUESSED))
    leaning = np.stack([table.get(category(one.id), even) / overall for one in others.policies])
    said = _said(model, others) * leaning
    said /= said.sum(axis=1, keepdims=True)
    places = np.flatnonzero(said.max(axis=1) >= AGREED)
    return places, said[places].argmax(axis=1)


def categories(pages: Set) -> dict[str, NDArray[np.float64]]:
    """Count the listed companies of each DMOZ category by sector, and a grain for each that was never seen."""
    pairs = {(category(one.id), one.domain, int(true)) for one, true in zip(pages.policies, pages.truth, strict=True)}
    table: dict[str, NDArray[np.float64]] = {}
    for name, _, true in sorted(pairs):
        table.setdefault(name, np.full(len(GUESSED), CATEGORY_GRAIN))[true] += 1
    return {name: counts / counts.sum() for name, counts in table.items()}


def _zones(pages: Set, listing: Listing) -> dict[str, Any]:
    return {
        "body": _linear(pages.body, pages.truth, pages.weights, "body"),
        "name": _linear(listing.names, listing.truth, None, "name"),
    }


def _stacked(
    body: NDArray[np.float64], name: NDArray[np.float64], truth: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Find the factor of each zone and the shift of each sector under which the truth is likeliest."""
    from scipy.optimize import minimize

    def loss(point: NDArray[np.float64]) -> float:
        said = _softmax(point[0] * body + point[1] * name + point[2:])
        missed = -np.log(said[np.arange(len(truth)), truth] + 1e-12)
        return float(missed @ weights / weights.sum() + STACK_STRICTNESS * (point[2:] ** 2).sum())

    found = minimize(loss, np.concatenate([[0.7, 0.5], np.zeros(len(GUESSED))]), method="L-BFGS-B").x
    return found[:2], found[2:]


def _said(model: _Model, pages: Set) -> NDArray[np.float64]:
    return _softmax(pages.body @ model.body + pages.names @ model.name + model.bias)


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float64)


def _threshold(pages: Set, said: NDArray[np.float64]) -> float:
    right = said.argmax(axis=1) == pages.truth
    for threshold in THRESHOLDS:
        answered = said.max(axis=1) >= threshold
        if answered.any() and pages.weights[answered & right].sum() / pages.weights[answered].sum() >= RIGHT:
            return threshold
    return 1.0


def _packed(model: _Model, rarity: NDArray[np.float64], threshold: float) -> dict[str, NDArray[Any]]:
    """Round weights to a byte each."""
    arrays: dict[str, NDArray[Any]] = {
        "bias": model.bias.astype(np.float32),
        "rarity": rarity.astype(np.float16),
        "threshold": np.array(threshold, dtype=np.float32),
    }
    for zone, weights in (("body", model.body), ("name", model.name)):
        step = float(np.abs(weights).max()) / LARGEST
        arrays[zone] = np.round(weights / (step or 1.0)).astype(np.int8)
        arrays[f"{zone}_step"] = np.array(step, dtype=np.float32)
    return arrays


def _card(pages: Set, said: NDArray[np.float64], threshold: float, folds: int) -> dict[str, Any]:
    firsts = {policy.domain: place for place, policy in reversed(list(enumerate(pages.policies)))}
    places = list(firsts.values())
    truth = [GUESSED[true] for true in pages.truth[places]]
    guesses = [answer(row, threshold) for row in said[places]]
    return {
        "model": MODEL,
        "data": "companies.csv for names and sectors; dmoz_policies, ota_pages_html, opp115_pages_html and "
        "history_tosback2 for the pages of those companies, of other sites by their DMOZ category, and the rarity of "
        "words; without the held-out companies (evaluate/splits/sector_test.tsv), whatever shares a text with them, "
        "and what is kept for evaluation",
        "companies with a policy": len(firsts),
        "policies": len(pages.policies),
        "threshold": threshold,
        "threshold rule": f"the lowest at which {RIGHT:.0%} of the answers are right, out of fold",
        "seed": SEED,
        f"{folds}-fold by site and template": {**measured(truth, guesses), "by_sector": by_sector(truth, guesses)},
    }
