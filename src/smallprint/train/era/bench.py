"""What every step is given: the data, where results go, and how much of everything is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from smallprint.evaluate import smallprint_qa
from smallprint.evaluate.smallprint_qa import Collection
from smallprint.models.towers import Base
from smallprint.train.era.steps import Work, hash_of

# No training of the table sees more pairs than these.
MOST_PAIRS = 20_000
# Of all pairs that a reader learns from, those added are at most so many.
SHARE = 1 / 3
# As many sentences are kept for each question as the largest k asks for.
DEPTH = 100


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is read, trained on and measured; None is all there is. Sized for two cores, some five minutes a row.

    `nearest` is how many of a policy's sentences are read with a question where a policy of smallprint_qa is measured,
    `alike` how many of all sentences are looked through for such as say what labelled ones say.
    """

    pages: int | None = None
    sentences: int | None = None
    masked: int = 60_000
    contrasted: int = 12_000
    kept_out: int = 500
    questions: int | None = None
    epochs: int = 2
    filter_pairs: int = 12_000
    alike: int = 300_000
    pairs: int = 9_000
    nearest: int = 40
    measured: int | None = None
    final_epochs: int = 2
    final_pairs: int | None = None


SMALL = Sizes(
    pages=120, sentences=300, masked=32, contrasted=32, kept_out=8, questions=24, epochs=1, filter_pairs=64, pairs=64,
    alike=200, nearest=6, measured=6, final_epochs=1, final_pairs=64,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bench:
    """The data, the folder of steps, sizes, and the seed of whatever comes before the final reader."""

    data: Path
    work: Work
    sizes: Sizes
    seed: int

    @property
    def say(self) -> Callable[[str], None]:
        """Tell whoever waits."""
        return self.work.say

    @property
    def size(self) -> str:
        """What the names of rows and tables of another size than the usual one end with."""
        return "" if self.sizes.pairs == Sizes().pairs else f"-{self.sizes.pairs}"

    def labels(self) -> str:
        """Give a hash of the labelled data that is trained and measured on."""
        folder = self.data / "labelled"
        names = ("smallprint_qa/policies.jsonl.zst", "smallprint_qa/questions.jsonl.zst")
        more = ("segments.tsv", "questions.tsv", "qrels_any_relevant.tsv")
        paths = [folder / name for name in names] + [folder / "privacyqa" / "dev" / name for name in more]
        return hash_of(self.data / "exclude.txt", *paths)


@cache
def collection(data: Path) -> Collection:
    """Give smallprint_qa, read once: it takes seconds, and most steps need it."""
    return smallprint_qa.load(data / "labelled" / "smallprint_qa")


def base() -> Base:
    """Give the shipped embeddings and tokenizer: no base model trains them, so that all towers stand on them."""
    return Base()
