"""An encoder of the real make but of a toy's size, with a task that it can learn; needs torch."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from smallprint.models import store
from smallprint.models.encoder import NAME
from smallprint.models.labels import COLUMNS
from smallprint.text import hashed
from smallprint.train.export import embeddings_graph, tower_graph
from smallprint.train.fitting import Batch, batched
from smallprint.train.network import Embeddings, Network, Tower

# What takes the place of MiniLM's sizes.
WORDS = 40
SIZES = {"HIDDEN": 32, "HEADS": 4, "INNER": 64, "LAYERS": 2, "POSITIONS": 300}
PIECES = "[PAD] [UNK] [CLS] [SEP] we collect share your name address may sell partner ##s nothing with as need".split()
KNOWN = "we collect share your name names address may sell partner partners nothing with as needed".split()
# The toy task is to tell whether this token is in a text.
KEY = 7


def network(seed: int = 0, *, width: int = 1, each_token: bool = False, head: str = "labels") -> Network:
    """Make a network whose weights depend on the seed alone, and which says different things of different texts."""
    torch.manual_seed(seed)
    made = Network(Embeddings(), Tower({head: width}, each_token=each_token))
    made.embeddings.words = nn.Embedding(WORDS, SIZES["HIDDEN"])
    with torch.no_grad():
        made.tower.heads[head].weight.mul_(6)
    return made.eval()


def toy_texts(count: int = 40) -> list[list[int]]:
    """Give token ids of several lengths; every other text has the key in it."""
    luck = random.Random(5)
    texts = [[luck.randrange(10, 30) for _ in range(luck.randrange(3, 12))] for _ in range(count)]
    for text in texts[::2]:
        text[luck.randrange(len(text))] = KEY
    return texts


class Toy:
    """The toy task as `fit` takes one; stops the run at a batch if told so."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.texts = toy_texts()
        self.aims = torch.tensor([[float(KEY in text)] for text in self.texts])
        self.stop_at = stop_at
        self.batches: list[list[int]] = []

    def epoch(self, luck: random.Random) -> list[Batch]:
        return batched([(text, place) for place, text in enumerate(self.texts)], 8, luck)

    def loss(self, said: dict[str, torch.Tensor], places: list[int]) -> torch.Tensor:
        self.batches.append(places)
        if len(self.batches) == self.stop_at:
            raise KeyboardInterrupt
        return binary_cross_entropy_with_logits(said["labels"], self.aims[places])


def tokenizer() -> Any:
    """Make a tokenizer of a few words, one of which is cut in two, in the manner of BERT's."""
    pieces = {piece: number for number, piece in enumerate(PIECES)}
    made = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.BertProcessing(("[SEP]", pieces["[SEP]"]), ("[CLS]", pieces["[CLS]"]))
    return made


def save_encoder(labels: Network, vague: Network, where: Path) -> None:
    """Write an encoder as `train encoder` does."""
    store.save(NAME, {
        "embeddings": embeddings_graph(labels.embeddings),
        "labels": tower_graph(labels.tower, "labels"),
        "vague": tower_graph(vague.tower, "vague"),
        "tokenizer": np.frombuffer(tokenizer().to_str().encode(), dtype=np.uint8),
        "vocabulary": np.unique((hashed(KNOWN) & np.uint64(0xFFFFFFFF)).astype(np.uint32)),
        "threshold": np.array(0.5, dtype=np.float32),
    }, where)  # fmt: skip


def networks() -> tuple[Network, Network]:
    """Give a network for labels and one for vague words that stands on the same embeddings."""
    labels = network(1, width=len(COLUMNS))
    vague = Network(labels.embeddings, network(2, each_token=True, head="vague").tower)
    return labels, vague.eval()
