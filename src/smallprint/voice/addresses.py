"""Addresses of Amazon's that a request may name: where its certificates lie, and where progress is told."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import SplitResult, urlsplit

from smallprint.errors import NotFromAlexa

CERTIFICATE_HOST = "s3.amazonaws.com"
CERTIFICATE_FOLDER = "/echo.api/"
_API_HOST = re.compile(r"api(?:\.[a-z]{2})?\.amazonalexa\.com")
_PATH = re.compile(r"/[A-Za-z0-9._~/-]*")


def certificate_address(given: str) -> str:
    """Give the address of a certificate chain in its normal form, if it is one that Amazon uses."""
    parts = _split(given)
    path = posixpath.normpath(parts.path)
    if (parts.hostname or "") != CERTIFICATE_HOST or not path.startswith(CERTIFICATE_FOLDER):
        raise NotFromAlexa("the certificate chain does not lie where Amazon keeps it")
    return f"https://{CERTIFICATE_HOST}{path}"


def progress_address(given: str) -> str:
    """Give the address at which progress is told, if it is Alexa's."""
    parts = _split(given)
    if not _API_HOST.fullmatch(parts.hostname or ""):
        raise NotFromAlexa("the address for progress is not Alexa's")
    return f"https://{parts.hostname}/v1/directives"


def _split(given: str) -> SplitResult:
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError:
        raise NotFromAlexa("an address in the request cannot be read") from None
    if parts.scheme != "https" or port not in {None, 443}:
        raise NotFromAlexa("an address in the request is not one of HTTPS on port 443")
    if "@" in parts.netloc or parts.query or parts.fragment or not _PATH.fullmatch(parts.path or "/"):
        raise NotFromAlexa("an address in the request is spelt as Amazon spells none")
    return parts
