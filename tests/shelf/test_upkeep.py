from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import smallprint
from smallprint import sample
from smallprint.errors import BadSetting, BadSource, NoSuchPaste, NoSuchPolicy
from smallprint.library import Library

BANK = "tidemarkbank.example"


@pytest.fixture
def copied(annotated_folder, tmp_path):
    """Return the path of a library of its own."""
    shutil.copytree(annotated_folder, tmp_path, dirs_exist_ok=True)
    return tmp_path / "sample.db"


@pytest.fixture
def pages(tmp_path):
    """Return a folder with three of the sample's pages."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, page in zip(range(3), sample.pages(), strict=False):
        (folder / f"{number}.html").write_bytes(page.content)
    return folder


def test_pages_are_ingested_annotated_and_indexed_from_python_with_progress(pages, tmp_path):
    steps = []
    with smallprint.open(tmp_path / "library.db", create=True, workers=1) as shelf:
        done = shelf.ingest(pages, on_progress=lambda progress: steps.append((progress.step, progress.fraction)))
        assert (done.tally.read, done.tally.kept, done.refreshed.annotated.versions) == (3, 3, 3)
        assert shelf.search("information").total == 3
        again = shelf.ingest(pages)
        assert (again.tally.read, again.refreshed.annotated.versions) == (0, 0)
    names = list(dict.fromkeys(step for step, _ in steps))
    assert names == ["reading", "comparing", "annotating", "indexing (policy)", "indexing (page)"]
    assert all(0 <= fraction <= 1 for _, fraction in steps)
    assert ("annotating", 1.0) in steps


def test_nothing_to_ingest_is_told(tmp_path):
    with (
        smallprint.open(tmp_path / "library.db", create=True) as shelf,
        pytest.raises(BadSource, match="name a source"),
    ):
        shelf.ingest()


def test_a_file_is_added_and_found_at_once(pages, tmp_path):
    with smallprint.open(tmp_path / "library.db", create=True, workers=1) as shelf:
        (outcome,) = shelf.add(str(pages / "0.html"))
        assert outcome.policy_id
        assert [hit.policy.policy_id for hit in shelf.search("information").hits] == [outcome.policy_id]
        assert shelf.policy(outcome.policy_id).measures.grade is not None


def test_what_is_removed_is_not_found_any_more(copied):
    with smallprint.open(copied, workers=1) as shelf:
        before = shelf.status().counts.policies
        (entry,) = shelf.removable(BANK)
        assert shelf.remove(BANK).policies == (entry.policy_id,)
        assert shelf.status().counts.policies == before - 1
        assert shelf.search(f"site:{BANK}").total == 0
        with pytest.raises(NoSuchPolicy):
            shelf.find(BANK)


def test_indexes_are_made_anew_and_searched_at_once(copied):
    with smallprint.open(copied) as shelf:
        before = shelf.search("cookies").total
        done = shelf.index(anew=True)
        assert done["policy"].added == done["policy"].total == shelf.status().counts.policies
        assert shelf.search("cookies").total == before
        assert shelf.status().index_behind == {"policy": 0, "page": 0}


def test_a_library_is_checked_backed_up_and_restored(copied, tmp_path):
    saved = tmp_path / "saved.backup"
    with smallprint.open(copied, workers=1) as shelf:
        assert shelf.check() == []
        digest = shelf.digest()
        shelf.backup(saved)
        shelf.remove(BANK)
        assert shelf.digest() != digest
        shelf.restore(saved, force=True)
        assert shelf.digest() == digest
        assert shelf.search(f"site:{BANK}").total == 1


def test_a_damaged_library_is_a_fault_and_no_error(copied):
    with smallprint.open(copied) as shelf:
        with Library(copied) as library, library.transaction() as db:
            db.execute("UPDATE texts SET content = x'00' WHERE rowid = 1")
        assert [fault.kind for fault in shelf.check()]


def test_rejections_by_reason(copied):
    with smallprint.open(copied) as shelf:
        counts = shelf.rejection_counts()
        assert counts["not English"] == len(shelf.rejections("not English")) == 2
        assert len(shelf.rejections(limit=3)) == 3
        with pytest.raises(BadSetting, match="choose from: "):
            shelf.rejections("too pretty")


def test_quality_none_annotates_nothing(copied):
    with smallprint.open(copied, quality="none") as shelf, pytest.raises(BadSetting, match="nothing to do"):
        shelf.annotate()


def test_pasted_texts_are_forgotten_by_id_by_address_and_all(copied):
    with smallprint.open(copied) as shelf:
        first, second, third = (shelf.pastes.keep(f"text {number}") for number in range(3))
        assert shelf.forget(first.paste_id) == 1
        assert shelf.forget(f"http://127.0.0.1:8017/read/{second.paste_id}/") == 1
        assert shelf.forget() == 1
        with pytest.raises(NoSuchPaste):
            shelf.forget(third.paste_id)


def test_other_settings_share_what_is_open(copied):
    with smallprint.open(copied) as shelf:
        other = shelf.with_settings(shelf.settings)
        assert (other.pool, other.engines) == (shelf.pool, shelf.engines)


def test_companies_and_popularity_are_imported(copied):
    with smallprint.open(copied, workers=1) as shelf:
        domains, passed_over = shelf.import_companies(Path(str(sample.COMPANIES)))
        assert domains > 50
        assert passed_over == 0
        imported, _ = shelf.import_popularity(Path(str(sample.POPULARITY)))
        assert imported.domains > 50
