"""Templates in, pages out: one Jinja environment that escapes everything, and the few names templates may use."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from smallprint import addresses
from smallprint.sectors import sector
from smallprint.server.dependencies import Site
from smallprint.shelf.records import SILENCE, by_kind, chance
from smallprint.web.present.answers import mark_answer
from smallprint.web.present.marks import HUES, hue

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
# The same address gives a whole page to a browser and a part of it to htmx.
VARY = {"Vary": "HX-Request"}
MONTHS = "January February March April May June July August September October November December".split()
_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:[T ].*)?")


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Answer with a page. Every template knows `here`, the path asked for, and those settings that pages speak of."""
    site: Site = request.app.state
    settings, pastes = site.settings, site.pastes
    known = {
        "fetches": settings.serve_fetch, "usual_match": settings.search_match, "needs_token": site.gate.needs_token,
        "can_write": site.gate.allows(request), "paste_minutes": pastes.minutes if pastes.is_on else 0, **context,
    }  # fmt: skip
    return HTMLResponse(render(template, here=request.url.path, **known), status)


def render(template: str, *, here: str = "", **context: Any) -> str:
    """Fill a template."""
    return environment().get_template(template).render(here=here, **context)


def chart(kind: str, name: str, title: str, description: str, **figures: Any) -> Markup:
    """Draw a chart of a kind; `name` is unique on its page."""
    macros = environment().get_template("_charts.html").module
    svg: Markup = getattr(macros, kind)(name, title, description, **figures)
    return svg


def wants_part(request: Request) -> bool:
    """Return whether htmx asks for a part of the page, to put it into the one that is shown."""
    return request.headers.get("HX-Request") == "true" and request.headers.get("HX-History-Restore-Request") != "true"


@cache
def environment() -> Environment:
    """Return the environment of all templates. A name that is not there is an error, not a blank."""
    loader = FileSystemLoader(FOLDER / "templates")
    templates = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.globals.update(static=static, hue=hue, hues=HUES, sector_named=sector, silence=SILENCE)
    templates.globals.update({name: path for name, path in vars(addresses).items() if name.endswith("_path")})
    templates.globals.update(short=addresses.short, is_web=addresses.is_web, links_by_kind=by_kind)
    templates.globals["paths"] = {name: path for name, path in vars(addresses).items() if name.isupper()}
    templates.filters.update(number=number, share=share, chance=chance, day=day, mark_answer=mark_answer)
    return templates


@cache
def static(name: str) -> str:
    """Return a static file's address, which changes with its content, so that browsers may keep it for good."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"{addresses.STATIC_PATH}/{name}?v={digest}"


def number(value: float) -> str:
    """Write a number with its thousands apart."""
    return f"{value:,}"


def share(part: float, whole: float) -> str:
    """Write a part as a percentage, with the decimals its size deserves: 80 %, 4.3 %, 0.42 %."""
    percent = 100 * part / whole if whole else 0.0
    if percent and percent < 0.01:
        return "< 0.01 %"
    decimals = 0 if percent >= 10 or not percent else 1 if percent >= 1 else 2
    return f"{percent:.{decimals}f} %"


def day(time: str) -> str:
    """Write a time as a day, as exact as it is: "1 June 2024", "June 2024", "2024"; what is no time stays as it is."""
    match = _ISO.fullmatch(time)
    if match is None or (match[2] and not 1 <= int(match[2]) <= 12):
        return time
    year, month, date = match.groups()
    if month is None:
        return year
    named = f"{MONTHS[int(month) - 1]} {year}"
    return f"{int(date)} {named}" if date else named
