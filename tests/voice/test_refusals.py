"""What is not from Alexa, just now, for this skill and for the first time, is refused with 400 and one line."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from smallprint import limits
from smallprint.errors import NotFetched, NotFromAlexa
from smallprint.voice.amazon import certificate_address, progress_address
from smallprint.voice.endpoint import Certificates, Gate, Seen, trusted_authorities
from smallprint.voice.requests import read_request

from .making import CHAIN, NAME, NOW, SKILL, certificate, intent, launch, pem, signed, written


def refused(answer, words):
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {"status": 400, "title": "Not from Alexa", "detail": words}
    return True


def test_what_alexa_signed_is_answered_by_whatever_name_it_came(post):
    answer = post(written(launch()))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")


def test_pages_are_still_not_shown_by_that_name(alexa):
    assert alexa.get("/about").status_code == 421
    assert alexa.get("/alexa/../about").status_code == 421


def test_a_wrong_signature(post, authorities):
    other = certificate(NAME, issuer=authorities[1])
    body = written(launch())
    assert refused(post(body, signature=signed(body, other)), "the signature does not match the request")
    assert refused(post(body, signature="no base 64!"), "the signature is not base64")


def test_a_body_that_was_changed_after_it_was_signed(post, amazon):
    body = written(launch())
    changed = body.replace(b"LaunchRequest", b"IntentRequest")
    assert post(changed, signature=signed(body, amazon)).status_code == 400
    assert refused(post(body + b" ", signature=signed(body, amazon)), "the signature does not match the request")


def test_no_signature_at_all(alexa, post):
    body = written(launch())
    assert refused(alexa.post("/alexa", content=body), "the request is not signed")
    assert refused(post(body, signature=""), "the request is not signed")


@pytest.mark.parametrize(
    "changes",
    [{"begins": -60, "ends": -1}, {"begins": 1, "ends": 60}, {"names": ("echo-api.amazon.example",)}],
    ids=["expired", "not yet valid", "for another name"],
)
def test_a_certificate_that_does_not_hold(authorities, changes):
    signer = certificate(NAME, issuer=authorities[1], **changes)
    own = Certificates(lambda _: pem(signer, authorities[1]), [authorities[0].certificate], lambda: NOW)
    with pytest.raises(NotFromAlexa, match=r"^the certificate is not valid for echo-api\.amazon\.com today$"):
        own.check(CHAIN, signed(b"body", signer), b"body")


def test_a_certificate_for_another_name_is_refused_over_http(annotated_sample, authorities):
    from starlette.testclient import TestClient

    from smallprint.settings import Settings
    from smallprint.voice.endpoint import PATH, alexa_router
    from smallprint.web.app import application

    other = certificate("other.example", issuer=authorities[1])
    fetched = Certificates(lambda _: pem(other, authorities[1]), [authorities[0].certificate], lambda: NOW)
    settings = Settings(library=annotated_sample, alexa_skill_id=SKILL)
    app = application(settings, routers=[alexa_router(settings, Gate(SKILL, fetched, lambda: NOW))], any_name=[PATH])
    body = written(launch())
    with TestClient(app) as client:
        answer = client.post(PATH, content=body, headers={"SignatureCertChainUrl": CHAIN,
                                                          "Signature-256": signed(body, other)})  # fmt: skip
    assert refused(answer, "the certificate is not valid for echo-api.amazon.com today")


def test_a_certificate_of_an_authority_that_nobody_trusts(authorities, amazon):
    stranger = certificate("Root", is_authority=True, ends=3650)
    own = Certificates(lambda _: pem(amazon, authorities[1]), [stranger.certificate], lambda: NOW)
    with pytest.raises(NotFromAlexa):
        own.check(CHAIN, signed(b"body", amazon), b"body")
    with pytest.raises(NotFromAlexa):  # nor is the root taken from the chain itself
        Certificates(lambda _: pem(amazon, *authorities), [stranger.certificate], lambda: NOW).check(
            CHAIN, signed(b"body", amazon), b"body"
        )


def test_the_authorities_that_browsers_trust_are_trusted_by_default(authorities, amazon):
    names = {one.subject.rfc4514_string() for one in trusted_authorities()}
    assert len(names) > 50
    assert any("Amazon Root CA 1" in one for one in names)
    own = Certificates(lambda _: pem(amazon, *authorities), clock=lambda: NOW)
    with pytest.raises(NotFromAlexa, match="not valid for"):
        own.check(CHAIN, signed(b"body", amazon), b"body")


def test_a_chain_without_its_middle(authorities, amazon):
    own = Certificates(lambda _: pem(amazon), [authorities[0].certificate], lambda: NOW)
    with pytest.raises(NotFromAlexa):
        own.check(CHAIN, signed(b"body", amazon), b"body")


@pytest.mark.parametrize(
    "chain", [b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"]
)
def test_a_chain_that_cannot_be_read(authorities, chain):
    with pytest.raises(NotFromAlexa, match="cannot be read"):
        Certificates(lambda _: chain, [authorities[0].certificate], lambda: NOW).check(CHAIN, "AAAA", b"body")


def test_a_chain_that_cannot_be_fetched(authorities):
    def fails(url):
        raise NotFetched(url)

    with pytest.raises(NotFromAlexa, match="could not be fetched"):
        Certificates(fails, [authorities[0].certificate]).check(CHAIN, "AAAA", b"body")


def test_a_chain_is_fetched_once_and_again_when_it_no_longer_holds(authorities, amazon):
    fetched, now = [], [NOW]

    def fetch(url):
        fetched.append(url)
        return pem(amazon, authorities[1])

    own = Certificates(fetch, [authorities[0].certificate], lambda: now[0])
    for _ in range(3):
        own.check("https://s3.amazonaws.com:443/echo.api/../echo.api/echo-api-cert-12.pem", signed(b"x", amazon), b"x")
    assert fetched == [CHAIN]
    now[0] += timedelta(days=400)
    for _ in range(2):
        with pytest.raises(NotFromAlexa):
            own.check(CHAIN, signed(b"x", amazon), b"x")
    assert fetched == [CHAIN, CHAIN]


def test_a_request_that_is_played_back(post):
    body = written(launch())
    assert post(body).status_code == 200
    assert refused(post(body), "the request was answered before")


@pytest.mark.parametrize(("seconds", "code"), [(-151, 400), (-150, 200), (150, 200), (151, 400)])
def test_a_stale_timestamp(post, seconds, code):
    answer = post(written(launch(), at=NOW + timedelta(seconds=seconds)))
    assert answer.status_code == code
    assert code == 200 or refused(answer, "the request was not made within the last 150 seconds")


def test_another_skill(post):
    assert refused(post(written(launch(), skill="amzn1.ask.skill.other")), "the request is for another skill")


def test_nothing_is_fetched_for_what_is_refused_anyhow(annotated_sample, authorities):
    def fetch(url):
        raise AssertionError(url)

    gate = Gate(SKILL, Certificates(fetch, [authorities[0].certificate]), lambda: NOW)
    for body in (written(launch(), skill="other"), written(launch(), at=NOW - timedelta(days=1)), b"{}"):
        with pytest.raises(NotFromAlexa):
            gate.admit(body, CHAIN, "AAAA")


@pytest.mark.parametrize(
    "url",
    [
        "http://s3.amazonaws.com/echo.api/echo-api-cert.pem", "https://notamazon.com/echo.api/echo-api-cert.pem",
        "https://s3.amazonaws.com/EcHo.aPi/echo-api-cert.pem", "https://s3.amazonaws.com/invalid.path/echo-api-cert.pem",
        "https://s3.amazonaws.com:563/echo.api/echo-api-cert.pem", "https://s3.amazonaws.com/echo.api/../other/a.pem",
        "https://s3.amazonaws.com/echo.api/%2e%2e/other/a.pem", "https://s3.amazonaws.com@evil.example/echo.api/a.pem",
        "https://user@s3.amazonaws.com/echo.api/a.pem", "https://s3.amazonaws.com.evil.example/echo.api/a.pem",
        "https://s3.amazonaws.com/echo.api", "https://s3.amazonaws.com:port/echo.api/a.pem", "", "s3.amazonaws.com",
        "https://[s3.amazonaws.com/echo.api/a.pem", "https://s3.amazonaws.com/echo.api/a.pem?x=/../..",
        "https://s3.amazonaws.com\\@evil.example/echo.api/a.pem",
    ],
)  # fmt: skip
def test_addresses_where_amazon_keeps_no_certificates(url, post):
    with pytest.raises(NotFromAlexa):
        certificate_address(url)
    assert not url.isascii() or not url or post(written(launch()), chain=url).status_code == 400


@pytest.mark.parametrize(
    "url",
    [
        "https://s3.amazonaws.com/echo.api/echo-api-cert.pem", "https://s3.amazonaws.com:443/echo.api/echo-api-cert.pem",
        "https://s3.amazonaws.com/echo.api/../echo.api/echo-api-cert.pem", "HTTPS://S3.AmazonAWS.com/echo.api/echo-api-cert.pem",
    ],
)  # fmt: skip
def test_addresses_where_it_does(url):
    assert certificate_address(url) == "https://s3.amazonaws.com/echo.api/echo-api-cert.pem"


def test_progress_is_told_to_alexa_alone():
    assert progress_address("https://api.eu.amazonalexa.com") == "https://api.eu.amazonalexa.com/v1/directives"
    assert progress_address("https://api.amazonalexa.com/") == "https://api.amazonalexa.com/v1/directives"
    for url in ("http://api.amazonalexa.com", "https://api.amazonalexa.com.evil.example", "https://127.0.0.1"):
        with pytest.raises(NotFromAlexa):
            progress_address(url)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'"x"', b"\xff", b"[" * 100_000, b'{"request": 1}', b'{"session": []}',
        json.dumps({"request": {"type": "LaunchRequest"}}).encode(),
        written({"type": "LaunchRequest", "timestamp": "yesterday"}),
        written({"type": "LaunchRequest", "requestId": ""}),
        written({"type": 7}), written({"type": "IntentRequest"}),
        written({"type": "IntentRequest", "intent": {"name": []}}),
        written(intent("AskIntent", question=["x"])), written(intent("AskIntent", question="x" * 5_000)),
        written(launch(), system={"application": {"applicationId": "another"}}), written(launch(), skill=""),
    ],
)  # fmt: skip
def test_what_is_no_request_is_one_line(body, post):
    with pytest.raises(NotFromAlexa) as caught:
        read_request(body)
    assert "\n" not in str(caught.value)
    answer = post(body)
    assert answer.status_code == 400


def test_what_was_seen_is_forgotten_in_time_and_never_too_much():
    seen = Seen(most=3)
    requests = [read_request(written(launch(), number=number)) for number in range(5)]
    for one in requests:
        seen.check(one, NOW)
    assert len(seen) == 3
    with pytest.raises(NotFromAlexa):
        seen.check(requests[-1], NOW + timedelta(seconds=300))
    seen.check(requests[-1], NOW + timedelta(seconds=301))
    assert len(seen) == 1
    assert limits.MAX_SEEN_REQUESTS == 10_000
