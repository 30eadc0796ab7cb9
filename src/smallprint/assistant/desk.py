"""Where questions on policies are answered, stored ones and others; what was made of the last policies is kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from smallprint import limits
from smallprint.annotate.card import annotator as card_annotator
from smallprint.annotate.vectors import finder
from smallprint.ask.answer.answering import SUMMARY, Answer, Ranked, Source, answer, ranked
from smallprint.ask.answer.decision import Card
from smallprint.ask.model_set import Kit, kit
from smallprint.ask.ranking.evidence import Evidence, evidence_of, packed, unpacked
from smallprint.ask.ranking.rankers import COMBINED, RANKERS
from smallprint.clean.cleaning import clean, guarded
from smallprint.errors import BadQuery, BadSource, DamagedText
from smallprint.library import Library, reading
from smallprint.library.annotations import read_annotation
from smallprint.library.directory import Listed
from smallprint.library.reading import PolicyEntry, VersionEntry
from smallprint.records import Capture, Page, Rejection
from smallprint.settings import Settings

# Policies whose evidence is kept in memory: one of 150 sentences takes half a megabyte.
POLICIES = 32
MOST_PASSAGES = 10
Result = TypeVar("Result")
# Keeps the vectors of a version's sentences for the next question.
SaveVectors = Callable[[Library, str, NDArray[np.int8]], None]


class Desk:
    """Evidence by policy, the least recently asked for forgotten first; `save` is given vectors that had to be made."""

    def __init__(self, models: Kit | None = None, policies: int = POLICIES, save: SaveVectors | None = None) -> None:
        self.kit = models or kit()
        self._save = save
        # A list for each policy, which holds its evidence once that is made.
        self._kept: Callable[[Hashable], list[Evidence]] = lru_cache(policies)(lambda key: [])

    def answer(self, library: Library, source: Source, question: str, passages: int = SUMMARY) -> Answer:
        """Ask a stored policy."""
        most, version_id = known_size(passages), source.version_id or ""
        evidence = self.stored(library, version_id)
        card = stored_card(library, version_id, evidence)
        return answer(checked(question), evidence, self.kit, source, most, card)

    def rank(self, library: Library, source: Source, question: str, ranker: str) -> tuple[Ranked, ...]:
        """Rank a stored policy's sentences by one ranker alone."""
        evidence = self.stored(library, source.version_id or "")
        return ranked(checked(question), evidence, known_ranker(ranker), self.kit, source)

    def stored(self, library: Library, version_id: str) -> Evidence:
        """Return the evidence of a version; text, passages and vectors are read once."""
        kept = self._kept((library.path, version_id))
        if not kept:
            kept.append(self._evidence(library, version_id))
        return kept[0]

    def _evidence(self, library: Library, version_id: str) -> Evidence:
        def vectors(texts: list[str]) -> NDArray[np.float32]:
            try:
                rows = read_annotation(library, version_id, finder())
            except DamagedText:  # they can be made again
                rows = None
            if rows is None or len(rows) != len(texts):
                rows = packed(self.kit.finder.vectors(texts))
                if self._save:
                    self._save(library, version_id, rows)
            return unpacked(rows)

        text, segments = reading.text(library, version_id), reading.segments(library, version_id)
        return evidence_of(text, segments, self.kit.labeller, vectors)


def stored_card(library: Library, version_id: str, evidence: Evidence) -> Card | None:
    """Return the card of a version in full quality, with the places of its sentences in the evidence, if it is stored.

    Nobody waits for one: without it, a question is answered from the sentences that it finds.
    """
    try:
        entries = read_annotation(library, version_id, card_annotator("full"))
    except DamagedText:  # it can be made again
        return None
    if entries is None:
        return None
    places = {(own.segment, own.start, own.end): place for place, own in enumerate(evidence.sentences)}
    return {entry.code: entry.verdict_at(places) for entry in entries}


def source_of(policy: PolicyEntry | Listed, version: VersionEntry | None = None) -> Source:
    """Return a stored policy as it is asked, by default its current version."""
    if isinstance(policy, Listed):
        return Source(policy.policy_id, policy.version_id, policy.url, policy.title, policy.domain)
    at = version or policy.current
    return Source(policy.policy_id, at.version_id, policy.url, at.title, policy.domain)


def ask_page(
    work: Callable[..., Result], name: str, page: Page | Rejection, settings: Settings, question: str
) -> Result:
    """Ask a page by `answer` or `ranked` without storing it; as one job, it can be given up."""
    # Whatever it is: who asks wants an answer of this very page.
    lenient = replace(settings, policy_threshold=0.0, min_words=1)
    capture: Capture | Rejection = page if isinstance(page, Rejection) else guarded(lambda: clean(page, lenient), page)
    if isinstance(capture, Rejection):
        raise BadSource(f"{name} cannot be asked: {capture.reason} ({capture.detail})")
    evidence = evidence_of(capture.text, capture.segments, kit().labeller, kit().finder.vectors)
    source = Source(url=capture.url, title=capture.title, domain=capture.domain)
    return work(question, evidence, kit=kit(), source=source)


def known_ranker(name: str) -> str:
    """Return a ranker's name, or say which there are."""
    if name not in RANKERS:
        raise BadQuery(f"there is no ranker {name!r}; choose from {', '.join(RANKERS)} ('{COMBINED}' is the default)")
    return name


def checked(question: str) -> str:
    """Return a question, unless it is beyond all measure."""
    if len(question) > limits.MAX_QUESTION:
        raise BadQuery(
            f"a question may have {limits.MAX_QUESTION:,} characters and this has {len(question):,}; ask in a sentence"
        )
    return question


def known_size(wanted: int) -> int:
    """Return how many passages a summary is to have, if it may have so many."""
    if not 0 <= wanted <= MOST_PASSAGES:
        raise BadQuery(f"a summary has 0 to {MOST_PASSAGES} passages, not {wanted}")
    return wanted
