from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from torch import nn  # noqa: E402 - needs torch

from smallprint.train import network as made_of  # noqa: E402 - needs torch
from smallprint.train.fitting import padded  # noqa: E402 - needs torch
from smallprint.train.network import (  # noqa: E402 - needs torch
    BYTE,
    DROPPED,
    Drop,
    Embeddings,
    Layer,
    Network,
    Tower,
    pretrained,
    save_layers,
)

from .small import SIZES, network, toy_texts  # noqa: E402 - needs torch

pytestmark = pytest.mark.usefixtures("small")

HIDDEN, HEADS, INNER = SIZES["HIDDEN"], SIZES["HEADS"], SIZES["INNER"]
ALL_WORDS = 30522
PARTS = {
    "attention.self.query": (HIDDEN, HIDDEN),
    "attention.self.key": (HIDDEN, HIDDEN),
    "attention.self.value": (HIDDEN, HIDDEN),
    "attention.output.dense": (HIDDEN, HIDDEN),
    "attention.output.LayerNorm": (HIDDEN,),
    "intermediate.dense": (INNER, HIDDEN),
    "output.dense": (HIDDEN, INNER),
    "output.LayerNorm": (HIDDEN,),
}


def bert(seed=3):
    """Make up the weights of a BERT, under the names it has on disk."""
    luck = torch.Generator().manual_seed(seed)

    def drawn(*shape):
        return torch.randn(*shape, generator=luck) * 0.5

    found = {
        "embeddings.word_embeddings.weight": drawn(ALL_WORDS, HIDDEN),
        "embeddings.position_embeddings.weight": drawn(SIZES["POSITIONS"], HIDDEN),
        "embeddings.token_type_embeddings.weight": drawn(2, HIDDEN),
        "embeddings.LayerNorm.weight": drawn(HIDDEN),
        "embeddings.LayerNorm.bias": drawn(HIDDEN),
    }
    for number in range(SIZES["LAYERS"]):
        for name, shape in PARTS.items():
            found[f"encoder.layer.{number}.{name}.weight"] = drawn(*shape)
            found[f"encoder.layer.{number}.{name}.bias"] = drawn(shape[0])
    return found


def torchs_own(found, number):
    """Make one layer of it out of torch's own."""

    def part(name, kind):
        return found[f"encoder.layer.{number}.{name}.{kind}"]

    layer = nn.TransformerEncoderLayer(
        HIDDEN, HEADS, INNER, activation="gelu", layer_norm_eps=1e-12, batch_first=True, norm_first=False
    )
    state = {}
    for kind in ("weight", "bias"):
        inward = [part(f"attention.self.{name}", kind) for name in ("query", "key", "value")]
        state[f"self_attn.in_proj_{kind}"] = torch.cat(inward)
        state[f"self_attn.out_proj.{kind}"] = part("attention.output.dense", kind)
        state[f"linear1.{kind}"], state[f"linear2.{kind}"] = (
            part("intermediate.dense", kind),
            part("output.dense", kind),
        )
        state[f"norm1.{kind}"] = part("attention.output.LayerNorm", kind)
        state[f"norm2.{kind}"] = part("output.LayerNorm", kind)
    layer.load_state_dict(state)
    return layer.eval()


@torch.no_grad()
def meant(found, text):
    """Give the mean state of a text, by torch's own layers."""
    states = found["embeddings.word_embeddings.weight"][text]
    states = states + found["embeddings.position_embeddings.weight"][: len(text)]
    states = states + found["embeddings.token_type_embeddings.weight"][0]
    weight, bias = (found[f"embeddings.LayerNorm.{kind}"] for kind in ("weight", "bias"))
    states = nn.functional.layer_norm(states, (HIDDEN,), weight, bias, 1e-12).unsqueeze(0)
    for number in range(SIZES["LAYERS"]):
        states = torchs_own(found, number)(states)
    return states[0].mean(0)


@pytest.fixture
def on_disk(tmp_path, monkeypatch):
    """Put a made-up BERT where all-MiniLM-L6-v2 is looked for."""
    save_file = pytest.importorskip("safetensors.torch").save_file
    found = bert()
    save_file(found, tmp_path / "model.safetensors")
    monkeypatch.setattr(made_of, "model_folder", lambda: tmp_path)
    return found


def test_a_pretrained_network_gives_what_bert_gives(on_disk):
    network = pretrained(Tower({"mean": HIDDEN}, each_token=False)).eval()
    with torch.no_grad():
        network.tower.heads["mean"].weight.copy_(torch.eye(HIDDEN))
        network.tower.heads["mean"].bias.zero_()
        for text in ([5], [5, 6, 7, 8], [8, 7, 6, 5], list(range(100, 160))):
            assert torch.allclose(network(*padded([text]))["mean"][0], meant(on_disk, text), atol=1e-4)


def test_a_network_can_begin_from_layers_that_were_trained_further(on_disk, tmp_path):
    first = pretrained(Tower({"labels": 2}, each_token=False))
    with torch.no_grad():
        first.tower.layers[0].query.weight.add_(1.0)
    save_layers(first.tower, tmp_path / "layers.pt")
    found = pretrained(Tower({"other": 5}, each_token=True), tmp_path / "layers.pt")
    for name, value in first.tower.layers.state_dict().items():
        assert torch.equal(value, found.tower.layers.state_dict()[name])
    assert torch.equal(first.embeddings.words.weight, found.embeddings.words.weight)


def test_embeddings_are_not_trained(on_disk):
    network = pretrained(Tower({"labels": 2}, each_token=False))
    assert [name for name, one in network.named_parameters() if not one.requires_grad] == [
        f"embeddings.{name}" for name in ("words.weight", "places.weight", "norm.weight", "norm.bias")
    ]


def test_what_is_blocked_is_not_seen():
    layer = Layer().eval()
    states = torch.randn(1, 4, HIDDEN, generator=torch.Generator().manual_seed(1))
    blocked = torch.tensor([0.0, 0.0, 0.0, -1e4])[None, None, None, :]
    other = states.clone()
    other[0, 3] = 9.0
    with torch.no_grad():
        assert torch.equal(layer(states, blocked)[0, :3], layer(other, blocked)[0, :3])
        assert not torch.allclose(layer(states, torch.zeros(1))[0, :3], layer(other, torch.zeros(1))[0, :3])


@pytest.mark.parametrize("each_token", [False, True])
@torch.no_grad()
def test_a_text_gets_the_same_alone_and_among_longer_ones(each_token):
    texts, made = toy_texts(12), network(width=3, each_token=each_token)
    together = made(*padded(texts))["labels"]
    assert together.shape == ((12, max(map(len, texts)), 3) if each_token else (12, 3))
    for text, among in zip(texts, together, strict=True):
        (alone,) = made(*padded([text]))["labels"]
        assert torch.allclose(alone, among[: len(text)] if each_token else among, atol=1e-5)
    # It could be told if they were mixed up.
    assert float((together[0] - together[1]).abs().max()) > 0.1


@torch.no_grad()
def test_the_order_of_words_counts():
    made = network()
    one, other = made(*padded([[5, 6, 7], [7, 6, 5]]))["labels"]
    assert float((one - other).abs().max()) > 1e-3


@torch.no_grad()
def test_every_head_speaks_for_itself():
    torch.manual_seed(1)
    made = Network(Embeddings(), Tower({"labels": 4, "topics": 2}, each_token=False)).eval()
    found = made(*padded([[5, 6], [7]]))
    assert {name: tuple(said.shape) for name, said in found.items()} == {"labels": (2, 4), "topics": (2, 2)}


@torch.no_grad()
def test_dropout_is_for_training_only():
    made, text = network(), padded([[5, 6, 7]])
    assert torch.equal(made(*text)["labels"], made(*text)["labels"])
    made.train()
    assert not torch.equal(made(*text)["labels"], made(*text)["labels"])


def test_dropout_drops_its_share_and_keeps_the_mean():
    torch.manual_seed(5)
    made = Drop().train()(torch.ones(333, 1001))
    assert (made == 0).float().mean() == pytest.approx(DROPPED / BYTE, abs=0.003)
    assert made.mean() == pytest.approx(1.0, abs=0.003)
    assert len(made.unique()) == 2


def test_dropout_drops_others_each_time_and_the_same_with_one_seed():
    drop, states = Drop().train(), torch.ones(40, 40)
    torch.manual_seed(5)
    first, second = drop(states), drop(states)
    torch.manual_seed(5)
    assert not first.equal(second)
    assert first.equal(drop(states))


def test_dropout_drops_nothing_once_trained():
    states = torch.randn(5, 5)
    assert Drop().eval()(states).equal(states)


def test_dropout_lets_no_gradient_through_where_it_dropped():
    states = torch.ones(50, 50, requires_grad=True)
    made = Drop().train()(states)
    made.sum().backward()
    assert states.grad.equal(made.detach())
