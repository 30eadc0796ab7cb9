from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from itertools import count

import pytest
from starlette.testclient import TestClient

from smallprint.settings import Settings
from smallprint.voice.endpoint import PATH, Certificates, Gate, alexa_router
from smallprint.web.app import application

from .making import CHAIN, NAME, NOW, SKILL, certificate, intent, pem, signed, written


@pytest.fixture(scope="session")
def authorities():
    """Give a root and an authority under it."""
    root = certificate("Root", is_authority=True, ends=3650)
    return root, certificate("Intermediate", issuer=root, is_authority=True, ends=1000, depth=0)


@pytest.fixture(scope="session")
def amazon(authorities):
    """Give who signs as Alexa does."""
    return certificate(NAME, issuer=authorities[1])


@pytest.fixture
def certificates(authorities, amazon):
    """Give certificates that trust the root of the tests, and fetch Amazon's chain from memory."""
    return Certificates({CHAIN: pem(amazon, authorities[1])}.__getitem__, [authorities[0].certificate], lambda: NOW)


@pytest.fixture
def gate(certificates):
    return Gate(SKILL, certificates, lambda: NOW)


@pytest.fixture
def serve(annotated_sample, gate, served_jobs):
    """Give a function that serves the sample, and gives a client that comes by another name, as through a proxy."""
    with ExitStack() as stack:

        def started(**given):
            settings = Settings(library=annotated_sample, alexa_skill_id=SKILL, serve_rate=0, serve_seconds=0, **given)
            app = application(settings, routers=[alexa_router(settings, gate)], any_name=[PATH], jobs=served_jobs)
            return stack.enter_context(TestClient(app, base_url="https://voice.example"))

        yield started


@pytest.fixture
def alexa(serve):
    """Give a client to the sample; answers may take as long as they do, since tests may run on a busy machine."""
    return serve(alexa_seconds=120.0)


@pytest.fixture
def post(alexa, amazon):
    """Give a function that sends a body as Alexa does."""

    def sent(body, *, chain=CHAIN, signature=None):
        headers = {"Content-Type": "application/json", "SignatureCertChainUrl": chain}
        headers["Signature-256"] = signed(body, amazon) if signature is None else signature
        return alexa.post(PATH, content=body, headers=headers)

    return sent


@pytest.fixture
def say(post):
    """Give a function that says something in one session, and gives the response."""
    numbers, kept = count(1), {}

    def said(name, **slots):
        body = written(
            intent(name, **slots), attributes=dict(kept), number=next(numbers), at=NOW + timedelta(seconds=1)
        )
        answer = post(body)
        assert answer.status_code == 200, answer.text
        kept.clear()
        kept.update(answer.json().get("sessionAttributes", {}))
        return answer.json()

    return said
