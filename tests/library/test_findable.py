from __future__ import annotations

from smallprint.index.fields import sites
from smallprint.index.opening import WHICH, delete_indexes, index_folder, open_engine
from smallprint.index.ordering import find
from smallprint.index.tree import OneOf, Query, Ranking, Words
from smallprint.library.directory import replace_popularity
from smallprint.library.findable import findable, summaries
from smallprint.library.likeness import settle
from smallprint.library.writing import save
from smallprint.pipeline.indexing import bring_up_to_date
from smallprint.records import DomainRank
from smallprint.settings import Settings

from .making import capture, changed, prose

ONE, TWO, THREE = (f"https://{name}.example/privacy" for name in ("one", "two", "three"))


def put(library, *captures):
    with library.transaction() as db:
        save(db, captures)
    settle(library, 0.9)


def indexed(library, which="policy"):
    return bring_up_to_date(library, open_engine(Settings(library=library.path), which, create=True), which)


def stamps(library):
    return {one.policy_id: one.stamp for one in findable(library)}


def test_only_what_changed_is_indexed_again(library):
    put(library, capture(ONE, prose(1)), capture(TWO, prose(2)))
    assert (indexed(library).added, indexed(library).added) == (2, 0)
    put(library, capture(TWO, prose(3), at="2024-05-01"), capture(THREE, prose(4)))
    made = indexed(library)
    assert (made.added, made.changed, made.removed, made.total) == (1, 1, 0, 3)
    word = prose(3).split()[7]
    (hit,) = find(open_engine(Settings(library=library.path)), Query(Words("body", (word,))), Ranking.RELEVANCE, 5).hits
    assert hit.policy_id == capture(TWO).policy_id


def test_a_policy_that_becomes_a_copy_leaves_the_index(library):
    put(library, capture(ONE, prose(1)), capture(TWO, prose(2)))
    indexed(library)
    put(library, capture(TWO, prose(1), at="2024-05-01"))
    made = indexed(library)
    assert (made.removed, made.total) == (1, 1)


def test_popularity_and_groups_are_part_of_the_stamp(library):
    text = prose(1)
    put(library, capture(ONE, text), capture(TWO, prose(2)))
    before = stamps(library)
    replace_popularity(library, [DomainRank("one.example", 1e-5, estimated=False)], 1e-6)
    after = stamps(library)
    assert [policy for policy in before if before[policy] != after[policy]] == [capture(ONE).policy_id]
    put(library, capture(THREE, changed(text, 5)))
    (leader, follower) = sorted(
        (one for one in findable(library) if one.is_grouped), key=lambda one: one.policy_id != one.group
    )
    assert leader.group == follower.group == leader.policy_id
    assert stamps(library)[leader.policy_id] != after.get(leader.policy_id)


def test_the_index_of_whole_pages_has_the_furniture_too(library):
    put(library, capture(ONE, prose(1)))
    for which in WHICH:
        indexed(library, which)
    menu = Query(Words("body", ("menu",)))
    assert [open_engine(Settings(library=library.path), which).counts([menu]) for which in WHICH] == [[0], [1]]


def test_indexes_can_be_thrown_away_and_made_again(library):
    put(library, capture(ONE, prose(1)))
    indexed(library)
    delete_indexes(Settings(library=library.path))
    assert not index_folder(library.path, "policy").exists()
    assert indexed(library).added == 1


def test_sites_are_found_by_host_and_by_what_stands_above():
    assert sites("https://www.help.bbc.co.uk/privacy", "bbc.co.uk") == (
        "bbc.co.uk",
        "www.help.bbc.co.uk",
        "help.bbc.co.uk",
    )
    assert sites("file:///tmp/x.html", "local") == ("local",)


def test_a_site_is_no_part_of_a_name(library):
    put(
        library,
        capture("https://notone.example/privacy", prose(1)),
        capture("https://www.one.example/privacy", prose(2)),
    )
    indexed(library)
    asked = Query(filters=(OneOf("site", ("one.example",)),))
    found = find(open_engine(Settings(library=library.path)), asked, Ranking.CUSTOM, 5)
    assert [hit.policy_id for hit in found.hits] == [capture(ONE).policy_id]


def test_what_a_list_of_results_says(library):
    put(library, capture(ONE, prose(1), at="2024-02-03", title="Privacy at One"))
    policy_id = capture(ONE).policy_id
    (summary,) = summaries(library, [policy_id, "nobody"]).values()
    assert (summary.policy_id, summary.title, summary.seen[:10]) == (policy_id, "Privacy at One", "2024-02-03")
    assert (summary.sector, summary.grade, summary.is_grouped) == ("unknown", None, False)
