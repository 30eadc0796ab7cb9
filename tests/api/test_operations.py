"""Differences, comparisons, evidence, rejections and adding through the API: what Python gives, as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from smallprint.records import Reason
from smallprint.settings import Settings
from smallprint.shelf import Shelf

BANK, CHAT = "tidemarkbank.example", "nestchat.example"


@pytest.fixture(scope="module")
def shelf(annotated_sample):
    with Shelf(Settings(library=annotated_sample)) as shelf:
        yield shelf


def test_a_diff_is_that_of_python(client, shelf):
    answer, revision = client.get(f"/api/v1/policies/{BANK}/diff").json(), shelf.diff(BANK)
    assert (answer["old"]["version_id"], answer["new"]["version_id"]) == (
        revision.old.version_id,
        revision.new.version_id,
    )
    assert answer["summary"]["changed"] == revision.summary.changed
    assert len(answer["paragraphs"]) == len(revision.paragraphs)
    removed = [piece for one in answer["paragraphs"] for change in one["changes"] for piece in change["pieces"]
               if piece["kind"] == "removed"]  # fmt: skip
    assert removed
    for piece in removed:
        assert revision.old_text[piece["old"]["start"] : piece["old"]["end"]] == piece["removed"]


def test_a_diff_takes_dates_and_says_what_is_not_there(client):
    path = f"/api/v1/policies/{BANK}/diff"
    assert client.get(path, params={"old": "1980"}).status_code == 404
    assert client.get(path, params={"older": "2021"}).status_code == 400


def test_a_comparison_has_the_policies_and_what_each_says(client, shelf):
    answer = client.get("/api/v1/compare", params={"policy": [BANK, CHAT]}).json()
    comparison = shelf.compare([BANK, CHAT])
    assert [policy["domain"] for policy in answer["policies"]] == [BANK, CHAT]
    assert [row["name"] for row in answer["rows"]] == [row.name for row in comparison.rows]
    assert [[cell["state"] for cell in row["cells"]] for row in answer["rows"]] == [
        [cell.state for cell in row.cells] for row in comparison.rows
    ]
    assert {row["id"]: tuple(row["counts"]) for row in answer["mentions"]} == {
        row.name.id: row.counts for row in comparison.mentions
    }


@pytest.mark.parametrize("policies", [[], [BANK], [BANK, BANK], [BANK] * 5])
def test_a_wrong_number_of_policies_is_a_bad_request(client, policies):
    assert client.get("/api/v1/compare", params={"policy": policies}).status_code == 400


def test_evidence_is_word_for_word_and_can_be_checked(client, shelf):
    answer = client.get(f"/api/v1/policies/{BANK}/evidence", params={"segment": [3, 5]}).json()
    text = shelf.text(BANK)
    assert [one["segment"] for one in answer["exhibits"]] == [3, 5]
    assert all(text[one["start"] : one["end"]] == one["quote"] for one in answer["exhibits"])
    assert answer["text_sha256"] == shelf.evidence(BANK).text_sha256
    assert client.get(f"/api/v1/policies/{BANK}/evidence", params={"segment": 9999}).status_code == 404


def test_rejections_are_counted_and_listed_by_reason(client, shelf):
    answer = client.get("/api/v1/rejections").json()
    assert answer["counts"] == shelf.rejection_counts()
    assert len(answer["pages"]) == sum(answer["counts"].values()) > 0
    copies = client.get("/api/v1/rejections", params={"reason": str(Reason.COPY)}).json()["pages"]
    assert {page["reason"] for page in copies} == {str(Reason.COPY)}
    assert client.get("/api/v1/rejections", params={"reason": "ugly"}).status_code == 400
    assert len(client.get("/api/v1/rejections", params={"limit": 1}).json()["pages"]) == 1


def test_adding_takes_a_server_that_fetches_and_a_writer(serve, copied: Path):
    asked = {"address": "https://new.example/privacy"}
    refused = serve(copied).post("/api/v1/policies", json=asked)
    assert (refused.status_code, "serve_fetch" in refused.json()["detail"]) == (403, True)
    guarded = serve(copied, serve_fetch=True, serve_token="secret-token-of-the-test")
    assert guarded.post("/api/v1/policies", json=asked).status_code == 401


def test_a_mark_is_compared_before_anything_is_made(client, monkeypatch):
    path = f"/api/v1/policies/{BANK}"
    mark = client.get(path).headers["etag"]
    monkeypatch.setattr(Shelf, "policy", lambda *_: pytest.fail("the answer was made"))
    assert client.get(path, headers={"If-None-Match": mark}).status_code == 304


def test_a_mark_of_another_address_says_nothing_of_this_one(client):
    mark = client.get(f"/api/v1/policies/{BANK}").headers["etag"]
    other = client.get(f"/api/v1/policies/{CHAT}", headers={"If-None-Match": mark})
    assert (other.status_code, other.json()["domain"]) == (200, CHAT)
    assert client.get("/api/v1/policies/nobody.example", headers={"If-None-Match": mark}).status_code == 404
