from __future__ import annotations

import json

import pytest

from smallprint.card import CODES
from smallprint.errors import BadSetting, NoData
from smallprint.evaluate.tasks import Order, run

SENTENCES = [
    ("Sharing", "", "We do not sell your personal information to anybody, and never will."),
    ("Sharing", "", "We share it with:"),
    ("Sharing", "We share it with:", "courts and the police, where the law requires it;"),
    ("Keeping", "", "We keep your records for seven years after you close your account."),
    ("Cookies", "", "We use cookies and similar technologies to remember your settings."),
    ("Contact", "", "Write to our privacy officer at privacy@shop.example with any question."),
]
VERDICTS = {"sells": ("no", [0]), "authorities": ("yes", [2]), "cookies": ("yes", [4]), "contact": ("yes", [5])}


@pytest.fixture
def folder(tmp_path):
    def write(name, *rows):
        (tmp_path / f"{name}.jsonl.zst").write_text("".join(json.dumps(row) + "\n" for row in rows))

    sentences = [
        {"index": place, "heading": heading, "lead_in": lead_in, "text": text}
        for place, (heading, lead_in, text) in enumerate(SENTENCES)
    ]
    write("policies", {"policy": "p", "service": "Shop", "date": "2026", "sentences": sentences})
    card = []
    for code in ("sells", "authorities", "cookies", "contact", "ai", "breach"):
        verdict, earns = VERDICTS.get(code, ("silent", []))
        card.append({"policy": "p", "card": code, "verdict": verdict, "earns": earns, "also": []})
    card[4]["accept"] = ["silent", "depends"]
    write("card", *card)
    twins = [("+", "We sell your personal data to brokers."), ("-", "We do not sell your personal data to brokers.")]
    write(
        "contrast",
        *({"card": "sells", "stance": s, "kind": "", "heading": "", "sentence": t, "block": "b"} for s, t in twins),
    )
    asked = [
        ("q1", "yes-no", "no", {"0": "-"}, [0], "answered", "do you sell my data?"),
        ("q2", "open", "", {}, [3], "answered", "how long do you keep my records?"),
        ("q3", "off-topic", "", {}, [], "off-topic", "what is the weather like?"),
        ("q4", "yes-no", "silent", {}, [], "silent", "do you record my voice?"),
    ]
    write("questions", *(
        {"id": own, "policy": "p", "question": text, "source": "own", "answers": answers, "related": [], "state": state}
        for own, _, _, _, answers, state, text in asked
    ))  # fmt: skip
    write("stances", *(
        {"id": own, "policy": "p", "kind": kind} | ({"verdict": verdict, "stances": stances} if verdict else {})
        for own, kind, verdict, stances, *_ in asked
    ))  # fmt: skip
    narrow = [
        ("n1", "do the cops get my stuff", "yes-no", "yes", [2], {"2": "+"}),
        ("n2", "how long after i leave do you keep my records", "open", "told", [3], {}),
        ("n3", "is my fingerprint stored in China", "yes-no", "silent", [], {}),
    ]
    write("narrow", *(
        {"id": own, "policy": "p", "question": text, "kind": kind, "verdict": verdict, "answers": answers,
         "stances": stances, "related": []}
        for own, text, kind, verdict, answers, stances in narrow
    ))  # fmt: skip
    return tmp_path


VERDICT_MEASURES = {
    "accuracy", "opposed", "macro_F1", "silent_precision", "silent_recall", "said_precision", "said_coverage", "cited",
    "said_precision_at_40", "said_precision_at_60", "ECE", "Brier", "n",
}  # fmt: skip
SHOWN_MEASURES = {"first_three", "top_1", "silent_not_answered", "answered_kept"}
FIELDS = {
    "card": VERDICT_MEASURES, "card-fast": VERDICT_MEASURES, "card-majority": VERDICT_MEASURES,
    "contrast": {"accuracy", "opposed", "n"},
    **{
        f"{part}{of}": VERDICT_MEASURES | SHOWN_MEASURES
        for part in ("asked", "narrow") for of in ("", "-majority")
    },
    "narrow": VERDICT_MEASURES | SHOWN_MEASURES | {"false_card"},
}  # fmt: skip


def test_every_field(folder):
    result = run(Order("verdicts", folder))
    assert {system: set(figures) for system, figures in result["systems"].items()} == FIELDS
    card = result["systems"]["card"]
    assert (card["accuracy"], card["opposed"], card["cited"], card["n"]) == (1.0, 0.0, 1.0, 6)
    assert result["systems"]["contrast"] == {"accuracy": 1.0, "opposed": 0.0, "n": 2}
    asked, narrow = result["systems"]["asked"], result["systems"]["narrow"]
    assert (asked["n"], asked["opposed"], asked["first_three"], asked["answered_kept"]) == (2, 0.0, 1.0, 1.0)
    assert (narrow["n"], narrow["first_three"]) == (3, 1.0)
    assert result["systems"]["asked-majority"]["first_three"] == 0.0
    assert result["policies"] == 1


def test_some_systems_and_items(folder):
    result = run(Order("verdicts", folder, systems=("card-majority",), ids=frozenset({"sells", "ai"})))
    assert list(result["systems"]) == ["card-majority"]
    assert result["systems"]["card-majority"]["n"] == 2


def test_what_is_not_there_is_not_measured(folder):
    for name in ("card", "stances", "narrow"):
        (folder / f"{name}.jsonl.zst").unlink()
    assert list(run(Order("verdicts", folder))["systems"]) == ["contrast"]


def test_bad_input_is_told(folder, tmp_path_factory):
    with pytest.raises(BadSetting, match="'best' is not a system of verdicts"):
        run(Order("verdicts", folder, systems=("best",)))
    with pytest.raises(NoData, match="has none of card"):
        run(Order("verdicts", tmp_path_factory.mktemp("empty")))


@pytest.mark.real_data
def test_without_a_folder_what_is_kept_out_is_measured(data_dir):
    result = run(Order("verdicts", data_dir, systems=("card-majority",)))
    assert result["systems"]["card-majority"]["n"] == 32 * len(CODES)
    assert 0.5 < result["systems"]["card-majority"]["accuracy"] < 0.7
