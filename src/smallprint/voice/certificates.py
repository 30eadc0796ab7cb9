"""Whether Amazon signed a request: the address of a certificate chain, a signature and the body in, a refusal or not.

https://developer.amazon.com/en-US/docs/alexa/custom-skills/host-a-custom-skill-as-a-web-service.html
"""

from __future__ import annotations

import base64
import binascii
import re
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import certifi
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.utils import CryptographyDeprecationWarning
from cryptography.x509 import Certificate, DNSName, load_pem_x509_certificate, load_pem_x509_certificates
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from smallprint.errors import NotFetched, NotFromAlexa
from smallprint.voice.addresses import certificate_address

NAME = "echo-api.amazon.com"
# Amazon uses one chain at a time, for months.
MOST_CHAINS = 8
# Of a chain there are three or four certificates.
MOST_CERTIFICATES = 10

Fetch = Callable[[str], bytes]
_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_Chain = tuple[Certificate, ...]


def utc_now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


class Certificates:
    """Amazon's certificate chains, fetched when first named and kept; they are verified anew for each request.

    `roots` are whom to trust, by default the authorities that browsers trust; `clock` gives the time.
    """

    def __init__(
        self, fetch: Fetch, roots: Sequence[Certificate] | None = None, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self._fetch = fetch
        self._store = Store(list(trusted() if roots is None else roots))
        self._clock = clock
        self._lock = threading.Lock()
        self._chains: OrderedDict[str, _Chain] = OrderedDict()

    def check(self, url: str, signature: str, body: bytes) -> None:
        """Refuse a body that is not signed by the holder of a certificate in Amazon's name."""
        address = certificate_address(url)
        try:
            signed = base64.b64decode(signature, validate=True)
        except (binascii.Error, ValueError):
            raise NotFromAlexa("the signature is not in base 64") from None
        try:
            self._key(address).verify(signed, body, PKCS1v15(), SHA256())
        except InvalidSignature:
            raise NotFromAlexa("the signature is not that of the request") from None

    def _key(self, address: str) -> RSAPublicKey:
        leaf, *others = self._chain(address)
        verifier = PolicyBuilder().store(self._store).time(self._clock()).build_server_verifier(DNSName(NAME))
        try:
            verifier.verify(leaf, others)
        except VerificationError:
            with self._lock:
                self._chains.pop(address, None)  # so that a new one under the same address is seen
            raise NotFromAlexa(f"the certificate is not one for {NAME} that holds today") from None
        key = leaf.public_key()
        if not isinstance(key, RSAPublicKey):
            raise NotFromAlexa("the certificate has a key of another kind than Amazon's")
        return key

    def _chain(self, address: str) -> _Chain:
        with self._lock:
            found = self._chains.get(address)
        if found is not None:
            return found
        try:
            found = tuple(load_pem_x509_certificates(self._fetch(address)))
        except NotFetched:
            raise NotFromAlexa("the certificate chain could not be fetched") from None
        except ValueError:
            raise NotFromAlexa("the certificate chain cannot be read") from None
        if len(found) > MOST_CERTIFICATES:
            raise NotFromAlexa("the certificate chain is too long")
        with self._lock:
            self._chains[address] = found
            while len(self._chains) > MOST_CHAINS:
                self._chains.popitem(last=False)
        return found


def trusted() -> list[Certificate]:
    """List the authorities that browsers trust."""
    found = []
    for one in _PEM.findall(Path(certifi.where()).read_bytes()):
        with warnings.catch_warnings(), suppress(ValueError):
            # Some old roots have serial numbers that the standard forbids; what cannot be read at all is not needed.
            warnings.simplefilter("ignore", CryptographyDeprecationWarning)
            found.append(load_pem_x509_certificate(one))
    return found
