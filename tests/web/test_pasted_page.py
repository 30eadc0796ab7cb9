"""A pasted text that is kept for a while: what its page says of that, and how it is forgotten."""

from __future__ import annotations

import pytest

from smallprint.library import Library, pastes, reading
from smallprint.server import remembered
from smallprint.server.remembered import Readings
from smallprint.web.pages import reading as reading_pages

from .making import tree_of, words_of


@pytest.fixture
def client(serve, annotated_sample):
    """Give a client to a server of its own: what that remembers is counted here."""
    return serve(annotated_sample, serve_rate=0)


@pytest.fixture
def text(annotated_sample):
    with Library(annotated_sample) as library:
        return reading.text(library, reading.find_policy(library, "tidemarkbank.example").current_version)


@pytest.fixture
def place(client, text):
    """Return where a pasted text is shown."""
    answer = client.post("/read", data={"given": text})
    assert answer.status_code == 303
    yield answer.headers["location"]
    client.app.state.pastes.forget_all()


def test_the_page_says_for_how_long_the_text_is_kept(client, place):
    for _ in range(2):
        tree = tree_of(client.get(place))
        assert words_of(tree.css_first("h1")) == "Tidemark Bank Privacy Notice"
        assert "is kept on the machine that runs this for another 60 minutes" in words_of(
            tree.css_first("#kept + .prose")
        )
    assert "is kept for 60 minutes, next to the library and not in it" in client.get("/privacy").text


def test_the_text_itself_is_not_in_the_address_nor_shown_whole(client, place, text):
    assert len(place) == len("/read/") + 22
    assert text not in client.get(place).text


def test_the_button_forgets_it_at_once(client, place, text):
    tree = tree_of(client.get(place))
    form = tree.css_first(f"form[action='{place}/forget']")
    assert (form.attributes["method"], words_of(form)) == ("post", "Delete this text now")
    assert "was deleted. Nothing of it was kept." in client.post(f"{place}/forget").text
    assert len(client.app.state.readings) == 0
    for answer in (client.get(place), client.post(f"{place}/forget")):
        assert (answer.status_code, "No text is kept here any more" in answer.text) == (404, True)
    assert client.get(f"{place}/forget").status_code == 405


def test_what_another_process_forgot_is_gone_from_the_page_and_from_memory(client, place, annotated_sample):
    client.get(place)
    assert pastes.Pastes(annotated_sample, 60).forget(place.removeprefix("/read/"))
    assert client.get(place).status_code == 404
    assert len(client.app.state.readings) == 0


def test_after_a_restart_it_is_read_again(client, place, serve, annotated_sample):
    before = client.get(place)
    other = serve(annotated_sample, serve_rate=0)
    assert len(other.app.state.readings) == 0
    assert other.get(place).text == before.text
    assert len(other.app.state.readings) == 1


def test_what_is_refused_is_not_kept(client, annotated_sample):
    client.app.state.pastes.forget_all()
    assert client.post("/read", data={"given": "We keep your data."}).status_code == 422
    assert client.app.state.pastes.ids() == []


def test_where_nothing_can_be_kept_the_answer_comes_at_once(client, text, monkeypatch):
    monkeypatch.setattr(pastes, "can_write", lambda _: False)
    answer = client.post("/read", data={"given": text})
    assert answer.status_code == 200
    assert "Nothing. This page disappears when you leave it." in answer.text
    assert "is analysed in memory and never stored" in client.get("/privacy").text


def test_another_site_cannot_have_it_forgotten(client, place):
    assert client.post(f"{place}/forget", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert client.get(place).status_code == 200


def test_only_a_few_readings_are_remembered(monkeypatch):
    monkeypatch.setattr(remembered, "MAX_READINGS", 2)
    readings = Readings()
    for number in range(3):
        readings.put(str(number), number)
    assert [readings.get(str(number)) for number in range(3)] == [None, 1, 2]
    readings.keep_only({"2", "7"})
    assert [readings.get("1"), readings.get("2"), len(readings)] == [None, 2, 1]


def test_a_text_that_is_kept_for_a_moment_more_is_kept_for_a_minute(client, place, monkeypatch):
    until = client.app.state.pastes.find(place.removeprefix("/read/")).until
    monkeypatch.setattr(reading_pages.time, "time", lambda: until - 1)
    assert "runs this for another minute, so" in client.get(place).text
