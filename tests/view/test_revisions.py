from __future__ import annotations

import pytest

from smallprint.errors import NoSuchVersion, OurChange
from smallprint.library import reading
from smallprint.library.writing import save
from smallprint.view.changes import apply, diff, undo
from smallprint.view.revisions import choose, paragraphs, revision

from ..library.making import capture, read_again

URL = "https://one.example/privacy"
FIRST, SECOND = capture(URL, "We keep data.", "2021-05-01"), capture(URL, "We keep all data.", "2023-02-10")
BACK = capture(URL, "We keep data.", "2024-06-01T10:00:00Z")


@pytest.fixture
def stored(library):
    def store(*captures):
        with library.transaction() as db:
            save(db, captures)
        return library, reading.find_policy(library, URL)

    return store


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (FIRST.version_id, FIRST),
        (SECOND.version_id.rpartition("@")[2], SECOND),
        (SECOND.version_id.rpartition("@")[2][:3], SECOND),
        (FIRST.version_id[:-3], FIRST),
        ("2021", FIRST),
        ("2021-05", FIRST),
        ("2022-12-31", FIRST),
        ("2023-02", SECOND),
        ("2023-02-09", FIRST),
        ("2023-02-10", SECOND),
        ("2024-06-01T09:59", SECOND),
        ("2024-06-01T10:00:00Z", FIRST),
        ("2030", FIRST),
    ],
)
def test_versions_by_id_by_its_beginning_and_by_date(stored, wanted, expected):
    assert choose(*stored(FIRST, SECOND, BACK), wanted).version_id == expected.version_id


def test_a_version_that_is_named_in_full_is_chosen_without_asking_the_library(stored):
    library, policy = stored(FIRST, SECOND)
    statements: list[str] = []
    library.db.set_trace_callback(statements.append)
    assert choose(library, policy, FIRST.version_id).version_id == FIRST.version_id
    library.db.set_trace_callback(None)
    assert statements == []


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ("2020", "was not seen until 2020; the first time was 2021-05-01"),
        ("zz", "has no version 'zz'; 'smallprint show"),
        (FIRST.policy_id, f"has 2 versions '{FIRST.policy_id}'; 'smallprint show"),
    ],
)
def test_a_version_that_is_not_there(stored, wanted, says):
    with pytest.raises(NoSuchVersion) as failed:
        choose(*stored(FIRST, SECOND), wanted)
    assert says in str(failed.value)


def ids(found):
    return found.old.version_id, found.new.version_id


def test_by_default_the_current_version_is_compared_with_the_one_before(stored):
    found = revision(*stored(FIRST, SECOND))
    assert ids(found) == (FIRST.version_id, SECOND.version_id)
    assert (found.old_text, found.new_text, found.recleaned) == ("We keep data.", "We keep all data.", False)
    changes = [change for paragraph in found.paragraphs for change in paragraph.changes]
    assert apply(changes, found.old_text) == found.new_text
    assert (found.summary.changed, found.summary.words_added) == (1, 1)


def test_a_policy_that_went_back_to_an_earlier_text(stored):
    assert ids(revision(*stored(FIRST, SECOND, BACK))) == (SECOND.version_id, FIRST.version_id)


def test_both_may_be_given_in_either_order(stored):
    library, entry = stored(FIRST, SECOND)
    assert ids(revision(library, entry, "2023", "2021")) == (SECOND.version_id, FIRST.version_id)
    assert ids(revision(library, entry, "2021")) == (FIRST.version_id, SECOND.version_id)
    assert ids(revision(library, entry, None, "2023")) == (FIRST.version_id, SECOND.version_id)


@pytest.mark.parametrize(
    ("captures", "asked", "says"),
    [
        ((FIRST,), (), "is the only version of"),
        ((FIRST, SECOND), (None, "2021"), "is the first version of"),
        ((FIRST, SECOND), ("2021", "2022"), "both are"),
    ],
)
def test_nothing_to_compare(stored, captures, asked, says):
    with pytest.raises(NoSuchVersion, match=says):
        revision(*stored(*captures), *asked)


def test_versions_that_different_cleaners_read(stored):
    library, entry = stored(FIRST, SECOND)
    library.db.execute("UPDATE versions SET cleaner = cleaner + 1 WHERE version_id = ?", (SECOND.version_id,))
    assert revision(library, entry).recleaned is True


# Paragraphs, on the sample


@pytest.fixture(scope="module")
def bank(sample_library):
    return revision(sample_library, reading.find_policy(sample_library, "tidemarkbank.example"))


def words(found, change):
    text, span = (found.new_text, change.new) if change.new else (found.old_text, change.old)
    return " ".join(text[span.start : span.end].split())


def test_paragraphs_hold_all_changes_in_order(bank):
    changes = [change for one in bank.paragraphs for change in one.changes]
    assert apply(changes, bank.old_text) == bank.new_text
    assert undo(changes, bank.new_text) == bank.old_text
    assert [one.first for one in bank.paragraphs] == [
        sum(len(other.changes) for other in bank.paragraphs[:place]) for place in range(len(bank.paragraphs))
    ]


def test_paragraphs_are_those_of_the_text(bank):
    lines = [line for line in bank.new_text.splitlines() if line]
    kept = [one for one in bank.paragraphs if one.new_segment is not None]
    assert len(kept) == len(lines)
    for one, line in zip(kept, lines, strict=True):
        assert " ".join(words(bank, change) for change in one.changes if change.new) == line


def test_where_the_two_are_laid_out_differently_the_new_one_counts():
    old, new = "We keep data. We sell none.\n\nWrite to us.", "We keep data.\n\nWe sell none. Write to us."
    found = list(paragraphs(diff(old, new).changes, (old, ()), (new, ())))
    assert [len(one.changes) for one in found] == [1, 2]
    assert all(one.is_same for one in found)


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("We sold it all.\n\nWrite to us.", "Write to us.", [["removed"], ["same"]]),
        ("We sold it all. Then we stopped.\n\nWrite to us.", "Write to us.", [["removed", "removed"], ["same"]]),
        ("We sold it all.\n\nThen we stopped.\n\nWrite to us.", "Write to us.", [["removed"], ["removed"], ["same"]]),
        ("We sold it all. Write to us.\n\nThe end.", "Write to us.\n\nThe end.", [["removed", "same"], ["same"]]),
        ("We sold it all.\n\nWrite to us.", "Bears eat honey.\n\nWrite to us.", [["removed"], ["added"], ["same"]]),
    ],
)
def test_a_paragraph_that_went_from_the_very_start_stands_alone(old, new, kinds):
    found = paragraphs(diff(old, new).changes, (old, ()), (new, ()))
    assert [[change.kind for change in one.changes] for one in found] == kinds


def test_paragraphs_know_their_headings(bank):
    (tracked,) = [one for one in bank.paragraphs if "Do Not Track signals" in words(bank, one.changes[0])]
    assert tracked.headings == ("Tidemark Bank Privacy Notice", "6. Your choices and rights", "Do Not Track")
    assert (tracked.kind, tracked.is_same, tracked.old_segment) == ("paragraph", False, None)
    segment = reading_segment(bank, tracked.new_segment)
    assert segment == words(bank, tracked.changes[0])


def reading_segment(found, ordinal):
    lines = [line for line in found.new_text.splitlines() if line]
    return lines[ordinal]


def test_what_stood_under_a_reworded_heading_is_shown_under_the_new_one(sample_library):
    found = revision(sample_library, reading.find_policy(sample_library, "tasklattice.example"))
    (gone,) = [one for one in found.paragraphs if words(found, one.changes[0]).startswith("Where changes are material")]
    assert gone.new_segment is None
    assert gone.headings[-1] == "Section 11: Changes to This Policy"  # it was section 12


def test_a_sentence_that_went_stays_with_its_paragraph(sample_library):
    found = revision(sample_library, reading.find_policy(sample_library, "brightvale.example"))
    (one,) = [
        one
        for one in found.paragraphs
        if any(words(found, c).startswith("Third parties, including") for c in one.changes)
    ]
    assert [change.kind for change in one.changes] == ["same", "same", "removed", "same", "same"]


# Versions that were replaced because we read their pages again


def test_an_old_id_leads_to_the_new_version_and_the_change_before_is_still_told(stored):
    library, _ = stored(FIRST, SECOND)
    again = read_again(library, FIRST, "We keep your data.")
    entry = reading.find_policy(library, URL)
    assert [version.version_id for version in entry.versions] == [again.version_id, SECOND.version_id]
    for wanted in (FIRST.version_id, FIRST.version_id.rpartition("@")[2], again.version_id, "2021"):
        assert choose(library, entry, wanted).version_id == again.version_id
    change = revision(library, entry, FIRST.version_id, SECOND.version_id)
    assert (change.old.version_id, change.new.version_id) == (again.version_id, SECOND.version_id)
    assert change.recleaned  # only one of the two was read again here


def test_what_changed_only_because_of_us_is_no_change_of_the_policy(stored):
    library, _ = stored(FIRST)
    again = read_again(library, FIRST, "We keep your data.")
    entry = reading.find_policy(library, URL)
    with pytest.raises(NoSuchVersion, match="is the only version"):
        revision(library, entry)
    with pytest.raises(OurChange, match="the policy did not change"):
        revision(library, entry, FIRST.version_id, again.version_id)


def test_a_chain_of_readings_is_followed(stored):
    library, _ = stored(FIRST)
    last = read_again(library, read_again(library, FIRST, "We keep your data."), "We keep your own data.")
    assert choose(library, reading.find_policy(library, URL), FIRST.version_id).version_id == last.version_id
