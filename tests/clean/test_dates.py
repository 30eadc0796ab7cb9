from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.clean.dates import effective_on, updated_on


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("2018-05-25", "2018-05-25"),
        ("2018/05/25", "2018-05-25"),
        ("2018.5.25", "2018-05-25"),
        ("2018-05-25T10:00:00Z", "2018-05-25"),
        ("May 25, 2018", "2018-05-25"),
        ("May 25,2018", "2018-05-25"),
        ("May 25 2018", "2018-05-25"),
        ("MAY 25TH, 2018", "2018-05-25"),
        ("may 5 , 2018", "2018-05-05"),
        ("Sept. 3, 2019", "2019-09-03"),
        ("Sep 3rd 2019", "2019-09-03"),
        ("25 May 2018", "2018-05-25"),
        ("25th of May, 2018", "2018-05-25"),
        ("25-May-2018", "2018-05-25"),
        ("1 June, 2020", "2020-06-01"),
        ("Monday, 5 March 2018", "2018-03-05"),
        ("the 2nd\nof February 2021", "2021-02-02"),
        ("May 2018", "2018-05"),
        ("December, 1999", "1999-12"),
        ("05/25/2018", "2018-05-25"),
        ("25/05/2018", "2018-05-25"),
        ("25.05.2018", "2018-05-25"),
        ("3/4/2020", "2020-03-04"),
        ("12-31-99", "1999-12-31"),
        ("1/2/21", "2021-01-02"),
        ("29 February 2020", "2020-02-29"),
        ("29 February 2021", None),
        ("31/02/2020", None),
        ("32 May 2018", None),
        ("2020-13-45", None),
        ("0/0/2020", None),
        ("13/13/2020", None),
        ("May 25", None),
        ("dismay 5, 2018", None),
        ("May 1835", None),
        ("version 12", None),
    ],
)
def test_formats(stated, expected):
    assert updated_on(f"Privacy policy. Last updated: {stated}. We care.") == expected
    assert effective_on(f"Privacy policy. Effective date: {stated}. We care.") == expected


@pytest.mark.parametrize(
    "words",
    [
        "Effective date:",
        "Effective as of",
        "effective on",
        "EFFECTIVE FROM",
        "Effective:",
        "Effective",
        "Effective the",
        "This policy is effective",
        "This policy becomes effective on",
        "It came into force on",
        "It comes into effect on",
        "This policy is in effect as of",
        "Effective since",
        "Effective beginning",
    ],
)
def test_words_that_announce_when_it_holds(words):
    assert (effective_on(f"{words} 25 May 2018"), updated_on(f"{words} 25 May 2018")) == ("2018-05-25", None)


@pytest.mark.parametrize(
    "words",
    [
        "Last updated",
        "LAST UPDATE:",
        "Last revised on",
        "Latest revision:",
        "Most recently amended",
        "Last modified:",
        "Updated:",
        "Updated on",
        "Revised as of",
        "This policy was amended in",
        "Date of last revision:",
        "Revision date",
        "Version dated",
        "This policy was last reviewed on the",
    ],
)
def test_words_that_announce_when_it_was_changed(words):
    assert (effective_on(f"{words} 25 May 2018"), updated_on(f"{words} 25 May 2018")) == (None, "2018-05-25")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "25 May 2018",
        "We were founded in May 2018.",
        "An effective system has been in place since we opened it in March 2011.",
        "No waiver will be effective" + " unless it is in writing and signed by both of us" * 2 + " 25 May 2018",
        "Our effectiveness grew. 25 May 2018",
        "Last updated by our lawyers, who took a great deal of time over every word, 25 May 2018",
        "We will post an updated policy. 25 May 2018",
    ],
)
def test_dates_of_other_things(text):
    assert (effective_on(text), updated_on(text)) == (None, None)


def test_both_dates():
    text = "Effective Date: January 1, 2020\nLast Updated: March 3, 2021"
    assert (effective_on(text), updated_on(text)) == ("2020-01-01", "2021-03-03")


def test_the_first_date_that_exists_is_taken():
    assert (
        updated_on("Last updated 31/02/2020" + "." * 60 + "Last updated 3 May 2019. Last updated 4 May 2018")
        == "2019-05-03"
    )


@settings(deadline=None)
@given(st.dates(min_value=date(1970, 1, 1), max_value=date(2069, 12, 31)))
def test_every_date_is_read_in_every_format(day):
    for pattern in ("%Y-%m-%d", "%B %d, %Y", "%d %b %Y", "%m/%d/%Y", "%m/%d/%y", "%d-%b-%Y"):
        assert updated_on(f"Last updated: {day.strftime(pattern)}") == day.isoformat()


@settings(deadline=None)
@given(st.text(alphabet="0123456789/.-, May", max_size=30))
def test_whatever_is_read_is_a_date(text):
    found = updated_on(f"Last updated {text}")
    assert found is None or re.fullmatch(r"\d{4}-(0\d|1[0-2])(-[0-3]\d)?", found)
