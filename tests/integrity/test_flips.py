"""A flipped bit in a stored text or page is served by nobody: every surface refuses it, and says so."""

from __future__ import annotations

import random

import pytest
from starlette.testclient import TestClient

from smallprint.api import router
from smallprint.errors import DamagedText
from smallprint.library import Library, reading
from smallprint.settings import Settings
from smallprint.web.app import application

from .flipping import flipped

QUESTION = "question=Do+you+sell+my+data%3F"
OF_THE_TEXT = (
    "/policies/{id}",
    "/policies/{id}/text",
    "/policies/{id}/evidence?s=0",
    f"/policies/{{id}}/ask?{QUESTION}",
    "/compare?policy={id}&policy={other}",
    "/api/v1/policies/{id}/text",
    "/api/v1/policies/{id}/segments",
    "/api/v1/policies/{id}/annotations",
    f"/api/v1/ask?policy={{id}}&{QUESTION}",
)
SAID = "is damaged, so it is not shown."
FEW, TEXTS, PAGES = 8, 300, 200
nightly = pytest.mark.nightly


@pytest.fixture
def copied(copy_sample, tmp_path):
    return copy_sample(tmp_path)


@pytest.fixture
def client(copied, served_jobs):
    """Give a client to all pages and the API."""
    app = application(Settings(library=copied, serve_rate=0, serve_seconds=0), routers=[router], jobs=served_jobs)
    with TestClient(app, base_url="http://localhost:8017", follow_redirects=True) as client:
        yield client


def refused(client, address: str) -> None:
    response = client.get(address)
    assert (response.status_code, SAID in response.text) == (500, True), address


@pytest.mark.parametrize("count", [FEW, pytest.param(TEXTS, marks=nightly)])
def test_a_flipped_bit_in_a_text_is_served_by_nobody(client, copied, count):
    chance = random.Random(22)
    for _ in range(count):
        with flipped(copied, "text", chance) as victim:
            other = "drizzlecast.example" if "tidemark" in victim.policy_id else "tidemarkbank.example"
            with Library(copied) as library:
                other = reading.find_policy(library, other).policy_id
                with pytest.raises(DamagedText):
                    reading.text(library, victim.version_id)
            for address in OF_THE_TEXT:
                refused(client, address.format(id=victim.policy_id, other=other))


@pytest.mark.parametrize("count", [FEW, pytest.param(PAGES, marks=nightly)])
def test_a_flipped_bit_in_a_page_is_served_by_nobody(client, copied, count):
    chance = random.Random(23)
    for _ in range(count):
        with flipped(copied, "page", chance) as victim:
            refused(client, f"/policies/{victim.policy_id}/page")
        with flipped(copied, "page text", chance) as victim:
            refused(client, f"/api/v1/policies/{victim.policy_id}/text?of=page")


def test_the_older_of_two_versions_is_checked_too(client, copied):
    chance = random.Random(1)
    with Library(copied) as library:
        entry = reading.find_policy(library, "tidemarkbank.example")
        old = entry.versions[0]
        (content,) = library.db.execute("SELECT content FROM texts WHERE text_id = ?", (old.text_id,)).fetchone()
        place = chance.randrange(len(content))
        spoilt = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        library.db.execute("UPDATE texts SET content = ? WHERE text_id = ?", (spoilt, old.text_id))
    assert client.get(f"/policies/{entry.policy_id}/text").status_code == 200
    refused(client, f"/policies/{entry.policy_id}/diff?old={old.version_id}")
    refused(client, f"/policies/{entry.policy_id}/evidence?s=0&version={old.version_id}")


def test_a_page_of_results_shows_the_others_and_says_what_is_damaged(client, copied):
    with flipped(copied, "text", random.Random(5)) as victim:
        found = client.get("/api/v1/search?size=100").json()
        page = client.get("/search?size=100").text
    damaged = [hit for hit in found["hits"] if hit["damaged"]]
    assert [(hit["policy_id"], hit["snippets"]) for hit in damaged] == [(victim.policy_id, [])]
    assert len(found["hits"]) == found["groups"]
    assert all(hit["snippets"] for hit in found["hits"] if not hit["damaged"])
    assert page.count("The stored text of this policy is damaged, so no passage is shown.") == 1


def test_a_question_over_the_library_says_what_it_left_out(client, copied):
    asked = {"said": "Which policies share data with advertisers?"}
    whole = client.post("/api/v1/chat", json=asked).json()["reply"]
    with Library(copied) as library:
        first = whole["policies"][0]["version_id"]
        library.db.execute(
            "UPDATE texts SET content = zeroblob(9) WHERE text_id = "
            "(SELECT text_id FROM versions WHERE version_id = ?)", (first,)
        )  # fmt: skip
    reply = client.post("/api/v1/chat", json=asked).json()["reply"]
    assert first not in {one["version_id"] for one in reply["policies"]}
    assert reply["lines"][-1] == "1 policy is left out, because the stored text is damaged."
    assert reply["lines"][:-1] == whole["lines"]


def test_a_text_with_one_word_exchanged_is_refused(client, copied):
    from smallprint.library.packing import compress

    with Library(copied) as library:
        entry = reading.find_policy(library, "tidemarkbank.example")
        text = reading.text(library, entry.current_version)
        assert " not " in text
        forged = compress(text.replace(" not ", " now ", 1).encode())
        library.db.execute("UPDATE texts SET content = ? WHERE text_id = ?", (forged, entry.current.text_id))
    for address in OF_THE_TEXT[:4]:
        refused(client, address.format(id=entry.policy_id))
