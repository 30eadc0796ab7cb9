"""Benchmarks of annotations: mentions, by every match that we read, and sectors, by companies never seen in training.

Mentions are matches of every pattern on DMOZ policies, and the false ones of earlier rounds. A judgement names a place
without quoting the policy: the words matched, and how often the same words stand before it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from smallprint.annotate.mentions import find, names
from smallprint.annotate.sector import CHARACTERS, UNKNOWN, answer, guess, sector_of
from smallprint.clean.cleaning import clean, read
from smallprint.clean.segments import compose
from smallprint.datasets.corpus import Sample, dmoz_pages, listed, opp115_pages, ota_pages, site, tosback_pages
from smallprint.errors import NoData
from smallprint.evaluate.measures import precision_recall_f1
from smallprint.evaluate.tasks import Order, Outcome, compare
from smallprint.models.sector import GUESSED, body_counts, model, name_vector, probabilities, weighed
from smallprint.records import Capture, Company, SectorGuess
from smallprint.settings import Settings
from smallprint.sources.companies import Companies, best_by_domain
from smallprint.text import word_hashes


class Judgement(NamedTuple):
    """Our verdict on one match, and whether it is still found; of a pattern's rounds of mending the last is final."""

    name: str
    id: str
    occurrence: int
    matched: str
    true: bool
    round: int
    is_found: bool = False


def judgements() -> list[Judgement]:
    """Read our verdicts: `splits/mention_judgements.tsv`."""
    return [
        Judgement(
            row["name"], row["id"], int(row["occurrence"]), row["matched"], row["verdict"] == "true", int(row["round"])
        )
        for row in listed("mention_judgements")
    ]


def mentions(order: Order) -> Outcome:
    """Run the benchmark on a folder of research data; ids are those of DMOZ pages, as "dmoz:..."."""
    order.choose()
    judged: dict[str, list[Judgement]] = defaultdict(list)
    for judgement in judgements():
        judged[f"dmoz:{judgement.id}"].append(judgement)
    checked: list[Judgement] = []
    for sample in dmoz_pages(order.data):
        if sample.id in judged and order.wants(sample.id):
            reading = read(sample.page("evaluate"))
            text = "" if isinstance(reading, str) else compose(reading.policy_blocks())[0]
            checked.extend(check(text, judged[sample.id]))
    return mentions_outcome(checked)


def check(text: str, judged: list[Judgement]) -> Iterator[Judgement]:
    """Yield every judgement on one policy with whether its place is found, in whole or in part."""
    mentioned = find(text)
    for judgement in judged:
        start, end = place(text, judgement.matched, judgement.occurrence)
        matches = (m for m in mentioned if m.name == judgement.name)
        yield judgement._replace(is_found=any(m.start < end and m.end > start for m in matches))


def place(text: str, matched: str, occurrence: int) -> tuple[int, int]:
    """Find the words in a text for the nth time, from 0, with any blanks between them; (0, 0) if they are not there."""
    matches = re.finditer(r"\s+".join(map(re.escape, matched.split())), text)
    return next((match.span() for number, match in enumerate(matches) if number == occurrence), (0, 0))


def mentions_outcome(checked: list[Judgement]) -> Outcome:
    """Measure the precision of every pattern on its final round, and how many earlier mistakes it still makes."""
    final: dict[str, int] = defaultdict(int)
    for judgement in judgements():
        final[judgement.name] = max(judgement.round, final[judgement.name])
    last = [judgement for judgement in checked if judgement.round == final[judgement.name]]
    earlier = [judgement for judgement in checked if not judgement.true and judgement.round != final[judgement.name]]
    by_pattern = {}
    for name in names():
        own, mistakes = ([judgement for judgement in part if judgement.name == name.id] for part in (last, earlier))
        if own:
            by_pattern[name.id] = {"n": len(own), **_mentions_measures(own, mistakes)}
    return Outcome(
        "DMOZ policies, read by us",
        [(f"{j.id} {j.name} {j.occurrence} {j.matched}", j.true) for j in last],
        {"default": _mentions_measures(last, earlier)},
        {"by_pattern": by_pattern},
        ({"id": f"dmoz:{j.id}", "name": j.name, "occurrence": j.occurrence, "chosen": j.is_found} for j in checked),
    )


def _mentions_measures(last: list[Judgement], earlier: list[Judgement]) -> dict[str, float]:
    matches = [judgement.true for judgement in last if judgement.is_found]
    return {
        "precision": sum(matches) / len(matches) if matches else 0.0,
        "found": len(matches),
        "earlier mistakes": len(earlier),
        "still made": sum(judgement.is_found for judgement in earlier),
    }


class Case(NamedTuple):
    """A company with a policy: its domain, its sector by the list, and the policy."""

    id: str
    sector: str
    capture: Capture


def companies(data: Path) -> dict[str, Company]:
    """Return the company behind each domain, only those whose industry we know."""
    best = best_by_domain(Companies(data / "corpus" / "companies.csv"), lambda _: True)
    return {domain: company for domain, company in best.items() if sector_of(company.industry)}


def policy_pages(data: Path) -> Iterator[Sample]:
    """Yield every page of the corpora that may hold a policy and has an address."""
    pages = chain(dmoz_pages(data), ota_pages(data), opp115_pages(data), tosback_pages(data))
    return (sample for sample in pages if sample.label != "other" and site(sample.url))


def capture(sample: Sample) -> Capture | None:
    """Read a page as the clean stage does; None where it is not kept."""
    cleaned = clean(sample.page("sector"), Settings())
    return cleaned if isinstance(cleaned, Capture) else None


def sector(order: Order) -> Outcome:
    """Run the benchmark on a folder of research data; ids are domains."""
    systems = order.choose(_JUDGES)
    if not order.data.is_dir():
        raise NoData(f"{order.data} is not a folder; sector is measured on the research data (SMALLPRINT_DATA_DIR)")
    cases = held_cases(order)
    guesses = {system: [_JUDGES[system](case, cases) for case in cases] for system in systems}
    outcome = compare(
        "our held-out companies, by domain",
        cases,
        guesses,
        lambda case: case.sector,
        lambda known, own: sector_measures([case.sector for case in known], own),
        lambda _, own: {"score": own[systems[0]].probability, "sector": own[systems[0]].sector},
    )
    if cases and "default" in guesses:
        outcome.tables = {"by_sector": by_sector([case.sector for case in cases], guesses["default"])}
    return outcome


def held_cases(order: Order) -> list[Case]:
    """Return the held-out companies, each with the first of its pages that the clean stage keeps."""
    known = companies(order.data)
    wanted = {row["domain"] for row in listed("sector_test") if order.wants(row["domain"])} & known.keys()
    cases: dict[str, Case] = {}
    for sample in policy_pages(order.data):
        domain = site(sample.url)
        if domain in wanted and domain not in cases and (kept := capture(sample)) is not None:
            cases[domain] = Case(domain, sector_of(known[domain].industry) or UNKNOWN, kept)
    return [cases[domain] for domain in sorted(cases)]


def sector_measures(truth: Sequence[str], guesses: Sequence[SectorGuess]) -> dict[str, float]:
    """Return coverage, the accuracy of what was answered, and accuracy with every "unknown" counted as wrong."""
    answered = sum(guess.sector != UNKNOWN for guess in guesses)
    right = sum(guess.sector == true for guess, true in zip(guesses, truth, strict=True))
    return {
        "coverage": answered / max(1, len(guesses)),
        "accuracy of answered": right / max(1, answered),
        "accuracy": right / max(1, len(guesses)),
    }


def by_sector(truth: Sequence[str], guesses: Sequence[SectorGuess]) -> dict[str, dict[str, float]]:
    """Return precision and recall of each sector."""
    table = {}
    for name in GUESSED:
        true, guessed = [own == name for own in truth], [guess.sector == name for guess in guesses]
        precision, recall, _ = precision_recall_f1(true, guessed)
        table[name] = {"n": sum(true), "answered": sum(guessed), "precision": precision, "recall": recall}
    return table


def _text_only(case: Case, cases: list[Case]) -> SectorGuess:
    words = word_hashes(case.capture.page_text[:CHARACTERS])
    return answer(probabilities(weighed(body_counts(words), model().rarity), None), model().threshold)


def _majority(case: Case, cases: list[Case]) -> SectorGuess:
    """Guess the commonest sector of them all, the best that a constant can do."""
    (commonest, count), *_ = Counter(other.sector for other in cases).most_common(1)
    return SectorGuess(commonest, count / len(cases))


_JUDGES: dict[str, Callable[[Case, list[Case]], SectorGuess]] = {
    "default": lambda case, _: guess(case.capture.page_text, case.capture.title, case.capture.url),
    "text only": _text_only,
    "domain only": lambda case, _: answer(probabilities(None, name_vector(case.capture.url, "")), model().threshold),
    "majority": _majority,
}
