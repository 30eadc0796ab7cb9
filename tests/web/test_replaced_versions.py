"""Versions that were replaced when their pages were read again: old addresses work, and nothing looks like a change."""

from __future__ import annotations

import pytest

from smallprint.library.writing import save

from ..library.making import capture, read_again
from .making import tree_of, words_of

URL = "https://one.example/privacy"
OLD, LATER = capture(URL, "We keep data.", "2021-05-01"), capture(URL, "We sell data.", "2023-02-10")
PATH = f"/policies/{OLD.policy_id}"


def short(version) -> str:
    return version.version_id.rpartition("@")[2]


@pytest.fixture
def again(library):
    with library.transaction() as db:
        save(db, [OLD, LATER])
    return read_again(library, OLD, "We keep your data.")


@pytest.fixture
def client(serve, library, again):
    return serve(library.path)


def test_the_page_of_an_old_id_leads_to_the_new(client, again):
    for part in ("", "/ask"):
        answer = client.get(f"{PATH}{part}?version={short(OLD)}&q=keep")
        assert (answer.status_code, answer.headers["location"]) == (307, f"{PATH}{part}?q=keep&version={short(again)}")


def test_a_version_id_in_the_place_of_a_policy_leads_to_that_version(client, again):
    answer = client.get(f"/policies/{OLD.version_id}")
    assert answer.headers["location"] == f"{PATH}?version={short(OLD)}"
    assert client.get(f"/policies/{OLD.version_id}/evidence?s=0").headers["location"] == (
        f"{PATH}/evidence?s=0&version={short(OLD)}"
    )


def test_evidence_by_an_old_id_has_the_old_words_and_says_so(client, again):
    tree = tree_of(client.get(f"{PATH}/evidence?version={short(OLD)}&s=0"))
    assert [words_of(node) for node in tree.css("blockquote")] == ["We keep data."]
    assert [node.text() for node in tree.css(".captured time")] == ["2021-05-01"]
    notice = tree.css_first(".notice")
    assert words_of(notice) == (
        "This text was extracted by an earlier version of Smallprint. Today the same page is read as "
        f"{again.version_id}."
    )
    assert notice.css_first("a").attributes["href"] == f"{PATH}?version={short(again)}"
    assert tree_of(client.get(f"{PATH}/evidence?s=0")).css_first(".notice") is None


def test_the_text_by_an_old_id_is_the_old_one_and_names_the_new(client, again):
    answer = client.get(f"{PATH}/text?version={short(OLD)}")
    assert answer.text == "We keep data."
    assert answer.headers["link"] == f'<{PATH}/text?version={short(again)}>; rel="successor-version"'
    today = client.get(f"{PATH}/text?version={short(again)}")
    assert (today.text, "link" in today.headers) == ("We keep your data.", False)


def test_the_page_behind_an_old_id_is_what_arrived(client):
    assert client.get(f"{PATH}/page?version={short(OLD)}").content == b"<p>We keep data.</p>"


def test_the_history_has_no_replaced_version(client, again):
    page = client.get(PATH).text
    assert short(again) in page
    assert short(OLD) not in page


def test_a_difference_of_our_own_is_no_difference(client, again):
    answer = client.get(f"{PATH}/diff?old={short(OLD)}&new={short(again)}")
    assert answer.status_code == 404
    assert "the policy itself did not change" in answer.text
    changed = tree_of(client.get(f"{PATH}/diff?old={short(OLD)}&new={short(LATER)}"))
    assert [node.attributes["value"] for node in changed.css("#at-old option[selected]")] == [short(again)]
