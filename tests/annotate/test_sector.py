from __future__ import annotations

import time

import numpy as np
import pytest

from smallprint import sample
from smallprint.annotate.sector import guess, industries, sector_of
from smallprint.clean.cleaning import clean
from smallprint.models.sector import GUESSED, body_counts, model, name_vector
from smallprint.records import Capture, SectorGuess
from smallprint.sectors import SECTORS, sector
from smallprint.settings import Settings
from smallprint.text import word_hashes

POLICY = (
    "This privacy policy tells you how we use the information that you give to us when you visit our site. "
    "We may share it with the people who work for us, and we keep it for as long as the law asks us to. "
)
CLINIC = POLICY * 3 + (
    "Our hospital and its physicians treat patients. Your doctor keeps your medical records and health information. "
    "Our clinics, nurses and pharmacies use it for your care, treatment and surgery. Patients may see their records. "
) * 4  # fmt: skip
COLLEGE = POLICY * 3 + (
    "The university keeps the records of students, alumni and faculty. Admissions, campus libraries, the registrar and "
    "the graduate school use them for courses, degrees and research. Students may see their records at the college. "
) * 4  # fmt: skip


# Industries


def test_every_industry_has_a_sector():
    table = industries()
    assert len(table) == 148
    assert set(table.values()) == {one.id for one in SECTORS} - {"unknown"}
    assert sector_of("non-profit organization management") == sector_of("nonprofit organization management")


@pytest.mark.real_data("corpus/industries.txt")
def test_the_lists_own_industries(data_dir):
    names = (data_dir / "corpus" / "industries.txt").read_text(encoding="utf-8").split("\n")
    assert {name for name in names if name} == set(industries())


@pytest.mark.parametrize(
    ("industry", "expected"),
    [
        ("banking", "finance"),
        ("  Banking ", "finance"),
        ("HOSPITAL  &\tHEALTH CARE", "medical"),
        ("airlines/aviation", "travel"),
        ("aviation & aerospace", "engineering"),
        ("alchemy", None),
        ("", None),
        ("  ", None),
        (None, None),
    ],
)
def test_industries_are_found_whatever_their_case_and_blanks(industry, expected):
    assert sector_of(industry) == expected


# Guesses


def test_a_clinic_and_a_college():
    assert guess(CLINIC, "Privacy Notice | St Elswyth Hospital", "https://stelswythhospital.org/privacy").sector == (
        "medical"
    )
    assert guess(COLLEGE, "Privacy statement", "https://www.tarrow.edu/privacy").sector == "education"


def test_a_policy_that_says_nothing_of_its_trade_is_unknown():
    found = guess(POLICY * 5, "Privacy Policy", "https://qx.example/privacy")
    assert found.sector == "unknown"
    assert 0 < found.probability < model().threshold


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "1234567890 " * 500,
        "a" * 100_000,
        "€ø☃ " * 25_000,
        "Das Krankenhaus erhebt personenbezogene Daten von Patienten, die es besuchen. " * 40,
        "Nous recueillons les données personnelles des étudiants de notre université. " * 40,
        "当社は、お客様の個人情報を適切に取り扱います。" * 200,
        "\ud800\udfff" * 300,
        "hospital " * 11_000,
        "we",
    ],
)
def test_no_confident_nonsense(text):
    assert guess(text, "University Hospital", "https://university.edu/privacy") == SectorGuess("unknown", 0.0)


@pytest.mark.parametrize("url", ["", "file:notes.txt", "urn:x:y", "http://[", "127.0.0.1", "localhost", "x" * 5000])
def test_odd_addresses_do_no_harm(url):
    found = guess(CLINIC, "", url)
    assert found.sector in {*GUESSED, "unknown"}
    assert 0 < found.probability <= 1


def test_the_same_site_in_any_spelling():
    spellings = ["tarrow.edu", "http://tarrow.edu", "HTTPS://www.Tarrow.edu:443/privacy?x=1"]
    assert len({guess(COLLEGE, "", url) for url in spellings}) == 1


def test_what_is_looked_at():
    vector = name_vector("https://www.tarrowbank.co.uk/privacy", "Privacy Policy")
    plain = name_vector("tarrowbank.co.uk", "")
    assert np.array_equal(vector.places, plain.places)
    assert np.array_equal(vector.values, plain.values)
    letters = sum(len("^tarrowbank$") - width + 1 for width in (3, 4, 5))
    assert len(plain.places) == letters + 2
    assert len(name_vector("tarrowbank.co.uk", "Privacy Policy of Tarrow Savings").places) == letters + 4
    assert len(name_vector("", "").places) == 0
    counts = body_counts(word_hashes("one two two"))
    assert sorted(counts.values) == pytest.approx([1.0, 1 + np.log(2)])


def test_the_sample_is_seldom_wrong():
    right = said = 0
    for page, truth in zip(sample.pages(), sample.truths(), strict=True):
        found = clean(page, Settings()) if truth.outcome == "kept" and truth.sector else None
        if isinstance(found, Capture):
            guessed = guess(found.page_text, found.title, found.url)
            said += guessed.sector != "unknown"
            right += guessed.sector == sector(truth.sector).id
    assert right >= 0.7 * said > 10


def test_a_guess_takes_less_than_three_milliseconds():
    guess(CLINIC, "", "a.example")
    text = CLINIC * 12  # some 20,000 characters: a long policy
    taken = []
    for _ in range(20):
        start = time.thread_time()
        guess(text, "Privacy", "https://stelswyth.org")
        taken.append(time.thread_time() - start)
    assert min(taken) < 0.003
