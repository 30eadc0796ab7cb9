"""The endpoint that Alexa calls, /alexa; it lets in what Amazon signed, made just now, for this skill, and once."""

from __future__ import annotations

import base64
import binascii
import math
import re
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import certifi
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.utils import CryptographyDeprecationWarning
from cryptography.x509 import Certificate, DNSName, load_pem_x509_certificate, load_pem_x509_certificates
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from smallprint import limits
from smallprint.errors import BadSetting, NotFetched, NotFromAlexa
from smallprint.server.failures import PROBLEM
from smallprint.server.remembered import Remembered
from smallprint.settings import Settings
from smallprint.shelf.questions import Questions
from smallprint.voice import amazon
from smallprint.voice.amazon import Send, certificate_address, tell_progress
from smallprint.voice.requests import VoiceRequest, read_request
from smallprint.voice.skill import Skill, Works

PATH = "/alexa"
CHAIN, SIGNATURE = "SignatureCertChainUrl", "Signature-256"
SHARE = 0.9
NAME = "echo-api.amazon.com"
# Amazon uses one chain at a time, for months.
MOST_CHAINS = 8
# Of a chain there are three or four certificates.
MOST_CERTIFICATES = 10

Fetch = Callable[[str], bytes]
_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_Chain = tuple[Certificate, ...]
utc_now = partial(datetime.now, UTC)


class Certificates:
    """Amazon's certificate chains, fetched once and kept; they are verified for each request.

    `roots` are the authorities to trust, by default those that browsers trust; `clock` returns the time.
    """

    def __init__(
        self, fetch: Fetch, roots: Sequence[Certificate] | None = None, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self._fetch = fetch
        self._store = Store(list(trusted_authorities() if roots is None else roots))
        self._clock = clock
        self._chains: Remembered[_Chain] = Remembered(MOST_CHAINS)

    def check(self, url: str, signature: str, body: bytes) -> None:
        """Refuse a body that is not signed by the holder of a certificate in Amazon's name."""
        address = certificate_address(url)
        try:
            signed = base64.b64decode(signature, validate=True)
        except (binascii.Error, ValueError):
            raise NotFromAlexa("the signature is not base64") from None
        try:
            self._key(address).verify(signed, body, PKCS1v15(), SHA256())
        except InvalidSignature:
            raise NotFromAlexa("the signature does not match the request") from None

    def _key(self, address: str) -> RSAPublicKey:
        leaf, *others = self._chain(address)
        verifier = PolicyBuilder().store(self._store).time(self._clock()).build_server_verifier(DNSName(NAME))
        try:
            verifier.verify(leaf, others)
        except VerificationError:
            self._chains.forget(address)  # so that a new one at the same address is fetched
            raise NotFromAlexa(f"the certificate is not valid for {NAME} today") from None
        key = leaf.public_key()
        if not isinstance(key, RSAPublicKey):
            raise NotFromAlexa("the certificate's key is not of Amazon's kind")
        return key

    def _chain(self, address: str) -> _Chain:
        if chain := self._chains.get(address):
            return chain
        try:
            chain = tuple(load_pem_x509_certificates(self._fetch(address)))
        except NotFetched:
            raise NotFromAlexa("the certificate chain could not be fetched") from None
        except ValueError:
            raise NotFromAlexa("the certificate chain cannot be read") from None
        if len(chain) > MOST_CERTIFICATES:
            raise NotFromAlexa("the certificate chain is too long")
        self._chains.put(address, chain)
        return chain


def trusted_authorities() -> list[Certificate]:
    """Return the authorities that browsers trust."""
    roots = []
    for encoded in _PEM.findall(Path(certifi.where()).read_bytes()):
        with warnings.catch_warnings(), suppress(ValueError):
            # Some old roots have serial numbers that the standard forbids; what cannot be read at all is not needed.
            warnings.simplefilter("ignore", CryptographyDeprecationWarning)
            roots.append(load_pem_x509_certificate(encoded))
    return roots


# Amazon's own limit, in both directions.
WINDOW = timedelta(seconds=150)


class Seen:
    """The ids of requests, until their timestamps alone refuse them: what comes again was recorded and is replayed."""

    def __init__(self, most: int = limits.MAX_SEEN_REQUESTS) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._until: OrderedDict[str, datetime] = OrderedDict()

    def __len__(self) -> int:
        return len(self._until)

    def check(self, request: VoiceRequest, now: datetime) -> None:
        """Refuse a request that was seen before; remember any other."""
        with self._lock:
            while self._until and now > next(iter(self._until.values())):
                self._until.popitem(last=False)
            if request.request_id in self._until:
                raise NotFromAlexa("the request was answered before")
            if len(self._until) >= self._most:
                self._until.popitem(last=False)
            self._until[request.request_id] = now + 2 * WINDOW


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets in what Alexa has just sent for one skill, once."""

    skill_id: str
    certificates: Certificates
    clock: Callable[[], datetime] = utc_now
    seen: Seen = field(default_factory=Seen)

    def admit(self, body: bytes, chain: str, signature: str) -> VoiceRequest:
        """Return the request if it passes every check, the cheapest first; NotFromAlexa says what is wrong with it."""
        if not chain or not signature:
            raise NotFromAlexa("the request is not signed")
        request = read_request(body)
        if request.skill_id != self.skill_id:
            raise NotFromAlexa("the request is for another skill")
        if abs(self.clock() - request.timestamp) > WINDOW:
            raise NotFromAlexa(f"the request was not made within the last {WINDOW.seconds} seconds")
        self.certificates.check(chain, signature, body)
        self.seen.check(request, self.clock())
        return request


def alexa_router(settings: Settings, gate: Gate | None = None, send: Send = amazon.send) -> APIRouter:
    """Return the endpoint, which answers what the gate lets in; BadSetting if no skill is named."""
    skill_id = settings.alexa_skill_id.strip()
    if not skill_id:
        raise BadSetting(
            "no Alexa skill is named; set alexa_skill_id (SMALLPRINT_ALEXA_SKILL_ID) to the id in the Alexa developer "
            "console"
        )
    admit = (gate or Gate(skill_id, Certificates(amazon.fetch))).admit
    # The site gives up an answer after serve_seconds; be done before that.
    seconds = min(settings.alexa_seconds, SHARE * (settings.serve_seconds or math.inf))
    tell = partial(tell_progress, send=send) if settings.alexa_progress else None
    works = Works()
    router = APIRouter()

    def answer(questions: Questions, body: bytes, chain: str, signature: str) -> Response:
        began = time.monotonic()
        try:
            request = admit(body, chain, signature)
        except NotFromAlexa as error:
            problem = {"status": 400, "title": "Not from Alexa", "detail": str(error)}
            return JSONResponse(problem, 400, media_type=PROBLEM)
        skill = Skill(lambda conversation, words: questions.reply(conversation, words).result(), works, seconds, tell)
        return JSONResponse(skill.answer(request, began))

    @router.post(PATH, include_in_schema=False)
    async def alexa(request: Request) -> Response:
        chain, signature = request.headers.get(CHAIN, ""), request.headers.get(SIGNATURE, "")
        return await run_in_threadpool(answer, request.app.state.questions, await request.body(), chain, signature)

    return router
