from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from smallprint.annotate.vagueness import countable, cues
from smallprint.datasets.vagueness import sentences
from smallprint.errors import NoData
from smallprint.evaluate import labels
from smallprint.evaluate.labels import vague_words, vagueness_measures

from .answerers import evaluator

evaluate = evaluator("vagueness")


def written(path: Path, *documents: tuple[str, list[tuple[str, str, dict[str, int] | None]]]) -> Path:
    """Write documents in the layout of train.json: a document's id, and the id, words and phrases of its sentences."""
    docs = [
        {
            "id": document,
            "vague_sentences": [
                {"id": name, "sentence_str": words, "type": "Sentence"}
                | ({} if phrases is None else {"vague_phrases": phrases})
                for name, words, phrases in found
            ],
        }
        for document, found in documents
    ]
    path.write_text(json.dumps({"docs": docs}), encoding="utf-8")
    return path


def votes(tmp_path: Path, sentence: str, phrases: dict[str, int]) -> list[int]:
    (found,) = sentences(written(tmp_path / "v.json", ("d", [("s", sentence, phrases)])))
    return found.votes.tolist()


def array(*values: int) -> np.ndarray:
    return np.array(values, dtype=bool)


# Votes


def test_sentences_with_their_votes(tmp_path):
    path = written(
        tmp_path / "v.json",
        ("1", [("10", "We may share  certain data .", {"certain data": 3, "may": 2, "share": 1}), ("11", "", {})]),
        ("2", [("10", "Nobody was asked", None)]),
    )
    found = list(sentences(path))
    assert [(one.id, one.document, one.words) for one in found] == [
        ("10", "1", ("We", "may", "share", "certain", "data", ".")),
        ("11", "1", ()),
        ("10", "2", ("Nobody", "was", "asked")),
    ]
    assert found[0].votes.tolist() == [0, 2, 1, 3, 3, 0]
    assert found[0].vague.tolist() == [False, True, False, True, True, False]
    assert (found[1].votes.tolist(), found[1].vague.tolist()) == ([], [])
    assert found[2].votes is None


def test_every_occurrence_of_a_phrase_is_vague(tmp_path):
    assert votes(tmp_path, "Some data , SOME data and some .", {"some": 2}) == [2, 0, 0, 2, 0, 0, 2, 0]
    assert votes(tmp_path, "a b a b a", {"A b": 4}) == [4, 4, 4, 4, 0]


def test_only_whole_words_are_marked(tmp_path):
    assert votes(tmp_path, "The mayor may dismay", {"may": 2}) == [0, 0, 2, 0]


def test_a_word_has_the_votes_of_its_best_phrase(tmp_path):
    assert votes(tmp_path, "from time to time", {"time": 1, "from time to time": 3, "to": 5}) == [3, 3, 5, 3]
    assert votes(tmp_path, "from time to time", {"from time to time": 3, "time": 1}) == [3, 3, 3, 3]


def test_a_phrase_that_is_not_there_or_too_long(tmp_path):
    assert votes(tmp_path, "We may", {"we may not": 2, "perhaps": 2, "": 9, "  ": 9}) == [0, 0]


@pytest.mark.parametrize(
    "phrase", ["it", "These", "you", "personal information", "Personally  identifiable information", "third parties"]
)
def test_words_of_reference_and_terms_of_the_trade_do_not_count(tmp_path, phrase):
    words = f"Some {phrase} here"
    assert votes(tmp_path, words, {phrase: 5, "some": 2}) == [2] + [0] * (len(words.split()) - 1)


def test_a_longer_phrase_with_such_a_word_counts(tmp_path):
    assert votes(tmp_path, "these other third parties", {"these other third parties": 2, "these": 5}) == [2, 2, 2, 2]


# Systems


def test_cue_words_need_no_model(tmp_path):
    path = written(tmp_path / "v.json", ("d", [("s", "We MAY , as needed , share it from time to time", None)]))
    (found,) = sentences(path)
    (said,) = vague_words([found], "cue words")
    # Phrases of several words are left out, since single words are marked.
    assert [word for word, vague in zip(found.words, said, strict=True) if vague] == ["MAY"]
    assert sum(" " in cue for cue in cues()) == 6


class Marks:
    threshold = 0.5

    def mark(self, words):
        return np.array([0.4 if word == "the" else 0.5 for word in words], dtype=np.float32)


def test_a_models_words_are_those_that_may_count(tmp_path, monkeypatch):
    monkeypatch.setitem(labels.MARKERS, "student", Marks)
    found = list(sentences(written(tmp_path / "v.json", ("d", [("s", "We share the third party data .", None)]))))
    assert [rows.tolist() for rows in vague_words(found, "student")] == [array(0, 1, 0, 0, 0, 1, 0).tolist()]
    assert not (vague_words(found, "student")[0] & ~countable(found[0].words)).any()


# Measures


def test_measures_over_words_and_sentences():
    truth = [array(1, 1, 0, 0), array(0, 0), array(1), array(1, 0)]
    said = [array(1, 0, 1, 0), array(1, 0), array(0), array(0, 1)]
    # Words: 4 true, 4 chosen, 1 hit. Sentences: 3 true, 3 chosen, 2 hits.
    assert vagueness_measures(truth, said) == {
        "precision": 0.25,
        "recall": 0.25,
        "F1": 0.25,
        "sentence_precision": pytest.approx(2 / 3),
        "sentence_recall": pytest.approx(2 / 3),
        "sentence_F1": pytest.approx(2 / 3),
    }
    nothing = vagueness_measures([array(0), array()], [array(0), array()])
    assert nothing == dict.fromkeys(nothing, 0.0)


# The benchmark


@pytest.fixture
def path(tmp_path):
    return written(
        tmp_path / "own.json",
        ("1", [("a", "We may share certain data", {"certain": 2, "data": 2}), ("b", "We can stop", {"can": 1})]),
        ("2", [("c", "Some pages", None)]),
    )


def test_a_file_is_measured_where_readers_were_asked(path, tmp_path):
    result = evaluate(path, ("cue words",), predictions=tmp_path / "said.jsonl")
    # Words: "certain" and "data" are true; "may", "certain" and "can" are cues.
    assert result == {
        "task": "vagueness",
        "data": "own.json",
        "n": 2,
        "systems": {
            "cue words": {
                "precision": pytest.approx(1 / 3),
                "recall": 0.5,
                "F1": pytest.approx(0.4),
                "sentence_precision": 0.5,
                "sentence_recall": 1.0,
                "sentence_F1": pytest.approx(2 / 3),
            }
        },
    }
    assert [json.loads(line) for line in (tmp_path / "said.jsonl").read_text().splitlines()] == [
        {"id": "a", "document": "1", "vague_words": {"cue words": [1, 3]}},
        {"id": "b", "document": "1", "vague_words": {"cue words": [1]}},
        {"id": "c", "document": "2", "vague_words": {"cue words": [0]}},
    ]


@pytest.mark.parametrize(
    ("ids", "count", "n"),
    [({"1"}, 2, 2), ({"b"}, 1, 1), ({"b", "2"}, 2, 1), ({"2"}, 1, 0), ({"x"}, 0, 0), (None, 3, 2)],
)
def test_some_sentences_or_documents(path, tmp_path, ids, count, n):
    wanted = None if ids is None else frozenset(ids)
    result = evaluate(path, ("cue words",), wanted, tmp_path / "said.jsonl")
    assert (result["n"], "systems" in result) == (n, bool(n))
    assert len((tmp_path / "said.jsonl").read_text().splitlines()) == count


def test_without_readers_there_are_predictions_only(tmp_path):
    path = written(tmp_path / "v.json", ("d", [("s", "We may", None)]))
    assert evaluate(path, ("cue words",), predictions=tmp_path / "said.jsonl") == {
        "task": "vagueness",
        "data": "v.json",
        "n": 0,
    }
    assert json.loads((tmp_path / "said.jsonl").read_text())["vague_words"] == {"cue words": [1]}


def test_a_folder_is_the_research_data(path, tmp_path):
    where = tmp_path / "data" / "labelled" / "vagueness"
    where.mkdir(parents=True)
    path.rename(where / "train.json")
    result = evaluate(tmp_path / "data", ("cue words",))
    assert (result["n"], result["data"].startswith("train.json, which the shipped models have seen")) == (2, True)


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"{",
        b"[]",
        b"7",
        b'{"sentences": []}',
        b"\xff\xfe",
        b'{"docs": 7}',
        b'{"docs": [7]}',
        b'{"docs": [{"id": "1"}]}',
        b'{"docs": [{"id": "1", "vague_sentences": [{"id": "2"}]}]}',
        b'{"docs": [{"id": "1", "vague_sentences": [{"id": "2", "sentence_str": "a", "vague_phrases": [1]}]}]}',
    ],
)
def test_a_file_of_another_layout(tmp_path, content):
    path = tmp_path / "v.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(
        NoData, match=r"v\.json is no file of vague sentences .*; give one in the layout of train\.json"
    ):
        list(sentences(path))


@pytest.mark.real_data("labelled/vagueness/train.json")
def test_the_sentences_of_the_research_data(data_dir):
    found = list(sentences(data_dir / "labelled" / "vagueness" / "train.json"))
    assert (len(found), len({one.document for one in found}), len({one.id for one in found})) == (3767, 79, 3767)
    assert (found[0].id, found[-1].id) == ("88395", "97576")
    assert found[1].words[:6] == ("As", "is", "true", "of", "most", "websites")
    assert [one.words[p] for one in found[1:2] for p in np.flatnonzero(one.vague)] == ["most", "certain"]
    assert sum(int(one.vague.sum()) for one in found) == 5723
    assert sum(bool(one.vague.any()) for one in found) == 2689


@pytest.mark.real_data("labelled/vagueness/train.json")
def test_cue_words_on_the_research_data(data_dir):
    found = evaluate(data_dir, ("cue words",))["systems"]["cue words"]
    assert (round(found["F1"], 3), round(found["sentence_F1"], 3)) == (0.470, 0.831)
