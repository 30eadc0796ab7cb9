from __future__ import annotations

import json

import numpy as np
import pytest
import zstandard

from smallprint.datasets.kept_out import is_held
from smallprint.datasets.questions import Question
from smallprint.errors import NoData
from smallprint.evaluate.heading_answers import as_question, held_outlines, measured, negative, outlines, readable

from .answerers import Overlap, evaluator

evaluate = evaluator("heading-answers")

HELD = "DuckDuckGo"


def said(subject: str, words: int = 14) -> str:
    return " ".join([f"The {subject} of every customer", *["is told here"] * words][: words - 4]) + "."


POLICY = f"""Privacy policy of the shop
==========================

This **policy** says what we do with what we know of you, and why, and for how long we do so.

1\\. Email address
-----------------

{said("email address")}

A second paragraph on the same that is also long enough to be taken as an answer to some question.

## Logs

Short words only here.

## Cookies

{said("cookies")}

### Your choice

{said("choice")}

## Email address

{said("other address")}
"""


TAUGHT = POLICY.replace("every", "each").replace("This **policy** says", "Here we say").replace("A second", "Another")


def written(path, *found):
    content = "".join(json.dumps(row) + "\n" for row in found).encode()
    path.write_bytes(zstandard.compress(content) if path.suffix == ".zst" else content)
    return path


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("How We Use Data", "How We Use Data?"),
        ("3.1 HOW WE USE DATA", "How we use data?"),
        ("Who are we?", "Who are we?"),
        ("Cookies, Pixels, And Similar Technologies", "What about cookies, pixels, and similar technologies?"),
        ("IV. Sharing of your data", "What about sharing of your data?"),
        ("(a) GDPR", "What about GDPR?"),
        ("Section 2: Your Rights under the CCPA", "What about your rights under the CCPA?"),
        ("Contact us", "How do I contact us?"),
        ("About This Notice", "What about this notice?"),
        ("To prevent fraud", "What do you do to prevent fraud?"),
        ("For users in Korea", "What holds for users in Korea?"),
        ("Do Not Track", "What about do not track?"),
        ("CHILDREN:", "What about children?"),
        ("iOS devices", "What about iOS devices?"),
        ("7", "What about 7?"),
    ],
)
def test_headings_as_questions(heading, question):
    assert as_question(heading) == question


def test_markdown_is_made_readable():
    assert readable("Title\n=====\n\nA **bold** 1\\. word\n\nPart\n---\nx\n\n---\n") == (
        "# Title\n\nA bold 1. word\n\n## Part\nx\n\n---\n"
    )


def test_every_heading_over_a_paragraph_is_a_question(tmp_path):
    (found,) = outlines(written(tmp_path / "p.jsonl", {"id": "shop", "markdown": POLICY}))
    texts = [sentence.text for sentence in found.sentences]
    assert [(question.text, texts[question.candidates[0]][:20]) for question in found.questions] == [
        ("What about email address?", "The email address of"),
        ("What about cookies?", "The cookies of every"),
        ("What about your choice?", "The choice of every "),
        ("What about email address?", "The other address of"),
    ]
    assert all(sentence.headings == () for sentence in found.sentences)
    assert found.numbers == tuple(sentence.start for sentence in found.sentences)
    # What stands below the heading is no wrong answer, in a part of its section neither; the rest may be drawn.
    assert [texts[place][:12] for place in found.questions[1].candidates[1:]] == [
        "This policy ", "The email ad", "A second par", "The other ad",
    ]  # fmt: skip
    for question in found.questions:
        answer, *others = question.candidates
        assert question.relevant == {answer}
        assert negative(question) in others
        assert answer not in others
    assert found.questions[0].id.startswith("shop#")


def test_the_title_over_all_has_no_wrong_answers_and_is_left_out(tmp_path):
    (found,) = outlines(written(tmp_path / "p.jsonl", {"markdown": POLICY}))
    assert "What about privacy policy of the shop?" not in [question.text for question in found.questions]


def test_draws_are_always_the_same(tmp_path):
    path = written(tmp_path / "p.jsonl.zst", {"id": "a", "markdown": POLICY}, {"id": "b", "markdown": POLICY})
    first, second = list(outlines(path)), list(outlines(path))
    assert first == second
    assert [negative(question) for sheet in first for question in sheet.questions] == [
        negative(question) for sheet in second for question in sheet.questions
    ]
    # A policy's draws do not depend on what else is in the file.
    assert list(outlines(written(tmp_path / "b.jsonl", {"id": "b", "markdown": POLICY}))) == first[1:]


def test_html_and_text_are_read_too(tmp_path):
    html = (
        f"<html><body><h1>Us</h1><h2>Cookies</h2><p>{said('cookies')}</p><h2>Ads</h2><p>{said('ads')}</p></body></html>"
    )
    text = f"{said('shop')}\n\nCookies\n\n{said('cookies')}\n\nAds\n\n{said('ads')}\n"
    found = list(outlines(written(tmp_path / "p.jsonl", {"html": html}, {"text": text}, {"text": ""})))
    expected = ["What about cookies?", "What about ads?"]
    assert [[question.text for question in sheet.questions] for sheet in found] == [expected, expected, []]
    assert [one.policy for one in found] == ["1", "2", "3"]
    with pytest.raises(NoData, match=r"line 1 of .* has no 'html', 'markdown' or 'text'"):
        list(outlines(written(tmp_path / "bad.jsonl", {"id": 1})))


def test_the_benchmark_on_a_file(tmp_path):
    path = written(tmp_path / "p.jsonl", {"id": "shop", "markdown": POLICY})
    result = evaluate(path, by=Overlap(), predictions=tmp_path / "said.jsonl")
    assert [result[name] for name in ("task", "data", "n", "policies")] == ["heading-answers", "p.jsonl", 4, 1]
    assert set(result["systems"]) == {"combined", "backwards", "nothing"}
    assert result["systems"]["combined"]["MRR_all"] > result["systems"]["backwards"]["MRR_all"]
    # Nothing tells the paragraphs apart, so that the right one is first in half of the draws.
    assert (result["systems"]["nothing"]["P@1"], result["systems"]["nothing"]["MRR"]) == (0.5, 0.75)
    lines = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    assert [line["question"] for line in lines][1] == "What about cookies?"
    assert all(str(line["negative"]) in line["scores"]["combined"] for line in lines)
    one = evaluate(path, ("combined",), frozenset({lines[2]["id"]}), by=Overlap())
    assert (one["n"], list(one["systems"])) == (1, ["combined"])
    assert evaluate(path, ids=frozenset({"nobody"}), by=Overlap())["n"] == 0


def test_equal_scores_share_their_places():
    name = next(name for name in "abcdefgh" if negative(Question(name, "", (1, 0, 2, 3), None)) == 2)
    figures = measured([Question(name, "", (1, 0, 2, 3), None)], [np.array([5, 3, 3, 3], dtype=np.float32)])
    assert figures["P@1"] == 0.5
    assert figures["MRR"] == 0.75
    assert figures["P@1_all"] == 0
    assert figures["MRR_all"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)


# What is held


def test_a_service_and_its_site_are_held_together():
    names = [f"service{number}" for number in range(2000)]
    shares = [is_held(name) for name in names]
    assert 0.07 < sum(shares) / len(shares) < 0.13
    assert shares == [is_held(f"{name.capitalize()}.com") for name in names]
    assert shares == [is_held(f"{name}.co.uk") for name in names]
    assert all(is_held(name) for name in ("DuckDuckGo", "duckduckgo.com", "HER", "weareher.com", "ted.com", "Miro"))


def archived(service, markdown, date="2024-01-01", url=None, kind="Privacy Policy"):
    return {"source": "s", "service": service, "terms_type": kind, "doc": kind, "date": date, "url": url,
            "version": 0, "markdown": markdown}  # fmt: skip


@pytest.fixture
def data(tmp_path):
    for folder in ("corpus", "labelled/smallprint_qa"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "exclude.txt").write_text("kept.example\nota:Kept\n")
    held = [f"held{number}" for number in range(200) if is_held(f"held{number}")]
    free = next(f"free{number}" for number in range(200) if not is_held(f"free{number}"))
    german = POLICY + "Wir verarbeiten Ihre Daten nur für den Zweck, den Sie uns nennen, und löschen sie danach. " * 40
    written(
        tmp_path / "labelled/smallprint_qa/policies.jsonl.zst", {"policy": f"ota:{held[0]}"}, {"policy": f"ota:{HELD}"}
    )
    written(
        tmp_path / "corpus/history_ota.jsonl.zst",
        archived(HELD, POLICY.replace("cookies", "old words"), "2020-01-01"),
        archived(HELD, POLICY, "2023-01-01"),
        archived(HELD, "x", "2025-01-01", kind="Terms of Service"),
        archived(held[0], TAUGHT),  # trained on with its questions
        archived(held[1], POLICY.replace("every", "any"), url="https://www.kept.example/privacy"),
        archived(held[2], german),
        archived(held[3], f"## Ads\n\n{said('shared words')}\n\n## Tags\n\n{said('same words')}\n"),
        archived(free, f"## Ads\n\n{said('shared words')}\n\n## Tags\n\n{said('same words')}\n"),
    )
    return tmp_path


def test_the_newest_english_policies_that_nothing_was_trained_on(data):
    (found,) = held_outlines(data)
    assert found.policy == f"ota:{HELD}"
    assert any("cookies" in one.text for one in found.sentences)
    result = evaluate(data, by=Overlap())
    assert (result["data"], result["n"]) == ("Open Terms Archive, services kept out of training", 4)


def test_the_research_data_must_be_there(tmp_path):
    with pytest.raises(NoData):
        evaluate(tmp_path, by=Overlap())
