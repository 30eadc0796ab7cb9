from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import zstandard

from smallprint.datasets import corpus, kept_out
from smallprint.datasets.appcorp import COMMON_WORDS, NEAR_PARAGRAPHS, PARTNERS, TOPICS
from smallprint.datasets.kept_out import held_out_policies
from smallprint.datasets.opp115 import Passage, passages
from smallprint.errors import NoData
from smallprint.models.labels import COLUMNS, column
from smallprint.taxonomy import CATEGORY_LABELS, POLARITY, Label
from smallprint.train import material
from smallprint.train.material import Example, appcorp_examples, example, opp115_examples, polarity_examples

FIRST = Label("first-party")
CONTACT = Label("first-party", "Personal Information Type", "Contact")
COLLECTS, COLLECTS_NOT, SHARES, SHARES_NOT = POLARITY
NOTHING = np.zeros(len(COLUMNS), dtype=np.float32)


def shown(values: np.ndarray) -> dict[Label, float]:
    return {COLUMNS[place]: round(float(values[place]), 4) for place in np.flatnonzero(values)}


def told(text: str, group: str) -> Example:
    return Example(text, group, NOTHING, NOTHING)


def test_the_material_needs_no_torch():
    assert material.__name__ in sys.modules
    assert "torch" not in vars(material)


# OPP-115


def test_votes_become_shares():
    passage = Passage(
        "1_a#0", "1_a", "We keep your name.", 3, {FIRST: 2, CONTACT: 1, COLLECTS: 2, Label("security"): 1}
    )
    made = example(passage)
    assert (made.text, made.group, made.topic) == ("We keep your name.", "1_a", -1)
    assert made.targets.dtype == made.weights.dtype == np.float32
    # A category's share is of all annotators, a value's of those who gave its category.
    assert shown(made.targets) == {FIRST: 0.6667, Label("security"): 0.3333, CONTACT: 0.5, COLLECTS: 1.0}
    weights = shown(made.weights)
    assert [weights.pop(label) for label in CATEGORY_LABELS] == [1.0] * len(CATEGORY_LABELS)
    # What hangs on a category that nobody gave has no weight.
    assert {label.category for label in weights} == {"first-party", "security"}
    assert (weights[CONTACT], weights[COLLECTS_NOT]) == (0.6667, 0.6667)
    assert {weight for label, weight in weights.items() if label.category == "security"} == {0.3333}


def test_a_single_annotator_is_half_believed():
    made = example(Passage("1_a#0", "1_a", "Text", 1, {FIRST: 1, CONTACT: 1}))
    assert shown(made.targets) == {FIRST: 0.5, CONTACT: 1.0}
    assert made.weights[column(CONTACT)] == 0.5


def test_a_passage_without_votes_is_of_no_category():
    made = example(Passage("1_a#0", "1_a", "Text"))
    assert shown(made.targets) == {}
    assert shown(made.weights) == dict.fromkeys(CATEGORY_LABELS, 1.0)


def test_policies_held_out_give_no_examples(tmp_path):
    folder = tmp_path / "labelled" / "opp115" / "sanitized_policies"
    folder.mkdir(parents=True)
    for name in ("1_a.example", "2_b.example", "3_c.example"):
        (folder / f"{name}.html").write_text(f"{name} one|||{name} two")
    (tmp_path / "exclude.txt").write_text("opp115:1_a.example\nopp115:3_c.example\n")
    assert [one.text for one in opp115_examples(tmp_path)] == [
        "2_b.example one",
        "2_b.example two",
    ]


def test_the_test_split_and_what_is_kept_are_held_out(tmp_path):
    (tmp_path / "exclude.txt").write_text("# names\nx.example\nopp115:7_y.example\nota:Z\n")
    tested = {row["id"] for row in corpus.listed("practices_test")}
    assert held_out_policies(tmp_path) == tested | {"7_y.example"}


# AppCorp


def appcorp(data: Path, texts: list[str], exclude: str) -> list[Example]:
    """Write paragraphs of AppCorp and give the examples made of them."""
    (data / "labelled" / "appcorp").mkdir(parents=True, exist_ok=True)
    rows = [
        {"sentences": text.split(" / ") if text else [], "label": TOPICS[n % len(TOPICS)], "fold": n % 5}
        for n, text in enumerate(texts)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (data / "labelled" / "appcorp" / "paragraphs.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    (data / "exclude.txt").write_text(exclude, encoding="utf-8")
    return appcorp_examples(data)


def test_paragraphs_with_their_topics(tmp_path):
    found = appcorp(tmp_path, ["One . / Two .", "", "Three"], "limasky.com\n")
    assert [(one.text, one.group, one.topic) for one in found] == [
        ("One . Two .", "appcorp:0", 0),
        ("Three", "appcorp:2", 2),
    ]
    assert not any(one.targets.any() or one.weights.any() for one in found)


def test_what_stands_near_a_kept_name_is_left_out(tmp_path):
    texts = [f"Paragraph {n}" for n in range(400)]
    texts[200] = "The makers of LIMA SKY games"
    found = appcorp(tmp_path, texts, "limasky.com\n")
    assert [one.text for one in found] == [*texts[: 200 - NEAR_PARAGRAPHS], *texts[201 + NEAR_PARAGRAPHS :]]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("limasky.com", "by limasky .", True),
        ("limasky.com", "write to help@limasky.com", True),
        ("limasky.com", "Lima Sky LLC", True),
        ("limasky.com", "limaskyline", False),
        ("education.jlab.org", "education jlab", True),
        ("opp115:394_newsbusters.org", "NewsBusters is ours", True),
        ("dmoz:cat3-business/www-goorin-com-1", "Goorin hats", True),
        ("ota:The Reach Group", "the reach group gmbh", True),
        ("ota:UrbanDictionary.com", "Urban Dictionary", True),
        ("si.edu", "si", False),  # too short to be a name
        ("amazon.com", "our partner Amazon", False),
        ("keep.com", "we keep it", False),
    ],
)
def test_names_are_found_in_their_spellings(tmp_path, name, text, expected):
    # A second name, since a pattern of none would match whatever there is.
    assert (appcorp(tmp_path, [text], f"{name}\nzzyzx.example\n") == []) is expected


# PI-Extract


def conll(data: Path, name: str, *sentences: str) -> None:
    """Write sentences in which words in capitals are marked."""
    path = data / "labelled" / "pi_extract" / "dataset" / name / "train.conll03"
    path.parent.mkdir(parents=True, exist_ok=True)
    blocks = [
        "\n".join(f"{word} NN O {'B-DATA' if word.isupper() and len(word) > 1 else 'O'}" for word in sentence.split())
        for sentence in sentences
    ]
    path.write_text("-DOCSTART- -X- O O\n\n" + "\n\n".join(blocks) + "\n", encoding="utf-8")


ALLOWED = [
    told("Hello. We collect your NAME, and keep it.", "1_a"),
    told("We never sell your E-MAIL.", "1_a"),
    told("We collect your AGE .", "2_b"),
]


def test_sentences_of_allowed_policies_with_what_they_say(tmp_path):
    conll(
        tmp_path, "CollectUse_true", "We collect your NAME , and keep it .", "Elsewhere we read your MAIL .", "Hello ."
    )
    conll(tmp_path, "CollectUse_false", "We collect your AGE .")
    conll(tmp_path, "Share_true", "We collect your NAME , and keep it .")
    conll(tmp_path, "Share_false", "We never sell your E-MAIL .")
    found = polarity_examples(tmp_path, ALLOWED)
    assert [(one.text, one.group, shown(one.targets)) for one in found] == [
        ("We collect your AGE .", "2_b", {COLLECTS_NOT: 1.0}),
        ("We collect your NAME , and keep it .", "1_a", {COLLECTS: 1.0, SHARES: 1.0}),
        ("We never sell your E-MAIL .", "1_a", {SHARES_NOT: 1.0}),
    ]
    # Of what a sentence does not speak, nothing is learnt.
    assert [set(shown(one.weights)) for one in found] == [
        {COLLECTS, COLLECTS_NOT},
        {COLLECTS, COLLECTS_NOT, SHARES, SHARES_NOT},
        {SHARES, SHARES_NOT},
    ]


def test_no_policy_allowed_gives_no_sentence(tmp_path):
    for name in ("CollectUse_true", "CollectUse_false", "Share_true", "Share_false"):
        conll(tmp_path, name, "We collect your NAME .")
    assert polarity_examples(tmp_path, []) == []


def test_pi_extract_that_is_not_there(tmp_path):
    with pytest.raises(NoData, match=r"train\.conll03 is not there; set data_dir"):
        polarity_examples(tmp_path, ALLOWED)


# The research data


@pytest.mark.real_data("exclude.txt", "labelled/opp115")
def test_no_example_is_of_a_policy_that_is_held_out(data_dir):
    held = held_out_policies(data_dir)
    examples = opp115_examples(data_dir)
    tested = {row["id"] for row in corpus.listed("practices_test")}
    kept = {name.partition(":")[2] for name in kept_out.excluded(data_dir) if name.startswith("opp115:")}
    groups = {one.group for one in examples}
    assert (len(examples), len(groups), len(held)) == (2404, 72, 23)
    assert not groups & (tested | kept)
    # Nor is it the same site under another number.
    sites = {name.partition("_")[2].removeprefix("www.") for name in groups}
    assert not sites & (kept_out.excluded(data_dir) | {name.partition("_")[2] for name in tested | kept})
    every = {one.policy for one in passages(data_dir / "labelled" / "opp115")}
    assert every == groups | (held & every)


@pytest.mark.real_data("exclude.txt", "labelled/appcorp")
def test_no_paragraph_names_what_is_kept(data_dir):
    found = appcorp_examples(data_dir)
    assert len(found) == 6473
    assert set(range(len(TOPICS))) == {one.topic for one in found}
    names = {
        re.sub(r"[^a-z0-9]", "", re.sub(r"\.(com|org|gov|edu)$", "", name.lower().removeprefix("ota:")))
        for name in kept_out.excluded(data_dir)
        if ":" not in name or name.startswith("ota:")
    }
    looked_for = {name for name in names if len(name) > 3} - PARTNERS - COMMON_WORDS
    assert len(looked_for) > 25
    for one in found:
        words = re.findall(r"[a-z0-9]+", one.text.lower())
        runs = {"".join(words[at : at + width]) for width in (1, 2, 3) for at in range(len(words))}
        assert not runs & looked_for, one.text


@pytest.mark.real_data("exclude.txt", "labelled/opp115", "labelled/pi_extract")
def test_sentences_of_pi_extract_stand_in_policies_that_are_allowed(data_dir):
    held = held_out_policies(data_dir)
    allowed = opp115_examples(data_dir)
    texts: dict[str, str] = {}
    for one in allowed:
        texts[one.group] = texts.get(one.group, "") + re.sub(r"[\W_]", "", one.text.lower())
    found = polarity_examples(data_dir, allowed)
    assert (len(found), len({one.group for one in found})) == (529, 19)
    assert not {one.group for one in found} & held
    assert all(re.sub(r"[\W_]", "", one.text.lower()) in texts[one.group] for one in found)
