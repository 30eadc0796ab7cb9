from __future__ import annotations

import hashlib

import pytest

from smallprint.errors import NoSuchSegment
from smallprint.library import reading
from smallprint.library.writing import save
from smallprint.view.evidence import Exhibit, Seen, evidence
from smallprint.view.revisions import CitedVersion

from ..library.making import capture

URL = "https://one.example/privacy"
OLD, NEW = capture(URL, "We keep data.", "2021-05-01"), capture(URL, "We keep all data.", "2023-02-10")
AGAIN = capture(URL, "We keep all data.", "2024-01-01", markup="<div>{}</div>", source="other")


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def entry(library):
    with library.transaction() as db:
        save(db, [OLD, NEW, AGAIN])
    return reading.find_policy(library, URL)


def test_a_sheet_has_all_that_is_needed_to_check_it(library, entry):
    sheet = evidence(library, entry)
    assert (sheet.policy_id, sheet.address, sheet.version) == (entry.policy_id, entry.url, entry.current)
    assert sheet.page_sha256 == sha(b"<p>We keep all data.</p>")
    assert (sheet.text_sha256, sheet.characters) == (sha(b"We keep all data."), 17)
    assert sheet.seen == (
        Seen("2023-02-10", URL, "test", sha(b"<p>We keep all data.</p>")),
        Seen("2024-01-01", URL, "other", sha(b"<div>We keep all data.</div>")),
    )
    assert sheet.exhibits == (Exhibit(0, "#s0", "paragraph", ("Data",), 0, 17, "We keep all data.", None),)


def test_of_an_earlier_version(library, entry):
    sheet = evidence(library, entry, CitedVersion(entry.versions[0]))
    assert (sheet.version.version_id, sheet.text_sha256) == (OLD.version_id, sha(b"We keep data."))
    assert [one.captured_at for one in sheet.seen] == ["2021-05-01"]


def test_chosen_passages_come_in_the_order_of_the_text(sample_library):
    entry = reading.find_policy(sample_library, "tidemarkbank.example")
    text = reading.text(sample_library, entry.current_version)
    sheet = evidence(sample_library, entry, ordinals=[40, 13, 40])
    assert [one.segment for one in sheet.exhibits] == [13, 40]
    assert [one.fragment for one in sheet.exhibits] == ["#s13", "#s40"]
    for one in evidence(sample_library, entry).exhibits:
        assert text[one.start : one.end] == one.quote
    assert len(evidence(sample_library, entry).exhibits) == len(reading.segments(sample_library, entry.current_version))
    assert evidence(sample_library, entry, ordinals=[]).exhibits == ()


def test_an_item_comes_with_what_introduces_it(sample_library):
    entry = reading.find_policy(sample_library, "tidemarkbank.example")
    items = [one for one in evidence(sample_library, entry).exhibits if one.lead_in]
    assert ("We therefore ask for:", "item") in {(one.lead_in, one.kind) for one in items}
    assert all(one.headings for one in items)


def test_the_hash_begins_with_the_librarys_own_name_of_the_page(sample_library):
    for policy_id in list(reading.policies(sample_library))[:5]:
        entry = reading.find_policy(sample_library, policy_id)
        sheet = evidence(sample_library, entry, ordinals=[0])
        assert sheet.page_sha256.startswith(entry.current.page_id)
        assert sheet.text_sha256.startswith(entry.current.text_id)


@pytest.mark.parametrize("ordinal", [-1, 1, 99])
def test_a_passage_that_is_not_there(library, entry, ordinal):
    with pytest.raises(NoSuchSegment, match=f"has no passage {ordinal}; its passages are 0 to 0"):
        evidence(library, entry, ordinals=[0, ordinal])
