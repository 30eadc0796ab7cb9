"""Pages about the library and the site: landing, statistics, rejected pages, help, signing in, former addresses."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from smallprint.addresses import ABOUT, FORMER, HELP, HOME, PRIVACY, REJECTIONS, SIGN_IN, SIGN_OUT, STATISTICS
from smallprint.errors import NotSignedIn, TokenInAddress, TooManyTries
from smallprint.limits import SESSION_SECONDS
from smallprint.records import Reason
from smallprint.sectors import SECTORS
from smallprint.server.access import COOKIE
from smallprint.server.dependencies import FormHere, ShelfHere, SiteHere
from smallprint.server.failures import sentence, status_of
from smallprint.shelf.records import names
from smallprint.web.pages.results import ORDERS
from smallprint.web.present import figures
from smallprint.web.rendering import page

router = APIRouter(include_in_schema=False)

# One each of what people ask for: a kind of information, a choice, a period, a number nobody likes to give away.
EXAMPLES = ("payment information", "do not track", "retention period", "social security number")
PROSE = {HELP: "help.html", ABOUT: "about.html", PRIVACY: "privacy.html"}
# Rejected pages listed at once; the command and the API list more.
MOST_LISTED = 200
HOURS = SESSION_SECONDS // 3600


@router.api_route(HOME, methods=["GET", "HEAD"])
def landing(request: Request, shelf: ShelfHere) -> HTMLResponse:
    """Show the landing page."""
    return page(request, "landing.html", examples=EXAMPLES, size=shelf.size())


@router.api_route(STATISTICS, methods=["GET", "HEAD"])
def statistics(request: Request, shelf: ShelfHere) -> HTMLResponse:
    """Show how the library's policies are spread over sectors, measures and what they name."""
    counted = shelf.statistics()
    charts = {name: getattr(figures, name)(counted) for name in ("sectors", "grade", "vagueness", "practices")}
    named = [(group, title, figures.mentions(counted, group)) for group, title in figures.GROUPS.items()]
    heat = figures.regulations_by_sector(counted, shelf.mentions_by_sector())
    return page(request, "statistics.html", counted=counted, named=named, heat=heat, **charts)


@router.api_route(REJECTIONS, methods=["GET", "HEAD"])
def rejections(request: Request, shelf: ShelfHere, reason: str = "") -> HTMLResponse:
    """List the rejected pages, all or those with one reason."""
    chosen = reason if reason in set(Reason) else None
    return page(
        request, "rejections.html", counts=shelf.rejection_counts(), chosen=chosen,
        rejections=shelf.rejections(chosen, MOST_LISTED),
    )  # fmt: skip


@router.api_route(SIGN_IN, methods=["GET", "HEAD"])
def ask_for_token(request: Request) -> HTMLResponse:
    """Show the form that turns the server's token into a cookie, for browsers that are to write."""
    return page(request, "sign_in.html", said="", hours=HOURS)


@router.post(SIGN_IN)
def sign_in(request: Request, fields: FormHere, site: SiteHere) -> Response:
    """Check the token, and give the browser a session."""
    try:
        if "token" in request.query_params:
            raise TokenInAddress("Send the token with the form, not in the address.")
        site.gate.check_token(request, fields.get("token", "").strip())
    except (NotSignedIn, TokenInAddress, TooManyTries) as error:
        return page(request, "sign_in.html", status=status_of(error), said=sentence(error), hours=HOURS)
    answer = RedirectResponse(HOME, 303)
    answer.set_cookie(
        COOKIE, site.gate.session(), max_age=SESSION_SECONDS, httponly=True, samesite="strict",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return answer


@router.post(SIGN_OUT)
def sign_out() -> Response:
    """Have the browser forget its session."""
    answer = RedirectResponse(HOME, 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


def prose(request: Request) -> HTMLResponse:
    """Show how to search, how measures are made and what they are worth, or what becomes of what people type here."""
    orders = tuple(ORDERS.values())
    return page(request, PROSE[request.scope["path"]], sectors=SECTORS, names=names(), orders=orders)


def moved(request: Request) -> RedirectResponse:
    """Redirect to the same address under its present name, with whatever follows it."""
    path = request.scope["raw_path"].decode("ascii", "ignore")
    first, slash, rest = path[1:].partition("/")
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{FORMER[f'/{first}']}{slash}{rest}{query}", 301)


for _path in PROSE:
    router.add_api_route(_path, prose, methods=["GET", "HEAD"])
for _former in FORMER:
    for _path in (_former, f"{_former}/{{rest:path}}"):
        router.add_api_route(_path, moved, methods=["GET", "HEAD"])
