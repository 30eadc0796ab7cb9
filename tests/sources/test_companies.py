from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
import zstandard

from smallprint import sample
from smallprint.errors import BadSource
from smallprint.records import Company
from smallprint.sources.companies import Companies, Listed, best_by_domain

OLD = """\
,name,domain,year founded,industry,size range,locality,country,linkedin url,current employee estimate,total employee estimate
7,tidemark bank,www.tidemarkbank.example,1972,banking,1001 - 5000,"port aldous, oregon",utopia,l/tide,1200,3000
8,harbourlight clinics,harbourlight.co.uk,,medical practice,11 - 50,,,l/harbour,,
"""  # noqa: E501
NEW = """\
country,founded,id,industry,linkedin_url,locality,name,region,size,website
utopia,1972,tidemark,banking,l/tide,port aldous,tidemark bank,oregon,1001-5000,tidemarkbank.example
,,harbour,medical practice,l/harbour,,harbourlight clinics,,11-50,https://harbourlight.co.uk/
"""
HARBOUR = Company("harbourlight.co.uk", "harbourlight clinics", "medical practice")
TIDEMARK = Company("tidemarkbank.example", "tidemark bank", "banking", 1972, "1001 - 5000", "utopia")


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def with_size(company: Company, size: str) -> Company:
    return Company(company.domain, company.name, company.industry, company.founded, size, company.country)


def test_the_layout_of_2019(tmp_path):
    assert list(Companies(written(tmp_path / "c.csv", OLD))) == [
        Listed(TIDEMARK, 1200),
        Listed(with_size(HARBOUR, "11 - 50"), 11),
    ]


def test_the_layout_of_today(tmp_path):
    assert list(Companies(written(tmp_path / "c.csv", NEW))) == [
        Listed(with_size(TIDEMARK, "1001-5000"), 1001),
        Listed(with_size(HARBOUR, "11-50"), 11),
    ]


def test_json_lines(tmp_path):
    rows = [dict(row) for row in csv.DictReader(NEW.splitlines())]
    rows[0]["founded"] = 1972
    rows[1]["founded"] = None
    content = "".join(json.dumps(row) + "\n" for row in rows)
    assert list(Companies(written(tmp_path / "c.jsonl", content))) == list(Companies(written(tmp_path / "c.csv", NEW)))


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, lambda content: b"\xef\xbb\xbf" + content])
def test_compressed_and_marked_files(tmp_path, pack):
    path = written(tmp_path / "c", pack(OLD.encode()))
    assert [one.company.name for one in Companies(path)] == ["tidemark bank", "harbourlight clinics"]


def test_rows_without_a_usable_domain_are_passed_over_and_counted(tmp_path):
    sites = [
        "",
        "nonsense",
        "two words.example",
        "http://[",
        "127.0.0.1",
        "a..example",
        "x" * 300 + "…",
        "good.example",
    ]
    content = "name,domain,industry\n" + "".join(f"n,{site},retail\n" for site in sites) + "short\n\n"
    companies = Companies(written(tmp_path / "c.csv", content))
    assert [one.company.domain for one in companies] == ["good.example"]
    assert companies.passed_over == 8
    assert len(list(companies)) == 1
    assert companies.passed_over == 8


def test_what_is_missing_or_odd_is_left_out(tmp_path):
    content = "website,industry,name,founded,size\na.example,,,12345,\nb.example, Retail ,\tB  and  sons ,1911.0,x\n"
    assert [one.company for one in Companies(written(tmp_path / "c.csv", content))] == [
        Company("a.example", "a.example"),
        Company("b.example", "B and sons", "Retail", 1911, "x"),
    ]


def test_the_choice_among_claimants_does_not_depend_on_order(tmp_path):
    head = "name,domain,industry,current employee estimate\n"
    rows = ["shop of a,a.example,retail,5\n", "a,a.example,banking,900\n", "b,a.example,music,900\n", "c,c.example,,\n"]
    for order in (rows, rows[::-1], rows[2:] + rows[:2]):
        best = best_by_domain(Companies(written(tmp_path / "c.csv", head + "".join(order))), {"a.example"}.__contains__)
        assert best == {"a.example": Company("a.example", "a", "banking")}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no column 'domain' or 'website'"),
        ("name,industry\na,b\n", "no column 'domain' or 'website'"),
        ("name,domain\na,b\n", "no column 'industry'"),
        ("domain,industry\na,b\n", "no column 'name'"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "no column 'domain' or 'website'"),
        ("name,domain,industry\na,b\rc,d\n", "is not a CSV file"),
        ("name,domain,industry\n" + "x" * 200_000 + ",a.example,b\n", "is not a CSV file"),
        ('{"name": "a", "industry": "b"}\n', "no column 'domain' or 'website'"),
        ('{"name": "a", "industry": "b", "website": "a.example"}\n[1]\n', "line 2 of .* is not a JSON object"),
        ("{" * 100_000, "is not a JSON object"),
        (gzip.compress(OLD.encode() * 500)[:-20], "cannot be read to its end"),
    ],
)
def test_bad_files(tmp_path, content, says):
    path = written(tmp_path / "c.csv", content)
    with pytest.raises(BadSource, match=says) as error:
        list(Companies(path))
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadSource, match="does not exist"):
        list(Companies(tmp_path / "none.csv"))


def test_the_samples_companies():
    path = Path(str(sample.COMPANIES))
    companies = Companies(path)
    found = {one.company.domain: one.company for one in companies}
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert companies.passed_over == 0
    assert [(row["domain"], row["name"], row["industry"]) for row in rows] == [
        (one.domain, one.name, one.industry) for one in found.values()
    ]
    assert found["tidemarkbank.example"].founded == 1972


@pytest.mark.real_data("corpus/companies.csv")
def test_the_real_list(data_dir):
    companies = Companies(data_dir / "corpus" / "companies.csv")
    best = best_by_domain(companies, lambda _: True)
    assert (len(best), companies.passed_over) == (18_745, 2_229)
    assert (best["ibm.com"].founded, best["ibm.com"].industry) == (1911, "information technology and services")
