"""Step 2: the base models: MiniLM as it is, adapted to policies by masked words, and by SimCSE on top of that.

Masked-language modelling: a model learns the words of policies by guessing those that are hidden from it. The head is a
transform, a norm and a bias; its last matrix is that of the word embeddings, which are not trained. Unsupervised
SimCSE: a sentence read twice, each time with other parts dropped, is nearest to itself (Gao 2021).
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from smallprint.train.era import material
from smallprint.train.era.bench import ADAPTED, GENERAL, SIMCSE, Bench, StepResult
from smallprint.train.fitting import AT_ONCE, Batch, Plan, batched, fit, framed, halved, padded
from smallprint.train.network import Network, Tower, blocked, pieces, pretrained, save_layers

FILE = "layers.pt"
MASKED = Plan(epochs=1, batch=32, rate=1e-4)
SHARE, AS_MASK, AS_OTHER = 0.15, 0.8, 0.1
MASK = 103
# BERT's vocabulary begins with unused places and single signs.
FIRST_WORD = 999
CONTRASTED = Plan(epochs=1, batch=32, rate=3e-5)
TEMPERATURE = 0.05


class BaseModel(NamedTuple):
    """A base model: the file with its layers, and the step that made it; neither where it is MiniLM as it is."""

    layers: Path | None = None
    steps: tuple[StepResult, ...] = ()


def base_model(bench: Bench, name: str) -> BaseModel:
    """Return a base model; it is trained if it is not there."""
    if name == GENERAL:
        return BaseModel()
    result = {ADAPTED: _adapted, SIMCSE: _simcse}[name](bench)
    return BaseModel(result.folder / FILE, (result,))


def _adapted(bench: Bench) -> StepResult:
    plan, kept_out = replace(MASKED, seed=bench.seed), bench.sizes.kept_out

    def make(folder: Path) -> dict[str, Any]:
        texts = _drawn(bench, kept_out + bench.sizes.masked, bench.seed)
        network = pretrained(Tower({}, each_token=True))
        guesser = adapt(network, texts[kept_out:], plan, bench.say, folder / "masked.checkpoint")
        save_layers(network.tower, folder / FILE)
        measured = measure(guesser, texts[:kept_out], bench.seed)
        return _seen(texts[kept_out:], plan.batch) | {"on kept-out sentences": measured}

    options = {"sentences": bench.sizes.masked, "kept out": kept_out, "plan": asdict(plan)}
    return bench.step(f"bases/{ADAPTED}-{bench.seed}", options, (material.sentences_step(bench),), make)


def _simcse(bench: Bench) -> StepResult:
    plan, before = replace(CONTRASTED, seed=bench.seed), _adapted(bench)

    def make(folder: Path) -> dict[str, Any]:
        texts = _drawn(bench, bench.sizes.contrasted, bench.seed + 1)
        network = pretrained(Tower({}, each_token=True), before.folder / FILE)
        contrast(network, texts, plan, bench.say, folder / "simcse.checkpoint")
        save_layers(network.tower, folder / FILE)
        return _seen(texts, plan.batch, 2)

    options = {"sentences": bench.sizes.contrasted, "plan": asdict(plan), "temperature": TEMPERATURE}
    return bench.step(f"bases/{SIMCSE}-{bench.seed}", options, (material.sentences_step(bench), before), make)


def _drawn(bench: Bench, count: int, seed: int) -> list[list[int]]:
    texts = material.load_sentences(bench)
    luck = random.Random(seed)  # noqa: S311 - not for secrets
    return [framed(pieces(text)) for text in luck.sample(texts, min(count, len(texts)))]


def _seen(texts: Sequence[list[int]], batch: int, times: int = 1) -> dict[str, Any]:
    return {"sentences": len(texts), "tokens": times * sum(map(len, texts)), "steps": -(-len(texts) // batch)}


class Guesser(nn.Module):
    """A network with a head that guesses hidden words; the head's transform begins as one that changes nothing."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network, self.words = network, network.embeddings.words.num_embeddings
        transform = nn.Linear(network.embeddings.words.embedding_dim, network.embeddings.words.embedding_dim)
        nn.init.eye_(transform.weight)
        nn.init.zeros_(transform.bias)
        norm = nn.LayerNorm(transform.out_features)
        head = nn.Sequential(OrderedDict(transform=transform, gelu=nn.GELU(), norm=norm))
        self.guess = nn.ModuleDict({"heads": head})
        self.guess.register_parameter("bias", nn.Parameter(torch.zeros(self.words)))

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return the states of all places."""
        return self.network.tower.read(self.network.embeddings(tokens), blocked(mask))

    def guesses(self, states: Tensor) -> Tensor:
        """Return the logits of all words for some states: only those of hidden places go through the head."""
        return self.guess["heads"](states) @ self.network.embeddings.words.weight.T + self.guess.get_parameter("bias")


def hide(text: Sequence[int], words: int, luck: random.Random) -> tuple[list[int], dict[int, int]]:
    """Hide some of a text's tokens, never those that open and close it; return the text and what stood where.

    Of those chosen eight in ten become the mask, one in ten another word, and one stays.
    """
    inner = range(1, len(text) - 1)
    chosen = luck.sample(inner, min(len(inner), max(1, round(SHARE * len(inner)))))
    masked = list(text)
    for place in chosen:
        draw = luck.random()
        if draw < AS_MASK:
            masked[place] = MASK
        elif draw < AS_MASK + AS_OTHER:
            masked[place] = luck.randrange(FIRST_WORD, words)
    return masked, {place: text[place] for place in chosen}


def guess(guesser: Guesser, states: Tensor, hidden: Sequence[dict[int, int]]) -> tuple[Tensor, Tensor]:
    """Return the logits of a batch's hidden words, given by place, and the words themselves."""
    rows = [row for row, words in enumerate(hidden) for _ in words]
    places = [place for words in hidden for place in words]
    words = torch.tensor([word for words in hidden for word in words.values()])
    return guesser.guesses(states[rows, places]), words


def guess_loss(guesser: Guesser, states: Tensor, hidden: Sequence[dict[int, int]]) -> Tensor:
    """Return how far the guesses of a batch are off."""
    with halved():
        guesses, words = guess(guesser, states, hidden)
    return cross_entropy(guesses.float(), words)


def adapt(
    network: Network, texts: Sequence[list[int]], plan: Plan, say: Callable[[str], None], checkpoint: Path
) -> Guesser:
    """Train a network on texts, given as tokens with those that open and close them; each epoch hides others."""
    guesser = Guesser(network)

    def epoch(luck: random.Random) -> list[Batch]:
        return batched([hide(text, guesser.words, luck) for text in texts], plan.batch, luck)

    fit(guesser, epoch, partial(guess_loss, guesser), plan, say, checkpoint)
    return guesser


@torch.no_grad()
def measure(guesser: Guesser, texts: Sequence[list[int]], seed: int) -> dict[str, float]:
    """Return the loss of guesses, and the share that is right, on texts that were not learnt from."""
    luck = random.Random(seed)  # noqa: S311 - not for secrets
    masked = [hide(text, guesser.words, luck) for text in texts]
    total, right, count = 0.0, 0, 0
    for start in range(0, len(masked), AT_ONCE):
        shown, hidden = zip(*masked[start : start + AT_ONCE], strict=True)
        guesses, words = guess(guesser, guesser(*padded(shown)), hidden)
        total += float(cross_entropy(guesses, words, reduction="sum"))
        right += int((guesses.argmax(1) == words).sum())
        count += len(words)
    return {"loss": round(total / max(1, count), 4), "right": round(right / max(1, count), 4)}


def twice(texts: Sequence[list[int]], size: int, luck: random.Random) -> list[Batch]:
    """Put each text into its batch twice, all of them once and then all again."""
    halves = batched([(text, None) for text in texts], size, luck)
    return [(half + half, None) for half, _ in halves if len(half) > 1]


def self_loss(vectors: Tensor) -> Tensor:
    """Return how far the texts of the first half are from being nearest to themselves in the second."""
    first, second = vectors.chunk(2)
    return cross_entropy(first @ second.T / TEMPERATURE, torch.arange(len(first)))


def contrast(
    network: Network, texts: Sequence[list[int]], plan: Plan, say: Callable[[str], None], checkpoint: Path
) -> None:
    """Train a network on texts, given as tokens with those that open and close them."""
    epoch = partial(twice, texts, plan.batch)
    fit(network, epoch, lambda vectors, _: self_loss(vectors), plan, say, checkpoint, forward=network.vectors)
