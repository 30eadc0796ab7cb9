"""The evidence sheet: the policy's own words, and everything needed to check them."""

from __future__ import annotations

import hashlib
import re

import pytest

from smallprint.library import reading
from smallprint.library.reading import find_policy
from smallprint.library.writing import save

from ..library.making import capture
from .making import tree_of, words_of

URL = "https://one.example/privacy"


@pytest.fixture
def entry(annotated_library):
    return find_policy(annotated_library, "tidemarkbank.example")


def test_quotes_are_word_for_word_in_the_order_of_the_text(client, annotated_library, entry):
    tree = tree_of(client.get(f"/policies/{entry.policy_id}/evidence?s=40&s=13&s=40"))
    text = reading.text(annotated_library, entry.current_version)
    segments = reading.segments(annotated_library, entry.current_version)
    version = entry.current_version.rpartition("@")[2]
    exhibits = tree.css(".exhibit")
    assert [node.attributes["id"] for node in exhibits] == ["s13", "s40"]
    for node, one in zip(exhibits, (segments[13], segments[40]), strict=True):
        assert node.css_first(".words").text() == text[one.start : one.end]
        address = f"http://localhost:8017/policies/{entry.policy_id}?version={version}#s{one.ordinal}"
        assert node.css_first("figcaption a").text() == node.css_first("blockquote").attributes["cite"] == address
        assert f"characters {one.start} to {one.end}." in words_of(node.css_first("figcaption"))
        assert words_of(node.css_first(".above")) == " › ".join(one.headings)
    assert words_of(exhibits[0].css_first(".lead-in")) == "We therefore ask for: […]"


def test_hashes_are_right_and_the_commands_that_check_them_work(client, annotated_library, entry):
    tree = tree_of(client.get(f"/policies/{entry.policy_id}/evidence?s=3"))
    shown = {words_of(node.css_first("dt")): node.css_first("dd") for node in tree.css(".particulars > div")}
    page = reading.page(annotated_library, entry.current.page_id)
    text = reading.text(annotated_library, entry.current_version).encode()
    assert shown["SHA-256 of the page"].css_first("code").text() == hashlib.sha256(page).hexdigest()
    assert shown["SHA-256 of the text"].css_first("code").text() == hashlib.sha256(text).hexdigest()
    addresses = [re.search(r'"(http[^"]+)"', node.text())[1] for node in tree.css(".command")]
    assert [client.get(address).content for address in addresses] == [text, page, text]
    assert shown["Address"].css_first("a").attributes["href"] == entry.url


def test_of_an_earlier_version_and_every_time_it_was_seen(serve, library):
    old, new = capture(URL, "We keep data.", "2021-05-01"), capture(URL, "We keep all data.", "2023-02-10")
    again = capture(URL, "We keep all data.", "2024-01-01", markup="<div>{}</div>", source="other")
    with library.transaction() as db:
        save(db, [old, new, again])
    client = serve(library.path)
    path = f"/policies/{find_policy(library, URL).policy_id}/evidence"
    earlier = tree_of(client.get(f"{path}?version=2021&s=0"))
    assert [words_of(node) for node in earlier.css("blockquote")] == ["We keep data."]
    assert [node.text() for node in earlier.css(".captured time")] == ["2021-05-01"]
    tree = tree_of(client.get(f"{path}?s=0"))
    assert [node.text() for node in tree.css(".captured time")] == ["2023-02-10", "2024-01-01"]
    (other,) = tree.css(".captured code")
    assert other.text() == hashlib.sha256(b"<div>We keep all data.</div>").hexdigest()


def test_the_address_of_the_sheet_stays_whatever_else_was_asked_for(client, entry):
    tree = tree_of(client.get(f"/policies/{entry.policy_id}/evidence?show=choice&mark=vague&q=x&s=12&s=3"))
    version = entry.current_version.rpartition("@")[2]
    again = tree.css(".tools a")[1].attributes["href"]
    assert again == f"/policies/{entry.policy_id}/evidence?version={version}&s=3&s=12"
    assert [node.attributes["id"] for node in tree_of(client.get(again)).css(".exhibit")] == ["s3", "s12"]


def test_without_a_passage_it_says_how_to_choose_one(client, entry):
    tree = tree_of(client.get(f"/policies/{entry.policy_id}/evidence"))
    assert tree.css(".exhibit") == []
    assert "You have not chosen any passages." in words_of(tree.css_first("[aria-labelledby=quoted]"))


@pytest.mark.parametrize("ordinal", ["-1", "9999", "99999999999999999999999"])
def test_a_passage_that_is_not_there(client, entry, ordinal):
    answer = client.get(f"/policies/{entry.policy_id}/evidence?s=3&s={ordinal}")
    assert (answer.status_code, "no passage with that number" in answer.text) == (404, True)
