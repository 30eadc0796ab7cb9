"""The page of conversations: every kind of reply, what goes on from it, and what is no conversation at all."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from smallprint import sample
from smallprint.ask.conversation import MOST_CHARACTERS, Conversation, Exchange, Option, Pending, from_json
from smallprint.ask.deciding import State
from smallprint.library import Library
from smallprint.library.reading import find_policy, status
from smallprint.shelf.answers import PolicyAnswer, QuoteSaid
from smallprint.shelf.gathering import PolicySaid
from smallprint.shelf.replies import Compared, Reply, Spoken
from smallprint.view.permalinks import passage_path
from smallprint.view.unusual import SILENCE
from smallprint.web.quotations import LONGEST_QUESTION
from smallprint.web.replies import carried

from ..sources.trick_server import TrickServer, network_of
from .making import tree_of, words_of

PART = {"HX-Request": "true"}
FIRST = "does Kitegram sell my data?"


def carried_by(tree):
    """Give the conversation that a page's forms carry, which must all be the same."""
    (found,) = {node.attributes["value"] for node in tree.css(".say input[name=conversation]")}
    return found


def buttons(tree):
    return [words_of(node) for node in tree.css(".next button")]


@pytest.fixture
def spoken(bank):
    return Spoken(bank.entry.policy_id, bank.version.version_id, "Tidemark Bank", bank.entry.domain)


@pytest.fixture
def said_by(bank):
    """Give a function that quotes a passage of the bank as a reply does."""

    def quoted(ordinal, **more):
        one = bank.passages[ordinal].segment
        link = passage_path(bank.entry.policy_id, bank.version.version_id, ordinal)
        return PolicySaid(
            **{
                "policy_id": bank.entry.policy_id, "version_id": bank.version.version_id, "name": "Tidemark Bank",
                "domain": bank.entry.domain, "url": bank.entry.url, "text": bank.text[one.start : one.end],
                "before": None, "start": one.start, "end": one.end, "segment": ordinal, "permalink": link, **more,
            }
        )  # fmt: skip

    return quoted


@pytest.fixture
def answer(bank):
    """Give a function that makes an answer of the bank out of some of its passages."""

    def made(state, *ordinals, **more):
        quotes = tuple(
            QuoteSaid(
                bank.text[one.start : one.end], one.start, one.end, one.ordinal, one.headings, None, 0.9, None, None,
                None, passage_path(bank.entry.policy_id, bank.version.version_id, one.ordinal),
            )
            for one in (bank.passages[ordinal].segment for ordinal in ordinals)
        )  # fmt: skip
        whose = (bank.entry.policy_id, bank.version.version_id, bank.entry.url, bank.version.title)
        return PolicyAnswer(
            *whose, "do you sell my data?", "", (), state, "This is the line.", 0.8, quotes, (), None, ()
        )

    return made


@pytest.fixture
def told(monkeypatch, client):
    """Give a function that has the assistant reply as the test says, and gives the page's tree."""

    def replied(reply, said="What I said", now=None, headers=None, **more):
        def given(library, was, text):
            after = now or was
            return Conversation(
                after.policy_id, after.question, pending=after.pending, past=after.remember(text, reply.lines[0])
            ), reply

        monkeypatch.setattr(client.app.state.assistant, "reply", given)
        return tree_of(client.post("/ask", data={"said": said, **more}, headers=headers))

    return replied


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
    assert tree.css_first("input#said").attributes["maxlength"] == str(LONGEST_QUESTION)
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
    assert words_of(tree.css_first("h1")) == "Nothing is here"


def test_an_empty_library_says_how_to_fill_it(serve, library):
    tree = tree_of(serve(library.path).get("/ask"))
    assert "smallprint ingest --sample" in words_of(tree.css_first(".notice"))


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


# Every kind of reply


def test_an_answer(told, answer, spoken, bank):
    reply = Reply("answer", ("This is the line.",), spoken, answer(State.ANSWERED, 12, 40), more=True,
                  suggestions=("How long do you keep it?",))  # fmt: skip
    tree = told(reply)
    assert words_of(tree.css_first("#newest h3")) == "This is the line."
    assert words_of(tree.css_first(".verdict")).startswith("Answered 80 % sure")
    assert [urlsplit(node.attributes["href"]).fragment for node in tree.css("figcaption a")] == ["s12", "s40"]
    marked = parse_qs(urlsplit(tree.css_first("figcaption a").attributes["href"]).query)
    assert len(marked["at"]) == 2
    assert buttons(tree) == ["More", "How long do you keep it?"]
    form = tree.css_first("form.feedback")
    fields = {node.attributes["name"]: node.attributes["value"] for node in form.css("input")}
    assert fields.pop("places").count(f"{bank.version.version_id}:") == 2
    assert json.loads(fields.pop("conversation"))["version"] == 1
    assert fields == {
        "policy": bank.entry.policy_id, "version": bank.version.version_id, "question": "do you sell my data?",
        "state": "answered", "line": "This is the line.",
    }  # fmt: skip
    assert [node.attributes["value"] for node in form.css("button")] == ["right", "wrong", "missing"]


def test_silence_is_no_denial(told, answer, spoken):
    tree = told(Reply("answer", ("This is the line.",), spoken, answer(State.SILENT)))
    assert words_of(tree.css_first(".caveat")) == SILENCE
    assert tree.css("#newest blockquote") == []


def test_what_is_asked_back_has_its_options_and_no_answer_yet(told, answer, spoken):
    options = ("how they use it", "who gets it")
    reply = Reply("clarify", ("Do you mean one, or the other?",), spoken, answer(State.ANSWERED, 12), options=options)
    pending = Pending("clarify", tuple(Option(one, f"{one}?") for one in options))
    tree = told(reply, now=Conversation(pending=pending))
    assert words_of(tree.css_first("#newest h3")) == "Do you mean one, or the other?"
    assert tree.css("#newest blockquote, form.feedback") == []
    assert buttons(tree) == list(options)
    assert [node.attributes["value"] for node in tree.css(".next button")] == ["1", "2"]


def test_policies_each_with_the_sentence_that_earns_it(told, said_by):
    one = said_by(12, before="We ask for:", contrary="But not always.")
    other = said_by(40, name="other.example", domain="other.example")
    lines = ("These policies say so:", "1 more says both.")
    tree = told(Reply("policies", lines, policies=(one, other), more=True), now=Conversation(question="which?"))
    assert words_of(tree.css_first("#newest h3")) == "These policies say so:"
    assert [words_of(node) for node in tree.css("#newest .further")] == ["1 more says both."]
    first, second = tree.css(".sayings > li")
    assert words_of(first.css_first(".whose")) == "Tidemark Bank tidemarkbank.example"
    assert words_of(second.css_first(".whose")) == "other.example"
    assert (first.css_first(".lead-in").text(), first.css_first(".words").text()) == ("We ask for:", one.text)
    assert "But not always." in words_of(first)
    link = urlsplit(first.css_first("figcaption a").attributes["href"])
    assert (parse_qs(link.query)["at"], link.fragment) == ([f"{one.start}-{one.end}"], "s12")
    assert parse_qs(urlsplit(tree.css(".after a")[-1].attributes["href"]).query) == {"q": ["which?"]}
    places = tree.css_first("form.feedback input[name=places]").attributes["value"]
    assert places == f"{one.version_id}:{one.start}-{one.end} {other.version_id}:{other.start}-{other.end}"


def test_a_comparison_puts_each_sentence_under_its_line(told, said_by):
    every = (Compared("Silent One", "It says nothing.", None), Compared("Tidemark Bank", "It says this.", said_by(12)))
    lines = ("Asked of each: “Why?”", SILENCE)
    tree = told(Reply("comparison", lines, policies=(said_by(12),), compared=every))
    silent, bank = tree.css(".opposed .column")
    assert (words_of(silent), silent.css("blockquote")) == ("Silent One: It says nothing.", [])
    assert words_of(bank.css_first(".further")) == "It says this."
    assert bank.css_first(".words").text() == said_by(12).text
    assert words_of(tree.css_first(".caveat")) == SILENCE
    assert words_of(tree.css_first("#newest h3")) == "Asked of each: “Why?”"


@pytest.mark.parametrize("kind", ["vague", "surprising"])
def test_what_is_said_of_one_policy_names_it_once(told, said_by, spoken, kind):
    tree = told(Reply(kind, ("3 of its 9 sentences are vague.", "It is vaguest on this."), spoken, policies=(
        said_by(12), said_by(40))))  # fmt: skip
    assert len(tree.css("#newest .whose")) == 1
    assert [node.text() for node in tree.css(".sayings .words")] == [said_by(12).text, said_by(40).text]
    assert tree.css_first("form.feedback input[name=state]").attributes["value"] == kind


def test_an_offer_to_fetch_has_yes_and_no(told):
    tree = told(Reply("offer", ("x.example is not in the library. Shall I fetch it?",), options=("yes", "no")))
    assert [node.attributes["value"] for node in tree.css(".next button")] == ["yes", "no"]
    assert tree.css("form.feedback") == []


@pytest.mark.parametrize("kind", ["note", "help", "bye", "which", "fetched"])
def test_a_reply_that_says_nothing_of_a_policy(told, kind):
    tree = told(Reply(kind, ("This is a line.", "And another."), ends=kind == "bye"))
    assert "This is a line." in words_of(tree.css_first("#newest .answer"))
    assert "And another." in words_of(tree.css_first("#newest .answer"))
    assert tree.css("form.feedback, .next") == []
    assert tree.css_first(".say > .note a").attributes["href"] == "/ask"


def test_htmx_gets_the_turn_the_forms_and_a_line_to_be_read_out(told, answer, spoken):
    tree = told(Reply("answer", ("This is the line.",), spoken, answer(State.ANSWERED, 12)), headers=PART)
    assert tree.css("main, h1, link, script") == []
    assert tree.css_first("body > *").attributes["class"] == "turn kind-answer"
    assert tree.css_first("#say").attributes["hx-swap-oob"] == "outerHTML"
    assert words_of(tree.css_first("#told")) == "This is the line. 1 sentence follows."
    ids = [node.attributes["id"] for node in tree.css("[id]")]
    assert sorted(ids) == ["said", "say", "told"]  # nothing that an earlier turn has as well


# What is no conversation


BROKEN = {
    "no JSON": "{",
    "a list": "[1]",
    "of another version": '{"version": 2}',
    "with a field of its own": '{"version": 1, "sudo": true}',
    "of other kinds": '{"version": 1, "told": "many"}',
    "half a character": r'{"version": 1, "question": "\ud800"}',
    "too large": json.dumps({"version": 1, "question": "x" * MOST_CHARACTERS}),
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
        client = serve(
            library.path, serve_rate=0, serve_fetch=True, serve_seconds=0, crawl_delay=0.01, crawl_private=True
        )
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
    assert tree.css_first("#newest .whose a").attributes["href"] == f"/policy/{known.policy_id}"
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
