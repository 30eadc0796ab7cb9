"""Around a policy's text: its measures, what is unusual, who and where from, its versions, and what is not there."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from smallprint.annotate.links import PolicyLink
from smallprint.library import reading
from smallprint.library.likeness import settle
from smallprint.library.reading import find_policy
from smallprint.library.statistics import rates
from smallprint.library.writing import save
from smallprint.taxonomy import Label
from smallprint.view.policy import policy_record
from smallprint.view.unusual import in_words

from ..library.making import capture, changed, prose
from ..library.test_rates import FIRST, SECURITY, add
from .making import add_policy, paragraphs, tree_of, words_of

HEALTH = Label("first-party", "Personal Information Type", "Health")

# Measures, and what is unusual


def test_measures_are_told_in_words_and_drawn(open_bank, bank, annotated_library):
    counted = rates(annotated_library)
    tree = open_bank()
    grade, vague = tree.css(".standings figure")
    below = counted.whole.grade.share_below(bank.measures.grade)
    assert 0.55 < below < 1
    assert words_of(grade.css_first("figcaption")) == (
        f"Harder to read than {int(100 * below)} % of {counted.whole.grade.n} policies in the library."
    )
    less = 1 - counted.whole.vagueness.share_below(bank.measures.vagueness)
    assert words_of(vague.css_first("figcaption")).startswith(f"Less vague than {int(100 * less)} % of ")
    for figure in (grade, vague):
        svg = figure.css_first("svg")
        assert svg.attributes["role"] == "img"
        assert words_of(figure.css_first("figcaption")) in svg.css_first("desc").text()


@pytest.fixture
def odd(serve, library):
    """Give the pages of a policy that says what no other does and lacks what all others say, and of one of these."""
    for number in range(60):
        add(library, f"https://s{number}.example/privacy", prose(number, 60), "medical", FIRST, SECURITY)
    add(library, "https://odd.example/privacy", prose(99, 60), "medical", FIRST, HEALTH)
    client = serve(library.path)
    return tuple(
        tree_of(client.get(f"/policies/{find_policy(library, name).policy_id}"))
        for name in ("odd.example", "s1.example")
    )


def test_what_is_unusual_is_told_with_its_places(odd):
    tree, other = odd
    said, missing = tree.css(".findings li")
    assert words_of(said) == (
        "“what they collect and why · what is collected: health”: "
        "said by 1 of 61 policies of the sector Medical (2 %). See ¶ 0"
    )
    assert [link.attributes["href"] for link in said.css("a")] == ["#s0"]
    assert tree.css_first(".passages #s0") is not None
    assert words_of(missing).startswith("“how they protect it”: not found here; 98 % of 61 policies")
    assert words_of(tree.css_first("#unusual")) == "Unusual for its sector"
    assert other.css(".findings") == []
    assert "We found nothing unusual." in other.text()


def test_what_is_missing_carries_its_caveat(odd):
    tree, other = odd
    assert words_of(tree.css_first(".caveat")) == "Not saying something is not the same as not doing it."
    assert other.css(".caveat") == []


def test_what_is_unusual_is_what_the_record_says(open_bank, bank):
    found = [words_of(node).partition(" See ¶")[0] for node in open_bank().css(".findings li")]
    assert found == list(in_words(bank.unusual))


# Who, where from, which version


def test_who_where_from_and_when(open_bank, bank):
    told = {
        words_of(node.css_first("dt")): words_of(node.css_first("dd")) for node in open_bank().css(".particulars > div")
    }
    assert told["Company"].startswith("tidemark bank · banking · United States · 1001–5000 people")
    assert told["Sector"] == "Finance, Marketing and Human Resources by a company list"
    assert told["Address"] == bank.entry.url
    assert (told["First seen"], told["Last seen"]) == ("8 March 2021", "3 February 2025")
    assert told["In force from"] == "10 January 2025 it says"
    assert bank.version.page_id in told["Hash of the page"]
    assert told["Times seen"].startswith("3 times")


def test_addresses_are_linked_only_if_they_are_the_webs(open_bank, bank, serve, library):
    link = open_bank().css_first(".particulars a.address")
    assert link.attributes["href"] == bank.entry.url
    assert set(link.attributes["rel"].split()) == {"noopener", "noreferrer", "nofollow"}
    add_policy(library, "file:///tmp/policy.html", paragraphs("We keep data."), asked="javascript:alert(1)")
    tree = tree_of(serve(library.path).get(f"/policies/{reading.policies(library)[0]}"))
    assert words_of(tree.css_first("span.address")) == "file:///tmp/policy.html"
    assert [node.attributes["href"] for node in tree.css("a") if ":" in node.attributes["href"].partition("?")[0]] == []


def test_what_you_can_do_is_told_by_the_links_of_the_text(serve, library):
    evil = '"><script>alert(1)</script>'
    links = (
        PolicyLink("policy", "Cookie Policy", "https://www.one.example/cookies", 0, 1),
        PolicyLink("opt-out", "opt out", "http://ads.example/out?a=1&b=2", 2, 3),
        PolicyLink("opt-out", "again", "http://ads.example/out?a=1&b=2", 4, 5),
        PolicyLink("contact", evil, f"mailto:us@one.example?subject={evil}", 6, 7),
        PolicyLink("contact", "contact us", "javascript:alert(1)", 8, 9),
        PolicyLink("other", "shoes", "https://one.example/shoes", 10, 11),
    )
    add_policy(library, "https://one.example/privacy", paragraphs("We keep data."), said=[("links", links)])
    policy_id = reading.policies(library)[0]
    section = tree_of(serve(library.path).get(f"/policies/{policy_id}")).css_first("section[aria-labelledby=actions]")
    assert [words_of(node) for node in section.css("h3")] == ["Opt out", "Contact", "Other policies and terms"]
    shown = [(node.attributes["href"], node.text()) for node in section.css("a")]
    assert shown == [(links[place].url, links[place].words) for place in (1, 3, 0)]
    assert [words_of(node) for node in section.css("li .note")] == ["ads.example", "us@one.example", "one.example"]
    assert {node.attributes["rel"] for node in section.css("a")} == {"noopener noreferrer nofollow"}
    assert section.css("script") == []
    assert policy_record(library, find_policy(library, policy_id)).links == links


def test_a_policy_without_links_has_no_such_section(serve, library):
    add_policy(library, "https://one.example/privacy", paragraphs("We keep data."), said=[("links", ())])
    tree = tree_of(serve(library.path).get(f"/policies/{reading.policies(library)[0]}"))
    assert tree.css("#actions") == []


def test_versions_and_the_form_for_two_of_them(client, open_bank, bank, bank_path):
    tree = open_bank()
    versions = [one.version_id.rpartition("@")[2] for one in bank.entry.versions]
    links = [node.attributes["href"] for node in tree.css(".versions a")]
    assert links == [f"{bank_path}?version={one}" for one in versions[-2::-1]]
    form = tree.css_first("form.pair")
    assert form.attributes["action"] == f"{bank_path}/diff"
    for name, chosen in (("old", versions[-2]), ("new", versions[-1])):
        options = form.css(f"select[name={name}] option")
        assert [node.attributes["value"] for node in options] == versions
        assert [n.attributes["value"] for n in options if "selected" in n.attributes] == [chosen]


def test_an_earlier_version_says_so(client, annotated_library, bank, bank_path):
    earlier = bank.entry.versions[0]
    for wanted in (earlier.version_id, earlier.version_id.rpartition("@")[2], "2021-12-31"):
        tree = tree_of(client.get(f"{bank_path}?version={wanted}"))
        told = words_of(tree.css_first(".notice"))
        assert told.startswith("This is not the current version, which was last seen 3 February 2025.")
        assert tree.css_first(".passages #s2 .words").text() in reading.text(annotated_library, earlier.version_id)
    query = parse_qs(urlsplit(tree.css(".notice a")[1].attributes["href"]).query)
    assert query == {
        "old": [earlier.version_id.rpartition("@")[2]],
        "new": [bank.version.version_id.rpartition("@")[2]],
    }
    assert "not the current version" not in client.get(bank_path).text


def test_links_to_the_other_pages(open_bank, bank_path, bank):
    version = bank.version.version_id.rpartition("@")[2]
    links = [node.attributes["href"] for node in open_bank().css(".tools a")]
    assert links == [
        "#text", "#versions", f"/compare?policy={bank.entry.policy_id}", f"{bank_path}/evidence?version={version}",
        f"{bank_path}/text?version={version}", f"/api/v1/policies/{bank.entry.policy_id}",
    ]  # fmt: skip


def test_near_duplicates_and_copies(serve, library):
    text = prose(1)
    with library.transaction() as db:
        save(db, [
            capture("https://one.example/privacy", text, "2024-03-01"),
            capture("https://two.example/privacy", changed(text, 30), "2024-02-01"),
            capture("https://three.example/privacy", changed(text, 60), "2024-02-02"),
            capture("https://copy.example/privacy", text, "2024-01-01"),
        ])  # fmt: skip
    settle(library, 0.9)
    client = serve(library.path)
    ids = {name: find_policy(library, f"{name}.example").policy_id for name in ("one", "two", "three", "copy")}
    alike = {
        name: {
            words_of(node)
            for node in tree_of(client.get(f"/policies/{ids[name]}")).css("[aria-labelledby=alike] li > a")
        }
        for name in ("one", "two", "three")
    }
    assert alike == {name: {ids[other] for other in ("one", "two", "three") if other != name} for name in alike}
    tree = tree_of(client.get(f"/policies/{ids['copy']}"))
    assert "identical to that of a better known policy" in words_of(tree.css_first(".notice"))
    assert tree.css_first(".notice a").attributes["href"] == f"/policies/{ids['one']}"


def test_a_version_that_was_not_annotated_says_so(serve, library):
    with library.transaction() as db:
        save(db, [capture()])
    tree = tree_of(serve(library.path).get(f"/policies/{reading.policies(library)[0]}"))
    assert "has not been analysed yet" in words_of(tree.css_first(".notice"))
    assert tree.css(".labels, .standings, .findings") == []
    assert [node.text() for node in tree.css(".passage .words")] == ["We keep your data."]


# What is not there


@pytest.mark.parametrize("part", ["", "/text", "/page", "/diff", "/evidence"])
def test_an_unknown_policy_offers_a_search(client, part):
    answer = client.get(f"/policies/no<b>where{part}")
    tree = LexborHTMLParser(answer.text)
    assert (answer.status_code, words_of(tree.css_first("h1"))) == (404, "No such policy")
    assert tree.css_first("main .note a").attributes["href"] == "/search?q=no%3Cb%3Ewhere&in=url"
    assert "called “no<b>where”" in words_of(tree.css_first(".lede"))


@pytest.mark.parametrize("part", ["", "/text", "/page", "/diff", "/evidence"])
def test_a_domain_leads_to_its_only_policy(client, bank_path, part):
    answer = client.get(f"/policies/tidemarkbank.example{part}?q=a%26b&s=3")
    assert (answer.status_code, answer.headers["location"]) == (307, f"{bank_path}{part}?q=a%26b&s=3")


def test_a_domain_with_several_policies_lets_one_choose(serve, library):
    for number in range(3):
        add_policy(library, f"https://many.example/privacy/{number}", paragraphs(f"We keep datum {number}."))
    answer = serve(library.path).get("/policies/many.example")
    tree = LexborHTMLParser(answer.text)
    assert (answer.status_code, words_of(tree.css_first("h1"))) == (404, "Which policy?")
    assert {node.attributes["href"] for node in tree.css(".choice a")} == {
        f"/policies/{one}" for one in reading.policies(library)
    }


@pytest.mark.parametrize("version", ["zz", "2019"])
def test_an_unknown_version_leads_back_to_the_policy(client, bank_path, version):
    answer = client.get(f"{bank_path}?version={version}")
    assert answer.status_code == 404
    assert LexborHTMLParser(answer.text).css_first("main .note a").attributes["href"] == bank_path


def test_a_passage_that_is_no_number_is_refused(client, bank_path):
    assert client.get(f"{bank_path}?s=x").status_code == 400
