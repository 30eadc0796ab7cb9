from __future__ import annotations

import json
from collections import Counter

import pytest

from smallprint.datasets import smallprint_qa, verdicts
from smallprint.datasets.verdicts import CardItem
from smallprint.errors import NoData


def write(folder, name, *records):
    (folder / f"{name}.jsonl.zst").write_text("".join(json.dumps(record) + "\n" for record in records))


CARD = {"policy": "p", "card": "sells", "verdict": "no", "earns": [3], "also": []}


def test_a_card(tmp_path):
    write(tmp_path, "card", CARD, CARD | {"card": "ai", "verdict": "silent", "accept": ["silent", "depends"]})
    first, second = verdicts.load_card(tmp_path)
    assert first == CardItem("p", "sells", "no", ("no",), (3,), ())
    assert (first.id, second.accept) == ("p#sells", ("silent", "depends"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"card": "sales"}, "line 1 of .* has the card 'sales'; choose from: sells,"),
        ({"verdict": "maybe"}, "the verdict 'maybe' on 'p' is none of yes,"),
        ({"policy": None}, "line 1 of .* has no 'policy'"),
    ],
)
def test_what_is_no_card_is_told_in_a_line(tmp_path, change, message):
    row = CARD | change
    write(tmp_path, "card", {name: value for name, value in row.items() if value is not None})
    with pytest.raises(NoData, match=message):
        verdicts.load_card(tmp_path)


def test_a_question_without_its_words_is_told(tmp_path):
    write(tmp_path, "questions")
    write(tmp_path, "stances", {"id": "p#1", "policy": "p", "kind": "open"})
    with pytest.raises(NoData, match="has 'p#1', which is no question of"):
        verdicts.load_asked(tmp_path, tmp_path)


@pytest.mark.real_data
def test_what_is_there(data_dir):
    old, new = (data_dir / folder for folder in verdicts.COLLECTIONS)
    cards = [verdicts.load_card(folder) for folder in (old, new)]
    assert [len(items) for items in cards] == [4984, 2016]
    assert Counter(item.card for items in cards for item in items) == dict.fromkeys(verdicts.CODES, 250)
    assert cards[0][0].id == "dmoz:cat11-reference/vpfo-tamu-edu-1#sells"
    assert [len(verdicts.load_narrow(folder)) for folder in (old, new)] == [2136, 864]
    asked = verdicts.load_asked(old, data_dir)
    assert Counter(item.kind for item in asked) == {"yes-no": 2025, "open": 911, "off-topic": 268}
    assert Counter(stance for item in asked for stance in item.stances.values()) == {
        "+": 3558, "-": 916, "~": 1778, "0": 484,
    }  # fmt: skip
    assert Counter(item.state for item in asked)["silent"] == 399
    wordings = verdicts.load_wordings(data_dir / verdicts.WORDINGS)
    assert (len(wordings), wordings[0].text) == (840, "do you sell my data")
    twins = verdicts.load_contrast(data_dir / verdicts.CONTRAST)
    assert (len(twins), twins[-1].block) == (2520, "targeted-ads-8")


@pytest.mark.real_data
def test_what_is_kept_out(data_dir):
    known = {item.policy for folder in verdicts.COLLECTIONS for item in verdicts.load_card(data_dir / folder)}
    assert smallprint_qa.held() < verdicts.held() <= known
    kinds = Counter(name.partition(":")[0] for name in verdicts.held() - smallprint_qa.held())
    assert kinds == {"ota": 7, "dmoz": 7}
    wordings = verdicts.load_wordings(data_dir / verdicts.WORDINGS)
    held = verdicts.held_wordings()
    kept = Counter((wording.card, wording.scope) for wording in wordings if (wording.card, wording.text) in held)
    assert kept == {(code, scope): count for code in verdicts.CODES for scope, count in (("one", 4), ("many", 2))}
    blocks = {twin.block for twin in verdicts.load_contrast(data_dir / verdicts.CONTRAST)}
    assert verdicts.held_blocks() < blocks
    assert len(verdicts.held_blocks()) == len(blocks) // 6
