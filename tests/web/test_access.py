"""Who may write: without a token on loopback, with it elsewhere; what is said to whoever may not."""

from __future__ import annotations

import pytest

from smallprint.api import router
from smallprint.library.feedback import feedback
from smallprint.limits import MAX_TOKEN_TRIES, SESSION_SECONDS
from smallprint.server.access import COOKIE, Gate, is_loopback
from smallprint.settings import Settings

from ..sources.trick_server import TrickServer, network_of
from .making import add_policy, paragraphs, tree_of, words_of

TOKEN = "a-token-for-tests-0123"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
VERDICT = {"verdict": "right", "question": "Do you sell it?", "state": "policies", "line": "Nobody does."}


@pytest.fixture
def stored(library):
    return add_policy(library, "https://a.example/privacy", paragraphs("We keep your data for a year."))


@pytest.fixture
def guarded(serve, library, stored):
    """Return a client to a server that others can reach."""
    settings = {"serve_rate": 0, "serve_host": "0.0.0.0", "serve_token": TOKEN, "serve_fetch": True}
    return serve(library.path, routers=[router], **settings)


def line_of(answer):
    return words_of(tree_of(answer, answer.status_code).css_first(".lede"))


@pytest.mark.parametrize(
    ("headers", "path", "status", "said"),
    [
        ({}, "/feedback", 401, "Adding a policy, giving feedback and fetching need this server's token; sign in"),
        ({"Authorization": "Bearer a-token-for-tests-0124"}, "/feedback", 401, "This is not the right token;"),
        ({"Authorization": "Bearer ü"}, "/feedback", 401, "This is not the right token;"),
        ({"Authorization": f"Basic {TOKEN}"}, "/feedback", 401, "The header is 'Authorization: Bearer TOKEN'."),
        ({"Authorization": "Bearer "}, "/feedback", 401, "The header is 'Authorization: Bearer TOKEN'."),
        ({}, f"/feedback?token={TOKEN}", 400, "Send the token as a header, not in the address:"),
        (BEARER, f"/feedback?token={TOKEN}", 400, "Send the token as a header, not in the address:"),
        ({"Cookie": f"{COOKIE}={TOKEN}"}, "/feedback", 401, "You are no longer signed in;"),
        ({"Cookie": f"{COOKIE}=99999999999.{'0' * 64}"}, "/feedback", 401, "You are no longer signed in;"),
        (BEARER, "/feedback", 303, ""),
    ],
)
def test_feedback_takes_the_token(guarded, library, headers, path, status, said):
    headers = {name: value.encode() for name, value in headers.items()}
    answer = guarded.post(path, data=VERDICT, headers=headers)
    assert answer.status_code == status
    assert len(list(feedback(library))) == (status == 303)
    if said:
        assert line_of(answer).startswith(said)
        assert TOKEN not in answer.text
    assert ("www-authenticate" in answer.headers) == (status == 401)


def test_keeping_and_fetching_take_the_token_and_reading_does_not(guarded):
    with TrickServer() as web:
        web.page("new.example/privacy", "<p>We keep your data.</p>")
        guarded.app.state.network = network_of(web)
        address = "http://new.example/privacy"
        assert guarded.post("/keep", data={"address": address}).status_code == 401
        assert guarded.post("/read", data={"given": address}).status_code == 401
        assert web.log == []
        assert guarded.post("/read", data={"given": address}, headers=BEARER).status_code == 422
        assert web.log != []
    assert guarded.post("/read", data={"given": "We keep your data."}).status_code == 422
    assert guarded.post("/read", data={"given": "https://a.example/privacy"}).status_code == 303
    assert guarded.get("/").status_code == 200


def test_a_conversation_fetches_only_for_who_has_the_token(guarded):
    question = {"said": "does https://new.example/privacy sell my data?"}
    for path, send in (("/api/v1/chat", {"json": question}), ("/ask", {"data": question})):
        without, with_it = guarded.post(path, **send), guarded.post(path, **send, headers=BEARER)
        assert ("is not in the library" in without.text, "Shall I fetch it?" in without.text) == (True, False)
        assert "Shall I fetch it?" in with_it.text


def test_without_a_token_loopback_may_write_and_nobody_behind_a_proxy(serve, library, stored):
    client = serve(library.path)
    assert client.post("/feedback", data=VERDICT).status_code == 303
    for name in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        answer = client.post("/feedback", data=VERDICT, headers={name: "127.0.0.1"})
        assert (answer.status_code, "set serve_token to allow changes" in answer.text) == (401, True)


def test_where_others_reach_the_server_and_no_token_is_set_nobody_may_write(serve, library, stored):
    client = serve(library.path, serve_host="0.0.0.0")
    assert client.post("/feedback", data=VERDICT).status_code == 401
    assert client.post("/feedback", data=VERDICT, headers={"Authorization": "Bearer "}).status_code == 401


def test_a_token_that_is_set_is_asked_for_on_loopback_too(serve, library, stored):
    client = serve(library.path, serve_token=TOKEN)
    assert client.post("/feedback", data=VERDICT).status_code == 401
    assert client.post("/feedback", data=VERDICT, headers=BEARER).status_code == 303


# Browsers


def test_a_browser_signs_in_writes_and_signs_out(guarded, library):
    assert words_of(tree_of(guarded.get("/")).css_first("footer nav li:last-child")) == "Sign in"
    answer = guarded.post("/sign-in", data={"token": TOKEN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    name, *attributes = answer.headers["set-cookie"].split("; ")
    assert name.startswith(f"{COOKIE}=")
    assert TOKEN not in name
    assert {one.lower() for one in attributes} == {
        "httponly",
        f"max-age={SESSION_SECONDS}",
        "path=/",
        "samesite=strict",
    }
    assert guarded.post("/feedback", data=VERDICT).status_code == 303
    assert len(list(feedback(library))) == 1
    assert words_of(tree_of(guarded.get("/sign-in")).css_first(".lede")) == "You are signed in."
    assert guarded.post("/sign-out").status_code == 303
    assert guarded.post("/feedback", data=VERDICT).status_code == 401


WRONG = "This is not the right token; it was printed when the server started, or chosen by those who run it."


@pytest.mark.parametrize(
    ("token", "query", "status", "said"),
    [
        (
            "wrong",
            "",
            401,
            "This is not the right token; it was printed when the server started, or chosen by those who run it.",
        ),
        (
            "",
            "",
            401,
            "This is not the right token; it was printed when the server started, or chosen by those who run it.",
        ),
        (TOKEN, f"?token={TOKEN}", 400, "Send the token with the form, not in the address."),
    ],
)
def test_a_wrong_token_is_said_on_the_page_with_the_form(guarded, token, query, status, said):
    tree = tree_of(guarded.post(f"/sign-in{query}", data={"token": token}), status)
    assert words_of(tree.css_first(".lede")) == said
    assert tree.css_first("form[action='/sign-in'] input[type=password]") is not None
    assert TOKEN not in tree.html


def test_wrong_tokens_may_be_tried_only_so_often(guarded):
    wrong = {"Authorization": "Bearer wrong-token-0123456789"}
    codes = [guarded.post("/feedback", data=VERDICT, headers=wrong).status_code for _ in range(MAX_TOKEN_TRIES + 1)]
    assert codes == [401] * MAX_TOKEN_TRIES + [429]
    answer = guarded.post("/feedback", data=VERDICT, headers=BEARER)  # nor is it told that this one is right
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")
    assert guarded.post("/sign-in", data={"token": TOKEN}).status_code == 429
    assert guarded.get("/about").status_code == 200


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


class Asked:
    """As much of a request as the gate looks at."""

    def __init__(self, session):
        self.headers, self.query_params, self.cookies = {}, {}, {COOKIE: session}
        self.scope = {"client": ("203.0.113.7", 1)}


def test_a_session_ends_after_its_hours_and_with_its_token():
    clock = Clock()
    gate = Gate(Settings(serve_token=TOKEN), clock)
    session = gate.session()
    assert gate.allows(Asked(session))
    assert Gate(Settings(serve_token=TOKEN), clock).allows(Asked(session))  # after a restart
    assert not Gate(Settings(serve_token=TOKEN + "x"), clock).allows(Asked(session))
    until, _, signature = session.partition(".")
    assert not gate.allows(Asked(f"{int(until) + 1}.{signature}"))
    clock.now += SESSION_SECONDS
    assert gate.allows(Asked(session))
    clock.now += 1
    assert not gate.allows(Asked(session))


def test_buttons_are_shown_where_they_work(guarded, stored):
    path = f"/policies/{stored.policy_id}/ask?question=How+long+do+you+keep+my+data%3F"
    tree = tree_of(guarded.get(path))
    assert tree.css("form.feedback") == []
    assert "Sign in to say whether this answer is right" in tree.text()
    assert "Sign in to fetch one" in words_of(tree_of(guarded.get("/")).css_first("form.read"))
    guarded.post("/sign-in", data={"token": TOKEN})
    assert len(tree_of(guarded.get(path)).css("form.feedback")) == 1


@pytest.mark.parametrize(
    ("host", "alone"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)],
)  # fmt: skip
def test_who_can_reach_it(host, alone):
    assert is_loopback(host) == alone
