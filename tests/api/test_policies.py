"""One policy over HTTP: what the library and the command say of it, places that fit, versions, and marks of state."""

from __future__ import annotations

import pytest

from smallprint.index.opening import WHICH, open_engine
from smallprint.library import reading
from smallprint.library.statistics import statistics
from smallprint.library.writing import save
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.pipeline.refresh import annotate_library
from smallprint.settings import Settings

from ..cli.running import Runner
from ..library.making import capture, read_again

BANK = "tidemarkbank.example"
PARTS = ("", "/text", "/segments", "/annotations")


@pytest.fixture
def shown(annotated_sample, capsys):
    """Give what the command says of the bank."""
    return Runner(capsys)("show", BANK, "--json", "-l", annotated_sample).json


@pytest.fixture
def bank(sample):
    return reading.find_policy(sample, BANK)


def test_a_policy_is_what_the_command_says_of_it(client, shown):
    found = client.get(f"/api/v1/policies/{BANK}").json()
    for name in ("policy_id", "url", "domain", "current_version", "shown", "copy_of", "folded_under", "versions",
                 "popularity", "near_duplicates"):  # fmt: skip
        assert found[name] == shown[name], name
    said = shown["annotations"]
    assert (found["sector"], found["company"]) == (said["sector"], said["company"])
    assert found["sector"]["source"] == "company list"
    assert len(found["versions"]) > 1
    assert found["title"] == found["versions"][-1]["title"]
    assert found["measures"] == {
        "words": found["versions"][-1]["words"],
        "grade": said["readability"]["grade"],
        "vagueness": said["vagueness"]["score"],
        "sentences": said["vagueness"]["sentences"],
        "candidate_sentences": said["vagueness"]["candidates"],
        "vague_sentences": said["vagueness"]["vague"],
    }


def test_text_segments_and_annotations_are_what_the_command_shows(client, shown):
    ids = {"policy_id": shown["policy_id"], "version_id": shown["current_version"]}
    text = client.get(f"/api/v1/policies/{BANK}/text").json()
    assert text == {**ids, "characters": len(shown["text"]), "text": shown["text"], "replaced_by": None}
    segments = client.get(f"/api/v1/policies/{BANK}/segments").json()
    assert segments == {**ids, "replaced_by": None, "segments": shown["segments"]}
    annotations = client.get(f"/api/v1/policies/{BANK}/annotations").json()
    assert annotations == {**ids, **shown["annotations"]}
    record = client.get(f"/api/v1/policies/{BANK}").json()
    assert record["links"] == annotations["links"]
    assert {version["language"] for version in record["versions"]} == {"en"}
    kinds = {"readability", "mentions", "sector", "vagueness", "practices", "links", "card"}
    assert set(annotations["made_by"]) == kinds


def test_the_text_of_the_whole_page_has_its_menus(client, sample, bank):
    found = client.get(f"/api/v1/policies/{BANK}/text?of=page").json()["text"]
    assert found == reading.page_text(sample, bank.current_version) != reading.text(sample, bank.current_version)


def test_all_places_fit_the_text(client):
    text = client.get(f"/api/v1/policies/{BANK}/text").json()["text"]
    said = client.get(f"/api/v1/policies/{BANK}/annotations").json()
    segments = client.get(f"/api/v1/policies/{BANK}/segments").json()["segments"]
    quoted = [one for practice in said["practices"] for one in practice["segments"]]
    marks = [*said["mentions"], *said["vagueness"]["words"], *quoted, *segments]
    assert len(marks) > 100
    assert all(text[mark["start"] : mark["end"]] == mark["text"] for mark in marks)


def test_labels_of_segments_are_the_practices(client):
    said = client.get(f"/api/v1/policies/{BANK}/annotations").json()["practices"]
    segments = client.get(f"/api/v1/policies/{BANK}/segments").json()["segments"]
    by_practice = {
        (one["category"], one["attribute"], one["value"], one["name"], segment["segment"])
        for one in said
        for segment in one["segments"]
    }
    by_segment = {
        (one["category"], one["attribute"], one["value"], one["name"], segment["segment"])
        for segment in segments
        for one in segment["labels"]
    }
    assert by_practice == by_segment
    assert len(by_segment) > 50
    assert all(0 < one["probability"] <= 1 for segment in segments for one in segment["labels"])


@pytest.mark.parametrize("part", PARTS)
def test_a_version_is_named_by_id_hash_or_date(client, sample, bank, part):
    first = bank.versions[0]
    assert first.version_id != bank.current_version
    named = [first.version_id, first.version_id.rpartition("@")[2], first.last_seen]
    answers = [client.get(f"/api/v1/policies/{BANK}{part}", params={"version": name}) for name in named]
    assert [answer.status_code for answer in answers] == [200] * 3
    assert {answer.text for answer in answers} == {answers[0].text}
    assert answers[0].json()["version_id" if part else "shown"] == first.version_id
    if part == "/text":
        assert answers[0].json()["text"] == reading.text(sample, first.version_id)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("name", "query", "said"),
    [
        ("nobody.example", "", "The library has no policy 'nobody.example'"),
        ("example", "", "The library has no policy 'example'"),
        (BANK, "?version=1999", "was not seen until 1999"),
        (BANK, "?version=zzz", "has no version 'zzz'"),
        ("%00", "", "The library has no policy '\\x00'"),
        ("%F0%9F%92%A9", "", "The library has no policy"),
    ],
)
def test_what_is_not_there_is_told(client, name, query, said, part):
    answer = client.get(f"/api/v1/policies/{name}{part}{query}")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert said in answer.json()["detail"]
    assert "etag" not in answer.headers


def test_a_domain_with_several_policies_is_not_guessed_at(serve, library):
    with library.transaction() as db:
        save(db, [capture("https://two.example/privacy"), capture("https://two.example/privacy/app", "Another text.")])
    answer = serve(library.path).get("/api/v1/policies/two.example")
    assert (answer.status_code, "2 policies are known by 'two.example'" in answer.json()["detail"]) == (404, True)


def test_near_duplicates_and_copies_name_each_other(client, sample):
    folded = sample.db.execute("SELECT policy_id, folded_under FROM policies WHERE folded_under NOT NULL").fetchone()
    found = client.get(f"/api/v1/policies/{folded['policy_id']}").json()
    assert found["folded_under"] == folded["folded_under"]
    assert folded["policy_id"] in client.get(f"/api/v1/policies/{folded['folded_under']}").json()["near_duplicates"]
    copy = sample.db.execute("SELECT policy_id, copy_of FROM policies WHERE copy_of NOT NULL").fetchone()
    assert client.get(f"/api/v1/policies/{copy['policy_id']}").json()["copy_of"] == copy["copy_of"]


def test_what_was_not_annotated_is_null(serve, library):
    with library.transaction() as db:
        save(db, [capture()])
    client = serve(library.path)
    found = client.get("/api/v1/policies/one.example").json()
    assert found["measures"] == {"words": 4, "grade": None, "vagueness": None, "sentences": None,
                                 "candidate_sentences": None, "vague_sentences": None}  # fmt: skip
    assert found["sector"]["source"] == "nobody"
    said = client.get("/api/v1/policies/one.example/annotations").json()
    assert (said["readability"], said["vagueness"], said["practices"], said["made_by"]) == (None, None, [], {})
    assert [one["labels"] for one in client.get("/api/v1/policies/one.example/segments").json()["segments"]] == [[]]


def test_a_version_that_was_replaced_has_its_own_text_and_leads_to_the_new(serve, library):
    old = capture(text="We keep data.")
    with library.transaction() as db:
        save(db, [old])
    again = read_again(library, old, "We keep your data.")
    client = serve(library.path)
    path = f"/api/v1/policies/{old.policy_id}"
    found = client.get(f"{path}?version={old.version_id}").json()
    assert found["shown"] == found["current_version"] == again.version_id
    assert [one["version_id"] for one in found["versions"]] == [again.version_id]
    ids = {"policy_id": old.policy_id, "version_id": old.version_id, "replaced_by": again.version_id}
    text = client.get(f"{path}/text?version={old.version_id}").json()
    assert text == {**ids, "characters": 13, "text": "We keep data."}
    segments = client.get(f"{path}/segments?version={old.version_id}").json()
    assert [one["text"] for one in segments.pop("segments")] == ["We keep data."]
    assert segments == ids
    assert client.get(f"{path}/annotations?version={old.version_id}").json()["version_id"] == again.version_id
    assert client.get(f"/api/v1/policies/{old.version_id}").json()["shown"] == again.version_id


# Statistics


def test_statistics_are_those_of_the_command(client, sample, annotated_sample, capsys):
    found = client.get("/api/v1/statistics").json()
    assert found == Runner(capsys)("statistics", "--json", "-l", annotated_sample).json
    assert found["policies"] == statistics(sample).policies
    assert client.get("/api/v1/statistics?of=all").status_code == 400


# Marks of state


@pytest.mark.parametrize("path", [*(f"policies/{BANK}{part}" for part in PARTS), "statistics"])
def test_what_is_as_it_was_is_not_sent_again(serve, copied, changed, path):
    client = serve(copied)
    first = client.get(f"/api/v1/{path}")
    mark = first.headers["etag"]
    again = client.get(f"/api/v1/{path}", headers={"If-None-Match": f'"other", {mark}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", mark)
    assert client.get(f"/api/v1/{path}", headers={"If-None-Match": '"other"'}).status_code == 200
    changed()
    after = client.get(f"/api/v1/{path}", headers={"If-None-Match": mark})
    assert (after.status_code, after.headers["etag"] != mark) == (200, True)


# Hostile policies

HOSTILE = (
    """<img src=x onerror="alert(1)"></script><script>alert(2)</script> \\u2028\u2028 {{ 7 * 7 }} =cmd|' /C calc'!A0"""
)


def test_hostile_policies_stay_text(serve, library, tmp_path):
    url = "https://evil.example/privacy?<script>alert(3)</script>"
    with library.transaction() as db:
        save(db, [capture(url, f"We may keep cookies as we like. {HOSTILE}", title=f"=1+1 {HOSTILE}")])
    annotate_library(library, Settings(workers=1), "fast")
    for which in WHICH:
        bring_up_to_date(library, open_engine(Settings(library=library.path), which, create=True), which)
    client = serve(library.path)
    for path in ("search?q=cookies", *(f"policies/evil.example{part}" for part in PARTS), "facets", "statistics"):
        answer = client.get(f"/api/v1/{path}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert client.get("/api/v1/policies/evil.example/text").json()["text"].endswith(HOSTILE)
    assert client.get("/api/v1/search?q=cookies").json()["hits"][0]["title"] == f"=1+1 {HOSTILE}"
    assert client.get("/api/v1/export?format=csv").text.splitlines()[1].count(",'=1+1") == 0
    assert "\"'=1+1" in client.get("/api/v1/export?format=csv").text
    wrong = client.get("/api/v1/policies/<script>alert(4)</script>")
    assert (wrong.status_code, wrong.headers["content-type"]) == (404, "application/problem+json")
