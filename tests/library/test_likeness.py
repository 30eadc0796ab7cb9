from __future__ import annotations

import random
from itertools import permutations

import pytest

from smallprint.library import Library, reading
from smallprint.library.directory import replace_popularity
from smallprint.library.likeness import Settled, settle
from smallprint.library.writing import save
from smallprint.records import DomainRank, Reason, Rejection

from .making import capture, changed, prose

A = prose(1)
B = changed(A, 40, 140, 240)  # 0.93 like A
C = changed(B, 90, 190, 290)  # 0.93 like B, 0.86 like A


def address(name: str) -> str:
    return f"https://{name}.example/privacy"


def store(library: Library, **texts: str) -> None:
    with library.transaction() as db:
        save(db, [capture(address(name), text) for name, text in texts.items()])


def name_of(policy_id: str | None) -> str | None:
    return policy_id and policy_id.partition(".")[0]


def copies(library: Library) -> dict[str, str]:
    rows = library.db.execute("SELECT policy_id, copy_of FROM policies WHERE copy_of IS NOT NULL")
    return {name_of(row[0]): name_of(row[1]) for row in rows}


def folds(library: Library) -> dict[str, str]:
    rows = library.db.execute("SELECT policy_id, folded_under FROM policies WHERE folded_under IS NOT NULL")
    return {name_of(row[0]): name_of(row[1]) for row in rows}


# Exact copies


def test_the_best_known_of_copies_is_kept(library):
    store(library, a=A, b=A, c=A, other=prose(9))
    replace_popularity(
        library, [DomainRank("c.example", 1e-5, estimated=False), DomainRank("b.example", 1e-7, estimated=True)], 1e-9
    )
    assert settle(library, 0.9) == Settled(copies=2, groups=0, folded=0)
    assert copies(library) == {"a": "c", "b": "c"}


def test_of_copies_as_well_known_the_one_seen_last_is_kept(library):
    with library.transaction() as db:
        save(db, [capture(address(name), A, at) for name, at in (("a", "2022"), ("b", "2024"), ("c", "2023"))])
    settle(library, 0.9)
    assert copies(library) == {"a": "b", "c": "b"}


def test_of_copies_seen_on_one_day_the_first_by_name_is_kept(library):
    store(library, c=A, b=A, a=A)
    settle(library, 0.9)
    assert copies(library) == {"b": "a", "c": "a"}


def test_popularity_imported_later_chooses_anew(library):
    store(library, a=A, b=A)
    settle(library, 0.9)
    assert copies(library) == {"b": "a"}
    replace_popularity(library, [DomainRank("b.example", 1e-6, estimated=False)], 1e-8)
    settle(library, 0.9)
    assert copies(library) == {"a": "b"}
    replace_popularity(library, [DomainRank("a.example", 1e-6, estimated=False)], 1e-8)
    settle(library, 0.9)
    assert copies(library) == {"b": "a"}


def test_a_copy_whose_text_changes_comes_back(library):
    store(library, a=A, b=A)
    settle(library, 0.9)
    assert list(reading.policies(library)) == [reading.find_policy(library, address("a")).policy_id]
    with library.transaction() as db:
        save(db, [capture(address("b"), prose(7), "2025")])
    assert settle(library, 0.9) == Settled(0, 0, 0)
    assert [name_of(policy) for policy in reading.policies(library)] == ["a", "b"]


def test_copies_are_among_the_rejections(library):
    store(library, a=A, b=A)
    with library.transaction() as db:
        save(db, [Rejection("https://x.example/", Reason.TOO_SHORT, "3 words", "test", "2024")])
    settle(library, 0.9)
    kept = reading.find_policy(library, address("a")).policy_id
    copy = Rejection(address("b"), Reason.COPY, f"same text as {kept}", "test", "2024-01-01")
    short = Rejection("https://x.example/", Reason.TOO_SHORT, "3 words", "test", "2024")
    assert reading.rejection_counts(library) == {"too short": 1, "exact duplicate": 1}
    assert list(reading.rejections(library)) == [copy, short]
    assert list(reading.rejections(library, Reason.COPY)) == [copy]
    assert list(reading.rejections(library, Reason.TOO_SHORT)) == [short]
    assert list(reading.rejections(library, Reason.MOVED)) == []
    assert list(reading.rejections(library, limit=1)) == [copy]
    assert reading.status(library).policies == 1


# Near-duplicates


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_a_chain_is_one_group(library, order):
    texts = {"a": A, "b": B, "c": C}
    for name in order:
        store(library, **{name: texts[name]})
        settle(library, 0.9)
    assert settle(library, 0.9) == Settled(copies=0, groups=1, folded=2)
    assert folds(library) == {"b": "a", "c": "a"}
    assert reading.duplicates(library, reading.find_policy(library, address("a")).policy_id) == tuple(
        reading.find_policy(library, address(name)).policy_id for name in "bc"
    )
    assert reading.status(library).policies == 3


def test_what_the_likeness_is_was_counted_exactly(library):
    store(library, a=A, b=B)
    settle(library, 0.9)
    (found,) = library.db.execute("SELECT jaccard FROM alike").fetchall()
    # 400 words have 396 shingles; each of 3 changed words changes 5.
    assert found[0] == (396 - 15) / (396 + 15)


def test_the_links_of_a_chain_may_be_taken_out_by_another_threshold(library):
    store(library, a=A, b=B, c=C, d=changed(A, 7))
    assert settle(library, 0.9) == Settled(0, 1, 3)
    assert settle(library, 0.95) == Settled(0, 1, 1)
    assert folds(library) == {"d": "a"}
    assert settle(library, 0.999) == Settled(0, 0, 0)
    assert settle(library, 0.9) == Settled(0, 1, 3)


def test_the_best_known_stands_for_a_group(library):
    store(library, a=A, b=B, c=C)
    replace_popularity(library, [DomainRank("c.example", 1e-5, estimated=False)], 1e-9)
    settle(library, 0.9)
    assert folds(library) == {"a": "c", "b": "c"}


def test_copies_fold_with_the_policy_they_copy(library):
    store(library, a=A, b=A, c=B)
    assert settle(library, 0.9) == Settled(copies=1, groups=1, folded=1)
    assert (copies(library), folds(library)) == ({"b": "a"}, {"c": "a"})


def test_only_current_texts_are_folded(library):
    store(library, a=A, b=B)
    with library.transaction() as db:
        save(db, [capture(address("b"), prose(5), "2025")])
    assert settle(library, 0.9) == Settled(0, 0, 0)


def test_a_text_without_words_is_like_nothing(library):
    store(library, a="…", b="—")
    assert settle(library, 0.9) == Settled(0, 0, 0)


def test_settling_is_told_of_as_it_goes(library, monkeypatch):
    monkeypatch.setattr("smallprint.library.likeness.BATCH", 2)
    store(library, a=A, b=B, c=C)
    ticks: list[tuple[int, int]] = []
    settle(library, 0.9, lambda done, total: ticks.append((done, total)))
    settle(library, 0.9, lambda done, total: ticks.append((done, total)))  # nothing is new
    assert ticks == [(2, 3), (3, 3)]


def test_many_families_are_told_apart(library):
    chance = random.Random(5)
    texts = {}
    for family in range(10):
        base = prose(100 + family)
        for member in range(4):
            texts[f"f{family}m{member}"] = changed(base, *(chance.randrange(400) for _ in range(member and 2)))
    store(library, **texts)
    assert settle(library, 0.9) == Settled(copies=0, groups=10, folded=30)
    assert folds(library) == {name: f"{name[:2]}m0" for name in texts if not name.endswith("m0")}
