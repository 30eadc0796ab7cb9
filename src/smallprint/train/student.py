"""Train the practices student: what the encoder says of unlabelled passages, and what people said of labelled ones."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from smallprint.annotate.annotating import STUDENT
from smallprint.annotate.practices import COLUMNS, PARENT
from smallprint.models import bag, store
from smallprint.models.encoder import Encoder
from smallprint.text import word_hashes
from smallprint.train import material
from smallprint.train.passages import unlabelled

SEED = 1
PAGES = 2500
WIDTH, HIDDEN = 64, 256
EPOCHS, BATCH, RATE = 12, 64, 3e-3
# Values are rare and many; people's own labels count for more than the teacher's.
VALUE_WEIGHT, PEOPLE_WEIGHT = 0.3, 3.0
CHUNK = 512


class Student(nn.Module):
    """The student in torch: a table of vectors, their mean, one hidden layer."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors = nn.EmbeddingBag(1 << bag.BITS, WIDTH, mode="mean")
        self.hidden, self.out = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, len(COLUMNS))
        self.drop = nn.Dropout(0.2)
        with torch.no_grad():
            self.vectors.weight.mul_(0.3)
            self.out.bias.fill_(-2.0)

    def forward(self, places: Tensor, starts: Tensor) -> Tensor:
        """Give the logits of every label."""
        said: Tensor = self.out(self.drop(torch.relu(self.hidden(self.drop(self.vectors(places, starts))))))
        return said


def train(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Let the encoder label passages, train the student on them, and write its weights and card."""
    work = where / f"{STUDENT}.work"
    work.mkdir(parents=True, exist_ok=True)
    texts = unlabelled(data, PAGES, SEED)
    say(f"{len(texts):,} unlabelled passages")
    taught = np.concatenate(list(_taught(texts, work, where, say)))
    people = material.opp115_examples(data, material.held_out_policies(data))
    # The encoder says from which share of annotators on a label holds; people's labels are turned to the same scale.
    targets = np.concatenate([taught, _moved(np.array([one.targets for one in people]))])
    weights = np.concatenate([_weights(taught), PEOPLE_WEIGHT * np.array([one.weights for one in people])])
    student = _fit([*texts, *(one.text for one in people)], targets, weights, say)
    vocabulary = store.load("encoder", where).arrays["vocabulary"]
    path = store.save(STUDENT, {**_packed(student), "vocabulary": vocabulary}, where)
    card = {
        "model": STUDENT,
        "version": store.version(STUDENT, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "data": f"what the encoder {store.version('encoder', where)} says of {len(texts):,} passages of {PAGES:,} DMOZ "
        "pages; OPP-115's segments without the test policies and what is kept for evaluation",
        "seed": SEED,
        "bytes": path.stat().st_size,
    }
    (where / f"{STUDENT}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card


def _taught(texts: list[str], work: Path, where: Path, say: Callable[[str], None]) -> Iterator[NDArray[np.float32]]:
    """Let the encoder speak, in chunks that a stopped run does not repeat."""
    version = store.version("encoder", where)
    chunks = [texts[at : at + CHUNK] for at in range(0, len(texts), CHUNK)]
    missing = [number for number in range(len(chunks)) if not (work / f"{version}-{number}.npy").is_file()]
    with ProcessPoolExecutor() as pool:
        made = pool.map(_labelled, [chunks[number] for number in missing], [where] * len(missing))
        for done, (number, said) in enumerate(zip(missing, made, strict=True), 1):
            np.save(work / f"{version}-{number}.npy", said.astype(np.float16))
            say(f"labelled {done} of {len(missing)} chunks")
    for number in range(len(chunks)):
        yield np.load(work / f"{version}-{number}.npy").astype(np.float32)


def _labelled(texts: list[str], where: Path) -> NDArray[np.float32]:
    return _encoder(where).labels(texts)


@cache
def _encoder(where: Path) -> Encoder:
    return Encoder(where)


def _moved(targets: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn shares of annotators into how sure one is of a majority: two of three is nearly certain, one nearly not."""
    return np.asarray(1 / (1 + np.exp(-8 * (targets - 0.5))), dtype=np.float32) * (targets > 0)


def _weights(taught: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weigh a value by how likely its category is: given another, what the teacher says of it is idle."""
    weights = taught[:, PARENT].copy()
    weights[:, : material.CATEGORY_COUNT] = 1.0
    return weights


def _fit(
    texts: list[str], targets: NDArray[np.float32], weights: NDArray[np.float32], say: Callable[[str], None]
) -> Student:
    torch.manual_seed(SEED)
    places = [torch.from_numpy(bag.places(word_hashes(text))) for text in texts]
    usable = [row for row, found in enumerate(places) if len(found)]
    aims, trust = torch.from_numpy(targets), torch.from_numpy(weights)
    trust[:, material.CATEGORY_COUNT :] *= VALUE_WEIGHT
    student = Student()
    optimizer = torch.optim.Adam(student.parameters(), lr=RATE)
    steps = EPOCHS * -(-len(usable) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for epoch in range(EPOCHS):
        random.Random(SEED + epoch).shuffle(usable)  # noqa: S311 - not for secrets
        total = 0.0
        for at in range(0, len(usable), BATCH):
            rows = usable[at : at + BATCH]
            starts = torch.tensor(np.cumsum([0, *(len(places[row]) for row in rows[:-1])]))
            said = student(torch.cat([places[row] for row in rows]), starts)
            picked = torch.tensor(rows)
            each = binary_cross_entropy_with_logits(said, aims[picked], reduction="none") * trust[picked]
            loss = each.sum() / len(rows)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(rows)
        say(f"epoch {epoch + 1} of {EPOCHS}: loss {total / len(usable):.3f}")
    # A word that nobody taught us says nothing.
    met = torch.zeros(1 << bag.BITS, 1)
    met[torch.cat(places)] = 1.0
    with torch.no_grad():
        student.vectors.weight.mul_(met)
    return student.eval()


def _packed(student: Student) -> dict[str, NDArray[Any]]:
    """Keep the vectors in a byte a number, each column with a step of its own."""
    vectors = student.vectors.weight.detach().numpy()
    step = np.abs(vectors).max(axis=0) / 127
    layers = {"hidden": student.hidden, "out": student.out}
    return {
        "vectors": np.rint(vectors / step).astype(np.int8),
        "step": step.astype(np.float32),
        **{name: layer.weight.detach().numpy().T.astype(np.float16) for name, layer in layers.items()},
        **{f"{name}_bias": layer.bias.detach().numpy().astype(np.float32) for name, layer in layers.items()},
    }
