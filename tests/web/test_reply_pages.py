"""Every kind of reply, as the page of a conversation shows it."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from smallprint.addresses import passage_path
from smallprint.ask.answer.answering import Answer
from smallprint.ask.answer.decision import State
from smallprint.ask.dialogue.conversation import Conversation, Option, Pending
from smallprint.assistant.replies import Compared, NamedCitation, Reply, Spoken
from smallprint.records import Quote
from smallprint.view.unusual import SILENCE

from .making import buttons, tree_of, words_of

PART = {"HX-Request": "true"}


@pytest.fixture
def spoken(bank):
    return Spoken(bank.entry.policy_id, bank.version.version_id, "Tidemark Bank", bank.entry.domain)


@pytest.fixture
def said_by(bank):
    """Give a function that quotes a passage of the bank as a reply does."""

    def quoted(ordinal, **more):
        one = bank.segments[ordinal]
        link = passage_path(bank.entry.policy_id, bank.version.version_id, ordinal)
        return NamedCitation(
            **{
                "policy_id": bank.entry.policy_id, "version_id": bank.version.version_id, "name": "Tidemark Bank",
                "domain": bank.entry.domain, "url": bank.entry.url, "text": bank.text[one.start : one.end],
                "lead_in": None, "start": one.start, "end": one.end, "segment": ordinal, "permalink": link, **more,
            }
        )  # fmt: skip

    return quoted


@pytest.fixture
def answer(bank):
    """Give a function that makes an answer of the bank out of some of its passages."""

    def made(state, *ordinals, **more):
        quotes = tuple(
            Quote(
                policy_id=bank.entry.policy_id, version_id=bank.version.version_id, segment=one.segment,
                start=one.start, end=one.end, text=bank.text[one.start : one.end], headings=one.headings,
                permalink=passage_path(bank.entry.policy_id, bank.version.version_id, one.segment), probability=0.9,
            )
            for one in (bank.segments[ordinal] for ordinal in ordinals)
        )  # fmt: skip
        whose = (bank.entry.policy_id, bank.version.version_id, bank.entry.url, bank.version.title)
        return Answer(
            *whose, "do you sell my data?", "", (), state, "This is the line.", 0.8, 0.5, quotes, (), None, ()
        )

    return made


@pytest.fixture
def told(monkeypatch, client):
    """Give a function that has the assistant reply as the test says, and gives the page's tree."""

    def replied(reply, said="What I said", now=None, headers=None, **more):
        async def given(was, text, receive):
            after = now or was
            return Conversation(
                after.policy_id, after.question, pending=after.pending, past=after.remember(text, reply.lines[0])
            ), reply

        monkeypatch.setattr(client.app.state.questions, "turn", given)
        return tree_of(client.post("/ask", data={"said": said, **more}, headers=headers))

    return replied


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
    one = said_by(12, lead_in="We ask for:")
    other = said_by(40, name="other.example", domain="other.example")
    lines = ("These policies say so:", "1 more says both.")
    tree = told(Reply("policies", lines, policies=(one, other), more=True), now=Conversation(question="which?"))
    assert words_of(tree.css_first("#newest h3")) == "These policies say so:"
    assert [words_of(node) for node in tree.css("#newest .further")] == ["1 more says both."]
    first, second = tree.css(".sayings > li")
    assert words_of(first.css_first(".whose")) == "Tidemark Bank tidemarkbank.example"
    assert words_of(second.css_first(".whose")) == "other.example"
    assert (first.css_first(".lead-in").text(), first.css_first(".words").text()) == ("We ask for:", one.text)
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
