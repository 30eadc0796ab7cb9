"""What readers say of an answer: where it can be said, what is kept of it, and what is refused."""

from __future__ import annotations

from urllib.parse import parse_qs, quote_plus, urlsplit

import pytest

from smallprint.ask.dialogue.conversation import Conversation, Exchange
from smallprint.library import Library
from smallprint.library.dump import logical_dump
from smallprint.library.feedback import Place, feedback
from smallprint.web.present.answers import carried

from .making import add_policy, paragraphs, tree_of, words_of

PART = {"HX-Request": "true"}
KEEP = "How long do you keep my information?"


@pytest.fixture
def stored(library):
    """Give a library's only policy."""
    return add_policy(library, "https://a.example/privacy", paragraphs("We keep your data for a year."))


@pytest.fixture
def judge(serve, library, stored):
    """Give a function that sends the form under an answer."""
    client = serve(library.path, serve_rate=0)

    def sent(headers=None, **more):
        fields = {
            "policy": stored.policy_id, "version": stored.version_id, "question": KEEP, "state": "answered",
            "line": "For a year:", "places": f"{stored.version_id}:0-29", "verdict": "wrong", "note": "Of backups.",
        }  # fmt: skip
        return client.post("/feedback", data={**fields, **more}, headers=headers)

    return sent


def test_a_verdict_is_kept_with_what_it_is_about_and_nothing_else(judge, library, stored):
    headers = {"User-Agent": "Somebody's own browser", "Referer": "http://localhost:8017/ask"}
    assert judge(headers).status_code == 303
    (one,) = feedback(library)
    assert one.given_at.endswith("+00:00")
    assert (one.verdict, one.policy_id, one.version_id) == ("wrong", stored.policy_id, stored.version_id)
    assert (one.question, one.state, one.line, one.note) == (KEEP, "answered", "For a year:", "Of backups.")
    assert one.places == (Place(stored.version_id, 0, 29),)
    (line,) = [line for line in logical_dump(library) if line.startswith("feedback")]
    assert "browser" not in line
    assert "testclient" not in line


def test_who_sent_it_comes_back_to_the_answer_with_thanks(judge, stored):
    link = urlsplit(judge().headers["location"])
    assert link.path == f"/policies/{stored.policy_id}/ask"
    asked = parse_qs(link.query)
    assert (asked["question"], asked["thanks"]) == ([KEEP], ["1"])


def test_in_a_conversation_one_comes_back_to_it(judge, library):
    was = Conversation("a.example-1", "q", past=(Exchange("One?", "Two."), Exchange("Three?", "Four.")))
    tree = tree_of(judge(conversation=carried(was)))
    assert [words_of(node) for node in tree.css(".past .asked")] == ["One?", "Three?"]
    assert words_of(tree.css_first(".thanks")).startswith("Thank you")
    assert tree.css_first(".say input[name=conversation]").attributes["value"] == carried(was)
    assert judge(conversation="{", note="other").status_code == 303  # what was said is kept all the same
    assert len(list(feedback(library))) == 2


def test_htmx_gets_the_thanks_alone(judge):
    tree = tree_of(judge(PART))
    (said,) = tree.css("body > *")
    assert (said.attributes["role"], "autofocus" in said.attributes) == ("status", True)


def test_a_question_over_many_policies_is_of_no_single_one(judge, library):
    answer = judge(policy="", version="", state="policies", verdict="missing", places="")
    assert (answer.status_code, answer.headers["location"]) == (303, "/ask")
    (one,) = feedback(library)
    assert (one.policy_id, one.version_id, one.places) == (None, None, ())


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": ""}, {"verdict": "splendid"}, {"question": ""}, {"policy": "b.example-1"}, {"policy": ""},
        {"version": "nothing"}, {"places": "0-29"}, {"places": "x:0-29"}, {"places": "x:٣-٤"},
        {"places": "<script>"}, {"places": " ".join(["x:1-2"] * 5_000)},
    ],
)  # fmt: skip
@pytest.mark.parametrize("headers", [None, PART])
def test_what_no_form_of_ours_sends_is_refused_and_harms_nothing(judge, library, change, headers):
    before = list(logical_dump(library))
    tree = tree_of(judge(headers, **change), 400)
    assert words_of(tree.css_first("h1")) == "Bad request"
    assert list(logical_dump(library)) == before


def test_words_without_end_are_cut(judge, library):
    assert judge(note="n" * 100_000, line="l" * 100_000, state="s" * 100_000).status_code == 303
    (one,) = feedback(library)
    assert (len(one.note), len(one.line), len(one.state)) == (500, 300, 40)
    assert judge(note="n" * 2_100_000).status_code == 413


def test_hostile_words_are_kept_as_words(judge, library):
    said = "<script>alert(1)</script>'; DROP TABLE feedback; --\x1b[2J{{ 7 * 7 }}"
    judge(question=said, note=said)
    (one,) = feedback(library)
    assert one.note == one.question == said.replace("\x1b", "")


def test_only_our_own_forms_are_taken(judge, library):
    assert judge({"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert list(feedback(library)) == []


def test_a_library_that_cannot_be_written_says_so_calmly(serve, library, stored, judge, monkeypatch):
    connect = Library._connect

    def connect_to_full_disk(self, **named):
        db = connect(self, **named)
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        return db

    monkeypatch.setattr(Library, "_connect", connect_to_full_disk)
    library.db.execute(
        "CREATE TRIGGER large BEFORE INSERT ON feedback BEGIN INSERT INTO facts VALUES ('x', hex(zeroblob(99999))); END"
    )
    tree = tree_of(judge(), 503)
    assert words_of(tree.css_first("h1")) == "Not available right now"


def test_the_buttons_under_an_answer_send_what_was_shown(serve, copy_sample, bank, bank_path, tmp_path):
    path = copy_sample(tmp_path)
    client = serve(path, serve_rate=0)
    asked = (
        f"{bank_path}/ask?question={quote_plus(KEEP)}",
        f"/ask?q={quote_plus(KEEP)}&policy={bank.entry.policy_id}",
        "/ask?q=which+policies+do+not+share+data+with+advertisers%3F",
        f"/ask?q=what+is+it+vague+about%3F&policy={bank.entry.policy_id}",
        "/ask?q=compare+what+Kitegram+and+Nestchat+keep",
    )
    for number, address in enumerate(asked, 1):
        tree = tree_of(client.get(address))
        (form,) = tree.css("form.feedback")
        fields = {node.attributes["name"]: node.attributes["value"] for node in form.css("input")}
        assert client.post("/feedback", data={**fields, "verdict": "right", "note": str(number)}).status_code in {
            200,
            303,
        }
        shown = [node.text() for node in tree.css(".answer > .exhibit .words, .sayings .words, .column .words")]
        with Library(path) as library:
            kept = list(feedback(library))
            texts = [_text(library, at) for at in kept[-1].places]
        assert len(kept) == number
        assert sorted(texts) == sorted(shown)
    thanked = tree_of(client.get(f"{asked[0]}&thanks=1"))
    assert (len(thanked.css(".thanks")), thanked.css("form.feedback")) == (1, [])


def _text(library, at):
    from smallprint.library import reading

    return reading.text(library, at.version_id)[at.start : at.end]
