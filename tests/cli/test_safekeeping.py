"""check, backup and restore, as a user runs them."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from smallprint.index.embedded import FORMAT
from smallprint.index.opening import index_folder
from smallprint.library import Library
from smallprint.library.dump import digest


@pytest.fixture
def copied(copy_sample, tmp_path):
    return copy_sample(tmp_path)


def flip(path, table: str) -> str:
    """Flip a bit in a stored content, and return its name."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        row, name, content = db.execute(f"SELECT rowid, {table[:-1]}_id, content FROM {table} LIMIT 1").fetchone()
        spoilt = content[:40] + bytes([content[40] ^ 4]) + content[41:]
        db.execute(f"UPDATE {table} SET content = ? WHERE rowid = ?", (spoilt, row))
    return name


def faults(run, path) -> list[tuple[str, str]]:
    done = run("check", "--json", "--library", path)
    assert (done.code, done.json["sound"]) == (1, False)
    return [(fault["kind"], fault["what"]) for fault in done.json["faults"]]


def test_a_sound_library_is_said_to_be_sound(run, copied):
    done = run("check", "--library", copied)
    assert (done.code, done.out, done.err) == (0, f"{copied} and its indexes are sound.\n", "")
    done = run("check", "--json", "--library", copied)
    assert (done.code, done.json) == (0, {"library": str(copied), "sound": True, "faults": []})


def test_a_flipped_bit_in_a_text_is_found(run, copied):
    name = flip(copied, "texts")
    ((kind, what),) = faults(run, copied)
    assert kind == "text"
    assert what.startswith(f"the text {name} of ")
    done = run("check", "--library", copied)
    assert done.code == 1
    assert done.out.splitlines() == [
        f"{copied}: 1 fault",
        f"  {what}",
        "What to do:",
        "  ingest the source again with --again, or restore a backup with 'smallprint restore'",
    ]


def test_a_flipped_bit_in_a_page_is_found(run, copied):
    name = flip(copied, "pages")
    assert faults(run, copied) == [("page", f"the page {name} does not match its hash")]


def test_a_flipped_bit_in_an_annotation_is_found(run, copied):
    with closing(sqlite3.connect(copied, isolation_level=None)) as db:
        version, kind, content = db.execute("SELECT version_id, kind, content FROM annotations LIMIT 1").fetchone()
        spoilt = content[:-1] + bytes([content[-1] ^ 1])
        db.execute("UPDATE annotations SET content = ? WHERE version_id = ? AND kind = ?", (spoilt, version, kind))
    assert faults(run, copied) == [("annotation", f"the annotation {kind!r} of {version} cannot be read")]


@pytest.mark.parametrize(
    "change", ['"end" = 9999999', "start = -1", "sentences = '[[0, 99999999]]'", "headings = '[\"x'", "lead_in = '[1]'"]
)
def test_passages_outside_of_their_text_are_found(run, copied, change):
    with closing(sqlite3.connect(copied, isolation_level=None)) as db:
        version = db.execute("SELECT version_id FROM segments WHERE ordinal = 3 LIMIT 1").fetchone()[0]
        db.execute(f"UPDATE segments SET {change} WHERE version_id = ? AND ordinal = 3", (version,))
    assert faults(run, copied) == [
        ("passages", f"the passages of {version} cannot be read, or are not within its text")
    ]


def test_values_of_the_wrong_kind_and_lost_rows_are_found(run, copied):
    with closing(sqlite3.connect(copied, isolation_level=None)) as db:
        db.execute("UPDATE rejections SET detail = x'00ff'")
        db.execute("DELETE FROM policies WHERE policy_id = (SELECT max(policy_id) FROM policies)")
    kinds = faults(run, copied)
    assert ("library", "9 rows of rejections have no usable detail") in kinds
    assert ("library", "a row of versions refers to one of policies that is not there") in kinds


@pytest.mark.parametrize("which", ["policy", "page"])
@pytest.mark.parametrize("part", ["fast", "fieldnorm", "idx", "pos", "store", "term"])
def test_a_lost_or_damaged_index_file_is_found(run, copied, which, part):
    (file,) = (index_folder(copied, which) / FORMAT).glob(f"*.{part}")
    name = "the index of policies" if which == "policy" else "the index of whole pages"
    content = file.read_bytes()
    for spoilt, what in (
        (content[:-60], "is damaged"),
        (content[:30] + bytes([content[30] ^ 8]) + content[31:], "is damaged"),
        (None, "is missing"),
    ):
        file.unlink()
        if spoilt is not None:
            file.write_bytes(spoilt)
        assert faults(run, copied) == [("index", f"{name}: {file.name} {what}")]


def test_a_lost_index_and_one_that_is_behind_are_found(run, copied):
    import shutil

    with Library(copied) as library, library.transaction() as db:
        db.execute("UPDATE versions SET title = 'new' WHERE version_id = (SELECT max(current_version) FROM policies)")
    shutil.rmtree(index_folder(copied, "page"))
    assert faults(run, copied) == [
        ("index", "the index of policies is behind: 1 policy is in an older state"),
        ("index", "the index of whole pages: there is none"),
    ]
    assert run("index", "--library", copied).code == 0
    assert run("check", "--library", copied).code == 0


@pytest.mark.parametrize("tenths", [0, 1, 5, 9])
def test_a_truncated_library_is_found(run, copied, tenths):
    content = copied.read_bytes()
    copied.write_bytes(content[: max(1000, len(content) * tenths // 10)])
    assert {kind for kind, _ in faults(run, copied)} >= {"library"}
    done = run("check", "--library", copied)
    assert done.code == 1
    assert "restore a backup with 'smallprint restore'" in done.out


def test_no_library_is_one_line(run, tmp_path):
    done = run("check", "--library", tmp_path / "none.db")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("smallprint: there is no library at ")


def test_a_library_is_backed_up_spoilt_and_restored(run, copied, tmp_path):
    with Library(copied) as library:
        before = digest(library)
    made = run("backup", tmp_path / "saved", "--library", copied, "--json").json
    assert (made["file"], made["policies"], made["digest"]) == (str(tmp_path / "saved"), 81, before)
    flip(copied, "texts")
    assert run("check", "--library", copied).code == 1
    refused = run("restore", tmp_path / "saved", "--library", copied)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == f"smallprint: there is a library at {copied}; --force puts the backup in its place\n"
    restored = run("restore", tmp_path / "saved", "--library", copied, "--force", "--json").json
    assert restored["digest"] == before
    assert run("check", "--library", copied).code == 0
    assert run("status", "--digest", "--json", "--library", copied).json["digest"] == before


def test_a_restored_library_has_its_indexes(run, copied, tmp_path):
    run("backup", tmp_path / "saved", "--library", copied)
    assert run("restore", tmp_path / "saved", "--library", tmp_path / "new.db").out.splitlines()[0] == "Restored"
    assert run("check", "--library", tmp_path / "new.db").code == 0
    found = run("search", "cookies", "--json", "--library", tmp_path / "new.db").json
    assert (found["behind"], found["total"]) == (
        0,
        run("search", "cookies", "--json", "--library", copied).json["total"],
    )
