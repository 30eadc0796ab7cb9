"""How to search: the query language in examples, each of which can be tried."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from smallprint.annotate.mentions import names
from smallprint.sectors import SECTORS
from smallprint.web.modes import ORDERS
from smallprint.web.rendering import page

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Example:
    """Something to type, what it means, and the words it can be said with."""

    typed: str
    said: str
    values: tuple[str, ...] = ()


WORDS = (
    Example(
        "data breach",
        "Policies with any of the words; it counts for more where they stand side by side, and where a policy "
        "has the practice they name. Capitals do not matter, "
        "endings do: “cookie” does not find “cookies”.",
    ),
    Example('"do not track"', "Words in quotation marks stand together, in this order."),
    Example("location -advertising", "A hyphen before a word, a phrase or a filter leaves out what has it."),
    Example("title:bank", "Only in the title. In the same way body: and url:."),
)
FILTERS = (
    Example("site:tidemarkbank.example", "One site, with whatever is below it."),
    Example("sector:medical retention", "One sector:", tuple(one.id for one in SECTORS)),
    Example("names:gdpr encryption", "What names one of these:", tuple(one.id for one in names())),
    Example("year:2024", "What was last seen in a year."),
    Example("grade:8:12", "A reading grade from 8 to 12. With grade:12: it is 12 or more, with grade::8 at most 8."),
    Example("vague:0:0.2", "At most a fifth of the sentences are vague."),
    Example("cookies -sector:unknown", "What a filter finds can be left out, too."),
)


@router.api_route("/help", methods=["GET", "HEAD"])
def guide(request: Request) -> HTMLResponse:
    """Explain how to search."""
    sections = (("words", "Words", WORDS), ("filters", "Filters in the box", FILTERS))
    return page(request, "help.html", sections=sections, orders=tuple(ORDERS.values()))
