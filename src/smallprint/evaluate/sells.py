"""The first question of all, "Do you sell my data?", asked of every policy of the sample, whose truth is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from smallprint.ask.answer.answering import UNSTORED, answer
from smallprint.ask.ranking.evidence import gather
from smallprint.ask.ranking.units import sentences_of
from smallprint.ask.verdict.card import read_card
from smallprint.assistant.desk import Desk
from smallprint.card import Verdict
from smallprint.errors import NoData
from smallprint.evaluate.libraries import truths_of
from smallprint.evaluate.tasks import Order, Outcome
from smallprint.evaluate.verdict_measures import share
from smallprint.library import Library, reading

QUESTION, TOPIC, CARD = "Do you sell my data?", "sell", "sells"
SYSTEMS = ("answer", "card")
UNSAID = frozenset({Verdict.SILENT, Verdict.NOT_SURE})
ADMITTED = frozenset({Verdict.YES, Verdict.DEPENDS})


def evaluate(order: Order) -> Outcome:
    """Ask all policies; the data is a library that holds the sample and nothing else."""
    systems = order.choose(SYSTEMS)
    if not order.data.is_file():
        raise NoData(
            f"{order.data} is no library; make the sample's with 'smallprint ingest --sample', and give it as --data"
        )
    rows = []
    with Library(order.data) as library:
        kit = Desk().kit
        for name, truth in truths_of(library).items():
            if not order.wants(name):
                continue
            version = reading.find_policy(library, name).current_version
            sentences = sentences_of(reading.text(library, version), reading.segments(library, version))
            evidence = gather(sentences, kit.labeller, kit.finder)
            card = {line.code: line for line in read_card(sentences, kit)}
            verdicts = {
                "answer": answer(QUESTION, evidence, kit, UNSTORED, 0, card).verdict,
                "card": card[CARD].verdict,
            }
            rows.append({"id": name, "true": truth.stance(TOPIC), **verdicts})
    return Outcome(
        "sample",
        [(row["id"], row["true"]) for row in rows],
        {system: _measures((row["true"], row[system]) for row in rows) for system in systems},
        {"counts": {system: _counts((row["true"], row[system]) for row in rows) for system in systems}},
        rows,
    )


def _measures(pairs: Iterable[tuple[str, str]]) -> dict[str, float | int | None]:
    """Return what may never be said, and how much of the rest is right."""
    told = list(pairs)
    of = {stance: [verdict for true, verdict in told if true == stance] for stance in ("does", "does not", "silent")}
    return {
        "sells_told_no": sum(verdict == Verdict.NO for verdict in of["does"]),
        "denies_told_yes": sum(verdict == Verdict.YES for verdict in of["does not"]),
        "silent_unsaid": share(verdict in UNSAID for verdict in of["silent"]),
        "sells_admitted": share(verdict in ADMITTED for verdict in of["does"]),
        "denies_told_no": share(verdict == Verdict.NO for verdict in of["does not"]),
        "n": len(told),
    }


def _counts(pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Count what was said of each truth."""
    return {f"{true}: {verdict}": count for (true, verdict), count in sorted(Counter(pairs).items())}
