"""The sample from end to end: what became of every page is what is true of it."""

from __future__ import annotations

from itertools import groupby

import pytest

from smallprint import sample
from smallprint.domains import policy_id, registrable_domain
from smallprint.library import Library, reading
from smallprint.library.directory import popularity
from smallprint.library.dump import logical_dump
from smallprint.records import Reason

TRUTHS = sample.truths()


@pytest.fixture(scope="module")
def outcomes(sample_library):
    """What the library says of every page: kept, or the reason, by address and day."""
    found = {
        (row["asked_url"], row["captured_at"]): str(Reason.COPY) if row["copy_of"] else "kept"
        for row in sample_library.db.execute(
            "SELECT asked_url, captured_at, copy_of FROM captures JOIN policies USING (policy_id)"
        )
    }
    for rejection in reading.rejections(sample_library):
        found[rejection.url, rejection.fetched_at] = str(rejection.reason)
    return found


def test_every_page_came_to_what_is_true_of_it(outcomes):
    assert outcomes == {(truth.url, truth.captured_on): str(truth.outcome) for truth in TRUTHS}


def test_versions_are_those_of_the_truth(sample_library):
    kept = sorted((t for t in TRUTHS if t.outcome == "kept"), key=lambda t: (policy_id(t.url), t.captured_on))
    for wanted, group in groupby(kept, key=lambda t: policy_id(t.url)):
        days = [truth.captured_on for truth in group]
        found = reading.find_policy(sample_library, wanted)
        assert [version.first_seen for version in found.versions] == days, wanted
        assert found.current.first_seen == days[-1], wanted


def test_families_are_folded_and_nothing_else(sample_library):
    families: dict[str, set[str]] = {}
    for truth in TRUTHS:
        if truth.family:
            families.setdefault(truth.family, set()).add(policy_id(truth.url))
    assert families
    found: dict[str, set[str]] = {}
    for row in sample_library.db.execute("SELECT policy_id, folded_under FROM policies WHERE folded_under IS NOT NULL"):
        found.setdefault(row["folded_under"], {row["folded_under"]}).add(row["policy_id"])
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, families.values()))
    for leader, members in found.items():
        known = {member: popularity(sample_library, member.rpartition("-")[0]).value for member in members}
        assert known[leader] == max(known.values())


def test_copies_are_of_what_they_copy(sample_library):
    copies = {policy_id(t.url): policy_id(t.copy_of) for t in TRUTHS if t.copy_of}
    rows = sample_library.db.execute("SELECT policy_id, copy_of FROM policies WHERE copy_of IS NOT NULL")
    assert dict(rows.fetchall()) == copies


@pytest.mark.parametrize(
    "truth", [t for t in TRUTHS if t.outcome == "kept"], ids=lambda t: f"{t.company} {t.captured_on}"
)
def test_every_quote_is_in_the_text_of_its_version(sample_library, truth):
    versions = reading.find_policy(sample_library, policy_id(truth.url)).versions
    (version,) = [v for v in versions if v.first_seen <= truth.captured_on <= v.last_seen]
    text = " ".join(reading.text(sample_library, version.version_id).split())
    assert [practice.quote for practice in truth.practices if practice.quote not in text] == []


def test_segments_cover_the_text_and_stand_where_they_say(sample_library):
    for row in sample_library.db.execute("SELECT version_id FROM versions").fetchall():
        text = reading.text(sample_library, row[0])
        segments = reading.segments(sample_library, row[0])
        assert [segment.ordinal for segment in segments] == list(range(len(segments)))
        covered = "".join(text[s.start : s.end] for s in segments)
        assert segments
        assert "".join(covered.split()) == "".join(text.split()), row[0]
        for segment in segments:
            assert 0 <= segment.start < segment.end <= len(text)
            assert all(segment.start <= s.start < s.end <= segment.end for s in segment.sentences)


def test_popularity_is_known_of_the_domains_of_the_list(sample_library):
    known = {truth.url for truth in TRUTHS if not popularity(sample_library, registrable_domain(truth.url)).estimated}
    assert 40 < len(known) < len(TRUTHS)


def test_the_command_makes_the_same_library_and_may_be_given_twice(run, sample_library, tmp_path):
    for _ in range(2):
        done = run("ingest", "--sample", "--library", "sample.db", "--workers", "2", "--quality", "none", "--json")
        assert (done.code, done.err) == (0, "")
        assert (done.json["read"], done.json["kept"], done.json["exact_duplicates"], done.json["folded"]) == (
            100,
            91,
            1,
            2,
        )
        with Library(tmp_path / "sample.db") as library:
            assert list(logical_dump(library)) == list(logical_dump(sample_library))
