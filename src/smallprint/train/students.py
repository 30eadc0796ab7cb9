"""Train the students: small models that learn from people and from what the encoder says of unlabelled texts.

One has the practices of passages, the other the vague words of candidate sentences.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import vstack
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from smallprint.annotate.kinds import WINDOWS
from smallprint.annotate.vagueness import LONGEST, WORD, is_candidate
from smallprint.datasets.vagueness import FILE, Marked, sentences
from smallprint.errors import NoModel
from smallprint.models import labels, store, windows
from smallprint.models.encoder import NAME as ENCODER
from smallprint.models.encoder import Encoder
from smallprint.models.labels import COLUMNS, PARENT, STUDENT
from smallprint.models.logistic import sigmoid
from smallprint.text import sentences as split
from smallprint.text import word_hashes
from smallprint.train import encoder, material
from smallprint.train.encoder import Marks
from smallprint.train.fitting import loaded
from smallprint.train.frame import sparse, write_model
from smallprint.train.sentences import unlabelled

SEED = 1
# The pages that passages, and sentences, are taken from.
PAGES, VAGUE_PAGES, SENTENCES = 2500, 300, 3000
WIDTH, HIDDEN = 64, 256
EPOCHS, BATCH, RATE = 12, 64, 3e-3
# Values are rare and many; people's own labels count for more than the teacher's.
VALUE_WEIGHT, PEOPLE_WEIGHT = 0.3, 3.0
CHUNK = 512
# How tightly the weights for vague words are held, and what the encoder's word is worth beside a reader's.
LOOSENESS, TEACHER_WEIGHT = 0.3, 0.5


class Student(nn.Module):
    """The student in torch: a table of vectors, their mean, one hidden layer."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors = nn.EmbeddingBag(1 << labels.BITS, WIDTH, mode="mean")
        self.hidden, self.out = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, len(COLUMNS))
        self.drop = nn.Dropout(0.2)
        with torch.no_grad():
            self.vectors.weight.mul_(0.3)
            self.out.bias.fill_(-2.0)

    def forward(self, places: Tensor, starts: Tensor) -> Tensor:
        """Return the logits of every label."""
        logits: Tensor = self.out(self.drop(torch.relu(self.hidden(self.drop(self.vectors(places, starts))))))
        return logits


def train_practices(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Let the encoder label passages, train the student on them, and write its weights and card."""
    texts = unlabelled(data, PAGES, SEED)
    say(f"{len(texts):,} unlabelled passages")
    taught = _taught(texts, where, say)
    people = material.opp115_examples(data)
    shares = np.array([example.targets for example in people])
    # The encoder says from which share of annotators on a label holds; people's shares are turned to the same scale:
    # two of three is nearly certain, one nearly not.
    aims = np.asarray(1 / (1 + np.exp(-8 * (shares - 0.5))), dtype=np.float32) * (shares > 0)
    # A value is weighed by how likely its category is: given another, what the teacher says of it is idle.
    weights = taught[:, PARENT].copy()
    weights[:, : material.CATEGORY_COUNT] = 1.0
    weights = np.concatenate([weights, PEOPLE_WEIGHT * np.array([example.weights for example in people])])
    student = _fit([*texts, *(example.text for example in people)], np.concatenate([taught, aims]), weights, say)
    arrays = {**_packed(student), "vocabulary": store.load(ENCODER, where)["vocabulary"]}
    facts = {
        "data": f"what the encoder {store.version(ENCODER, where)} says of {len(texts):,} passages of {PAGES:,} DMOZ "
        "pages; OPP-115's segments without the test policies and what is kept for evaluation",
        "seed": SEED,
    }
    return write_model(STUDENT, where, arrays, facts)


def _taught(texts: list[str], where: Path, say: Callable[[str], None]) -> NDArray[np.float32]:
    """Let the encoder speak, in chunks that a stopped run does not repeat."""
    work, version = where / f"{STUDENT}.work", store.version(ENCODER, where)
    work.mkdir(parents=True, exist_ok=True)
    chunks = {work / f"{version}-{at // CHUNK}.npy": texts[at : at + CHUNK] for at in range(0, len(texts), CHUNK)}
    missing = [path for path in chunks if not path.is_file()]
    with ProcessPoolExecutor() as pool:
        labels = pool.map(_labelled, [chunks[path] for path in missing], [where] * len(missing))
        for done, (path, rows) in enumerate(zip(missing, labels, strict=True), 1):
            np.save(path, rows.astype(np.float16))
            say(f"labelled {done} of {len(missing)} chunks")
    return np.concatenate([np.load(path).astype(np.float32) for path in chunks])


def _labelled(texts: list[str], where: Path) -> NDArray[np.float32]:
    return _encoder(where).labels(texts)


_encoder = cache(Encoder)


def _fit(
    texts: list[str], targets: NDArray[np.float32], weights: NDArray[np.float32], say: Callable[[str], None]
) -> Student:
    torch.manual_seed(SEED)
    places = [torch.from_numpy(labels.places(word_hashes(text))) for text in texts]
    usable = [row for row, own in enumerate(places) if len(own)]
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
            logits = student(torch.cat([places[row] for row in rows]), starts)
            each = binary_cross_entropy_with_logits(logits, aims[rows], reduction="none") * trust[rows]
            loss = each.sum() / len(rows)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(rows)
        say(f"epoch {epoch + 1} of {EPOCHS}: loss {total / len(usable):.3f}")
    # A word that nobody taught us says nothing.
    met = torch.zeros(1 << labels.BITS, 1)
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


def train_vagueness(data: Path, where: Path, say: Callable[[str], None], folds: int = 5) -> dict[str, Any]:
    """Train on all documents; the figures are those of students that, like their teachers, had not seen the fold."""
    work = where / f"{ENCODER}.work"
    if not (work / "vague.pt").is_file():
        raise NoModel(f"{work} has no encoder to learn from; run 'smallprint train encoder' first")
    marked = [sentence for sentence in sentences(data / FILE) if sentence.words]
    plain = candidates(data)
    say(f"{len(plain):,} unlabelled candidate sentences")

    def fit(seen: Sequence[Marked], teacher: str) -> tuple[NDArray[np.float64], float]:
        tower = loaded(work / teacher, encoder.vague_network())
        return _fit_words(seen, plain, encoder.marks_of(tower, plain))

    def mark(fold: int, seen: list[Marked], unseen: list[Marked]) -> Marks:
        weights, bias = fit(seen, f"vague-{fold + 1}-of-{folds}.pt")
        say(f"fold {fold + 1} of {folds}")
        return [sigmoid(weights[windows.features(sentence.words)].sum(axis=1) + bias) for sentence in unseen]

    _, threshold, figures = encoder.out_of_fold(marked, folds, mark, say)
    weights, bias = fit(marked, "vague.pt")
    step = np.abs(weights).max() / 127
    arrays: dict[str, NDArray[Any]] = {"weights": np.rint(weights / step).astype(np.int8)}
    numbers = {"scale": step, "bias": bias, "threshold": threshold}
    arrays |= {name: np.array(number, dtype=np.float32) for name, number in numbers.items()}
    facts = {
        "data": f"vagueness/train.json (79 documents); the encoder's marks in {len(plain):,} sentences of DMOZ pages",
        "seed": SEED,
        "vagueness": {f"{folds} folds by document, threshold chosen on the other folds": figures},
        "threshold": threshold,
    }
    return write_model(WINDOWS, where, arrays, facts)


def candidates(data: Path) -> list[Marked]:
    """Return unlabelled sentences with a cue word."""
    texts = set()
    for text in unlabelled(data, VAGUE_PAGES, SEED + 1):
        texts |= {sentence for span in split(text) if is_candidate(sentence := text[span.start : span.end])}
    drawn = random.Random(SEED).sample(sorted(texts), min(SENTENCES, len(texts)))  # noqa: S311 - not for secrets
    return [Marked("", "", tuple(WORD.findall(sentence)[:LONGEST]), None) for sentence in drawn]


def _fit_words(marked: Sequence[Marked], plain: Sequence[Marked], taught: Marks) -> tuple[NDArray[np.float64], float]:
    """Fit a logistic regression to probabilities: each word counts as vague and as not, by how likely it is."""
    own, marks = np.concatenate([encoder.targets(sentence) for sentence in marked]), np.concatenate(taught)
    places = np.concatenate([windows.features(sentence.words) for sentence in (*marked, *plain)])
    aims = np.concatenate([own, marks.astype(np.float64)])
    trust = np.concatenate([np.ones(len(own)), np.full(len(marks), TEACHER_WEIGHT)])
    matrix = sparse([(own_places, np.ones(len(own_places))) for own_places in places], 1 << windows.BITS)
    yes, no = aims > 0, aims < 1
    fitted = LogisticRegression(C=LOOSENESS, max_iter=300).fit(
        vstack([matrix[yes], matrix[no]]),
        np.concatenate([np.ones(yes.sum()), np.zeros(no.sum())]),
        sample_weight=np.concatenate([(trust * aims)[yes], (trust * (1 - aims))[no]]),
    )
    return fitted.coef_[0], float(fitted.intercept_[0])
