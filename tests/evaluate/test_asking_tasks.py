"""The tasks of question answering as the command runs them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from smallprint.cli.app import main
from smallprint.errors import BadSetting
from smallprint.evaluate import answering, labels, questions
from smallprint.models.labels import COLUMNS
from smallprint.settings import Settings

from .answerers import Overlap, run
from .test_questions_privacyqa import made


class Mapper:
    def map(self, question):
        return np.linspace(1, 0, len(COLUMNS), dtype=np.float32)


@pytest.fixture(autouse=True)
def shipped(monkeypatch):
    monkeypatch.setattr(answering, "Answerer", Overlap)
    for system in labels.MAPPERS:
        monkeypatch.setitem(labels.MAPPERS, system, Mapper)
    monkeypatch.setattr(questions, "find_span", lambda question, context: (0, 4))


def printed(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    assert (left.value.code, said.err) == (0, "")
    return said.out


def test_json_is_one_object(tmp_path, capsys):
    found = json.loads(printed(capsys, "evaluate", "privacyqa", "--data", made(tmp_path / "dev"), "--json"))
    assert list(found) == ["task", "data", "n", "hash", "systems", "answerable"]
    assert 0 <= found["systems"]["combined"]["F@5_ci"][0] <= found["systems"]["combined"]["F@5"] <= 1


def test_tables_for_people_fit_a_line(tmp_path, capsys):
    lines = printed(capsys, "evaluate", "privacyqa", "--data", made(tmp_path / "dev")).splitlines()
    assert max(map(len, lines)) <= 140
    heads = [line.split() for line in lines if "F@5" in line or "macro_F1" in line]
    assert [head[0] for head in heads] == ["F@5", "answerable", "selection_precision", "combined,", "combined,"]
    assert lines[0].endswith("/dev: n = 4")
    assert [line.split()[0] for line in lines[2:5]] == ["combined", "backwards", "nothing"]
    assert any("–" in line and line.startswith("answerable") for line in lines)


def test_systems_ids_and_predictions(tmp_path, capsys):
    (tmp_path / "ids.txt").write_text("Shop\n")
    said = printed(capsys, "evaluate", "privacyqa", "--data", made(tmp_path / "dev"), "--systems", "nothing",
                   "--ids", tmp_path / "ids.txt", "--predictions", tmp_path / "said.jsonl", "--json")  # fmt: skip
    assert (json.loads(said)["n"], list(json.loads(said)["systems"])) == (3, ["nothing"])
    assert len((tmp_path / "said.jsonl").read_text().splitlines()) == 3


def test_an_unknown_system_of_an_answerer(tmp_path):
    with pytest.raises(BadSetting, match="choose from: combined, backwards, nothing"):
        run("privacyqa", made(tmp_path / "dev"), Settings(), systems=("best",))


def test_question_mapping_and_policyqa_take_what_is_shipped(tmp_path, capsys):
    path = tmp_path / "asked.tsv"
    path.write_text("id\tquestion\tcategory\tattribute\tvalue\na\t?\tfirst-party\t\t\n")
    found = json.loads(printed(capsys, "evaluate", "question-mapping", "--data", path, "--json"))
    assert list(found["systems"]) == ["mapper", "bag of words", "bag of word clusters"]
    assert found["systems"]["mapper"]["category"] == 1
    passages = {"data": [{"paragraphs": [
        {"context": "Logs are kept.", "qas": [{"id": "a", "question": "?", "answers": [{"text": "logs"}]}]}
    ]}]}  # fmt: skip
    (tmp_path / "dev.json").write_text(json.dumps(passages))
    assert json.loads(printed(capsys, "evaluate", "policyqa", "--data", tmp_path / "dev.json", "--json"))[
        "systems"
    ] == {"default": {"EM": 1.0, "EM_ci": [1.0, 1.0], "F1": 1.0, "F1_ci": [1.0, 1.0]}}
    with pytest.raises(BadSetting, match="not a system of policyqa; choose from: default"):
        run("policyqa", tmp_path / "dev.json", Settings(), systems=("best",))
