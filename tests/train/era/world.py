"""Research data of a toy's size for ERA: policies with questions on them, kept-out ones, and pages to find more in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import zstandard

from smallprint.datasets import corpus, smallprint_qa
from smallprint.text import sentences as cut

HELD = corpus.listed("ask_test")[0]["id"]
TUNING = corpus.listed("ask_tuning")[0]["id"]
TRAINED = ("ota:Alder", "ota:Birch", "ota:Cedar")
SUBJECTS = {
    "sell": ("Do you sell my data?", "We do not sell the data of our customers to anybody at all."),
    "keep": ("How long is my data kept?", "We keep your records for seven years after you close the account."),
    "safe": ("Is my information safe?", "All of your information is encrypted when it is sent to our servers."),
    "read": ("Who can read my messages?", "Nobody but you and the people you write to can read your messages."),
}
FILLER = tuple(f"Paragraph {word} of this notice says nothing that anybody would ask about." for word in "abcdefgh")
# Sentences that stand in what is measured on, and in a page that may be read as well.
COPIED = "The {} app asks for your place only while the map of the town is open."


def policy(name: str) -> dict[str, Any]:
    """Make a policy of smallprint_qa: what answers each question, in its own words, and filler."""
    texts = [f"At {name[-5:]}, {said[0].lower()}{said[1:]}" for _, said in SUBJECTS.values()]
    texts += [*FILLER, COPIED.format(name[-5:])]
    rows = [{"index": place, "heading": "Your data", "text": text} for place, text in enumerate(texts)]
    return {"policy": name, "service": name, "date": "2024-01-01", "sentences": rows}


def questions(name: str) -> list[dict[str, Any]]:
    """Make the questions on a policy: one a subject, one that nothing answers and one that is none."""
    made = [
        {"question": asked, "answers": [place], "related": [place, (place + 1) % 4], "state": "answered"}
        for place, (asked, _) in enumerate(SUBJECTS.values())
    ]
    made.append({"question": f"Do you read my palm, {name[-5:]}?", "answers": [], "related": [], "state": "silent"})
    made.append({"question": "Where is the nearest baker?", "answers": [], "related": [], "state": "off-topic"})
    return [{"id": f"{name}#{n}", "policy": name, "source": "own", **one} for n, one in enumerate(made)]


def page(number: int) -> dict[str, Any]:
    """Make a page of the corpus with sentences on every subject."""
    host = f"free{number}.example"
    said = " ".join(f"On page {number}, {text[0].lower()}{text[1:]}" for _, text in SUBJECTS.values())
    return {"id": f"cat1-arts/{number}", "url": f"http://{host}/privacy", "domain": host, "lang": "en", "text": said}


def build(data: Path, pages: int = 12) -> Path:
    """Write all of it."""
    _packed(data / "corpus" / "dmoz_policies.jsonl.zst", [page(number) for number in range(pages)])
    for name in ("ota_pages_html", "history_ota", "history_tosback2"):
        _packed(data / "corpus" / f"{name}.jsonl.zst", [])
    (data / "exclude.txt").write_text("shop.example\n", encoding="utf-8")
    names = (*TRAINED, HELD, TUNING)
    folder = data / "labelled" / "smallprint_qa"
    _packed(folder / smallprint_qa.POLICIES, [policy(name) for name in names])
    _packed(folder / smallprint_qa.QUESTIONS, [one for name in names for one in questions(name)])
    _privacyqa(data / "labelled" / "privacyqa")
    _policyqa(data / "labelled" / "policyqa")
    return data


def read(sample: corpus.Sample) -> list[str]:
    """Cut a page into sentences, without asking whether it is a policy."""
    text = sample.text or ""
    return [text[place.start : place.end] for place in cut(text)]


def _privacyqa(folder: Path) -> None:
    (folder / "dev").mkdir(parents=True)
    texts = [said for _, said in SUBJECTS.values()] + list(FILLER[:3]) + [COPIED.format("Fiver")]
    asked = [question for question, _ in SUBJECTS.values()] + ["what about bees?"]
    flags = ("first", "third", "datasecurity", "dataretention", "user_access", "user_choice", "other")
    rows = [("DocID", "SentIdx", "Segment", "labels_complete")]
    rows += [("App", str(place), text, "1") for place, text in enumerate(texts)]
    _table(folder / "dev" / "segments.tsv", rows)
    rows = [("QueryID", "DocID", "Query", *flags)]
    rows += [(f"q{n}", "App", text, *(str(int(n == place)) for place in range(7))) for n, text in enumerate(asked)]
    _table(folder / "dev" / "questions.tsv", rows)
    _table(folder / "dev" / "qrels_any_relevant.tsv", [("QueryID", "SentIdx"), *((f"q{n}", str(n)) for n in range(4))])
    rows = [("DocID", "QueryID", "Query", *flags)]
    for n, text in enumerate(("may i keep goats?", "are my photos sold?", "what about bees?")):
        rows.append(("Tool", f"t{n}", text, *(str(int(n > 0 and place == 1)) for place in range(7))))
    _table(folder / "train_questions.tsv", rows)


def _policyqa(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, context in (("train_rebuilt", SUBJECTS["keep"][1]), ("dev", COPIED.format("Seven"))):
        answers = [{"text": context[:7], "answer_start": 0}]
        asked = {"id": name, "question": "How long?", "type": "Data Retention|||x|||y", "answers": answers}
        made = [{"title": "1_a.example", "paragraphs": [{"context": context, "qas": [asked]}]}]
        (folder / f"{name}.json").write_text(json.dumps({"data": made}), encoding="utf-8")


def _table(path: Path, rows: list[tuple[str, ...]]) -> None:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def _packed(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zstandard.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
