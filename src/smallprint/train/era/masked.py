"""Masked-language modelling: a base model learns the words of policies by guessing those that are hidden from it.

The head is a transform, a norm and a bias; its last matrix is that of the word embeddings, which are not trained.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu

from smallprint.train.fitting import AT_ONCE, Plan, fit, padded
from smallprint.train.halves import halved
from smallprint.train.network import Network, blocked

PLAN = Plan(epochs=1, batch=32, rate=1e-4)
SHARE, AS_MASK, AS_OTHER = 0.15, 0.8, 0.1
MASK = 103
# BERT's vocabulary begins with unused places and single signs.
FIRST_WORD = 999


class Guesser(nn.Module):
    """A network with a head that guesses words: only the states of hidden places go through it."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network
        words, width = network.embeddings.words.weight.shape
        self.guess = Head(words, width)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Give the states of all places."""
        return self.network.tower.read(self.network.embeddings(tokens), blocked(mask))

    def guessed(self, states: Tensor) -> Tensor:
        """Give the logits of all words for some states."""
        return self.guess(states, self.network.embeddings.words.weight)


class Head(nn.Module):
    """What stands between a state and the words; its transform begins as one that changes nothing."""

    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        transform = nn.Linear(width, width)
        nn.init.eye_(transform.weight)
        nn.init.zeros_(transform.bias)
        self.heads = nn.ModuleDict({"transform": transform, "norm": nn.LayerNorm(width)})
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, states: Tensor, words: Tensor) -> Tensor:
        """Compare states with the embeddings of all words."""
        return self.heads["norm"](gelu(self.heads["transform"](states))) @ words.T + self.bias


def hidden(text: Sequence[int], words: int, luck: random.Random) -> tuple[list[int], dict[int, int]]:
    """Hide some of a text's tokens, never those that open and close it; gives the text and what stood where.

    Of those chosen eight in ten become the mask, one in ten another word, and one stays.
    """
    inner = range(1, len(text) - 1)
    chosen = luck.sample(inner, min(len(inner), max(1, round(SHARE * len(inner)))))
    made = list(text)
    for place in chosen:
        draw = luck.random()
        if draw < AS_MASK:
            made[place] = MASK
        elif draw < AS_MASK + AS_OTHER:
            made[place] = luck.randrange(FIRST_WORD, words)
    return made, {place: text[place] for place in chosen}


def off(guesser: Guesser, states: Tensor, truth: Sequence[dict[int, int]]) -> Tensor:
    """Say how far the guesses of a batch are off."""
    rows = [row for row, one in enumerate(truth) for _ in one]
    places = [place for one in truth for place in one]
    aims = torch.tensor([word for one in truth for word in one.values()])
    with halved():
        said = guesser.guessed(states[rows, places])
    return cross_entropy(said.float(), aims)


def adapt(
    network: Network, texts: Sequence[list[int]], plan: Plan, say: Callable[[str], None], checkpoint: Path
) -> Guesser:
    """Train a network on texts, given as tokens with those that open and close them; each epoch hides others."""
    guesser = Guesser(network)
    truth: list[dict[int, int]] = []

    def items(luck: random.Random) -> list[list[int]]:
        made = [hidden(text, len(guesser.guess.bias), luck) for text in texts]
        truth[:] = [stood for _, stood in made]
        return [text for text, _ in made]

    def loss(states: Tensor, batch: list[int]) -> Tensor:
        return off(guesser, states, [truth[place] for place in batch])

    fit(guesser, items, loss, plan, say, checkpoint)
    return guesser


@torch.no_grad()
def measured(guesser: Guesser, texts: Sequence[list[int]], seed: int) -> dict[str, float]:
    """Give the loss of guesses, and the share that is right, on texts that were not learnt from."""
    guesser.eval()
    luck = random.Random(seed)  # noqa: S311 - not for secrets
    total, right, count = 0.0, 0, 0
    for start in range(0, len(texts), AT_ONCE):
        made = [hidden(text, len(guesser.guess.bias), luck) for text in texts[start : start + AT_ONCE]]
        states = guesser(*padded([text for text, _ in made]))
        for row, (_, stood) in enumerate(made):
            said = guesser.guessed(states[row, list(stood)])
            aims = torch.tensor(list(stood.values()))
            total += float(cross_entropy(said, aims, reduction="sum"))
            right += int((said.argmax(1) == aims).sum())
            count += len(stood)
    return {"loss": round(total / max(1, count), 4), "right": round(right / max(1, count), 4)}
