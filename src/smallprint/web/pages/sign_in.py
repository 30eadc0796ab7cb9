"""The page that turns the server's token into a cookie, for browsers that are to write; and out again."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from smallprint.errors import NotSignedIn, TokenInAddress, TooManyTries
from smallprint.limits import SESSION_SECONDS
from smallprint.web.access import COOKIE, Gate
from smallprint.web.failures import status_of
from smallprint.web.forms import FormHere
from smallprint.web.rendering import page

router = APIRouter(include_in_schema=False)

PATH = "/sign-in"


@router.api_route(PATH, methods=["GET", "HEAD"])
def ask_for_token(request: Request) -> Response:
    """Show the form."""
    return page(request, "sign_in.html", said="", hours=SESSION_SECONDS // 3600)


@router.post(PATH)
def sign_in(request: Request, fields: FormHere) -> Response:
    """Check the token, and give the browser a session."""
    gate: Gate = request.app.state.gate
    try:
        if "token" in request.query_params:
            raise TokenInAddress("Send the token with the form, not in the address.")
        gate.check_token(request, fields.get("token", "").strip())
    except (NotSignedIn, TokenInAddress, TooManyTries) as error:
        said = f"{str(error)[:1].upper()}{str(error)[1:]}".rstrip(".") + "."
        return page(request, "sign_in.html", status=status_of(error), said=said, hours=SESSION_SECONDS // 3600)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        COOKIE, gate.session(), max_age=SESSION_SECONDS, httponly=True, samesite="strict",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return answer


@router.post("/sign-out")
def sign_out() -> Response:
    """Have the browser forget its session."""
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer
