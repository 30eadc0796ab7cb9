"""A library or an index that is damaged anywhere is told of in one line: no command ends in something unexpected."""

from __future__ import annotations

import random
import shutil

import pytest

from smallprint.errors import BadIndex
from smallprint.index.embedded import FORMAT
from smallprint.index.engine import Count
from smallprint.index.opening import index_folder, open_engine
from smallprint.index.ordering import find
from smallprint.index.tree import Query, Ranking, Words
from smallprint.settings import Settings

COMMANDS = [
    ("status",), ("statistics",), ("search", "cookies"), ("show", "tidemarkbank.example", "--says"),
    ("diff", "tidemarkbank.example"), ("rejections",), ("index",), ("check",),
]  # fmt: skip
PAGE = 4096
FEW, MANY = 4, 150
nightly = pytest.mark.nightly


@pytest.fixture
def copied(copy_sample, tmp_path):
    return copy_sample(tmp_path)


def flip_anywhere(content: bytearray, chance: random.Random) -> bytearray:
    for _ in range(chance.choice([1, 5, 50])):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return content


def flip_in_a_tree(content: bytearray, chance: random.Random) -> bytearray:
    """Flip bits where a page of the database says what it holds."""
    page = chance.randrange(len(content) // PAGE)
    for _ in range(3):
        content[page * PAGE + chance.randrange(200)] ^= 1 << chance.randrange(8)
    return content


def flip_in_the_header(content: bytearray, chance: random.Random) -> bytearray:
    content[chance.randrange(100)] ^= 1 << chance.randrange(8)
    return content


def cut_off(content: bytearray, chance: random.Random) -> bytearray:
    return content[: chance.randrange(1, len(content))]


def overwrite_a_page(content: bytearray, chance: random.Random) -> bytearray:
    page = chance.randrange(len(content) // PAGE)
    content[page * PAGE : (page + 1) * PAGE] = chance.randbytes(PAGE)
    return content


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=nightly)])
@pytest.mark.parametrize("damage", [flip_anywhere, flip_in_a_tree, flip_in_the_header, cut_off, overwrite_a_page])
def test_a_damaged_library_ends_no_command_unexpectedly(run, copied, damage, count):
    whole, chance = copied.read_bytes(), random.Random(22)
    for _ in range(count):
        copied.write_bytes(damage(bytearray(whole), chance))
        for suffix in ("-wal", "-shm"):
            copied.with_name(copied.name + suffix).unlink(missing_ok=True)
        for command in COMMANDS:
            done = run(*command, "--library", copied)
            assert "unexpected" not in done.err, command
            assert done.code == 0 or (done.code, done.err.count("\n")) in {(1, 0), (1, 1)}, (command, done.err)


@pytest.mark.parametrize("count", [30, pytest.param(600, marks=nightly)])
def test_a_damaged_index_is_a_bad_index(annotated_sample, tmp_path, count, capfd):
    chance, folder = random.Random(23), tmp_path / "library.db.index"
    query = Query(Words("text", ("cookies",)))
    refusals = 0
    for _ in range(count):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(f"{annotated_sample}.index", folder)
        own = index_folder(tmp_path / "library.db", "policy") / FORMAT
        file = chance.choice(sorted(one for one in own.iterdir() if one.suffix != ".lock"))
        content = bytearray(file.read_bytes())
        how = chance.choice(["remove", "cut off", "flip", "flip", "flip"])
        if how == "remove":
            file.unlink()
        elif how == "cut off":
            file.write_bytes(content[: chance.randrange(len(content))])
        else:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            file.write_bytes(content)
        try:
            engine = open_engine(Settings(library=tmp_path / "library.db"))
            engine.stamps()
            find(engine, query, Ranking.CUSTOM, 10)
            engine.tallies([Count(query, ("sector", "mention"))])
            engine.explain(query, "tidemarkbank.example-b32cf374")
            engine.update([], ["tidemarkbank.example-b32cf374"])
        except BadIndex as error:
            refusals += 1
            assert "'smallprint index" in str(error)  # noqa: PT017 - a flip may also change nothing that is read
    assert refusals > count // 10
    capfd.readouterr()  # the engine says on standard error where it stumbled
