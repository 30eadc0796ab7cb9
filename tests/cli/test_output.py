from __future__ import annotations

import json
from dataclasses import fields

import pytest

from smallprint.domains import policy_id
from smallprint.library import Library, reading
from smallprint.library.dump import digest
from smallprint.library.writing import save
from smallprint.records import Reason
from smallprint.settings import Settings, described

from ..library.making import capture, read_again
from ..pipeline.making import rows, write_jsonl
from ..sources.trick_server import TrickServer

REPORT = {
    "read", "kept", "rejected", "passed_over", "unchanged", "addresses_added", "addresses_due", "exact_duplicates",
    "near_duplicate_groups", "folded", "annotated", "set_aside",
}  # fmt: skip


@pytest.fixture
def kitegram(sample_library):
    (url,) = (row[0] for row in sample_library.db.execute("SELECT url FROM policies WHERE url LIKE '%kitegram%'"))
    return url


def test_status(run, sample_library):
    done = run("status", "--json", "--library", sample_library.path)
    assert (done.code, done.err) == (0, "")
    assert set(done.json) == {"library", "set_aside", "index_behind"} | {field.name for field in fields(reading.Status)}
    assert done.json["library"] == str(sample_library.path)
    assert (done.json["policies"], done.json["versions"]) == (81, 90)
    text = run("status", "--library", sample_library.path).out.splitlines()
    assert text[0] == str(sample_library.path)
    assert "  policies          81" in text
    assert "  near-duplicates   2 folded into 1 group" in text


def test_status_with_a_digest(run, sample_library):
    done = run("status", "--digest", "--json", "--library", sample_library.path)
    assert done.json["digest"] == digest(sample_library)
    text = run("status", "--digest", "--library", sample_library.path).out
    assert f"digest            {digest(sample_library)}\n" in text


def test_status_of_what_was_not_finished(run, library):
    from smallprint.library.writing import note_progress

    with library.transaction() as db:
        note_progress(db, "print", "jsonl:x", 3)
    assert run("status", "--library", library.path).out.splitlines()[-1] == (
        "jsonl:x was not read to its end; ingest it again to continue."
    )


def test_status_of_what_was_set_aside(run, library, tmp_path):
    from smallprint import sample
    from smallprint.annotate.registry import annotators
    from smallprint.library.annotations import set_aside
    from smallprint.records import SetAsideReason

    page = next(iter(sample.pages()))
    (tmp_path / "policy.html").write_bytes(page.content)
    assert run("add", tmp_path / "policy.html", "--quality", "none", "--library", library.path).code == 0
    version_id, policy_id, url = library.db.execute(
        "SELECT version_id, policy_id, url FROM versions JOIN policies USING (policy_id)"
    ).fetchone()
    with library.transaction() as db:
        set_aside(db, version_id, annotators("fast"), SetAsideReason.TOO_SLOW, "it took longer than 600 seconds")
    lines = run("status", "--library", library.path).out.splitlines()
    place = lines.index("Could not be annotated: 1 version; 'smallprint annotate --retry' tries again.")
    assert lines[place + 1] == f"    {url} ({version_id}): too slow, it took longer than 600 seconds"
    assert run("status", "--json", "--library", library.path).json["set_aside"] == [
        {
            "version_id": version_id,
            "policy_id": policy_id,
            "url": url,
            "reason": "too slow",
            "detail": "it took longer than 600 seconds",
        }
    ]
    # The annotators are those that failed, so that they are not asked again unless somebody wants it.
    assert run("annotate", "--library", library.path, "--json").json["versions"] == 0
    assert run("annotate", "--retry", "--library", library.path, "--json").json["versions"] == 1
    assert run("status", "--json", "--library", library.path).json["set_aside"] == []


def test_show(run, sample_library, kitegram):
    done = run("show", kitegram, "--json", "--library", sample_library.path)
    assert (done.code, done.err) == (0, "")
    names = {field.name for field in fields(reading.PolicyEntry)}
    assert set(done.json) == names | {
        "popularity", "near_duplicates", "shown", "replaced_by", "text", "segments", "annotations"
    }  # fmt: skip
    assert done.json["policy_id"] == policy_id(kitegram)
    assert done.json["text"] == reading.text(sample_library, done.json["current_version"])
    assert len(done.json["versions"]) == 2
    first = done.json["versions"][0]["version_id"]
    older = run("show", kitegram, "--version", first, "--json", "--library", sample_library.path).json
    assert (older["shown"], older["text"]) == (first, reading.text(sample_library, first))
    assert older["text"] != done.json["text"]
    brief = run("show", kitegram, "--brief", "--json", "--library", sample_library.path).json
    assert (brief["text"], brief["segments"]) == (None, [])
    page = run("show", kitegram, "--page", "--json", "--library", sample_library.path).json
    assert (page["text"], page["segments"]) == (reading.page_text(sample_library, done.json["current_version"]), [])


def test_show_in_words(run, sample_library, kitegram):
    text = run("show", kitegram, "--library", sample_library.path).out
    found = reading.find_policy(sample_library, kitegram)
    assert text.startswith(found.current.title)
    assert f"  id               {found.policy_id}\n" in text
    for version in found.versions:
        assert version.version_id in text
    body = reading.text(sample_library, found.current_version)
    segments = reading.segments(sample_library, found.current_version)
    assert all(body[segment.start : segment.end] in text for segment in segments)


def test_a_version_that_was_replaced_is_shown_as_it_was(run, library):
    old = capture(text="We keep data.")
    with library.transaction() as db:
        save(db, [old])
    again = read_again(library, old, "We keep your data.")
    text = run("show", "one.example", "--version", old.version_id, "--library", library.path).out
    assert f"Today the same page is read as {again.version_id}." in text
    assert "We keep data.\n" in text
    shown = run("show", "one.example", "--version", old.version_id, "--json", "--library", library.path).json
    assert (shown["shown"], shown["replaced_by"], shown["text"]) == (old.version_id, again.version_id, "We keep data.")
    failed = run("diff", "one.example", old.version_id, again.version_id, "--library", library.path)
    assert (failed.code, "the policy did not change" in failed.err) == (1, True)


def test_rejections(run, sample_library):
    done = run("rejections", "--json", "--limit", "0", "--library", sample_library.path)
    found = [json.loads(line) for line in done.out.splitlines()]
    assert len(found) == 10
    assert all(set(row) == {"url", "reason", "detail", "source", "fetched_at"} for row in found)
    for reason in Reason:
        only = run("rejections", "--json", "-r", reason, "-n", "0", "--library", sample_library.path)
        assert [json.loads(line) for line in only.out.splitlines()] == [row for row in found if row["reason"] == reason]
    assert len(run("rejections", "--json", "-n", "3", "--library", sample_library.path).out.splitlines()) == 3
    text = run("rejections", "--library", sample_library.path).out
    assert text.startswith("Rejected: 10\n")
    assert all(row["url"] in text for row in found)


def test_settings(run, monkeypatch):
    monkeypatch.delenv("SMALLPRINT_DATA_DIR", raising=False)
    monkeypatch.setenv("SMALLPRINT_WORKERS", "3")
    found = {row["name"]: row for row in run("settings", "--json").json}
    assert list(found) == [field.name for field in fields(Settings)]
    assert all(set(row) == {"name", "value", "default", "help"} for row in found.values())
    assert (found["workers"]["value"], found["workers"]["default"]) == (3, 0)
    text = run("settings").out
    assert "workers = 3   (default 0)\n" in text
    assert all(help_ in text for _, _, help_ in described())


def test_settings_come_from_the_environment_then_the_file_then_the_default(run, monkeypatch, tmp_path):
    (tmp_path / "settings.toml").write_text("workers = 2\nmin_words = 7\n")
    monkeypatch.setenv("SMALLPRINT_SETTINGS", str(tmp_path / "settings.toml"))
    monkeypatch.setenv("SMALLPRINT_WORKERS", "3")
    found = {row["name"]: row["value"] for row in run("settings", "--json").json}
    assert (found["workers"], found["min_words"], found["page_seconds"]) == (3, 7, 60)


def test_no_setting_of_the_user_leaks_into_the_tests(run, tmp_path_factory):
    found = {row["name"]: row for row in run("settings", "--json").json}
    assert {name for name, row in found.items() if row["value"] != row["default"]} <= {"data_dir"}
    assert "smallprint-tests-" in found["library"]["value"]


def test_ingest(run, tmp_path):
    source = write_jsonl(tmp_path / "pages.jsonl", rows(35))
    done = run("ingest", source, "--library", "library.db", "--workers", "1", "--json")
    assert (done.code, done.err) == (0, "")
    assert set(done.json) == REPORT
    assert (done.json["read"], done.json["kept"]) == (35, 26)
    again = run("ingest", source, "--library", "library.db", "--workers", "1")
    assert again.out.startswith(
        "Nothing new: all of this was read before. To read it from the start, add --again.\nIn library.db: 1 exact "
        "duplicate rejected, "
    )


def test_ingest_of_addresses_says_how_to_go_on(run, tmp_path):
    (tmp_path / "list.txt").write_text("https://a.example/privacy\nhttps://b.example/privacy\n")
    done = run("ingest", "list.txt", "--library", "library.db", "--workers", "1")
    assert done.out.splitlines()[-1] == "2 addresses are waiting to be visited: 'smallprint crawl' continues."


def test_crawl_and_add(run, tmp_path, monkeypatch):
    (row,) = rows(1)
    monkeypatch.setenv("SMALLPRINT_CRAWL_DELAY", "0")
    with TrickServer() as server:
        url = f"http://127.0.0.1:{server.port}/privacy"
        server.page("127.0.0.1/privacy", row["html"], etag='"1"')
        refused = run("crawl", url, "--library", "refused.db", "--json")
        assert (refused.code, refused.json["rejected"], server.log) == (0, {"not fetched": 1}, [])
        done = run("crawl", url, "--allow-private", "--library", "library.db", "--json")
        assert (done.code, done.err, set(done.json)) == (0, "", REPORT)
        assert (done.json["read"], done.json["kept"], done.json["addresses_due"]) == (1, 1, 0)
        again = run("crawl", "--again", "--allow-private", "--library", "library.db", "--json")
        assert (again.json["read"], server.counts["127.0.0.1/privacy"]) == (1, 2)
        added = run("add", url, "--allow-private", "--library", "other.db", "--json")
    assert [set(outcome) for outcome in added.json] == [{"what", "policy_id", "reason", "detail"}]
    with Library(tmp_path / "other.db") as library:
        assert added.json[0]["policy_id"] == reading.find_policy(library, url).policy_id


def test_add_of_files(run, tmp_path):
    (row,) = rows(1)
    (tmp_path / "good.html").write_text(row["html"])
    (tmp_path / "short.html").write_text("<p>We keep your data.</p>")
    done = run("add", "good.html", "short.html", "--library", "library.db")
    lines = done.out.splitlines()
    with Library(tmp_path / "library.db") as library:
        (kept,) = reading.policies(library)
        title = reading.find_policy(library, kept).current.title
    assert lines == [f"good.html: {kept} — {title}", "short.html: too short — 4 words, at least 50 are needed"]


def test_import_of_popularity(run, tmp_path):
    (tmp_path / "ranks.csv").write_text(
        "domain,cc_pagerank,alexa2016_rank\na.example,1e-5,\nb.example,1e-8,\nc.example,,9\n"
    )
    done = run("import", "popularity", "ranks.csv", "--library", "library.db", "--json")
    assert done.json == {
        "domains": 3,
        "estimated": 1,
        "pr_min": 1e-8,
        "settled": {"copies": 0, "groups": 0, "folded": 0},
    }
    assert run("import", "popularity", "ranks.csv", "--library", "library.db").out.splitlines() == [
        "Imported ranks.csv",
        "  domains          3",
        "  estimated        1",
        "  lowest PageRank  1e-08",
    ]


def test_an_add_that_adds_nothing_fails(run, tmp_path):
    (tmp_path / "short.html").write_text("<p>Nothing to see here.</p>")
    done = run("add", "short.html", "--library", "library.db")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("short.html: too short")
