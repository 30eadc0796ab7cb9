"""The two calls that the voice makes to Amazon, a certificate chain and a word of progress, at Amazon's addresses only.

https://developer.amazon.com/en-US/docs/alexa/custom-skills/send-the-user-a-progressive-response.html
"""

from __future__ import annotations

import json
import logging
import posixpath
import re
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx2

from smallprint import limits
from smallprint.errors import NotFetched, NotFromAlexa
from smallprint.voice.requests import VoiceRequest
from smallprint.voice.speech import ssml

CERTIFICATE_HOST = "s3.amazonaws.com"
CERTIFICATE_FOLDER = "/echo.api/"
# Alexa waits for 8 seconds in all.
SECONDS = 2.0
STILL_LOOKING = "I am still looking."
Send = Callable[[str, Mapping[str, str], bytes], None]
_API_HOST = re.compile(r"api(?:\.[a-z]{2})?\.amazonalexa\.com")
_PATH = re.compile(r"/[A-Za-z0-9._~/-]*")
_log = logging.getLogger("smallprint.voice")


def certificate_address(url: str) -> str:
    """Return the address of a certificate chain in its normal form, if it is one that Amazon uses."""
    parts = _split(url)
    path = posixpath.normpath(parts.path)
    if (parts.hostname or "") != CERTIFICATE_HOST or not path.startswith(CERTIFICATE_FOLDER):
        raise NotFromAlexa("the certificate chain is not where Amazon keeps it")
    return f"https://{CERTIFICATE_HOST}{path}"


def progress_address(url: str) -> str:
    """Return the address to which progress is sent, if it is Alexa's."""
    parts = _split(url)
    if not _API_HOST.fullmatch(parts.hostname or ""):
        raise NotFromAlexa("the address for progress is not Alexa's")
    return f"https://{parts.hostname}/v1/directives"


def fetch(url: str) -> bytes:
    """Fetch a small file."""
    return _call("GET", url)


def send(url: str, headers: Mapping[str, str], body: bytes) -> None:
    """Send a small message."""
    _call("POST", url, headers=dict(headers), content=body)


def _call(method: str, url: str, **sent: Any) -> bytes:
    """Return the small answer to a request; redirects are not followed."""
    content, until = bytearray(), time.monotonic() + SECONDS
    try:
        with httpx2.Client(timeout=SECONDS, trust_env=False) as client, client.stream(method, url, **sent) as response:
            if not response.is_success:
                raise NotFetched(f"{url} answered {response.status_code}")
            for part in response.iter_bytes():
                content += part
                if len(content) > limits.MAX_CHAIN_BYTES or time.monotonic() > until:
                    raise NotFetched(f"{url} is too large or too slow")
    except httpx2.HTTPError as error:
        raise NotFetched(f"{url} could not be reached ({type(error).__name__})") from None
    return bytes(content)


def tell_progress(request: VoiceRequest, send: Send) -> None:
    """Say that the answer is on its way, to a request that allows it; a failure is logged and does no harm."""
    message = {
        "header": {"requestId": request.request_id},
        "directive": {"type": "VoicePlayer.Speak", "speech": ssml((STILL_LOOKING,))},
    }
    headers = {"Authorization": f"Bearer {request.token}", "Content-Type": "application/json"}
    try:
        send(progress_address(request.endpoint), headers, json.dumps(message).encode())
    except (NotFetched, NotFromAlexa) as error:
        _log.warning("smallprint: progress was not sent (%s)", type(error).__name__)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NotFromAlexa("an address in the request cannot be read") from None
    if parts.scheme != "https" or port not in {None, 443}:
        raise NotFromAlexa("an address in the request is not HTTPS on port 443")
    if "@" in parts.netloc or parts.query or parts.fragment or not _PATH.fullmatch(parts.path or "/"):
        raise NotFromAlexa("an address in the request is not written as Amazon writes them")
    return parts
