"""The endpoints that search: /search and /facets."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query

from smallprint import limits
from smallprint.api.answers import FacetsAnswer, FacetValue, NamedFacet, NamedScale, SearchAnswer
from smallprint.api.endpoints import PREFIX, endpoint
from smallprint.api.parameters import Search, SearchPage
from smallprint.api.site import EnginesHere, PoolHere
from smallprint.index.engine import Engine
from smallprint.library.pool import Pool
from smallprint.search import results
from smallprint.search.plain import as_plain
from smallprint.search.request import Request
from smallprint.shelf.asking import whole

router = APIRouter(tags=["search"])


@endpoint(router, "/search", response_model=SearchAnswer)
def search(asked: Annotated[SearchPage, Query()], pool: PoolHere, engines: EnginesHere) -> dict[str, Any]:
    """Search policies. Hits come with the passages that match and with counts by facet, as the page shows them."""
    request = asked.request()
    engine = engines.engine(request.index)
    found = _found(pool, engine, request, with_facets=asked.facets == "1")
    why = {
        hit.rank: results.explained(engine, request, hit.policy.policy_id)
        for hit in (found.hits if asked.explain == "1" else ())
    }
    return {**as_plain(found, why), "next": _next(found, asked)}


@endpoint(router, "/facets")
def facets(asked: Annotated[Search, Query()], pool: PoolHere, engines: EnginesHere) -> FacetsAnswer:
    """Count what a result can be narrowed by. Takes what /search takes; page, size, order and folding do not matter."""
    request = replace(asked.request(), page=1, size=1)
    found = _found(pool, engines.engine(request.index), request)
    return FacetsAnswer(
        whole(request).address(),
        found.total,
        found.behind,
        [
            NamedFacet(one.facet.key, one.facet.plain, [
                FacetValue(value.choice.value, value.choice.plain, value.choice.under, value.count,
                           round(value.share, 4), value.is_chosen)
                for value in one.values
            ])
            for one in found.facets
        ],
        [
            NamedScale(one.scale.key, one.scale.plain, one.low, one.high, one.scale.bars.low, one.scale.bars.step,
                       list(one.counts))
            for one in found.scales
        ],
    )  # fmt: skip


def _found(pool: Pool, engine: Engine, request: Request, *, with_facets: bool = True) -> results.Results:
    with pool.library() as library:
        return results.search(library, engine, request, with_facets=with_facets)


def _next(found: results.Results, asked: SearchPage) -> str | None:
    """Give the address of the next page, where there is one; it tells as much as this one."""
    request = found.request
    if request.page >= limits.MAX_RESULT_PAGES or request.page * request.size >= found.groups:
        return None
    told = asked.model_dump(include={"facets", "explain"}, exclude_defaults=True)
    address = "&".join(part for part in (request.on_page(request.page + 1).address(), urlencode(told)) if part)
    return f"{PREFIX}/search?{address}"
