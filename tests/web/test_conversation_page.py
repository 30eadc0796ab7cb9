"""The page of conversations: every kind of reply, what goes on from it, and what is no conversation at all."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from smallprint import limits, sample
from smallprint.ask.dialogue.conversation import Conversation, Exchange, Option, Pending, from_json
from smallprint.library import Library
from smallprint.library.reading import find_policy, status
from smallprint.web.present.answers import carried

from ..sources.trick_server import TrickServer, network_of
from .making import buttons, tree_of, words_of

PART = {"HX-Request": "true"}
FIRST = "does Kitegram sell my data?"


def carried_by(tree):
    """Give the conversation that a page's forms carry, which must all be the same."""
    (found,) = {node.attributes["value"] for node in tree.css(".say input[name=conversation]")}
    return found


# The page


def test_it_greets_and_offers_questions_that_can_be_answered(client):
    tree = tree_of(client.get("/ask"))
    assert words_of(tree.css_first("h1")) == "Ask the policies"
    assert tree.css(".turn") == []
    examples = [words_of(node) for node in tree.css(".examples a")]
    assert examples[0] == "Does Kitegram sell my data?"  # the best known of the sample
    assert "Which policies do not share data with advertisers?" in examples
    (form,) = tree.css(".say form")
    assert (form.attributes["action"], form.attributes["method"]) == ("/ask#newest", "post")
    assert from_json(carried_by(tree)) == Conversation()
    assert tree.css_first("input#said").attributes["maxlength"] == str(limits.MAX_FORM_QUESTION)
    for node in tree.css(".examples a"):
        assert parse_qs(urlsplit(node.attributes["href"]).query) == {"q": [words_of(node)]}


def test_an_address_may_name_a_policy_and_a_question(client, bank, bank_path):
    tree = tree_of(client.get("/ask?policy=tidemarkbank.example"))
    assert words_of(tree.css_first("h1")) == "Ask this policy"
    assert from_json(carried_by(tree)).policy_id == bank.entry.policy_id
    asked = parse_qs(urlsplit(tree.css_first(".examples a").attributes["href"]).query)
    assert asked["policy"] == [bank.entry.policy_id]
    tree = tree_of(client.get("/ask", params={"q": "Do you sell my data?", "policy": bank.entry.policy_id}))
    assert words_of(tree.css_first("#newest .asked")) == "Do you sell my data?"
    assert tree.css_first("#newest .whose a").attributes["href"] == bank_path
    assert tree.css_first("title").text().startswith("Do you sell my data?")
    again = parse_qs(urlsplit(tree.css("#newest .after a")[-1].attributes["href"]).query)
    assert again == {"q": ["Do you sell my data?"], "policy": [bank.entry.policy_id]}


def test_a_policy_that_nobody_knows_is_not_found(client):
    tree = tree_of(client.get("/ask?policy=nowhere.example"), 404)
    assert words_of(tree.css_first("h1")) == "Not found"


def test_an_empty_library_says_how_to_fill_it(serve, library):
    tree = tree_of(serve(library.path).get("/ask"))
    assert words_of(tree.css_first(".notice")).startswith("The library is empty.")


# A whole conversation, as it is had without scripts


def test_a_conversation_goes_on_from_page_to_page(client, annotated_library):
    kitegram = find_policy(annotated_library, "kitegram.example")
    tree = tree_of(client.get("/ask", params={"q": FIRST}))
    quotes = [node.text() for node in tree.css("#newest blockquote .words")]
    assert quotes
    link = tree.css_first("#newest figcaption a").attributes["href"]
    page = tree_of(client.get(link))
    assert quotes[0] in [node.text() for node in page.css(f"#{urlsplit(link).fragment} mark.quoted")]
    tree = tree_of(client.post("/ask", data={"conversation": carried_by(tree), "said": "and my location?"}))
    assert [words_of(node) for node in tree.css(".past .asked")] == [FIRST]
    assert words_of(tree.css_first(".past p"))
    assert words_of(tree.css_first("#newest .asked")) == "and my location?"
    assert words_of(tree.css_first("#newest .whose .note")) == "asked: “do you sell my location?”"
    now = from_json(carried_by(tree))
    assert (now.policy_id, now.question) == (kitegram.policy_id, "do you sell my location?")
    tree = tree_of(client.post("/ask", data={"conversation": carried_by(tree), "choice": buttons(tree)[-1]}))
    assert tree.css("#newest.kind-vague .exhibit")


def test_of_several_policies_one_is_chosen_by_its_button(client):
    tree = tree_of(client.get("/ask?q=does+Brightwithy+sell+my+data%3F"))
    assert (len(buttons(tree)), tree.css(".after")) == (3, [])
    button = tree.css(".next button")[2]
    chosen = {"conversation": carried_by(tree), "choice": button.attributes["value"]}
    tree = tree_of(client.post("/ask", data=chosen))
    assert words_of(tree.css_first("#newest .asked")) == words_of(button)
    assert "stonegate" in words_of(tree.css_first("#newest .whose"))
    assert from_json(carried_by(tree)).past[-1].asked == words_of(button)


# What is no conversation


BROKEN = {
    "no JSON": "{",
    "a list": "[1]",
    "of another version": '{"version": 2}',
    "with a field of its own": '{"version": 1, "sudo": true}',
    "of other kinds": '{"version": 1, "told": "many"}',
    "half a character": r'{"version": 1, "question": "\ud800"}',
    "too large": json.dumps({"version": 1, "question": "x" * limits.MAX_CONVERSATION}),
    "too deep": "[" * 5_000,
    "markup": "<script>alert(1)</script>",
}


@pytest.mark.parametrize("given", BROKEN.values(), ids=BROKEN)
def test_what_is_no_conversation_gets_one_line_and_a_new_start(client, given):
    fields = {"conversation": given, "said": "and my location?"}
    tree = tree_of(client.post("/ask", data=fields), 400)
    line = words_of(tree.css_first("#newest h3"))
    assert line.endswith("This is a new one.")
    assert from_json(carried_by(tree)).policy_id == ""
    assert tree.css_first("input#said").attributes["value"] == "and my location?"
    assert [node.text() for node in tree.css("script") if node.text()] == []
    part = tree_of(client.post("/ask", data=fields, headers=PART))  # or htmx would not show it
    assert words_of(part.css_first("h3")) == line


def test_too_long_a_question_is_not_asked_and_the_conversation_stays(client):
    was = Conversation(policy_id="x.example-1", past=(Exchange("One?", "Two."),))
    assert client.post("/ask", data={"conversation": carried(was), "said": "x" * 500}).status_code == 200
    tree = tree_of(client.post("/ask", data={"conversation": carried(was), "said": "x" * 501}), 400)
    assert words_of(tree.css_first("#newest h3")) == "Ask in at most 500 characters; this has 501."
    assert from_json(carried_by(tree)).policy_id == "x.example-1"
    assert words_of(tree.css_first(".past .asked")) == "One?"


def test_a_page_never_carries_more_than_it_takes_back():
    options = tuple(Option("\x01" * 300, "\x01" * 500, "p") for _ in range(5))
    full = Conversation("p", '"' * 4_000, past=(Exchange('"' * 300, '"' * 300),) * 6,
                        pending=Pending("which", options, '"' * 4_000))  # fmt: skip
    for one in (Conversation(), full, Conversation("p", "\x01" * 4_000)):
        assert from_json(carried(one)).policy_id == one.policy_id
    few = Conversation("p", "q", past=(Exchange("a", "b"),))
    assert from_json(carried(few)) == few


@pytest.mark.parametrize(
    "said", ["", " ", "\x00", "🤖", "'; DROP TABLE policies; --", "{{ 7 * 7 }}", "99", "yes", "more"]
)
def test_whatever_is_said_gets_a_reply(client, said):
    tree = tree_of(client.post("/ask", data={"said": said}))
    assert words_of(tree.css_first("#newest .answer"))
    assert "49" not in words_of(tree.css_first("#newest"))


def test_a_form_of_another_site_is_refused(client):
    sent = client.post("/ask", data={"said": "yes"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert sent.status_code == 403


# Fetching


@pytest.fixture
def online(serve, library):
    """Give a client to an empty library whose server may fetch, the web it can reach, and a function to say yes."""
    page = next(page for page in sample.pages() if "harbourlight" in page.url)
    with TrickServer() as web:
        web.page("new.example/privacy", page.content)
        client = serve(library.path, serve_rate=0, serve_fetch=True, crawl_delay=0.01, crawl_private=True)
        client.app.state.network = network_of(web, inner=[["10.0.0.7"]])

        def agreed(tree, choice="yes"):
            return tree_of(client.post("/ask", data={"conversation": carried_by(tree), "choice": choice}))

        yield client, web, agreed


def offered(client, address):
    pending = Pending("fetch", (), "do you sell my data?", address)
    return client.post("/ask", data={"conversation": carried(Conversation(pending=pending)), "choice": "yes"})


def test_nothing_is_fetched_where_it_is_not_allowed(client):
    tree = tree_of(client.get("/ask?q=does+http://new.example/privacy+sell+my+data%3F"))
    assert "yes" not in buttons(tree)
    assert "smallprint add" in words_of(tree.css_first("#newest h3"))
    assert "not in the library" in words_of(tree_of(offered(client, "new.example/privacy")).css_first("#newest h3"))


def test_what_is_offered_is_fetched_only_after_yes_and_then_asked_at_once(online, library):
    client, web, agreed = online
    tree = tree_of(client.get("/ask?q=does+http://new.example/privacy+sell+my+data%3F"))
    assert (buttons(tree), web.log) == (["yes", "no"], [])
    assert words_of(agreed(tree, "no").css_first("#newest h3")).startswith("All right.")
    assert web.log == []
    tree = agreed(tree)
    assert [visit.path for visit in web.log] == ["/robots.txt", "/privacy"]
    known = find_policy(library, "new.example")
    assert tree.css_first("#newest .whose a").attributes["href"] == f"/policies/{known.policy_id}"
    assert tree.css("#newest.kind-answer .verdict")


@pytest.mark.parametrize(
    "address",
    ["http://nobody.example/privacy", "http://127.0.0.1/privacy", "http://[::1]:8017/privacy",
     "http://inner.example/privacy", "ftp://new.example/", "https://user:secret@new.example/", "https://a..b/",
     "x" * 3_000],
)  # fmt: skip
def test_what_may_not_or_cannot_be_fetched_is_told_and_the_conversation_goes_on(online, library, address):
    client, _, _ = online
    tree = tree_of(offered(client, address))
    line = words_of(tree.css_first("#newest h3"))
    assert line.startswith("It was not kept: not fetched (")
    assert "secret" not in line
    assert from_json(carried_by(tree)).pending is None
    assert status(library).policies == 0


def test_fetching_while_another_command_writes_is_told(online, library):
    client, _, _ = online
    with Library(library.path) as other, other.writing():
        tree = tree_of(offered(client, "http://new.example/privacy"))
    assert "another command is writing" in words_of(tree.css_first("#newest h3"))
