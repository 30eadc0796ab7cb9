"""Wordings of the card's questions: whether it is seen which one is meant, and what yes to it means."""

from __future__ import annotations

from collections.abc import Sequence

from smallprint.datasets.verdicts import Wording
from smallprint.evaluate.verdict_measures import Measures, share
from smallprint.models.card_mapper import CardMapper


def wording_measures(wordings: Sequence[Wording], mapper: CardMapper) -> Measures:
    """Return by scope the share mapped to the right question of the card, and the share of right polarity among these.

    `sure_one` and `sure_many` are the shares of which the mapper is sure, and right.
    """
    matches = [mapper.match(wording.text) for wording in wordings]
    measures: Measures = {}
    for scope in ("one", "many"):
        pairs = [pair for pair in zip(wordings, matches, strict=True) if pair[0].scope == scope]
        right = [(wording, match) for wording, match in pairs if match.code == wording.card]
        measures[scope] = share(match.code == wording.card for wording, match in pairs)
        measures[f"polarity_{scope}"] = share(match.polarity == wording.polarity for wording, match in right)
        measures[f"sure_{scope}"] = share(match.code == wording.card and match.is_sure for wording, match in pairs)
    return {**measures, "n": len(wordings)}
