"""Train the sector classifier: one linear model of a page's words, one of its site's name, added and calibrated."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import vstack
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from smallprint.annotate.sector import CHARACTERS, answer, sector_of
from smallprint.clean.duplicates import groups
from smallprint.datasets.corpus import Sample, listed
from smallprint.datasets.kept_out import excluded, is_excluded
from smallprint.evaluate.annotations import by_sector, capture, companies, policy_pages, sector_measures
from smallprint.models import sector as sectors
from smallprint.models.logistic import Vector
from smallprint.models.sector import GUESSED, MODEL
from smallprint.records import Company
from smallprint.text import word_hashes
from smallprint.train.frame import Rows, at, out_of_fold, sparse, split, write_model

SEED = 20_261_115
FOLDS = 5
# How loosely weights are held, chosen by cross-validation over the companies that are not held out.
LOOSENESS = {"body": 30.0, "name": 3.0}
STACK_STRICTNESS = 0.01
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

    @property
    def category(self) -> str:
        """The DMOZ category that the id begins with ("dmoz:cat3-business/…"); else ""."""
        source, _, name = self.id.partition(":")
        return name.partition("/")[0].partition("-")[2] if source == "dmoz" else ""


@dataclass(frozen=True, slots=True)
class Policies:
    """Policies as matrices of words and of names, with the truth, -1 where none is known, and how much each counts."""

    policies: list[Policy]
    zones: dict[str, Any]
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
    zones: dict[str, NDArray[np.float64]]
    bias: NDArray[np.float64]

    def probabilities(self, pages: Policies) -> NDArray[np.float64]:
        body, name = (pages.zones[zone] @ weights for zone, weights in self.zones.items())
        return np.asarray(softmax(body + name + self.bias, axis=1))


def train(data: Path, where: Path, say: Callable[[str], None], folds: int = FOLDS) -> dict[str, Any]:
    """Train on all but the held-out companies and what is kept for evaluation; write weights, card and predictions."""
    say("reading companies and pages")
    known = training_companies(data)
    with ProcessPoolExecutor() as pool:
        read = [policy for policy in pool.map(_policy, training_pages(data), chunksize=50) if policy is not None]
    policies, families = joined(read, _tested())
    rarity = rarity_of(policies)
    pages = _numbers([policy for policy in policies if policy.domain in known], known, rarity)
    others = _numbers([policy for policy in policies if policy.domain not in known and policy.category], known, rarity)
    listing = _listing(known, families)
    say(f"{len(pages.policies):,} policies of companies, {len(others.policies):,} of other sites, {len(known):,} names")

    def judge(seen: Rows, unseen: Rows) -> NDArray[np.float64]:
        kept_out = pages.families[unseen]
        fitted, _ = _fit(at(pages, seen), _without(others, kept_out), _without(listing, kept_out), folds)
        say(f"fold {next(numbers)} of {folds}")
        return fitted.probabilities(at(pages, unseen))

    numbers = iter(range(1, folds + 1))
    predictions = out_of_fold(split(pages.families, folds, SEED), judge, len(pages.policies), len(GUESSED))
    threshold = _threshold(pages, predictions)
    model, weak = _fit(pages, others, listing, folds)
    taken = Counter(f"{others.policies[place].category}: {GUESSED[sector]}" for place, sector in weak)
    facts = {
        "data": "companies.csv for names and sectors; dmoz_policies, ota_pages_html, opp115_pages_html and "
        "history_tosback2 for the pages of those companies, of other sites by their DMOZ category, and the rarity of "
        "words; without the held-out companies (datasets/splits/sector_test.tsv), whatever shares a text with them, "
        "and what is kept for evaluation",
        "policies": len(pages.policies),
        "threshold": threshold,
        "seed": SEED,
        "threshold rule": f"the lowest at which {RIGHT:.0%} of the answers are right, out of fold",
        f"{folds}-fold by site and template": _figures(pages, predictions, threshold),
        "companies by name": len(known),
        "other sites' policies": len(weak),
        "by category": dict(sorted(taken.items())),
        "policies for rarity": len(policies),
    }
    rows = (
        {"id": policy.id, "domain": policy.domain, "label": GUESSED[true], "sector": GUESSED[int(row.argmax())],
         "score": round(float(row.max()), 6)}
        for policy, true, row in zip(pages.policies, pages.truth, predictions, strict=True)
    )  # fmt: skip
    return write_model(MODEL, where, _packed(model, rarity, threshold), facts, rows)


def training_companies(data: Path) -> dict[str, Company]:
    """Return the companies that may be trained on: none that is held out or kept for evaluation."""
    out = excluded(data) | _tested()
    return {domain: company for domain, company in companies(data).items() if domain not in out}


def training_pages(data: Path) -> Iterator[Sample]:
    """Return the pages that may be read: none kept for evaluation; those of held-out families are left out later."""
    names = excluded(data)
    return (sample for sample in policy_pages(data) if not is_excluded(sample, names))


def _tested() -> frozenset[str]:
    return frozenset(row["domain"] for row in listed("sector_test"))


def _policy(sample: Sample) -> Policy | None:
    page = capture(sample)
    if page is None:
        return None
    counts = sectors.body_counts(word_hashes(page.page_text[:CHARACTERS]))
    return Policy(sample.id, page.domain, counts, sectors.name_vector(page.url, page.title), page.bands)


def joined(policies: Sequence[Policy], tested: frozenset[str]) -> tuple[list[Policy], dict[str, int]]:
    """Join sites that share a band of their texts into families, and leave out those of a held-out company."""
    own = [(f"site {policy.domain}", f"site {policy.domain}") for policy in policies]
    shared = [(f"site {policy.domain}", f"band {band.hex()}") for policy in policies for band in policy.bands]
    families: dict[str, int] = {}
    for number, members in enumerate(groups(own + shared)):
        sites = {member.removeprefix("site ") for member in members if member.startswith("site ")}
        if not sites & tested:
            families |= dict.fromkeys(sites, number)
    kept = [replace(policy, family=families[policy.domain]) for policy in policies if policy.domain in families]
    return kept, families


def rarity_of(policies: Sequence[Policy]) -> NDArray[np.float64]:
    """Weigh every word by the logarithm of how few policies have it; nothing for slips."""
    pages = np.zeros(1 << sectors.BODY_BITS)
    for policy in policies:
        pages[policy.counts.places] += 1
    rarity = np.log((len(policies) + 1) / (pages + 1))
    rarity[pages < LEAST_PAGES] = 0.0
    return np.asarray(rarity.astype(np.float16), dtype=np.float64)


def _numbers(policies: list[Policy], known: dict[str, Company], rarity: NDArray[np.float64]) -> Policies:
    """Put policies into matrices; a site counts once, however many policies it has."""
    many = Counter(policy.domain for policy in policies)
    zones = {
        "body": sparse([sectors.weighed(policy.counts, rarity) for policy in policies], 1 << sectors.BODY_BITS),
        "name": sparse([policy.name for policy in policies], 1 << sectors.NAME_BITS),
    }
    truth = np.array([_truth(known.get(policy.domain)) for policy in policies], dtype=np.int64)
    weights = np.array([1 / many[policy.domain] for policy in policies])
    return Policies(policies, zones, truth, weights, np.array([policy.family for policy in policies], dtype=np.int64))


def _listing(known: dict[str, Company], families: dict[str, int]) -> Listing:
    """Put companies into a matrix by their domains, once with their names for a title and once without."""
    domains = sorted(known)
    vectors = [sectors.name_vector(domain, title) for domain in domains for title in ("", known[domain].name)]
    rows = np.array([(_truth(known[domain]), families.get(domain, -1)) for domain in domains], dtype=np.int64)
    return Listing(sparse(vectors, 1 << sectors.NAME_BITS), *rows.repeat(2, axis=0).T)


def _truth(company: Company | None) -> int:
    sector = sector_of(company.industry) if company else None
    return GUESSED.index(sector) if sector else -1


def _without(record: Any, families: NDArray[np.int64]) -> Any:
    return at(record, np.flatnonzero(~np.isin(record.families, families)))


def _linear(zone: str, matrix: Any, truth: NDArray[np.int64], weights: NDArray[np.float64] | None) -> Any:
    """Fit one zone; returns its weights, a column a sector, and its bias."""
    matrix.eliminate_zeros()
    used = np.unique(matrix.indices)
    with warnings.catch_warnings():
        # Stopping early holds weights back as well, and costs a third of the time.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=LOOSENESS[zone], max_iter=STEPS[zone], tol=1e-3)
        fitted = model.fit(matrix[:, used], truth, weights)
    columns = np.zeros((matrix.shape[1], len(GUESSED)))
    bias = np.full(len(GUESSED), ABSENT)
    columns[np.ix_(used, fitted.classes_)], bias[fitted.classes_] = fitted.coef_.T, fitted.intercept_
    return columns, bias


def _zones(pages: Policies, listing: Listing) -> dict[str, Any]:
    return {
        "body": _linear("body", pages.zones["body"], pages.truth, pages.weights),
        "name": _linear("name", listing.names, listing.truth, None),
    }


def _fit(pages: Policies, others: Policies, listing: Listing, folds: int) -> tuple[_Model, list[tuple[int, int]]]:
    """Fit both zones, weigh them on families not seen, fit words again with other sites; say which taught what."""

    def scores(seen: Rows, unseen: Rows) -> NDArray[np.float64]:
        zones = _zones(at(pages, seen), _without(listing, pages.families[unseen]))
        return np.stack([pages.zones[zone][unseen] @ columns + bias for zone, (columns, bias) in zones.items()], 1)

    deal = split(pages.families, max(2, folds // 2), SEED)
    factors, shift = _stacked(out_of_fold(deal, scores, len(pages.policies), 2, len(GUESSED)), pages)
    zones = _zones(pages, listing)
    places, taught = _agreed(_added(zones, factors, shift), pages, others)
    listed = np.bincount(pages.truth, pages.weights, len(GUESSED))
    unlisted = np.bincount(taught, others.weights[places], len(GUESSED))
    share = np.minimum(MOST, listed / np.maximum(unlisted, 1.0))
    zones["body"] = _linear(
        "body",
        vstack([pages.zones["body"], others.zones["body"][places]]).tocsr(),
        np.concatenate([pages.truth, taught]),
        np.concatenate([pages.weights, others.weights[places] * share[taught]]),
    )
    return _added(zones, factors, shift), list(zip(places.tolist(), taught.tolist(), strict=True))


def _stacked(scores: NDArray[np.float64], pages: Policies) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Find the factor of each zone and the shift of each sector under which the truth is likeliest."""
    body, name = scores[:, 0], scores[:, 1]

    def loss(point: NDArray[np.float64]) -> float:
        predictions = softmax(point[0] * body + point[1] * name + point[2:], axis=1)
        missed = -np.log(predictions[np.arange(len(pages.truth)), pages.truth] + 1e-12)
        return float(missed @ pages.weights / pages.weights.sum() + STACK_STRICTNESS * (point[2:] ** 2).sum())

    best = minimize(loss, np.concatenate([[0.7, 0.5], np.zeros(len(GUESSED))]), method="L-BFGS-B").x
    return best[:2], best[2:]


def _added(zones: dict[str, Any], factors: NDArray[np.float64], shift: NDArray[np.float64]) -> _Model:
    (body, body_bias), (name, name_bias) = zones.values()
    weights = {"body": factors[0] * body, "name": factors[1] * name}
    return _Model(weights, factors[0] * body_bias + factors[1] * name_bias + shift)


def _agreed(model: _Model, pages: Policies, others: Policies) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the policies of unlisted sites of which model and category agree on a sector, and that sector."""
    # The listed companies of each DMOZ category by sector, and a grain for each that was never seen.
    companies_of: defaultdict[str, NDArray[np.float64]] = defaultdict(lambda: np.full(len(GUESSED), CATEGORY_GRAIN))
    rows = zip(pages.policies, pages.truth.tolist(), strict=True)
    for category, _, true in {(policy.category, policy.domain, true) for policy, true in rows}:
        companies_of[category][true] += 1
    shares = {category: counts / counts.sum() for category, counts in companies_of.items()}
    overall = np.bincount(pages.truth, pages.weights, len(GUESSED)) + CATEGORY_GRAIN
    even = np.ones(len(GUESSED))
    leaning = [shares.get(policy.category, even) / overall for policy in others.policies]
    predictions = model.probabilities(others) * np.reshape(leaning, (-1, len(GUESSED)))
    predictions /= predictions.sum(axis=1, keepdims=True)
    places = np.flatnonzero(predictions.max(axis=1) >= AGREED)
    return places, predictions[places].argmax(axis=1)


def _threshold(pages: Policies, predictions: NDArray[np.float64]) -> float:
    right = predictions.argmax(axis=1) == pages.truth
    for threshold in THRESHOLDS:
        answered = predictions.max(axis=1) >= threshold
        if answered.any() and pages.weights[answered & right].sum() / pages.weights[answered].sum() >= RIGHT:
            return threshold
    return 1.0


def _packed(model: _Model, rarity: NDArray[np.float64], threshold: float) -> dict[str, NDArray[Any]]:
    """Round weights to a byte each."""
    arrays: dict[str, NDArray[Any]] = {"bias": model.bias.astype(np.float32), "rarity": rarity.astype(np.float16)}
    arrays["threshold"] = np.array(threshold, dtype=np.float32)
    for zone, weights in model.zones.items():
        step = float(np.abs(weights).max()) / LARGEST
        arrays[zone] = np.round(weights / (step or 1.0)).astype(np.int8)
        arrays[f"{zone}_step"] = np.array(step, dtype=np.float32)
    return arrays


def _figures(pages: Policies, predictions: NDArray[np.float64], threshold: float) -> dict[str, Any]:
    """Measure what was said out of fold of the first policy of each company."""
    firsts = list({policy.domain: place for place, policy in reversed([*enumerate(pages.policies)])}.values())
    truth = [GUESSED[true] for true in pages.truth[firsts]]
    guesses = [answer(row, threshold) for row in predictions[firsts]]
    return {"companies": len(firsts), **sector_measures(truth, guesses), "by_sector": by_sector(truth, guesses)}
