from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
import zstandard

from smallprint import sample
from smallprint.errors import BadSource
from smallprint.library.directory import Imported, import_ranks, popularity, scaled
from smallprint.records import UNKNOWN_DOMAIN, DomainRank, Popularity
from smallprint.sources.ranks import LEAST_TO_FIT, read_ranks

COMMON_CRAWL = (
    "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts\n"
    "1\t3.1E7\t2\t2.0E-3\texample.shop\t4\n"
    "2\t2.9E7\t1\t1.0E-2\texample.co.news\t9\n"
    "3\t1.0E7\t3\t4.0E-9\texample.small\t1\n"
    "4\tnonsense\n"
    "5\t1.0E6\t9\t0\texample.zero\t1\n"
)


def read(path: Path) -> tuple[float, list[DomainRank]]:
    least, ranks = read_ranks(path)
    return least, list(ranks)


def table(path: Path, rows: list[dict[str, object]]) -> Path:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue())
    return path


@pytest.mark.parametrize("pack", [lambda raw: raw, gzip.compress, zstandard.compress])
@pytest.mark.parametrize("headed", [True, False])
def test_common_crawls_file(tmp_path, pack, headed):
    path = tmp_path / "ranks"
    path.write_bytes(pack((COMMON_CRAWL if headed else COMMON_CRAWL.partition("\n")[2]).encode()))
    assert read(path) == (
        4.0e-9,
        [
            DomainRank("shop.example", 2.0e-3, estimated=False),
            DomainRank("news.co.example", 1.0e-2, estimated=False),
            DomainRank("small.example", 4.0e-9, estimated=False),
        ],
    )


@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_table_of_measured_ranks(tmp_path, start):
    path = tmp_path / "ranks.csv"
    path.write_text(
        f"{start}domain,cc_pagerank\r\nA.example.,1e-5\r\nb.example,1e-8\r\n,1e-9\r\nc.example,\r\nd.example,x\r\n"
    )
    assert read(path) == (1e-8, [DomainRank("a.example", 1e-5, False), DomainRank("b.example", 1e-8, False)])


def test_what_has_only_a_rank_is_estimated_along_the_measured(tmp_path):
    measured = [
        {"domain": f"m{rank}.example", "cc_pagerank": 0.1 * rank**-1.5, "alexa2016_rank": rank}
        for rank in range(10, 10 + LEAST_TO_FIT)
    ]
    ranked = [{"domain": f"r{rank}.example", "alexa2016_rank": rank} for rank in (1, 100, 1_000_000)]
    least, ranks = read(table(tmp_path / "ranks.csv", [*measured, *ranked]))
    assert least == min(row["cc_pagerank"] for row in measured)
    assert [rank for rank in ranks if not rank.estimated] == [
        DomainRank(row["domain"], row["cc_pagerank"], estimated=False) for row in measured
    ]
    estimates = {rank.domain: rank.pagerank for rank in ranks if rank.estimated}
    assert estimates == {
        "r1.example": pytest.approx(0.1),
        "r100.example": pytest.approx(1e-4),
        "r1000000.example": pytest.approx(1e-10),
    }
    assert scaled(estimates["r1000000.example"], least) == 1.0  # below the least measured: the floor


def test_with_too_few_to_fit_pagerank_falls_as_the_rank_rises(tmp_path):
    rows = [{"domain": f"r{rank}.example", "rank": rank} for rank in (1, 5, 70, 900, 1_000_000, 10_000_000)]
    least, ranks = read(table(tmp_path / "ranks.csv", rows))
    values = [scaled(rank.pagerank, least) for rank in ranks]
    assert all(rank.estimated for rank in ranks)
    assert values == pytest.approx([8.0, 7.301, 6.155, 5.046, 2.0, 1.0], abs=0.001)


def test_a_country_list_more_makes_better_known(tmp_path):
    measured = [
        {"domain": f"m{n}.example", "cc_pagerank": 1e-8 * n**2, "crux202602_n_country_lists": n}
        for n in range(1, LEAST_TO_FIT + 1)
    ]
    counted = [{"domain": f"c{n}.example", "crux202602_n_country_lists": n} for n in (1, 30)]
    _, ranks = read(table(tmp_path / "ranks.csv", [*measured, *counted]))
    assert [rank.pagerank for rank in ranks if rank.estimated] == pytest.approx([1e-8, 9e-6])


def test_a_count_that_cannot_be_fitted_says_nothing(tmp_path):
    rows = [{"domain": "a.example", "cc_pagerank": 1e-5}, {"domain": "b.example", "crux202602_n_country_lists": 5}]
    path = table(tmp_path / "ranks.csv", rows)
    assert read(path) == (1e-5, [DomainRank("a.example", 1e-5, estimated=False)])


def test_several_signals_are_averaged_in_logarithms(tmp_path):
    rows = [{"domain": "a.example", "alexa2016_rank": 10, "top65k_2023_rank": 1000}]
    assert read(table(tmp_path / "ranks.csv", rows))[1] == [
        DomainRank("a.example", pytest.approx(1e-4), estimated=True)
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "has no column 'domain'"),
        (b"site,cc_pagerank\na.example,1\n", "has no column 'domain'"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "has no column 'domain'"),
        (b"domain,cc_pagerank\na.example,\n", "no domain in .* has a rank"),
        (b"domain,cc_pagerank\na.example,-1\nb.example,nan\nc.example,inf\n", "no domain in .* has a rank"),
        (b"#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n", "no domain in .* has a rank"),
        (b"domain,cc_pagerank\na.example,1\rb.example,1\n", "is not a CSV file"),
        (b"domain,cc_pagerank\n" + b"x" * 200_000 + b",1\n", "is not a CSV file"),
        (gzip.compress(b"domain,cc_pagerank\n" + b"a.example,1e-5\n" * 500)[:-20], "cannot be read to its end"),
        (gzip.compress(COMMON_CRAWL.encode() * 50)[:-20], "cannot be read to its end"),
    ],
)
def test_bad_files(tmp_path, content, says):
    path = tmp_path / "ranks.csv"
    path.write_bytes(content)
    with pytest.raises(BadSource, match=says):
        read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadSource, match="does not exist"):
        read_ranks(tmp_path / "none.csv")


# Into a library


def test_ranks_are_imported_with_their_least(library, tmp_path):
    path = tmp_path / "ranks.txt.gz"
    path.write_bytes(gzip.compress(COMMON_CRAWL.encode()))
    assert import_ranks(library, path) == Imported(domains=3, estimated=0, pr_min=4.0e-9)
    assert popularity(library, "small.example") == Popularity(1.0, estimated=False)
    assert popularity(library, "news.co.example").value == pytest.approx(7.398, abs=0.001)
    assert popularity(library, "nobody.example") == UNKNOWN_DOMAIN


def test_a_file_that_ends_too_early_leaves_what_was_known(library, tmp_path):
    path = tmp_path / "ranks.txt.gz"
    path.write_bytes(gzip.compress(COMMON_CRAWL.encode()))
    import_ranks(library, path)
    path.write_bytes(gzip.compress(COMMON_CRAWL.encode() * 50)[:-20])
    with pytest.raises(BadSource):
        import_ranks(library, path)
    assert popularity(library, "small.example") == Popularity(1.0, estimated=False)


def test_the_samples_popularity(library):
    imported = import_ranks(library, Path(str(sample.POPULARITY)))
    rows = list(csv.DictReader(sample.POPULARITY.read_text(encoding="utf-8").splitlines()))
    assert imported.pr_min == min(float(row["cc_pagerank"]) for row in rows if row["cc_pagerank"])
    for row in rows:
        known = popularity(library, row["domain"])
        assert known.value >= 1.0
        assert known.estimated == (not row["cc_pagerank"])
    ranked = sorted((row for row in rows if not row["cc_pagerank"]), key=lambda row: int(row["alexa2016_rank"]))
    values = [popularity(library, row["domain"]).value for row in ranked]
    assert values == sorted(values, reverse=True)
