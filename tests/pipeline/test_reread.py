from __future__ import annotations

import signal
import time
from collections import Counter
from dataclasses import replace

import pytest

from smallprint import sample
from smallprint.library import Library, reading
from smallprint.library.dump import logical_dump
from smallprint.library.likeness import settle
from smallprint.library.packing import CLEANER
from smallprint.library.reading import captures, cleaner
from smallprint.pipeline.ingest import Reread, ingest_pages, reread
from smallprint.pipeline.workers import Progress
from smallprint.records import Page
from smallprint.settings import Settings

from .making import started
from .old_cleaner import OLD, fill, old_library
from .rereads import Figures, measure, real_pages

ALONE = Settings(workers=1)


class Stopped(Exception):
    """What a user's Ctrl-C is in these tests."""


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return the path of the sample's library as an older cleaner read it, to be copied."""
    return old_library(tmp_path_factory.mktemp("old") / "old.db", sample.pages(), ALONE)


@pytest.fixture
def old(stored, tmp_path):
    path = tmp_path / "library.db"
    with Library(stored) as library:
        library.db.execute("VACUUM INTO ?", (str(path),))
    with Library(path) as library:
        yield library


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Return the dump of the sample as the present cleaner reads it at first."""
    with Library(tmp_path_factory.mktemp("fresh") / "fresh.db", create=True) as library:
        ingest_pages(library, sample.pages(), ALONE)
        settle(library, ALONE.near_duplicate)
        return list(logical_dump(library))


def dates(library: Library) -> dict[str, list[tuple[str, str, str]]]:
    """Return when each policy was seen, where and on which page."""
    return {
        policy_id: [(seen.captured_at, seen.asked_url, seen.page_id) for seen in captures(library, policy_id)]
        for policy_id in policy_ids(library)
    }


def policy_ids(library: Library) -> list[str]:
    return [row[0] for row in library.db.execute("SELECT policy_id FROM policies ORDER BY policy_id")]


def test_policies_and_dates_stay_and_what_is_live_is_what_a_new_library_has(old, fresh):
    ids = {row[0]: row[1] for row in old.db.execute("SELECT version_id, text_id FROM versions")}
    before = dates(old)
    texts = {version_id: reading.text(old, version_id) for version_id in ids}
    done = reread(old, ALONE)
    settle(old, ALONE.near_duplicate)
    assert done == Reread(len(ids), done.replaced, (), (), 9, 0)
    assert done.replaced * 5 >= len(ids)  # the change of the cleaner alters at least a fifth of the texts
    assert dates(old) == before
    assert {version_id: reading.text(old, version_id) for version_id in ids} == texts
    dump = list(logical_dump(old))
    assert [line for line in fresh if line not in set(dump)] == []
    more = Counter(line.split()[0] for line in set(dump) - set(fresh))
    assert set(more) == {"versions", "texts", "segments"}
    assert more["versions"] == done.replaced
    assert reading.status(old).versions == len(before) + 9 - 1  # two of the sample read alike again


def test_a_second_time_nothing_is_left_to_do(old):
    reread(old, ALONE)
    before = list(logical_dump(old))
    assert reread(old, ALONE) == Reread(0, 0, (), (), 0, 0)
    assert list(logical_dump(old)) == before


def test_stopped_after_any_policy_it_goes_on_and_no_policy_mixes_cleaners(old, stored, tmp_path):
    def stop(progress: Progress) -> None:
        if progress.tally.read >= 30:
            raise Stopped

    with pytest.raises(Stopped):
        reread(old, ALONE, stop)
    cleaners = {
        policy_id: {cleaner(old, version.version_id) for version in reading.find_policy(old, policy_id).versions}
        for policy_id in policy_ids(old)
    }
    assert set(map(frozenset, cleaners.values())) == {frozenset({OLD}), frozenset({CLEANER})}
    rest = reread(old, ALONE)
    assert rest.versions < 91
    with Library(tmp_path / "unbroken.db", create=True) as unbroken:
        with Library(stored) as library:
            library.db.backup(unbroken.db)
        reread(unbroken, ALONE)
        assert list(logical_dump(old)) == list(logical_dump(unbroken))


def test_workers_read_what_one_reads(old, stored, tmp_path):
    reread(old, replace(ALONE, workers=2))
    with Library(tmp_path / "alone.db", create=True) as alone:
        with Library(stored) as library:
            library.db.backup(alone.db)
        reread(alone, ALONE)
        assert list(logical_dump(old)) == list(logical_dump(alone))


def test_what_the_present_rules_would_turn_away_is_kept_and_named(old):
    before = {line for line in logical_dump(old) if line.startswith("texts")}
    strict = replace(ALONE, min_words=400)
    done = reread(old, strict)
    assert 0 < len(done.kept) < 91
    assert all(kept.reason.startswith("too short: ") for kept in done.kept)
    assert before <= {line for line in logical_dump(old) if line.startswith("texts")}
    for kept in done.kept:
        assert cleaner(old, kept.version_id) == OLD
    assert reread(old, strict) == Reread(0, 0, done.kept, (), 0, 0)


def test_rejected_pages_are_judged_again(library):
    page = next(page for page in sample.pages() if isinstance(page, Page))
    strict, mild = replace(ALONE, min_words=100_000), ALONE
    fill(library, [page], strict)
    assert reading.status(library).rejections == {"too short": 1}
    assert reread(library, mild) == Reread(0, 0, (), (), 1, 1)
    assert reading.status(library).rejections == {}
    with Library(library.path.with_name("fresh.db"), create=True) as fresh:
        ingest_pages(fresh, [page], mild)
        settle(fresh, mild.near_duplicate)
        settle(library, mild.near_duplicate)
        assert list(logical_dump(library)) == list(logical_dump(fresh))


def test_a_rejected_page_gets_its_new_reason(library):
    page = next(page for page in sample.pages() if isinstance(page, Page))
    fill(library, [page], replace(ALONE, min_words=100_000))
    assert reread(library, replace(ALONE, policy_threshold=1.0)) == Reread(0, 0, (), (), 1, 0)
    assert reading.status(library).rejections == {"not a policy": 1}
    assert reading.status(library).kept_rejections.with_page == 1


def test_a_damaged_page_is_named_and_left_for_another_run(old):
    version_id, page_id = old.db.execute("SELECT version_id, page_id FROM versions ORDER BY version_id").fetchone()
    (content,) = old.db.execute("SELECT content FROM pages WHERE page_id = ?", (page_id,)).fetchone()
    with old.transaction() as db:
        db.execute("UPDATE pages SET content = ? WHERE page_id = ?", (b"damaged", page_id))
    assert reread(old, ALONE).damaged == (version_id,)
    assert cleaner(old, version_id) == OLD
    with old.transaction() as db:
        db.execute("UPDATE pages SET content = ? WHERE page_id = ?", (content, page_id))
    assert reread(old, ALONE).versions == 1
    assert reading.status(old).outdated == 0


# Counted through what pages and commands use


def test_on_the_sample_nothing_is_lost_and_no_change_is_told_as_theirs(tmp_path):
    figures = measure(tmp_path, sample.pages(), ALONE)
    assert figures == Figures(
        pages=100, policies=82, versions=91, altered=51, lost_policies=0, lost_captures=0,
        old_ids_that_lead_nowhere=0, old_texts_that_changed=0, changes_of_the_policies=9,
        changes_reported_as_theirs=0, rejections_judged=9,
    )  # fmt: skip
    assert figures.altered_share >= 0.2


@pytest.mark.nightly
@pytest.mark.real_data("corpus/ota_pages_html.jsonl.zst", "corpus/history_tosback2.jsonl.zst")
def test_on_a_thousand_real_pages_nothing_is_lost_and_no_change_is_told_as_theirs(data_dir, tmp_path):
    figures = measure(tmp_path, real_pages(data_dir, ALONE), ALONE)
    assert (figures.pages, figures.altered_share >= 0.2, figures.changes_of_the_policies > 100) == (1000, True, True)
    assert (figures.lost_policies, figures.lost_captures) == (0, 0)
    assert (figures.old_ids_that_lead_nowhere, figures.old_texts_that_changed) == (0, 0)
    assert figures.changes_reported_as_theirs == 0


@pytest.mark.slow
def test_the_second_of_two_leaves_with_one_line(stored, tmp_path):
    path = tmp_path / "library.db"
    with Library(stored) as library:
        library.db.execute("VACUUM INTO ?", (str(path),))
    first = started("reread", "--library", path, "--workers", "1", "--quality", "none")
    with Library(path) as library:
        while reading.status(library).outdated == 91:
            assert first.poll() is None
            time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)  # so that it is at work however fast it is
    second = started("reread", "--library", path)
    told = f"another command is writing to {path}; run this again when it has ended (reading works meanwhile)"
    assert second.communicate(timeout=60) == ("", f"smallprint: {told}\n")
    assert second.returncode == 1
    first.send_signal(signal.SIGCONT)
    out, err = first.communicate(timeout=60)
    assert (first.returncode, err) == (0, "")
    assert out.startswith("Read 91 versions again: 51 have a new id; old ids lead to it.\n")
