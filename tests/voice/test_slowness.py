"""An answer that takes longer than Alexa waits."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from smallprint import limits
from smallprint.ask.dialogue.conversation import Conversation
from smallprint.assistant.replies import Reply
from smallprint.errors import BadIndex, DamagedText, NotFetched
from smallprint.settings import Settings
from smallprint.shelf.questions import Questions
from smallprint.voice import amazon
from smallprint.voice.amazon import tell_progress
from smallprint.voice.requests import read_request
from smallprint.voice.skill import CANNOT_READ, DAMAGED, STILL_READING, Skill, Works
from smallprint.voice.speech import ssml

from .making import CHAIN, intent, signed, written

API = {"apiEndpoint": "https://api.eu.amazonalexa.com", "apiAccessToken": "token"}


@pytest.fixture
def works():
    made = Works()
    yield made
    made._executor.shutdown(wait=False, cancel_futures=True)


class Slow:
    """An assistant that thinks until it is let go."""

    def __init__(self):
        self.asked, self.answered = [], 0
        self.ready = threading.Event()

    def __call__(self, conversation, words):
        self.asked.append(words)
        self.ready.wait(20)
        self.answered += 1
        return Conversation(question=words), Reply("note", (f"You asked: {words}.",))


def request(name="DoesIntent", attributes=None, system=None, **slots):
    return read_request(written(intent(name, **slots), attributes=attributes, system=system))


def test_an_honest_short_reply_in_time_and_the_answer_when_asked_again(works):
    slow = Slow()
    skill = Skill(slow, works, 0.3)
    first = skill.answer(request(question="it sell my data"))
    assert slow.answered == 0
    assert first["response"]["outputSpeech"]["ssml"] == ssml(STILL_READING)
    assert first["response"]["shouldEndSession"] is False
    assert first["sessionAttributes"]["waiting"] == "does it sell my data"
    again = skill.answer(request("AMAZON.YesIntent", first["sessionAttributes"]))
    assert again["response"]["outputSpeech"]["ssml"] == ssml(STILL_READING)
    slow.ready.set()
    for name in ("MoreIntent", "AMAZON.YesIntent"):
        last = Skill(slow, works, 10).answer(request(name, again["sessionAttributes"]))
        assert "You asked: does it sell my data." in last["response"]["outputSpeech"]["ssml"]
        assert last["sessionAttributes"]["waiting"] == ""
    assert slow.asked == ["does it sell my data"] * 2  # the second time nothing was left to take


def test_the_seconds_count_from_when_the_request_came(works):
    slow = Slow()
    answer = Skill(slow, works, 300.0).answer(request(question="x"), time.monotonic() - 299.9)
    assert slow.answered == 0
    assert answer["response"]["outputSpeech"]["ssml"] == ssml(STILL_READING)


def test_another_question_takes_the_place_of_the_one_that_waits(works):
    slow = Slow()
    first = Skill(slow, works, 0.1).answer(request(question="one"))
    slow.ready.set()
    answer = Skill(slow, works, 10).answer(request("WhatIntent", first["sessionAttributes"], question="two"))
    assert "what two" in answer["response"]["outputSpeech"]["ssml"]
    assert len(works) == 0


def test_progress_is_told_once_where_it_may_be(works, monkeypatch):
    monkeypatch.setattr("smallprint.voice.skill.SILENCE", 0.1)
    told = []
    Skill(Slow(), works, 0.3, told.append).answer(request(question="x", system=API))
    assert [one.token for one in told] == ["token"]
    Skill(Slow(), works, 0.3, told.append).answer(request(question="x"))
    Skill(Slow(), works, 0.3).answer(request(question="x", system=API))
    assert len(told) == 1


def test_how_progress_is_told():
    sent = []
    tell_progress(request(question="x", system=API), lambda *given: sent.append(given))
    (url, headers, body), = sent  # fmt: skip
    assert url == "https://api.eu.amazonalexa.com/v1/directives"
    assert headers == {"Authorization": "Bearer token", "Content-Type": "application/json"}
    assert json.loads(body) == {
        "header": {"requestId": "amzn1.echo-api.request.1"},
        "directive": {"type": "VoicePlayer.Speak", "speech": "<speak><s>I am still looking.</s></speak>"},
    }
    tell_progress(request(question="x", system={**API, "apiEndpoint": "https://evil.example"}), sent.append)
    assert len(sent) == 1


def test_a_progress_that_fails_harms_nothing():
    def fails(*given):
        raise NotFetched("no")

    tell_progress(request(question="x", system=API), fails)


@pytest.mark.parametrize(
    ("error", "words"),
    [(BadIndex("/some/path is no index"), CANNOT_READ), (DamagedText("the stored text of x is damaged"), DAMAGED)],
)
def test_an_answer_that_fails_is_said_so(works, error, words):
    def fails(conversation, words):
        raise error

    answer = Skill(fails, works, 10).answer(request(question="x"))
    assert answer["response"]["outputSpeech"]["ssml"] == ssml(words)
    assert len(works) == 0


def test_what_nobody_comes_back_for_is_forgotten():
    works = Works(workers=1, most=2)
    for key in "abc":
        works.begin(key, lambda: 1)
    assert [works.has(key) for key in "abc"] == [False, True, True]
    assert works.take("c", 5) == 1
    works._executor.shutdown(wait=False)


@pytest.fixture
def site():
    """Give the address of a small server on this machine, and what was sent to it."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = {"/chain.pem": b"chain", "/large": b"x" * (limits.MAX_CHAIN_BYTES + 1)}.get(self.path)
            self.send_response(200 if body else 302 if self.path == "/moved" else 404)
            if self.path == "/moved":
                self.send_header("Location", "/chain.pem")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def do_POST(self):
            got.append((self.headers["Authorization"], self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204 if self.path == "/v1/directives" else 403)
            self.end_headers()

        def log_message(self, *given):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", got
        server.shutdown()


def test_the_two_calls_to_amazon(site):
    address, got = site
    assert amazon.fetch(f"{address}/chain.pem") == b"chain"
    for path in ("/large", "/moved", "/none"):
        with pytest.raises(NotFetched):
            amazon.fetch(address + path)
    with pytest.raises(NotFetched):
        amazon.fetch("http://127.0.0.1:1/")
    amazon.send(f"{address}/v1/directives", {"Authorization": "Bearer x"}, b"{}")
    assert got == [("Bearer x", b"{}")]
    with pytest.raises(NotFetched):
        amazon.send(f"{address}/other", {"Authorization": "Bearer x"}, b"{}")


@pytest.mark.slow
def test_a_question_of_nine_seconds_over_http(serve, amazon, monkeypatch):
    """Alexa waits for eight seconds; the assistant is the real one, but takes its time."""
    own, alexa, answered = Questions.reply, serve(), []

    def slowly(self, *given):
        time.sleep(9)
        answered.append(given)
        return own(self, *given)

    def sent(body):
        headers = {"SignatureCertChainUrl": CHAIN, "Signature-256": signed(body, amazon)}
        return alexa.post("/alexa", content=body, headers=headers).json()

    monkeypatch.setattr(Questions, "reply", slowly)
    assert Settings().alexa_seconds < 8
    first = sent(written(intent("DoesIntent", question="kitegram sell my data")))
    assert answered == []
    assert first["response"]["outputSpeech"]["ssml"] == ssml(STILL_READING)
    then = first
    for number in range(2, 20):
        then = sent(written(intent("AMAZON.YesIntent"), attributes=then["sessionAttributes"], number=number))
        if not then["sessionAttributes"]["waiting"]:
            break
    assert "card" in then["response"]
    assert then["sessionAttributes"]["conversation"]["policy_id"].startswith("kitegram.example")
