"""What Alexa would send: a chain of certificates made here, and requests in the form that is documented, signed."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
SKILL = "amzn1.ask.skill.0a1b2c3d-0000-4000-8000-000000000001"
CHAIN = "https://s3.amazonaws.com/echo.api/echo-api-cert-12.pem"
NAME = "echo-api.amazon.com"


@dataclass(frozen=True)
class Signer:
    key: rsa.RSAPrivateKey
    certificate: x509.Certificate


def certificate(name, *, issuer=None, is_authority=False, names=(), begins=-30, ends=300, depth=None):
    """Make a certificate, of its own making if there is no issuer; days are counted from now."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    above = issuer or Signer(key, None)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW + timedelta(days=begins))
        .not_valid_after(NOW + timedelta(days=ends))
        .add_extension(x509.BasicConstraints(is_authority, depth), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(above.key.public_key()), critical=False
        )
        .add_extension(
            x509.KeyUsage(
                digital_signature=not is_authority, content_commitment=False, key_encipherment=False,
                data_encipherment=False, key_agreement=False, key_cert_sign=is_authority, crl_sign=is_authority,
                encipher_only=False, decipher_only=False,
            ),
            critical=True,
        )
    )  # fmt: skip
    if not is_authority:
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        builder = builder.add_extension(
            x509.SubjectAlternativeName([x509.DNSName(one) for one in names or (name,)]), critical=False
        )
    return Signer(key, builder.sign(above.key, hashes.SHA256()))


def pem(*signers):
    return b"".join(one.certificate.public_bytes(serialization.Encoding.PEM) for one in signers)


def signed(body, signer):
    return base64.b64encode(signer.key.sign(body, padding.PKCS1v15(), hashes.SHA256())).decode()


def written(
    request, *, attributes=None, skill=SKILL, at=NOW, number=1, session="amzn1.echo-api.session.1", system=None
):
    """Write a request as Alexa does; what it sends besides, of the device and the user, is there as well."""
    application = {"applicationId": skill}
    user = {"userId": "amzn1.ask.account.AAAA"}
    return json.dumps({
        "version": "1.0",
        "session": {
            "new": attributes is None,
            "sessionId": session,
            "application": application,
            "attributes": attributes or {},
            "user": user,
        },
        "context": {
            "System": {
                "application": application,
                "user": user,
                "device": {"deviceId": "amzn1.ask.device.AAAA", "supportedInterfaces": {}},
                **(system or {}),
            },
            "Viewport": {"shape": "ROUND"},
        },
        "request": {
            "requestId": f"amzn1.echo-api.request.{number}",
            "timestamp": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "locale": "en-US",
            **request,
        },
    }).encode()  # fmt: skip


def launch():
    return {"type": "LaunchRequest"}


def intent(name, **slots):
    given = {key: {"name": key, "value": value, "confirmationStatus": "NONE"} for key, value in slots.items()}
    return {
        "type": "IntentRequest",
        "dialogState": "COMPLETED",
        "intent": {"name": name, "confirmationStatus": "NONE", "slots": given},
    }


def ended():
    return {"type": "SessionEndedRequest", "reason": "USER_INITIATED"}
