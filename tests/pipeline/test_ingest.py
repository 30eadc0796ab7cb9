from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from smallprint import sample
from smallprint.library import Library, reading
from smallprint.library.dump import logical_dump
from smallprint.library.frontier import StoredFrontier
from smallprint.library.likeness import settle
from smallprint.library.packing import Packed, pack_page
from smallprint.pipeline import ingest as module
from smallprint.pipeline import workers
from smallprint.pipeline.ingest import ingest, ingest_pages
from smallprint.pipeline.workers import Progress, Tally, no_progress
from smallprint.processes.jobs import Jobs
from smallprint.records import Page, Reason, Rejection
from smallprint.settings import Settings
from smallprint.sources.catalogue import open_source

from .making import rows, write_jsonl

ALONE = Settings(workers=1)
TWO = Settings(workers=2)
PAGES = 40
pytestmark = [
    pytest.mark.usefixtures("forked"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),  # Python 3.12 warns of forks where threads are
]


class Stopped(Exception):
    """What a user's Ctrl-C is in these tests."""


@pytest.fixture
def source(tmp_path):
    return write_jsonl(tmp_path / "pages.jsonl.zst", rows(PAGES))


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(workers, "BATCH_PAGES", 8)


@pytest.fixture
def cleaned(monkeypatch, tmp_path):
    """Give a function that counts how often each page was cleaned; processes write a line for each."""
    seen = tmp_path / "cleaned"
    clean = workers.clean

    def counted(page, settings):
        with seen.open("a") as lines:
            lines.write(f"{page.url}\n")
        return clean(page, settings)

    monkeypatch.setattr(workers, "clean", counted)
    return lambda: Counter(seen.read_text().splitlines())


def run(library: Library, *sources: Path, settings: Settings = ALONE, on_progress=no_progress, again=False) -> Tally:
    return ingest(library, [open_source(source, settings) for source in sources], settings, on_progress, again=again)


def dumped(library: Library) -> list[str]:
    return list(logical_dump(library))


def test_json_lines_are_taken_in(library, source, cleaned):
    told: list[tuple[int, float]] = []
    tally = run(library, source, on_progress=lambda progress: told.append((progress.tally.read, progress.fraction)))
    outcomes = Counter(truth.outcome for truth in sample.truths()[:PAGES])
    kept = outcomes.pop("kept") + outcomes.pop(Reason.COPY)  # copies are told when all is settled
    assert tally == Tally(read=PAGES, kept=kept, rejected=Counter({str(k): n for k, n in outcomes.items()}))
    assert reading.status(library).captures == kept
    assert [read for read, _ in told] == [8, 16, 24, 32, 40, 40]
    assert [part for _, part in told] == sorted(part for _, part in told)
    assert told[-1][1] == 1.0
    assert set(cleaned().values()) == {1}


def test_a_folder_is_taken_in(library, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    pages = list(sample.pages())[:10]
    for number, page in enumerate(pages):
        file = folder / f"{number:02}.html"
        file.write_bytes(page.content)
        os.utime(file, (1_700_000_000, 1_700_000_000))
    tally = run(library, folder)
    assert (tally.read, tally.kept, tally.rejected) == (10, 10, Counter())
    assert {row[0] for row in library.db.execute("SELECT captured_at FROM captures")} == {"2023-11-14T22:13:20Z"}
    stored = {reading.page(library, row[0]) for row in library.db.execute("SELECT page_id FROM pages")}
    assert stored == {page.content for page in pages}


def test_a_list_of_addresses_goes_on_the_frontier(library, tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("".join(f"https://h{n}.example/privacy\n" for n in range(5)) + "https://x.example/about\n")
    tally = run(library, path)
    assert (tally.read, tally.addresses) == (1, 5)
    assert tally.rejected == Counter({"not a candidate": 1})
    assert [item.url for item in StoredFrontier(library).due(10)] == [f"https://h{n}.example/privacy" for n in range(5)]
    assert run(library, path, again=True).addresses == 0


def test_several_sources_are_counted_together(library, tmp_path):
    one = write_jsonl(tmp_path / "one.jsonl", rows(10))
    other = write_jsonl(tmp_path / "other.jsonl", rows(10, start=10))
    assert run(library, one, other).read == 20
    assert [row[0] for row in library.db.execute("SELECT name FROM ingests WHERE finished ORDER BY 1")] == [
        "jsonl:one",
        "jsonl:other",
    ]


def test_an_empty_source_is_finished_at_once(library, tmp_path):
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert run(library, path) == Tally()
    assert reading.status(library).unfinished == ()


# Stopped and gone on


@pytest.mark.parametrize("batches", [1, 3, 5])
def test_a_stopped_run_goes_on_and_repeats_nothing(library, source, cleaned, tmp_path, batches):
    def stop(progress: Progress) -> None:
        if progress.tally.read >= 8 * batches:
            raise Stopped

    with pytest.raises(Stopped):
        run(library, source, on_progress=stop)
    assert sum(cleaned().values()) == 8 * batches
    assert reading.status(library).unfinished == ("jsonl:pages",)
    assert run(library, source).read == PAGES - 8 * batches
    assert (len(cleaned()), set(cleaned().values())) == (PAGES, {1})
    settle(library, ALONE.near_duplicate)
    with Library(tmp_path / "unbroken.db", create=True) as unbroken:
        run(unbroken, source)
        settle(unbroken, ALONE.near_duplicate)
        assert dumped(library) == dumped(unbroken)


def test_a_run_that_fails_while_storing_repeats_only_that_batch(library, source, cleaned, monkeypatch):
    save, calls = module.save, []

    def failing(db, results, **limits):
        calls.append(len(results))
        save(db, results, **limits)
        if len(calls) == 2:
            raise Stopped

    monkeypatch.setattr(module, "save", failing)
    with pytest.raises(Stopped):
        run(library, source)
    assert reading.status(library).captures + sum(reading.rejection_counts(library).values()) == 8
    assert run(library, source).read == PAGES - 8
    assert Counter(cleaned().values()) == {1: PAGES - 8, 2: 8}


def test_a_stopped_run_with_workers_ends_at_once_and_goes_on(library, source):
    def stop(progress: Progress) -> None:
        raise Stopped

    before = set(multiprocessing.active_children())  # those of other tests' pools
    with pytest.raises(Stopped):
        run(library, source, settings=TWO, on_progress=stop)
    deadline = time.monotonic() + 20
    while set(multiprocessing.active_children()) - before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert set(multiprocessing.active_children()) - before == set()
    assert run(library, source, settings=TWO).read == PAGES - 8


def test_a_finished_source_is_passed_over(library, source, cleaned):
    run(library, source)
    before = dumped(library)
    assert run(library, source) == Tally()
    assert sum(cleaned().values()) == PAGES
    assert dumped(library) == before


def test_again_reads_from_the_start_and_changes_nothing(library, source, cleaned):
    run(library, source)
    before = dumped(library)
    assert run(library, source, again=True).read == PAGES
    assert set(cleaned().values()) == {2}
    assert dumped(library) == before


def test_a_source_that_has_changed_is_read_anew(library, source):
    run(library, source)
    write_jsonl(source, rows(PAGES + 2))
    assert run(library, source).read == PAGES + 2


# Workers


def test_two_workers_do_what_one_does(library, source, tmp_path):
    tally = run(library, source)
    settle(library, ALONE.near_duplicate)
    with Library(tmp_path / "two.db", create=True) as two:
        assert run(two, source, settings=TWO) == tally
        settle(two, TWO.near_duplicate)
        assert dumped(two) == dumped(library)


def die_by_exit() -> None:
    os._exit(7)


def die_by_signal() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("die", [die_by_exit, die_by_signal])
def test_a_page_that_takes_its_worker_down_is_rejected_and_the_rest_kept(library, source, monkeypatch, tmp_path, die):
    pages = list(rows(PAGES))
    deadly = {pages[place]["url"] for place in (3, 20)}
    clean = workers.clean

    def deadly_clean(page, settings):
        return die() if page.url in deadly else clean(page, settings)

    monkeypatch.setattr(workers, "clean", deadly_clean)
    tally = run(library, source, settings=TWO)
    assert (tally.read, tally.rejected["unreadable"]) == (PAGES, 2)
    found = list(reading.rejections(library, Reason.UNREADABLE))
    assert {(r.url, r.detail) for r in found} == {(url, "the page made the cleaner crash") for url in deadly}
    monkeypatch.setattr(workers, "clean", clean)
    others = write_jsonl(tmp_path / "others.jsonl.zst", [row for row in pages if row["url"] not in deadly])
    with Library(tmp_path / "others.db", create=True) as expected:
        run(expected, others)
        assert {v for v in dumped(library) if v.startswith("versions")} == {
            v for v in dumped(expected) if v.startswith("versions")
        }


@pytest.mark.parametrize("workers_", [1, 2])
def test_a_page_that_takes_too_long_is_rejected(library, source, monkeypatch, workers_):
    endless = {row["url"] for row in list(rows(PAGES))[5:6]}
    clean = workers.clean

    def endless_clean(page, settings):
        while page.url in endless:
            pass
        return clean(page, settings)

    monkeypatch.setattr(workers, "clean", endless_clean)
    tally = run(library, source, settings=replace(ALONE, workers=workers_, page_seconds=1))
    assert tally.read == PAGES
    assert [(r.url, r.detail) for r in reading.rejections(library, Reason.UNREADABLE)] == [
        (url, "the page took too long to clean") for url in endless
    ]


@pytest.fixture
def jobs():
    with Jobs(1) as some:
        yield some


def test_a_page_on_which_the_cleaner_fails_is_rejected(monkeypatch, jobs):
    def failing(page, settings):
        raise RecursionError("too deep\nfor us")

    monkeypatch.setattr(workers, "clean", failing)
    page = Page("https://a.example/privacy", b"<p>x</p>", "html", "test", "2024")
    passed = Rejection("urn:x", Reason.TOO_LARGE, "9 bytes", "test", "")
    assert workers.clean_batch([page, passed], ALONE, jobs) == [
        Rejection(page.url, Reason.UNREADABLE, "cleaning failed (RecursionError: too deep)", "test", "2024"),
        passed,
    ]


def test_a_rejected_page_is_handed_over_to_be_kept_unless_none_are_kept():
    page = Page("https://a.example/privacy", b"<p>Too short.</p>", "html", "test", "2024", title="A")
    rejected = workers.clean_page(page, ALONE)
    assert isinstance(rejected, Rejection)
    assert rejected.page == pack_page(page)
    assert workers.clean_page(page, replace(ALONE, rejected_bytes=0)).page is None
    large = workers.clean_page(page, replace(ALONE, max_page_bytes=3))
    assert (large.reason, large.page) == (Reason.TOO_LARGE, None)


def test_a_page_that_takes_too_much_memory_is_rejected_and_the_rest_kept(library, source, monkeypatch):
    greedy = {row["url"] for row in list(rows(PAGES))[5:6]}
    clean = workers.clean

    def greedy_clean(page, settings):
        if page.url in greedy:
            bytearray(600_000_000)
        return clean(page, settings)

    monkeypatch.setattr(workers, "clean", greedy_clean)
    tally = run(library, source, settings=replace(ALONE, page_memory=400_000_000))
    assert tally.read == PAGES
    assert [(r.url, r.detail) for r in reading.rejections(library, Reason.UNREADABLE)] == [
        (url, "the page takes more memory to clean than it may") for url in greedy
    ]


def test_an_alarm_set_by_others_is_left_as_it_was():
    page = next(sample.pages())
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        assert isinstance(workers.clean_page(page, ALONE), Packed)
        assert signal.getsignal(signal.SIGALRM) == signal.SIG_IGN
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_results_come_in_the_order_of_the_batches():
    pages = list(sample.pages())[:24]
    batches = [pages[place : place + 3] for place in range(0, 24, 3)]
    expected = [[workers.clean_page(page, ALONE) for page in batch] for batch in batches]
    numbered = list(enumerate(batches))
    assert list(workers.pooled(numbered, workers.CLEANING, TWO, None)) == list(enumerate(expected))


def test_zero_workers_are_as_many_as_there_are_cores():
    assert workers.worker_count(Settings(workers=0)) == len(os.sched_getaffinity(0))
    assert workers.worker_count(Settings(workers=3)) == 3


# Pages that come from no file


def test_pages_are_taken_in_twice_without_harm(library):
    pages = list(sample.pages())[:12]
    tally = ingest_pages(library, pages, ALONE)
    before = dumped(library)
    assert tally.read == 12
    assert ingest_pages(library, pages, ALONE) == tally
    assert dumped(library) == before


def test_large_pages_make_small_batches(monkeypatch):
    monkeypatch.setattr(workers, "BATCH_BYTES", 1000)
    pages = [Page(f"urn:{n}", b"x" * size, "text", "t", "") for n, size in enumerate((400, 400, 400, 10, 2000, 10))]
    batches = list(workers.page_batches(enumerate(pages, 1), lambda numbered: numbered[1]))
    assert [[len(page.content) for page in batch] for _, batch in batches] == [[400, 400, 400], [10, 2000], [10]]
    assert [items[-1][0] for items, _ in batches] == [3, 5, 6]
