"""The page of what changed: nothing is lost, what went and came is marked, and what nobody reads is told apart."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from smallprint.library import reading
from smallprint.library.reading import find_policy
from smallprint.records import Block
from smallprint.view.revisions import revision
from smallprint.web.present.policy_text import redline

from .making import add_policy, paragraphs, tree_of, words_of

URL = "https://one.example/privacy"


class Sides(HTMLParser):
    """Reads both texts back: without <ins> the old one, without <del> the new one."""

    def __init__(self, html):
        super().__init__()
        self.old = self.new = ""
        self._in = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self._in.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self._in.pop()[0] == tag

    def handle_data(self, data):
        tags = {tag for tag, _ in self._in}
        was = next((one["data-was"] for _, one in self._in if "data-was" in one), None)
        if "ins" not in tags and was is None:
            self.old += data
        if "del" not in tags:
            self.new += data
        if was is not None:
            self.old += was


def page(client, library, wanted, query=""):
    return tree_of(client.get(f"/policies/{find_policy(library, wanted).policy_id}/diff{query}"))


@pytest.fixture
def two(serve, library):
    """Give a function that stores two versions of a policy and opens the page of their difference."""

    def stored(old, new):
        add_policy(library, URL, old, "2021-05-01")
        add_policy(library, URL, new, "2023-02-10")
        return page(serve(library.path), library, URL)

    return stored


@pytest.mark.parametrize("policy", ["tidemarkbank.example", "kitegram.example", "tasklattice.example",
                                    "brightvale.example"])  # fmt: skip
def test_both_texts_can_be_read_back_from_the_page_to_the_letter(client, annotated_library, policy):
    found = revision(annotated_library, find_policy(annotated_library, policy))
    nodes = page(client, annotated_library, policy).css(".redline .words")
    read = Sides("".join(node.inner_html for node in nodes))
    assert (read.old, read.new) == (found.old_text, found.new_text)
    assert read.old != read.new
    assert len(nodes) == len(found.paragraphs)


def test_what_only_blanks_and_quotes_differ_in_is_told_and_not_marked(two, library):
    tree = two(paragraphs('We keep "all" data.', "Write to us."), paragraphs("We keep “all”  data.", "Write to us."))
    assert tree.css("ins, .redline del, .redline .passage.changed") == []
    told = words_of(tree.css_first("[aria-labelledby=in-short]"))
    assert "No visible change: 2 places differ only in blanks or in the shape of quotes and dashes." in told
    found = revision(library, find_policy(library, URL))
    read = Sides("".join(node.inner_html for node in tree.css(".redline .words")))
    assert (read.old, read.new) == (found.old_text, found.new_text)


def test_quiet_changes_beside_real_ones_are_counted_apart(two):
    tree = two(paragraphs("We don't sell data. We keep it for 2 years."),
               paragraphs("We don’t sell data. We keep it for 9 years."))  # fmt: skip
    assert [node.text() for node in tree.css(".redline del, .redline ins")] == ["2", "9"]
    assert "1 place differs only in blanks" in words_of(tree.css_first("[aria-labelledby=in-short]"))
    assert tree.css_first(".redline .quiet").attributes["data-was"] == "don't "


def test_the_summary_is_that_of_the_record(client, annotated_library):
    found = revision(annotated_library, find_policy(annotated_library, "tidemarkbank.example")).summary
    tree = page(client, annotated_library, "tidemarkbank.example")
    shown = {node.css_first("dt").text(): int(node.css_first("dd").text()) for node in tree.css(".facts div")}
    assert shown == {"added": found.added, "removed": found.removed, "changed": found.changed, "moved": found.moved,
                     "unchanged": found.same}  # fmt: skip
    told = words_of(tree.css_first("[aria-labelledby=in-short] .note"))
    assert told == f"Counted in sentences. Words: {found.words_added} added, {found.words_removed} removed."


def test_every_change_has_more_than_a_colour(client, annotated_library):
    tree = page(client, annotated_library, "tidemarkbank.example")
    named = {"added": "+ Added", "removed": "− Removed", "changed": "± Changed", "moved": "↕ Moved"}
    found = {kind: [words_of(node) for node in tree.css(f".redline .passage.{kind} .sign")] for kind in named}
    assert {kind: set(signs) for kind, signs in found.items() if signs} == {
        kind: {named[kind]} for kind in ("added", "removed", "changed")
    }
    for node in tree.css(".redline .passage"):
        assert bool(node.css("ins, del")) == (node.css_first(".sign") is not None)


def test_unchanged_stretches_are_folded_and_a_heading_before_a_change_is_not(client, annotated_library):
    found = revision(annotated_library, find_policy(annotated_library, "tidemarkbank.example"))
    tree = page(client, annotated_library, "tidemarkbank.example")
    folded = [int(node.attributes["id"][1:]) for node in tree.css("details.fold .passage")]
    assert [number for number in folded if not found.paragraphs[number].is_same] == []
    open_ = [number for number in range(len(found.paragraphs)) if number not in folded]
    same = [found.paragraphs[number] for number in open_ if found.paragraphs[number].is_same]
    assert {one.kind for one in same} == {"heading"}
    told = [int(words_of(node).split()[0]) for node in tree.css("details.fold > summary")]
    assert sum(told) == len(folded) > 30
    assert tree.css("details.fold[open]") == []


def test_where_a_change_stands_is_told_once(client, annotated_library):
    above = [words_of(node) for node in page(client, annotated_library, "tidemarkbank.example").css(".redline .above")]
    assert above == ["Tidemark Bank Privacy Notice › 4. When we share it"]


def test_under_a_heading_that_went_no_path_is_needed(two):
    first, last = Block("paragraph", "We keep data."), Block("paragraph", "Write to us about it.")
    gone = [Block("heading", "Old matters", 1), Block("paragraph", "We once sold everything that we had.")]
    tree = two([first, *gone, last], [first, last])
    assert [words_of(node) for node in tree.css(".redline .removed .words")] == [one.text for one in gone]
    assert tree.css(".redline .above") == []


def test_a_sentence_that_moved_is_linked_with_where_it_went(two):
    moved = "We never sell any of the data that you give to us."
    first, *rest = [f"This is paragraph number {word} of the policy." for word in ("one", "two", "three", "four")]
    tree = two(paragraphs(first, moved, *rest), paragraphs(first, *rest, moved))
    assert [(node.tag, words_of(node)) for node in tree.css(".redline .moved ins, .redline .moved del")] == [
        ("del", moved), ("ins", moved),
    ]  # fmt: skip
    links = tree.css(".redline .twin")
    assert [node.attributes["href"] for node in links] == ["#d5", "#d1"]
    assert all(tree.css_first(node.attributes["href"]) for node in links)
    assert tree.css(".redline .removed, .redline .added") == []


def test_our_own_change_is_not_laid_at_their_door(two, serve, library):
    assert two(paragraphs("We keep data."), paragraphs("We keep all data.")).css(".notice") == []
    library.db.execute("UPDATE versions SET cleaner = cleaner + 1 WHERE version_id = ?",
                       (find_policy(library, URL).current_version,))  # fmt: skip
    told = words_of(page(serve(library.path), library, URL).css_first(".notice"))
    assert told.startswith("Different versions of Smallprint read these two versions")


def test_from_version_to_version(client, annotated_library):
    entry = find_policy(annotated_library, "tidemarkbank.example")
    first, second, third = (one.version_id.rpartition("@")[2] for one in entry.versions)
    path = f"/policies/{entry.policy_id}/diff"
    latest = tree_of(client.get(path))
    assert latest.css_first("[rel=prev]").attributes["href"] == f"{path}?old={first}&new={second}"
    assert latest.css_first("[rel=next]") is None
    before = tree_of(client.get(latest.css_first("[rel=prev]").attributes["href"]))
    assert before.css_first("[rel=prev]") is None
    assert before.css_first("[rel=next]").attributes["href"] == f"{path}?old={second}&new={third}"
    # Any two, in any order, by id or by day.
    whole = tree_of(client.get(f"{path}?old=2021&new={third}"))
    back = tree_of(client.get(f"{path}?old={third}&new={first}"))
    assert [words_of(node) for node in whole.css(".redline ins")] != []
    assert len(whole.css(".redline ins")) == len(back.css(".redline del"))
    selected = [node.attributes["value"] for node in whole.css("form.pair option") if "selected" in node.attributes]
    assert selected == [first, third]


def test_addresses_of_paragraphs_are_unique_and_fixed(client, annotated_library):
    entry = find_policy(annotated_library, "tidemarkbank.example")
    tree = page(client, annotated_library, "tidemarkbank.example")
    links = [node.attributes["href"] for node in tree.css("a.pilcrow")]
    old, new = (one.version_id.rpartition("@")[2] for one in entry.versions[-2:])
    assert links == [f"/policies/{entry.policy_id}/diff?old={old}&new={new}#d{at}" for at in range(len(links))]
    assert len(links) == len(tree.css(".redline .passage"))
    places = [node.attributes["href"] for node in tree.css(".redline a.place")]
    assert len(places) > 8
    for address in places:
        path, _, fragment = address.partition("#")
        assert tree_of(client.get(path)).css_first(f".passages #{fragment}") is not None


@pytest.mark.parametrize("query", ["?old=zz", "?old=2021&new=2022", "?new=2021"])
def test_versions_that_cannot_be_compared(client, annotated_library, query):
    policy_id = find_policy(annotated_library, "tidemarkbank.example").policy_id
    answer = client.get(f"/policies/{policy_id}/diff{query}")
    assert answer.status_code == 404
    assert "two different versions" in answer.text
    assert f'href="/policies/{policy_id}"' in answer.text


def test_a_policy_with_one_version(serve, library):
    add_policy(library, URL, paragraphs("We keep data."))
    answer = serve(library.path).get(f"/policies/{reading.policies(library)[0]}/diff")
    assert (answer.status_code, "only one version" in answer.text) == (404, True)


def test_stretches_hold_every_paragraph_in_order(annotated_library):
    found = revision(annotated_library, find_policy(annotated_library, "kitegram.example"))
    lines = [line.number for _, paragraphs in redline(found) for line in paragraphs]
    assert lines == list(range(len(found.paragraphs)))
