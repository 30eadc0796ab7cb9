"""Templates in, pages out: one Jinja environment that escapes everything, and the few names templates may use."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from smallprint.sectors import sector
from smallprint.settings import Settings
from smallprint.view.chances import chance
from smallprint.view.permalinks import passage_path, policy_path, short
from smallprint.web.addresses import ask_path, compare_path, diff_path, is_web
from smallprint.web.dates import day
from smallprint.web.palette import HUES, hue

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
STATIC_PATH = "/static"
# The same address gives a whole page to a browser and a part of it to htmx.
VARY = {"Vary": "HX-Request"}


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Answer with a page. Every template knows `here`, the path asked for, and those settings that pages speak of."""
    settings: Settings = request.app.state.settings
    gate, pastes = request.app.state.gate, request.app.state.pastes
    told = {
        "fetches": settings.serve_fetch, "usual_match": settings.search_match, "needs_token": gate.needs_token,
        "can_write": gate.allows(request), "paste_minutes": pastes.minutes if pastes.is_on else 0, **context,
    }  # fmt: skip
    return HTMLResponse(render(template, here=request.url.path, **told), status)


def render(template: str, *, here: str = "", **context: Any) -> str:
    """Fill a template."""
    return environment().get_template(template).render(here=here, **context)


def wants_part(request: Request) -> bool:
    """Tell whether htmx asks for a part of the page, to put it into the one that is shown."""
    return request.headers.get("HX-Request") == "true" and request.headers.get("HX-History-Restore-Request") != "true"


@cache
def environment() -> Environment:
    """Give the environment of all templates. A name that is not there is an error, not a blank."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    # Every string of ours goes through _(); a translation takes the place of this one day.
    made.install_null_translations(newstyle=True)  # type: ignore[attr-defined]
    made.globals.update(static=static, hue=hue, hues=HUES, sector_named=sector)
    made.globals.update(
        policy_path=policy_path, passage_path=passage_path, diff_path=diff_path, compare_path=compare_path,
        ask_path=ask_path, short=short, is_web=is_web,
    )  # fmt: skip
    made.filters.update(number=number, share=share, chance=chance, day=day)
    return made


@cache
def static(name: str) -> str:
    """Give a static file's address, which changes with its content, so that browsers may keep it for good."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return f"{STATIC_PATH}/{name}?v={digest}"


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
