"""Results as JSON has them, for the command line and the API alike."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from smallprint.index.engine import Explanation
from smallprint.search.results import Result, Results


def as_plain(found: Results, why: dict[int, Explanation | None] | None = None) -> dict[str, Any]:
    """Give results as JSON has them."""
    return {
        "query": found.request.address(),
        "total": found.total,
        "groups": found.groups,
        "seconds": round(found.seconds, 4),
        "notes": list(found.notes),
        "behind": found.behind,
        "hits": [plain_hit(hit, (why or {}).get(hit.rank)) for hit in found.hits],
        "facets": {
            one.facet.key: [
                {"value": value.choice.value, "name": value.choice.plain, "under": value.choice.under,
                 "count": value.count, "share": round(value.share, 4), "chosen": value.is_chosen}
                for value in one.values
            ]
            for one in found.facets
        },
        "scales": {
            one.scale.key: {"low": one.scale.bars.low, "step": one.scale.bars.step, "counts": list(one.counts)}
            for one in found.scales
        },
        "ways_out": [
            {"let_go_of": way.what, "query": way.request.address(), "count": way.count} for way in found.ways_out
        ],
    }  # fmt: skip


def plain_hit(hit: Result, why: Explanation | None = None) -> dict[str, Any]:
    """Give a hit as JSON has it: snippets with the places of the query's words."""
    return {
        "rank": hit.rank,
        "score": hit.score,
        **asdict(hit.policy),
        "near_duplicates": hit.alike,
        "snippets": [
            {"start": one.start, "end": one.end, "segment": one.ordinal, "text": hit.text[one.start : one.end],
             "marks": [[mark.start - one.start, mark.end - one.start] for mark in one.marks]}
            for one in hit.snippets
        ],
        "damaged": hit.is_damaged,
        **({"explanation": asdict(why)} if why else {}),
    }  # fmt: skip
