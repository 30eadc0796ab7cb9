"""A policy's page: what it shows is what the records say, and what is chosen is what is shown."""

from __future__ import annotations

import hashlib
import time
from collections import Counter

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.annotate.mentions import names
from smallprint.library import reading
from smallprint.models.labels import COLUMNS, column
from smallprint.records import Block
from smallprint.search.language import parse_query
from smallprint.search.snippets import places
from smallprint.taxonomy import Label
from smallprint.view.labels import chance
from smallprint.web.present.marks import HUES, hue

from .making import Marked, add_policy, paragraphs, tree_of, words_of


def passages(tree):
    return {int(node.attributes["id"][1:]): node for node in tree.css(".passages .passage")}


def marks(tree, bank, css):
    """Give the places of the marks of a class, as the page has them."""
    found = []
    for one in bank.segments:
        node = passages(tree)[one.segment].css_first(".words")
        read = Marked(node.html, one.start)
        assert read.text == one.text
        found += [mark[1:] for mark in read.marks if mark[0] == css]
    return sorted(found)


# The text


def test_every_passage_is_there_word_for_word_with_an_address_of_its_own(open_bank, bank, bank_path):
    tree = open_bank()
    found = passages(tree)
    assert list(found) == [one.segment for one in bank.segments]
    for one in bank.segments:
        node = found[one.segment]
        assert node.css_first(".words").text() == one.text
        assert (node.css_first(".words").tag[0] == "h") == (one.kind == "heading")
        assert (node.tag, node.parent.tag) == (("li", "ul") if one.kind == "item" else ("div", "div"))
        (link,) = node.css("a.pilcrow")
        # With its version, since a later one may have another passage of that number.
        version = bank.version.version_id.rpartition("@")[2]
        assert link.attributes["href"] == f"{bank_path}?version={version}#s{one.segment}"


def test_addresses_of_passages_are_unique_and_lead_to_them(client, open_bank):
    tree = open_bank()
    links = [node.attributes["href"] for node in tree.css("a.pilcrow")]
    assert len(links) == len(set(links)) > 40
    address, _, fragment = links[12].partition("#")
    assert LexborHTMLParser(client.get(address).text).css_first(f"#{fragment}") is not None
    ids = [node.attributes["id"] for node in tree.css("[id]")]
    assert len(ids) == len(set(ids))


def test_the_table_of_contents_leads_to_the_headings(open_bank, bank):
    tree = open_bank()
    links = [(words_of(node), node.attributes["href"]) for node in tree.css(".contents a")]
    headings = [one for one in bank.segments if one.kind == "heading"]
    assert links == [(" ".join(one.text.split()), f"#s{one.segment}") for one in headings]
    for text, address in links:
        assert words_of(tree.css_first(f"{address} .words")) == text
    depths = [node.attributes["class"] for node in tree.css(".contents li")]
    assert depths == [f"depth-{min(3, len(one.headings))}" for one in headings]


def test_the_text_alone_can_be_hashed_and_so_can_the_page(client, annotated_library, bank, bank_path):
    text = client.get(f"{bank_path}/text")
    assert (text.status_code, text.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert text.content == bank.text.encode()
    page = client.get(f"{bank_path}/page?version={bank.version.version_id}")
    assert page.content == reading.page(annotated_library, bank.version.page_id)
    assert hashlib.sha256(page.content).hexdigest().startswith(bank.version.page_id)
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.headers["content-disposition"].startswith("attachment;")
    assert client.get(f"{bank_path}/text?version=2021").text == reading.text(
        annotated_library, bank.entry.versions[0].version_id
    )


# Labels


def test_labels_at_the_margin_are_those_that_hold(open_bank, bank):
    found = passages(open_bank())
    for one in bank.segments:
        codes = [node.text() for node in found[one.segment].css(".gloss summary [aria-hidden]")]
        assert codes == [hue(held.label.category).code for held in one.categories]
        names_ = [node.text() for node in found[one.segment].css(".gloss b")]
        assert names_ == [held.name for held in one.categories]
    assert sum(bool(one.categories) for one in bank.segments) > 20


def test_what_is_said_in_particular_is_told_and_what_is_left_open_is_not(open_bank, bank):
    found = passages(open_bank())
    told = 0
    for one in bank.segments:
        shown = [words_of(node) for node in found[one.segment].css(".gloss li")]
        for words, held in zip(shown, one.categories, strict=True):
            said = [
                other.name
                for other in sorted(one.labels, key=lambda label: label.attribute != "Does/Does Not")
                if other.attribute
                and other.label.category == held.label.category
                and other.label.value not in {"Does", "Unspecified", "Not mentioned", "Other"}
            ]
            assert words == f"{held.name}, {chance(held.probability)}{': ' if said else ''}{'; '.join(said)}"
            told += len(said)
    assert told > 10


def test_the_key_counts_passages(open_bank, bank):
    rows = open_bank().css(".labels li")
    assert [node.css_first("input").attributes["value"] for node in rows] == [one.id for one in HUES]
    for node, one in zip(rows, HUES, strict=True):
        count = sum(any(held.label.category == one.id for held in passage.categories) for passage in bank.segments)
        assert (node.css_first(".count").text(), node.css_first(".code").text()) == (str(count), one.code)
        assert ("disabled" in node.css_first("input").attributes) == (count == 0)


@pytest.mark.parametrize("chosen", [("choice",), ("retention", "security")])
def test_other_passages_are_grey(open_bank, bank, chosen):
    tree = open_bank("?" + "&".join(f"show={one}" for one in chosen))
    bright = {number for number, node in passages(tree).items() if "dim" not in node.attributes["class"].split()}
    wanted = {
        one.segment
        for one in bank.segments
        if one.kind == "heading" or {held.label.category for held in one.categories} & set(chosen)
    }
    assert bright == wanted
    checked = [node.attributes["value"] for node in tree.css("input[name=show]") if "checked" in node.attributes]
    assert checked == [one.id for one in HUES if one.id in chosen]
    spoken = [one for one in bank.segments if one.kind != "heading"]
    labelled = len([one for one in spoken if one.segment in wanted])
    assert words_of(tree.css_first("#told")) == f"{labelled} of {len(spoken)} passages"


def test_other_passages_can_be_folded_away_and_nothing_is_lost(open_bank, bank):
    counts = Counter(held.label.category for one in bank.segments for held in one.categories)
    chosen = min(counts, key=counts.__getitem__)
    tree = open_bank(f"?show={chosen}&others=hide")
    folded = {int(node.attributes["id"][1:]) for node in tree.css("details.fold .passage")}
    wanted = [one for one in bank.segments if any(held.label.category == chosen for held in one.categories)]
    headings = [one for one in bank.segments if one.kind == "heading"]
    above = {at.segment for one in wanted for at in headings if " ".join(at.text.split()) in one.headings}
    assert set(passages(tree)) - folded == {*(one.segment for one in wanted), *above}
    assert len(above) > 1
    assert list(passages(tree)) == [one.segment for one in bank.segments]
    told = [int(words_of(node).split()[0]) for node in tree.css("details.fold > summary")]
    assert sum(told) == sum(one.kind != "heading" for one in bank.segments) - len(wanted)


def test_nothing_is_folded_or_grey_unless_a_category_is_chosen(open_bank):
    for query in ("", "?others=hide", "?show=nonsense&others=nonsense", "?show="):
        tree = open_bank(query)
        assert tree.css(".fold, .dim") == []
        assert tree.css("input[name=show][checked]") == []
        assert words_of(tree.css_first("#told")) == ""


# Marks


def test_vague_words_are_marked_on_demand(open_bank, bank):
    assert marks(open_bank(), bank, "vague") == []
    assert marks(open_bank("?mark=vague"), bank, "vague") == [
        (one.start, one.end, "") for one in bank.annotations.vagueness.words
    ]
    assert len(bank.annotations.vagueness.words) > 3


def test_names_are_marked_on_demand_and_told(open_bank, bank):
    plain = {one.id: one.plain for one in names()}
    assert marks(open_bank("?mark=vague"), bank, "name") == []
    expected = sorted((one.start, one.end, plain[one.name]) for one in bank.annotations.mentions)
    assert marks(open_bank("?mark=names&mark=nonsense"), bank, "name") == expected
    assert len(expected) > 3


def test_words_of_a_query_are_marked_and_the_query_stays(open_bank, bank):
    tree = open_bank("?q=account+%22do+not+track%22")
    expected = [
        (span.start, span.end, "") for span, _ in places(bank.text, parse_query('account "do not track"').highlights)
    ]
    assert marks(tree, bank, "found") == expected
    assert len(expected) > 5
    assert tree.css_first(".edition input[name=q]").attributes["value"] == 'account "do not track"'
    assert tree.css_first("header input[name=q]").attributes["value"] == 'account "do not track"'
    assert f"is marked at {len(expected)} places" in words_of(tree.css_first(".notice"))
    assert tree.css_first(".notice a").attributes["href"] == "/search?q=account%20%22do%20not%20track%22"


def test_words_that_stand_together_are_not_marked_one_by_one(open_bank, bank):
    runs = [(span.start, span.end, "") for span, _ in places(bank.text, (("do", "not", "track"),))]
    assert marks(open_bank("?q=do+not+track"), bank, "found") == runs != []
    assert len(marks(open_bank("?q=do+not+follow"), bank, "found")) > len(runs)


@pytest.mark.parametrize("q", ["zygote", "site:bank.example", '"'])
def test_a_query_without_a_word_in_the_text_says_so(open_bank, bank, q):
    tree = open_bank(f"?q={q}")
    assert words_of(tree.css_first(".notice")).startswith(f"No word of “{q}” is in this text.")
    assert marks(tree, bank, "found") == []


def test_all_marks_together_still_are_where_they_belong(open_bank, bank):
    tree = open_bank("?mark=vague&mark=names&q=third+parties+may+cookies")
    for css, expected in (
        ("vague", bank.annotations.vagueness.words),
        ("name", bank.annotations.mentions),
        ("found", [span for span, _ in places(bank.text, parse_query("third parties may cookies").highlights)]),
    ):
        covered = {at for start, end, _ in marks(tree, bank, css) for at in range(start, end)}
        assert covered == {at for one in expected for at in range(one.start, one.end)}
        assert covered


def test_a_run_of_words_over_two_passages_is_marked_in_both(serve, library):
    add_policy(library, "https://two.example/privacy", paragraphs("We keep data", "for ever and ever."))
    tree = tree_of(serve(library.path).get(f"/policies/{reading.policies(library)[0]}?q=%22data+for+ever%22"))
    assert [[node.text() for node in one.css("mark")] for one in tree.css(".passage")] == [["data"], ["for ever"]]


def test_a_long_passage_that_was_cut_goes_on(serve, library):
    long = " ".join(f"This is sentence number {number} of a wall of words." for number in range(60))
    add_policy(library, "https://wall.example/privacy", paragraphs(long, "The end."))
    tree = tree_of(serve(library.path).get(f"/policies/{reading.policies(library)[0]}"))
    assert ["on" in node.attributes["class"].split() for node in tree.css(".passage")] == [False, True, True, False]


# One form: what is ticked stays so, and makes the evidence sheet


def test_what_is_ticked_stays_ticked_and_goes_into_the_sheet(open_bank, bank_path):
    tree = open_bank("?s=3&s=12&s=9999&show=choice&mark=vague")
    ticked = [node.attributes["value"] for node in tree.css("input[name=s]") if "checked" in node.attributes]
    assert ticked == ["3", "12"]
    form = tree.css_first("form.edition")
    assert (form.attributes["action"], form.attributes["method"]) == (f"{bank_path}#text", "get")
    buttons = form.css("button")
    # Enter presses the first one, which must not be that of the sheet.
    assert [node.attributes.get("formaction") for node in buttons] == [None, f"{bank_path}/evidence"]
    assert form.css_first("input[name=version]").attributes["value"]


# Size


@pytest.mark.slow
def test_a_policy_of_a_hundred_thousand_words(serve, library):
    blocks = []
    for number in range(2_500):
        blocks.append(Block("heading", f"Section {number}", 1))
        blocks.append(Block("paragraph", f"We may keep datum {number} of yours. " * 5))
    said = [("practices", _labelled(5_000))]
    add_policy(library, "https://long.example/privacy", blocks, said=said)
    client = serve(library.path)
    path = f"/policies/{reading.policies(library)[0]}"
    client.get(path)
    begun = time.process_time()
    answer = client.get(f"{path}?q=datum+keep&show=first-party&others=hide")
    # A second or so on an idle machine; a table that grows with the square of the text would take minutes.
    assert time.process_time() - begun < 15
    assert len(LexborHTMLParser(answer.text).css(".passage")) == 5_000
    assert len(answer.content) < 6_000_000


def _labelled(passages):
    found = np.zeros((passages, len(COLUMNS)), dtype=np.uint8)
    found[1::4, column(Label("first-party"))] = 255
    return found
