from __future__ import annotations

import json

import pytest

pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.train.era.bench import COUNTS, SMALL, Bench, StepResult, hash_of


class Maker:
    """Makes a step's result, and notes what it found in its folder; stops the first so many times."""

    def __init__(self, stops: int = 0) -> None:
        self.stops, self.found = stops, []

    def __call__(self, folder):
        self.found.append(sorted(path.name for path in folder.iterdir()))
        (folder / "half.txt").write_text("half")
        (folder / "x.checkpoint").write_text("state")
        if len(self.found) <= self.stops:
            raise KeyboardInterrupt
        return {"made": len(self.found)}


def bench_at(folder, say=lambda line: None):
    return Bench(folder / "data", folder, say, SMALL, 1)


def test_a_step_is_made_once(tmp_path):
    make, lines = Maker(), []
    first = bench_at(tmp_path, lines.append).step("a/b", {"k": 1}, (), make)
    again = bench_at(tmp_path, lines.append).step("a/b", {"k": 1}, (), make)
    assert first == again == StepResult(tmp_path / "a" / "b", first.version, {"made": 1})
    assert len(make.found) == 1
    assert sorted(path.name for path in first.folder.iterdir()) == [COUNTS, "half.txt"]
    told = json.loads((first.folder / COUNTS).read_text())
    assert (told["step"], told["options"], told["counts"]) == ("a/b", {"k": 1}, {"made": 1})


def test_other_options_or_another_ground_make_it_anew(tmp_path):
    work, make = bench_at(tmp_path), Maker()
    ground = StepResult(tmp_path, "v1", {})
    versions = {
        work.step("a", {"k": 1}, (ground,), make).version,
        work.step("a", {"k": 2}, (ground,), make).version,
        work.step("a", {"k": 2}, (StepResult(tmp_path, "v2", {}),), make).version,
    }
    assert len(versions) == 3
    assert make.found == [["begun.json"]] * 3  # nothing of the other ones is gone on with


def test_a_stopped_step_goes_on_with_what_is_there(tmp_path):
    work, make = bench_at(tmp_path), Maker(stops=1)
    with pytest.raises(KeyboardInterrupt):
        work.step("a", {}, (), make)
    assert not (tmp_path / "a").exists()
    made = work.step("a", {}, (), make)
    assert make.found[1] == ["begun.json", "half.txt", "x.checkpoint"]
    assert made.counts == {"made": 2}


def test_what_was_begun_with_other_options_is_thrown_away(tmp_path):
    work, make = bench_at(tmp_path), Maker(stops=1)
    with pytest.raises(KeyboardInterrupt):
        work.step("a", {"k": 1}, (), make)
    work.step("a", {"k": 2}, (), make)
    assert make.found[1] == ["begun.json"]


def test_a_step_stopped_when_all_was_done_is_not_made_again(tmp_path):
    work, make = bench_at(tmp_path), Maker()
    made = work.step("a", {}, (), make)
    made.folder.rename(tmp_path / "a.begun")
    assert work.step("a", {}, (), make) == made
    assert len(make.found) == 1


def test_the_time_of_all_sittings_is_added_up(tmp_path):
    work, make = bench_at(tmp_path), Maker(stops=1)
    with pytest.raises(KeyboardInterrupt):
        work.step("a", {}, (), make)
    begun = tmp_path / "a.begun" / "begun.json"
    begun.write_text(json.dumps(json.loads(begun.read_text()) | {"seconds": 100.0}))
    work.step("a", {}, (), make)
    assert json.loads((work.folder / "a" / COUNTS).read_text())["seconds"] >= 100.0


def test_a_hash_tells_files_apart(tmp_path):
    one = tmp_path / "one"
    missing = hash_of(one)
    one.write_text("1")
    first = hash_of(one)
    one.write_text("2")
    assert len({missing, first, hash_of(one)}) == 3
