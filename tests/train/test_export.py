from __future__ import annotations

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")
onnx = pytest.importorskip("onnx", reason="training tests need onnx: run 'make test-train'")

from torch import nn  # noqa: E402 - needs torch

from smallprint.datasets.corpus import listed  # noqa: E402 - after the skips
from smallprint.models.encoder import WINDOW, Encoder  # noqa: E402 - after the skips
from smallprint.models.labels import COLUMNS, column  # noqa: E402 - after the skips
from smallprint.models.towers import open_session  # noqa: E402 - after the skips
from smallprint.taxonomy import DOES, DOES_NOT, Label  # noqa: E402 - after the skips
from smallprint.train.export import (  # noqa: E402 - needs torch
    TEXTS as OWN_TEXTS,
)
from smallprint.train.export import compare, embeddings_graph, probabilities, tower_graph  # noqa: E402 - needs torch
from smallprint.train.fitting import padded  # noqa: E402 - needs torch
from smallprint.train.network import Embeddings, Network, Tower  # noqa: E402 - needs torch

from .small import PIECES, SIZES, network, networks, save_encoder, tokenizer, toy_texts  # noqa: E402 - needs torch

pytestmark = pytest.mark.usefixtures("small")

TEXTS = toy_texts(30)
WIDTH = 6


def logits(embeddings, tower, texts):
    """Run texts of one length through both graphs."""
    (states,) = embeddings.run(None, {"tokens": np.array(texts, dtype=np.int64)})
    return tower.run(None, {"states": states})[0]


def shares(scores):
    return 1 / (1 + np.exp(-scores))


@pytest.fixture(scope="module", params=[False, True], ids=["a text", "each token"])
def exported(request, small):
    """Give a network and its graphs, once with a head for texts, once with one for tokens."""
    made = network(1, width=1 if request.param else WIDTH, each_token=request.param)
    made.train()  # exporting must not depend on it
    graphs = open_session(embeddings_graph(made.embeddings)), open_session(tower_graph(made.tower, "labels"))
    return made.eval(), *graphs


@torch.no_grad()
def test_the_graphs_say_nearly_what_the_network_says(exported):
    made, embeddings, tower = exported
    apart, among = [], []
    for text in TEXTS:
        expected = torch.sigmoid(made(*padded([text]))["labels"])[0].numpy()
        expected = expected[:, 0] if made.tower.each_token else expected
        (found,) = shares(logits(embeddings, tower, [text]))
        assert found.shape == expected.shape
        apart.append(np.abs(found - expected).max())
        among.append(expected[:1])
    # Measured: 0.028 at most, 0.014 on average. Texts are ten times as far from each other.
    assert max(apart) < 0.05
    assert np.mean(apart) < 0.02
    assert np.ptp(among, axis=0).max() > 0.5


def test_graphs_take_texts_of_any_length_and_number(exported):
    made, embeddings, tower = exported
    for count, length in ((1, 1), (1, 256), (3, 5)):
        found = logits(embeddings, tower, [[10] * length] * count)
        assert found.shape == ((count, length) if made.tower.each_token else (count, WIDTH))


def test_weights_are_kept_in_a_byte_and_what_is_multiplied_in_seven_bits(small):
    made = network(1, width=WIDTH)
    for graph, matrices in ((embeddings_graph(made.embeddings), 0), (tower_graph(made.tower, "labels"), 13)):
        found = onnx.load_from_string(graph.tobytes()).graph
        kept = {one.name: onnx.numpy_helper.to_array(one) for one in found.initializer}
        assert {one.itemsize for one in kept.values() if one.ndim == 2} == {1}
        multiplied = [kept[node.input[1]] for node in found.node if node.op_type == "MatMulInteger"]
        assert len(multiplied) == matrices
        assert all(one.dtype == np.int8 for one in multiplied)
        assert all(int(np.abs(one.astype(int)).max()) == 64 for one in multiplied)


def test_a_graph_has_the_one_head_that_is_asked_for(small):
    torch.manual_seed(1)
    made = Network(Embeddings(), Tower({"labels": 4, "topics": 3}, each_token=False)).eval()
    states = np.random.default_rng(1).normal(size=(1, 5, SIZES["HIDDEN"])).astype(np.float32)
    for head, width in (("labels", 4), ("topics", 3)):
        graph = open_session(tower_graph(made.tower, head))
        assert [one.name for one in graph.get_outputs()] == ["logits"]
        (found,) = graph.run(None, {"states": states})
        assert found.shape == (1, width)
        with torch.no_grad():
            expected = made.tower(torch.from_numpy(states), torch.zeros(1), torch.ones(1, 5))[head].numpy()
        assert found == pytest.approx(expected, abs=0.05)


# Parity


SAID = (
    "we collect your name",
    "we may share your address with partners",
    "we sell nothing",
    "we share your names with partners as needed",
    "we collect your address and we may share your name with your partners as needed",
)
FIRST, THIRD = Label("first-party"), Label("third-party")
AFFIRMED = Label("first-party", "Does/Does Not", DOES)
DENIED = Label("third-party", "Does/Does Not", DOES_NOT)
COLLECTS = {"First Party Collection/Use": DOES}
SELLS_NOT = {"Third Party Sharing/Collection": DOES_NOT}


@pytest.fixture(scope="module")
def made(small, tmp_path_factory):
    """Give networks for labels and vague words, and the folder with the encoder that was made of them."""
    where = tmp_path_factory.mktemp("weights")
    labels, vague = networks()
    save_encoder(labels, vague, where)
    return labels, vague, where


class Knowing(nn.Module):
    """Knows two pieces: what "collect" and "sell" say of a passage, and nothing of the rest."""

    def forward(self, tokens, mask):
        said = torch.full((len(tokens), len(COLUMNS)), -5.0)
        for piece, labels in (("collect", (FIRST, AFFIRMED)), ("sell", (THIRD, DENIED))):
            there = (tokens == PIECES.index(piece)).any(1)
            for label in labels:
                said[there, column(label)] = 5.0
        return {"labels": said}


def test_int8_says_nearly_what_the_network_says(made):
    labels, _, where = made
    expected, found = probabilities(labels, SAID, tokenizer()), Encoder(where).labels(SAID)
    apart = np.abs(expected - found)
    # Measured: 0.019 at most, 0.003 on average. Texts are a hundred times as far from each other.
    assert apart.max() < 0.05
    assert apart.mean() < 0.01
    assert np.ptp(expected, axis=0).mean() > 0.3


def test_what_is_said_of_a_text_does_not_depend_on_others(made):
    _, _, where = made
    whole, encoder = Encoder(where).labels(SAID), Encoder(where)
    backwards = encoder.labels(SAID[::-1])[::-1]
    alone = np.concatenate([encoder.labels([text]) for text in SAID])
    assert np.array_equal(whole, backwards)
    assert np.array_equal(whole, alone)
    assert len(np.unique(whole, axis=0)) == len(SAID)


def test_int8_marks_words_nearly_as_the_network_does(made):
    _, vague, where = made
    apart, seen = [], []
    for text in SAID:
        words = text.split()
        coded = tokenizer().encode(words, is_pretokenized=True)
        with torch.no_grad():
            said = torch.sigmoid(vague(torch.tensor([coded.ids]), torch.ones(1, len(coded.ids)))["vague"][0, :, 0])
        expected = [float(said[coded.word_ids.index(number)]) for number in range(len(words))]
        apart += np.abs(Encoder(where).mark(words) - expected).tolist()
        seen += expected
    # Measured: 0.014 at most.
    assert max(apart) < 0.05
    assert np.ptp(seen) > 0.5


def test_the_network_reads_a_window_of_each_text():
    class Counting(nn.Module):
        def forward(self, tokens, mask):
            return {"labels": torch.logit(mask.sum(1, keepdim=True) / 1000)}

    texts = ("we collect", "we collect your name", "we " * 1000)
    assert probabilities(Counting(), texts, tokenizer())[:, 0] == pytest.approx([0.004, 0.006, WINDOW / 1000], abs=1e-6)


def written(data, policies):
    """Write policies in OPP-115's layout; each segment with the labels that three people gave it."""
    for name in ("sanitized_policies", "annotations"):
        (data / "labelled" / "opp115" / name).mkdir(parents=True)
    for policy, segments in policies.items():
        folder = data / "labelled" / "opp115"
        (folder / "sanitized_policies" / f"{policy}.html").write_text("|||".join(text for text, _ in segments))
        rows = []
        for ordinal, (_, categories) in enumerate(segments):
            for category, said in categories.items():
                attributes = json.dumps({"Does/Does Not": {"value": said}}).replace('"', '""')
                rows += [f'1,b,person{n},1,{ordinal},{category},"{attributes}",d,u' for n in range(3)]
        (folder / "annotations" / f"{policy}.csv").write_text("\n".join(rows) + "\n")
    return data


def test_both_are_measured_on_the_test_policies_and_no_others(made, tmp_path):
    _, _, where = made
    tested = listed("practices_test")[0]["id"]
    segments = [(SAID[0], COLLECTS), (SAID[2], SELLS_NOT), ("we share your name with partners", {})]
    wrong = [(SAID[0], SELLS_NOT), (SAID[2], COLLECTS)]
    data = written(tmp_path, {tested: segments, "9_trained.example": wrong})
    found = compare(Knowing(), data, where, tokenizer())
    assert found["on the test policies"]["float"] == {
        "micro_F1": 1.0, "macro_F1": 1.0, "values_micro_F1": 0.0, "polarity_F1": 1.0
    }  # fmt: skip
    assert found["on the test policies"]["int8"]["micro_F1"] < 1.0
    texts = [text for text, _ in segments]
    apart = np.abs(probabilities(Knowing(), texts, tokenizer()) - Encoder(where).labels(texts)).mean()
    assert found["mean difference of probabilities"] == pytest.approx(apart, abs=1e-5)
    assert apart > 0.1


def test_the_card_keeps_what_the_network_says_of_our_own_texts(made, tmp_path):
    labels, _, where = made
    tested = listed("practices_test")[0]["id"]
    found = compare(labels, written(tmp_path, {tested: [(SAID[0], COLLECTS)]}), where, tokenizer())
    assert tuple(found["reference"]) == OWN_TEXTS
    assert np.array(list(found["reference"].values())) == pytest.approx(
        probabilities(labels, OWN_TEXTS, tokenizer()), abs=5.1e-5
    )
    assert found["mean difference of probabilities"] < 0.01
    assert json.loads(json.dumps(found)) == found
