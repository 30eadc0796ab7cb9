"""What the embedded engine alone has: files, the field that the product is computed with, writers that are killed."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from smallprint.errors import BadIndex
from smallprint.index import embedded
from smallprint.index.embedded import EmbeddedEngine, prior_field
from smallprint.index.engine import Count
from smallprint.index.tree import Query, Ranking

from .contract.test_contract import COOKIES, ids, made_up, product
from .making import entry


@pytest.fixture
def engine(tmp_path):
    return EmbeddedEngine(tmp_path / "index", create=True)


def test_a_killed_writer_leaves_the_last_good_index(engine, tmp_path):
    engine.update([entry("a")], [])
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path\n"
        "from smallprint.index.embedded import EmbeddedEngine\n"
        "from making import entry\n"
        "def entries():\n"
        "    for number in range(200):\n"
        "        yield entry(f'n{number}', 'we collect cookies ' * 200)\n"
        "    os.kill(os.getpid(), 9)\n"
        "EmbeddedEngine(Path(sys.argv[1])).update(entries(), ['a'])\n"
    )
    here = str(__import__("pathlib").Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "index"), here])
    assert done.returncode == -9
    again = EmbeddedEngine(tmp_path / "index")
    assert ids(again, COOKIES) == ["a"]
    again.update([entry("b")], [])
    assert sorted(ids(again, COOKIES)) == ["a", "b"]


def test_no_index_is_one_clear_line(tmp_path):
    with pytest.raises(BadIndex, match="smallprint index"):
        EmbeddedEngine(tmp_path / "none")


def test_the_naive_weight_would_not_be_the_product(engine, monkeypatch):
    monkeypatch.setattr(embedded, "prior_field", lambda p, popularity: p * popularity)
    engine.update(made_up(400), [])
    exact = sorted(product(engine, COOKIES).items(), key=lambda pair: -pair[1])[:50]
    found = ids(engine, COOKIES, Ranking.CUSTOM, fold=False)
    assert found != [name for name, _ in exact]


def test_priors_beyond_what_can_be_held():
    assert prior_field(0.5, 1.0) == pytest.approx(2**5 - 2)
    assert prior_field(0.01, 1.0) == prior_field(0.1, 1.0) == 0.0
    with pytest.raises(BadIndex):
        prior_field(1.0, 13.0)


def test_what_was_counted_is_of_the_commit_it_was_counted_over(engine, tmp_path):
    engine.update([entry("a")], [])
    writer = EmbeddedEngine(tmp_path / "index")
    totals = Count(Query(), ("sector",))

    def look(number):
        if not number % 10:
            writer.update([entry(f"n{number}")], [])
        (tally,), (count,) = engine.tallies([totals]), engine.counts([Query()])
        return tally.groups <= count  # counted later, and policies only come in

    with ThreadPoolExecutor(1) as own:
        assert all(own.map(look, range(50)))
    assert engine.tallies([totals])[0].values == {"sector": {"medical": 6}}
    assert ids(engine, COOKIES, Ranking.CUSTOM) == ids(writer, COOKIES, Ranking.CUSTOM)
