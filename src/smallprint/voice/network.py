"""The two calls that the voice makes to Amazon: a certificate chain is fetched, progress is told."""

from __future__ import annotations

import time
from collections.abc import Mapping

import httpx2

from smallprint import limits
from smallprint.errors import NotFetched

# Alexa waits for 8 seconds in all.
SECONDS = 2.0


def fetch(url: str) -> bytes:
    """Fetch a small file; redirects are not followed."""
    found, until = bytearray(), time.monotonic() + SECONDS
    try:
        with httpx2.Client(timeout=SECONDS, trust_env=False) as client, client.stream("GET", url) as response:
            if response.status_code != httpx2.codes.OK:
                raise NotFetched(f"{url} answered {response.status_code}")
            for part in response.iter_bytes():
                found += part
                if len(found) > limits.MAX_CHAIN_BYTES or time.monotonic() > until:
                    raise NotFetched(f"{url} is too large or too slow")
    except httpx2.HTTPError as error:
        raise NotFetched(f"{url} could not be fetched ({type(error).__name__})") from None
    return bytes(found)


def send(url: str, headers: Mapping[str, str], body: bytes) -> None:
    """Send a small message, and do not care for the answer's words."""
    try:
        with httpx2.Client(timeout=SECONDS, trust_env=False) as client:
            status = client.post(url, headers=dict(headers), content=body).status_code
    except httpx2.HTTPError as error:
        raise NotFetched(f"{url} could not be reached ({type(error).__name__})") from None
    if status >= httpx2.codes.BAD_REQUEST:
        raise NotFetched(f"{url} answered {status}")
