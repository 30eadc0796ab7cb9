from __future__ import annotations

import json

import pytest
import zstandard

from smallprint.datasets.corpus import rows
from smallprint.datasets.smallprint_qa import POLICIES, QUESTIONS, STATES, Asked, held, load
from smallprint.errors import NoData
from smallprint.evaluate.questions import HARMLESS, RIGHT
from smallprint.records import Sentence

from .answerers import Decided, Overlap, evaluator

evaluate = evaluator("smallprint-qa")

HELD = "ota:DuckDuckGo"
SHOP = {
    "policy": HELD, "service": "Shop", "date": "2026-01",
    "sentences": [
        {"index": 0, "heading": "", "text": "We sell your email."},
        {"index": 1, "heading": "Logs", "text": "Logs are kept a year."},
        {"index": 2, "heading": "Logs", "text": "Ask us for more."},
        {"index": 3, "heading": "Ads", "text": "Ads use cookies."},
    ],
}  # fmt: skip
BANK = {"policy": "ota:Bank", "sentences": [{"index": 0, "heading": "", "text": "We keep data."}]}


def asked(number, question, state, answers=(), related=(), policy=HELD):
    return {"id": f"{policy}#{number}", "policy": policy, "question": question, "source": "own",
            "answers": list(answers), "related": list(related), "state": state}  # fmt: skip


ROWS = (
    asked(0, "do you sell my email", "answered", [0], [2]),
    asked(1, "for how long are logs kept", "partly", [1], [2]),
    asked(2, "may children join", "silent", [], [3]),
    asked(3, "what is the weather", "off-topic"),
    asked(4, "ads", "silent"),
    asked(0, "do you keep data", "answered", [0], [], "ota:Bank"),
)


def packed(path, found):
    path.write_bytes(zstandard.compress("".join(json.dumps(row) + "\n" for row in found).encode()))


def made(folder, questions=ROWS, policies=(SHOP, BANK)):
    folder.mkdir(parents=True, exist_ok=True)
    packed(folder / POLICIES, policies)
    packed(folder / QUESTIONS, questions)
    return folder


def test_the_collection_is_read_as_records(tmp_path):
    collection = load(made(tmp_path))
    shop = collection.policies[HELD]
    assert (shop.policy, shop.numbers) == (HELD, (0, 1, 2, 3))
    assert shop.sentences[1:3] == (
        Sentence("Logs are kept a year.", ("Logs",), 1, 20, 41),
        Sentence("Ask us for more.", ("Logs",), 1, 42, 58),
    )
    assert [one.segment for one in shop.sentences] == [0, 1, 1, 2]
    assert collection.questions[0] == Asked(
        f"{HELD}#0", HELD, "do you sell my email", (0,), (2,), "answered"
    )  # fmt: skip
    assert collection.questions[0].relevant == {0, 2}


def test_all_of_a_folder_is_measured(tmp_path):
    result = evaluate(made(tmp_path / "mine"), by=Overlap(), predictions=tmp_path / "said.jsonl")
    assert [result[name] for name in ("task", "data", "n", "policies")] == ["smallprint-qa", "mine", 6, 2]
    found = result["systems"]["combined"]
    # With related sentences the first "silent" question has something relevant too, and it is not among the first.
    assert found["top-1"] == pytest.approx(3 / 6)
    assert found["top-1_answerable"] == pytest.approx(3 / 4)
    assert found["answers/top-1"] == pytest.approx(3 / 6)
    assert found["answers/top-1_answerable"] == 1
    assert found["MAP_answerable"] < found["answers/MAP_answerable"]
    assert "answers/F@5" in result["systems"]["backwards"]
    assert "state_accuracy" not in result["systems"]["backwards"]
    assert result["by_state"] == {
        "answered": {"n": 2, "answered": 2, "silent": 0, "unsure": 0, "conflicting": 0, "not a privacy question": 0},
        "partly": {"n": 1, "answered": 1, "silent": 0, "unsure": 0, "conflicting": 0, "not a privacy question": 0},
        "silent": {"n": 2, "answered": 0, "silent": 1, "unsure": 1, "conflicting": 0, "not a privacy question": 0},
        "off-topic": {"n": 1, "answered": 0, "silent": 0, "unsure": 0, "conflicting": 0, "not a privacy question": 1},
    }
    # All states are right but the one that is unsure where the policy is silent, and nobody is misled by that.
    assert found["state_accuracy"] == pytest.approx(5 / 6)
    assert found["state_harmless"] == 1
    assert len((tmp_path / "said.jsonl").read_text().splitlines()) == 6


def test_the_research_data_are_measured_on_what_is_held(tmp_path):
    made(tmp_path / "labelled" / "smallprint_qa")
    result = evaluate(tmp_path, by=Overlap())
    assert (result["data"], result["n"], result["policies"]) == ("smallprint_qa, policies kept out of training", 5, 1)
    result = evaluate(tmp_path, ids=frozenset({"ota:Bank", f"{HELD}#2"}), by=Overlap())
    assert (result["data"], result["n"]) == ("smallprint_qa", 2)


class Told(Overlap):
    """Says of each question what it is told."""

    def __init__(self, decided):
        super().__init__()
        self.decided = decided

    def decide(self, question, sentences):
        return self.decided[question]


def test_silence_is_told_from_answers_by_a_threshold(tmp_path):
    answered = [asked(number, f"a{number}", "answered", [0]) for number in range(20)]
    silent = [asked(20 + number, f"s{number}", "silent") for number in range(4)]
    other = [asked(30, "o0", "off-topic")]
    scores = {f"a{number}": 10.0 + number for number in range(20)} | {
        "s0": 1,
        "s1": 10.5,
        "s2": 11.0,
        "s3": 40,
        "o0": 5,
    }
    by = Told({name: Decided((), "silent", 0.0, score) for name, score in scores.items()})
    found = evaluate(made(tmp_path, answered + silent + other), by=by)["systems"]["combined"]
    # 19 of 20 reach 11: of the silent two are below, and the one at 11 is not.
    assert found["silent_at_95"] == 0.5
    assert found["off-topic_at_95"] == 1
    assert found["silent_AUC"] == pytest.approx((20 + 19 + 18.5 + 0) / 80)
    assert found["silent_at_95_ci"][0] <= 0.5 <= found["silent_at_95_ci"][1]


def test_confidence_is_that_the_policy_answers_and_the_answer_is_right(tmp_path):
    questions = [
        asked(0, "shown and right", "answered", [1]),
        asked(1, "shown and wrong", "answered", [1], [3]),
        asked(2, "none shown but first sell your email", "partly", [0]),
        asked(3, "silent", "silent", [], [0]),
    ]
    by = Told({
        "shown and right": Decided((0, 1), "answered", 0.9, 1),
        "shown and wrong": Decided((3,), "answered", 0.6, 1),
        "none shown but first sell your email": Decided((), "silent", 0.2, 0),
        "silent": Decided((0,), "unsure", 0.1, 0),
    })  # fmt: skip
    found = evaluate(made(tmp_path, questions), by=by)["systems"]["combined"]
    assert found["right"] == 0.5
    assert found["ECE"] == pytest.approx((0.1 + 0.6 + 0.8 + 0.1) / 4)
    assert found["Brier"] == pytest.approx((0.1**2 + 0.6**2 + 0.8**2 + 0.1**2) / 4)


def test_what_may_be_said_of_each_state():
    assert set(RIGHT) == set(HARMLESS) == set(STATES)
    assert all(RIGHT[state] <= HARMLESS[state] for state in STATES)
    assert "unsure" in RIGHT["partly"]
    assert "unsure" not in RIGHT["silent"] | RIGHT["answered"]
    assert "answered" not in HARMLESS["silent"] | HARMLESS["off-topic"]


def test_without_labels_there_are_only_predictions(tmp_path):
    bare = [{name: row[name] for name in ("id", "policy", "question")} for row in ROWS]
    result = evaluate(made(tmp_path / "mine", bare), by=Overlap(), predictions=tmp_path / "said.jsonl")
    assert result == {"task": "smallprint-qa", "data": "mine", "n": 0}
    said = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()]
    assert [line["state"] for line in said][:2] == ["answered", "answered"]


@pytest.mark.parametrize(
    ("questions", "policies", "says"),
    [
        ([asked(0, "?", "maybe")], [SHOP], "line 1 of .* is no question on them .*the state 'maybe'"),
        ([asked(0, "?", "answered", [4])], [SHOP], "places that are no sentences"),
        ([asked(0, "?", "answered", [0], [], "ota:X")], [SHOP], "no question on them"),
        ([], [{"policy": "x", "sentences": [{"index": 1, "text": "a"}]}], "line 1 of .* is no policy"),
        ([], [{"policy": "x"}], "is no policy"),
    ],
)
def test_what_is_not_in_this_layout_is_told(tmp_path, questions, policies, says):
    with pytest.raises(NoData, match=says):
        load(made(tmp_path, questions, policies))


def test_the_policies_that_are_held():
    assert len(held()) == 18
    assert {name.partition(":")[0] for name in held()} == {"dmoz", "opp115", "ota"}
    assert {"dmoz:cat10-recreation/www-diveanglesey-co-uk-1", "opp115:1361_yahoo.com", "ota:Taboola"} < held()


@pytest.mark.real_data("labelled/smallprint_qa")
def test_the_real_collection(data_dir):
    folder = data_dir / "labelled" / "smallprint_qa"
    collection = load(folder)
    assert (len(collection.policies), len(collection.questions)) == (178, 3204)
    assert sum(len(policy.sentences) for policy in collection.policies.values()) == 25_282
    assert held() < set(collection.policies)
    assert collection.questions[0].id == next(rows(folder / QUESTIONS))["id"] == "ota:123Greetings#0"
    assert all(bool(one.answers) == (one.state in {"answered", "partly"}) for one in collection.questions)
    assert sum(one.policy in held() for one in collection.questions) == 324
