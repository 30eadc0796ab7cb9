from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from smallprint.library import Library
from smallprint.library.dump import logical_dump
from smallprint.library.schema import MIGRATIONS
from smallprint.sources.catalogue import KNOWN_KINDS

from ..pipeline.making import position, rows, started, write_jsonl
from .running import Done, in_process_of_its_own

MAIN = "from smallprint.cli.app import main; main()"


def one_line(done: Done) -> str:
    """Give what a failed command said, which must be one line without a traceback."""
    assert done.code == 1, done
    assert done.out == ""
    assert done.err.startswith("smallprint: ")
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1
    assert "unexpected" not in done.err
    return done.err.removeprefix("smallprint: ").removesuffix("\n")


@pytest.fixture
def library_path(tmp_path):
    path = tmp_path / "library.db"
    Library(path, create=True).close()
    return path


# Sources


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ingest"], "name a source to ingest, or --sample for the bundled one"),
        (["ingest", "none.jsonl"], "none.jsonl does not exist; check the spelling"),
        (["ingest", "good.jsonl", "none"], "none does not exist; check the spelling"),
        (["ingest", "what.xyz"], f"what.xyz is of an unknown kind; a source is {KNOWN_KINDS}"),
        (["ingest", "binary.bin"], f"binary.bin is of an unknown kind; a source is {KNOWN_KINDS}"),
        (["ingest", "binary.warc"], "binary.warc is not a web archive, although it is named like "
         "one: it does not begin with WARC/"),
        (["ingest", "good.jsonl", "--field", "body"], "'body' maps no field; write it as html=body, with one of "
         "url, html, text, final_url, fetched_at, title, id"),
        (["ingest", "good.jsonl", "--candidates", "some"], "candidates = 'some': choose 'auto', 'url' or 'any'"),
        (["crawl", "http://"], "'http://' is not a web address; write it as https://site/path"),
        (["crawl", "https://shop.example:port/"], "'https://shop.example:port/' has a port that is not a number; "
         "write it as https://site/path"),
        (["crawl", "none.txt"], "none.txt does not exist; check the spelling"),
        (["add", "none.html"], "none.html does not exist; check the spelling"),
        (["add", "https://[nonsense/"], "'https://[nonsense/' is not a web address; write it as https://site/path"),
        (["import", "popularity", "none.csv"], "none.csv does not exist; check the spelling"),
        (["import", "popularity", "good.jsonl"], "good.jsonl has no column 'domain'; give a Common Crawl rank file "
         "or a CSV with domain,cc_pagerank,…"),
    ],
)  # fmt: skip
def test_a_bad_source_is_one_line(run, tmp_path, arguments, says):
    (tmp_path / "what.xyz").write_text("Dear diary,\ntoday I read no policy.\n")
    (tmp_path / "binary.bin").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "binary.warc").write_bytes(b"\0" * 5000)
    write_jsonl(tmp_path / "good.jsonl", rows(1))
    assert one_line(run(*arguments, "--library", "library.db")) == says


def test_broken_json_lines_are_rejections(run, tmp_path):
    (good,) = rows(1)
    (tmp_path / "broken.jsonl").write_text('{"url": "https://a.exa\n[1]\n' + json.dumps(good) + "\n\xff\n", "latin-1")
    done = run("ingest", "broken.jsonl", "--library", "library.db", "--workers", "1", "--json")
    assert (done.code, done.err) == (0, "")
    assert (done.json["read"], done.json["kept"], done.json["rejected"]) == (4, 1, {"unreadable": 3})


# Libraries


def test_bad_libraries_are_one_line(run, tmp_path, library_path):
    (tmp_path / "notes.txt").write_text("A list of things to do. " * 99)
    with closing(sqlite3.connect(tmp_path / "music.db")) as db:
        db.execute("CREATE TABLE songs (title)")
    with closing(sqlite3.connect(library_path)) as db:
        db.execute("PRAGMA user_version = 99")
    write_jsonl(tmp_path / "good.jsonl", rows(1))
    for command in (["status"], ["rejections"], ["show", "a.example"], ["ingest", "good.jsonl", "-w", "1"]):
        assert one_line(run(*command, "-l", "notes.txt")) == (
            "notes.txt is not a library, or is damaged (file is not a database); choose another --library, or restore "
            "a backup with 'smallprint restore'"
        )
        assert one_line(run(*command, "-l", "music.db")) == (
            "music.db is a database, but no Smallprint library; choose another --library"
        )
        assert one_line(run(*command, "-l", library_path)) == (
            f"{library_path} was written by a newer Smallprint (schema 99, this one knows {len(MIGRATIONS)}); "
            "upgrade Smallprint to open it"
        )
    assert one_line(run("status", "-l", "none.db")) == (
        "there is no library at none.db; make one with 'smallprint ingest' or 'make run'"
    )


@pytest.mark.parametrize(
    "command", [["ingest", "good.jsonl"], ["crawl"], ["add", "good.html"], ["import", "popularity", "ranks.csv"]]
)
def test_a_library_that_is_being_written_to(run, tmp_path, library_path, command):
    write_jsonl(tmp_path / "good.jsonl", rows(1))
    (tmp_path / "good.html").write_text("<p>x</p>")
    (tmp_path / "ranks.csv").write_text("domain,cc_pagerank\na.example,1e-5\n")
    with Library(library_path) as other, other.writing():
        assert one_line(run(*command, "--library", library_path)) == (
            f"another command is writing to {library_path}; run this again when it has ended (reading works meanwhile)"
        )
        assert run("status", "--library", library_path).code == 0


# A library with room for so many pages more, and then the command.
NO_ROOM = """
import sys
from smallprint.cli.app import main
from smallprint.library import Library

opened = Library.__init__
def open_with_little_room(self, *arguments, **named):
    opened(self, *arguments, **named)
    self.db.execute(f"PRAGMA max_page_count = {self.db.execute('PRAGMA page_count').fetchone()[0] + 120}")
Library.__init__ = open_with_little_room
main()
"""


def test_a_full_disk_is_one_line_and_loses_nothing(run, tmp_path):
    path, source = tmp_path / "library.db", write_jsonl(tmp_path / "pages.jsonl", rows(96))
    command = ("ingest", source, "--workers", "1", "--library")
    done = in_process_of_its_own(NO_ROOM, *command, path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"smallprint: no room on the disk for {path}; free some and run the same command again; "
        "nothing stored was lost\n"
    )
    with Library(path) as library:
        assert library.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        stored = position(path)[0]
        found = library.db.execute("SELECT asked_url FROM captures UNION SELECT url FROM rejections").fetchall()
    # Exactly what was committed: the pages up to the position that was noted, none beyond.
    assert 0 < stored < 96
    assert {row[0] for row in found} == {row["url"] for row in list(rows(96))[:stored]}
    assert run(*command, path, "--json").json["read"] == 96 - stored
    assert run(*command, "unbroken.db", "--json").json["read"] == 96
    with Library(path) as library, Library(tmp_path / "unbroken.db") as unbroken:
        assert list(logical_dump(library)) == list(logical_dump(unbroken))


# Names, settings, data


def test_unknown_names_are_one_line(run, sample_library):
    path = sample_library.path
    assert one_line(run("show", "nobody.example", "-l", path)) == (
        "the library has no policy 'nobody.example'; give an id, an address or a domain"
    )
    policy_id = sample_library.db.execute("SELECT min(policy_id) FROM policies").fetchone()[0]
    assert one_line(run("show", policy_id, "--version", "x", "-l", path)) == (
        f"{policy_id} has no version 'x'; 'smallprint show {policy_id} --brief' lists them"
    )
    assert one_line(run("rejections", "--reason", "ugly", "-l", path)) == (
        "'ugly' is not a reason; choose from: unreadable, too large, not a candidate, not fetched, too short, "
        "not English, not a policy, moved, exact duplicate"
    )
    assert one_line(run("evaluate", "beauty")) == (
        "'beauty' is not a task; choose from: is-policy, extraction, practices, polarity, vagueness, sector, mentions, "
        "ranking, privacyqa, smallprint-qa, policyqa, verdicts, question-mapping, heading-answers, papers, "
        "word-vectors, library-questions, sells"
    )
    assert one_line(run("train", "beauty")) == (
        "'beauty' cannot be trained; choose from: is-policy, sector, encoder, practices-student, vagueness-student, "
        "vectors, finder, reader, era, card, card-tower, card-mapper, verdicts, card-student, "
        "question-mapper, semvec, combiner, priv2vec, general-vectors"
    )
    for name in ("general-vectors", "priv2vec"):
        assert one_line(run("train", name)) == f"{name!r} is for comparison, and not to be installed; give --out"
    assert one_line(run("train", "finder", "--folds", "3")) == ("'finder' is not trained in folds; leave out --folds")


def test_missing_data_are_one_line(run, tmp_path, monkeypatch):
    monkeypatch.delenv("SMALLPRINT_DATA_DIR", raising=False)
    assert one_line(run("evaluate", "extraction")) == (
        "data is not there; give --data, or set data_dir (SMALLPRINT_DATA_DIR)"
    )
    for task, missing in (
        ("extraction", "labelled/opp115/sanitized_policies"),
        ("is-policy", "corpus/ota_pages_html.jsonl.zst"),
    ):
        assert one_line(run("evaluate", task, "--data", tmp_path)) == (
            f"{tmp_path / missing} is not there; set data_dir (SMALLPRINT_DATA_DIR) to the folder that holds the "
            "research data"
        )
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "html": "<p>x</p>"}\n')
    assert one_line(run("evaluate", "extraction", "--data", "rows.jsonl", "--ids", "none.txt")).startswith(
        "the ids in none.txt cannot be read"
    )
    assert one_line(run("evaluate", "extraction", "--data", "rows.jsonl", "--systems", "best")) == (
        "'best' is not a system of extraction; choose from: default, lines, whole page"
    )
    assert one_line(run("evaluate", "is-policy", "--data", "rows.jsonl", "--systems", "best")) == (
        "'best' is not a system of is-policy; choose from: default"
    )


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("SMALLPRINT_WORKERS", "many", "workers = 'many' in the environment is not a whole number"),
        ("SMALLPRINT_COLOUR", "red", "'colour' in the environment is not a setting; 'smallprint settings' lists them"),
        ("SMALLPRINT_POLICY_THRESHOLD", "2", "policy_threshold = 2.0: choose a number from 0 to 1"),
        ("SMALLPRINT_CRAWL_DELAY", "-1", "crawl_delay = -1.0: choose a number from 0 to 3,600 (seconds)"),
    ],
)
def test_a_bad_setting_in_the_environment_is_one_line(run, monkeypatch, name, value, says):
    monkeypatch.setenv(name, value)
    assert one_line(run("settings")) == says
    assert one_line(run("status")) == says


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("workers = 'many'", "workers = 'many' in the settings file is not a whole number"),
        ("colour = 'red'", "'colour' in the settings file is not a setting; 'smallprint settings' lists them"),
        ("workers = ", "settings.toml is not valid TOML"),
    ],
)
def test_a_bad_setting_in_the_file_is_one_line(run, monkeypatch, tmp_path, content, says):
    (tmp_path / "settings.toml").write_text(content)
    monkeypatch.setenv("SMALLPRINT_SETTINGS", str(tmp_path / "settings.toml"))
    assert says in one_line(run("settings"))


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["show"], ["status", "--nonsense"], ["rejections", "--limit", "-1"], ["add"]]
)
def test_a_wrong_call_is_told_and_ends_with_two(run, arguments):
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "Usage:" in done.err
    assert "Traceback" not in done.err


# Tracebacks, interruptions, pipes


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_traceback_is_shown_to_who_asks(tmp_path, place):
    command = ["status", "--library", str(tmp_path / "none.db")]
    command.insert(place if place < 2 else 3, "--debug")
    done = in_process_of_its_own(MAIN, *command)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert done.stderr.splitlines()[-1].startswith("smallprint.errors.LibraryError: there is no library at ")


def test_what_nobody_foresaw_is_one_line_too(run, monkeypatch):
    def broken(*arguments, **named):
        raise ZeroDivisionError("in the\nmiddle")

    monkeypatch.setattr("smallprint.settings.load", broken)
    done = run("settings")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "smallprint: unexpected ZeroDivisionError: in the middle; run again with --debug for the details, and please "
        "report it\n"
    )


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_with_130_and_one_line_and_the_run_goes_on_later(tmp_path, workers):
    path, source = tmp_path / "library.db", write_jsonl(tmp_path / "pages.jsonl", rows(300))
    run = started("ingest", source, "--library", path, "--workers", workers)
    while position(path)[0] == 0:
        assert run.poll() is None
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to the workers too
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "")
    assert err == "smallprint: stopped; finished work is stored, and the same command continues from there\n"
    assert 0 < position(path)[0] < 300
    with Library(path) as library, library.writing():
        assert library.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_a_reader_that_has_enough_is_no_failure(sample_library):
    command = [sys.executable, "-c", MAIN, "rejections", "--json", "--limit", "0", "-l", str(sample_library.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        done.stdout.close()
        assert done.stderr.read() == b""
        assert done.wait(timeout=30) == 0
