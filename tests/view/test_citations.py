from __future__ import annotations

import pytest

from smallprint.errors import NoSuchVersion
from smallprint.library import reading
from smallprint.library.writing import save
from smallprint.view.revisions import cited_version, in_words

from ..library.making import capture, read_again

URL = "https://one.example/privacy"
OLD, LATER = capture(URL, "We keep data.", "2021-05-01"), capture(URL, "We sell data.", "2023-02-10")


@pytest.fixture
def again(library):
    with library.transaction() as db:
        save(db, [OLD, LATER])
    return read_again(library, OLD, "We keep your data.")


def cite(library, wanted: str | None = None):
    return cited_version(library, reading.find_policy(library, URL), wanted)


def test_a_replaced_version_is_cited_as_it_was(library, again):
    cited = cite(library, OLD.version_id)
    assert cited.successor is not None
    assert (cited.version.version_id, cited.successor.version_id) == (OLD.version_id, again.version_id)
    assert (cited.version.text_id, cited.version.page_id, cited.version.words) == (OLD.text_id, OLD.page_id, 3)
    assert (cited.version.first_seen, cited.version.last_seen) == ("2021-05-01", "2021-05-01")
    assert in_words(cited) == (
        "This text was extracted by an earlier version of Smallprint. "
        f"Today the same page is read as {again.version_id}."
    )


@pytest.mark.parametrize("wanted", [None, "2024", LATER.version_id])
def test_what_was_not_replaced_is_cited_as_it_is(library, again, wanted):
    cited = cite(library, wanted)
    assert (cited.version.version_id, cited.successor, in_words(cited)) == (LATER.version_id, None, "")


def test_a_date_means_what_the_page_reads_as_today(library, again):
    cited = cite(library, "2021")
    assert (cited.version.version_id, cited.successor) == (again.version_id, None)


def test_a_version_that_never_was(library, again):
    with pytest.raises(NoSuchVersion, match="has no version 'ffff'"):
        cite(library, "ffff")
