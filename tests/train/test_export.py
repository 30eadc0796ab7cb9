from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")
onnx = pytest.importorskip("onnx", reason="training tests need onnx: run 'make test-train'")

from smallprint.models.sessions import open_session  # noqa: E402 - after the skips
from smallprint.train.export import embeddings_graph, tower_graph  # noqa: E402 - needs torch
from smallprint.train.fitting import padded  # noqa: E402 - needs torch
from smallprint.train.network import Embeddings, Network, Tower  # noqa: E402 - needs torch

from .small import SIZES, network, toy_texts  # noqa: E402 - needs torch

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
