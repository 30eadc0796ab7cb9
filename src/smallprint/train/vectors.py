"""Train word vectors on policies: skip-gram (CMU's Priv2Vec), and vectors for the parts of words fitted to them."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import gensim  # noqa: F401 - whoever trains is told at once what is missing, and not after an hour
import numpy as np
from numpy.typing import NDArray

from smallprint.ask.stems import STOP_WORDS, Rarity
from smallprint.evaluate.heading_answers import held_outlines
from smallprint.models import store
from smallprint.models.vectors import LEAST_COUNT, NAME, PARTS, Vectors
from smallprint.text import words
from smallprint.train import retrieval
from smallprint.train.sentences import Sentence, sentences
from smallprint.train.subwords import fitted, matrix
from smallprint.train.tagging import tagged

SEED = 1
WIDTH, WINDOW, NEGATIVE, EPOCHS, SAMPLE = 100, 5, 5, 10, 1e-4
MOST_WORDS = 30_000
# A word of one site alone is a name, or a slip of its author.
LEAST_SITES = 2
LONGEST_WORD = 25
# Text without its tags runs headings into paragraphs: "partieswe", "securitythe". Such is a common word with one of
# these behind it, and far rarer than the word alone.
RUN_ON = tuple("we our how the this your you if what when where who which these and they privacy".split())
COMMON, SHORTEST_START, FAR_RARER = 6000, 4, 20
NOT_WORDS = re.compile(
    r"\S+@\S+|https?://\S+|www\.\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|info|edu|gov|io|co|uk|eu|de|ca|au)\b\S*",
    re.IGNORECASE,
)
BUCKETS = 50_000
# The parts of words, in letters with the marks at both ends.
LENGTHS = (3, 5)
# A word met in so few sentences is half what its parts say.
FEW = 10


class Vocabulary(NamedTuple):
    """The words that stand on most sites, those first, with the number of sentences that each is in."""

    words: list[str]
    counts: list[int]


class Learnt(NamedTuple):
    """The vectors of words, and those of parts of words; of the latter none without subwords."""

    words: NDArray[np.float32]
    buckets: NDArray[np.float32]


def train(data: Path, where: Path, say: Callable[[str], None], *, subwords: bool = True) -> dict[str, Any]:
    """Read the policies that may be learnt from, train, measure, and write weights and card."""
    card = make(sentences(data, say), where, say, subwords=subwords)
    card["measured"] = measured(data, Vectors(where), say)
    (where / f"{NAME}.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card


def make(read: Sequence[Sentence], where: Path, say: Callable[[str], None], *, subwords: bool = True) -> dict[str, Any]:
    """Train on sentences and write the weights; gives what is to stand on the card."""
    texts = [tokens(sentence.text) for sentence in read]
    vocabulary = vocabulary_of(texts, [sentence.site for sentence in read])
    total = sum(map(len, texts))
    say(f"{total:,} words of {len({sentence.site for sentence in read}):,} sites, {len(vocabulary.words):,} kept")
    parts = tagged([sentence.text for sentence in read], vocabulary.words, say)
    learnt = learn(texts, vocabulary, say, subwords=subwords)
    path = store.save(NAME, packed(vocabulary, learnt, parts, len(read)), where)
    return {
        "model": NAME,
        "version": store.version(NAME, where),
        "made": datetime.now(tz=UTC).date().isoformat(),
        "data": "dmoz_policies, ota_pages_html, the last versions of history_ota and history_tosback2: English "
        "policies by our own classifier, without what is kept for evaluation (and whatever sentence of eight words "
        "or more stands in it), the policies that practices and questions are measured on, and one name in ten",
        "sentences": len(read),
        "words": total,
        "vocabulary": len(vocabulary.words),
        "subwords": f"{BUCKETS:,} buckets of {LENGTHS[0]} to {LENGTHS[1]} letters" if subwords else "none",
        "skip-gram": {"window": WINDOW, "negative": NEGATIVE, "epochs": EPOCHS, "sample": SAMPLE},
        "parts of speech": dict(Counter(parts).most_common()),
        "seed": SEED,
        "bytes": path.stat().st_size,
    }


def measured(data: Path, vectors: Vectors, say: Callable[[str], None]) -> dict[str, Any]:
    """Say what vectors are good for, on questions and policies that nothing was learnt from."""
    outlines = list(held_outlines(data))
    rarity = Rarity(vectors)
    found = {
        "known words of PrivacyQA's training questions": retrieval.known_words(data, vectors),
        "paragraphs under headings, BM25": retrieval.found_paragraphs(outlines, rarity, None),
        "paragraphs under headings, with the 10 nearest words": retrieval.found_paragraphs(outlines, rarity, vectors),
    }
    say(json.dumps(found))
    return found


def tokens(text: str) -> list[str]:
    """Give the words of a sentence as they are learnt: those with a letter, "user's" as "user", no addresses."""
    return [
        sys.intern(bare)
        for word in words(NOT_WORDS.sub(" ", text))
        if (bare := word.removesuffix("'s")) and len(bare) <= LONGEST_WORD and any(map(str.isalpha, bare))
    ]


def vocabulary_of(texts: Sequence[list[str]], sites: Sequence[str]) -> Vocabulary:
    """Choose the words that stand on most sites; of two, the one in more sentences, then by the alphabet."""
    counts: Counter[str] = Counter()
    met: dict[str, set[int]] = {}
    numbers: dict[str, int] = {}
    for text, site in zip(texts, sites, strict=True):
        number = numbers.setdefault(site, len(numbers))
        for word in set(text):
            counts[word] += 1
            met.setdefault(word, set()).add(number)
    usable = [word for word, where in met.items() if len(where) >= LEAST_SITES and "_" not in word]
    ordered = sorted(usable, key=lambda word: (-len(met[word]), -counts[word], word))
    common = {word: counts[word] for word in ordered[:COMMON] if word not in STOP_WORDS}
    chosen = [word for word in ordered if not _runs_on(word, counts[word], common)][:MOST_WORDS]
    return Vocabulary(chosen, [counts[word] for word in chosen])


def _runs_on(word: str, count: int, common: dict[str, int]) -> bool:
    return any(
        word.endswith(end)
        and len(word) - len(end) >= SHORTEST_START
        and common.get(word.removesuffix(end), 0) >= FAR_RARER * count
        for end in RUN_ON
    )


def learn(
    texts: Sequence[list[str]], vocabulary: Vocabulary, say: Callable[[str], None], *, subwords: bool = True
) -> Learnt:
    """Train skip-gram vectors; one worker, so that a run can be repeated to the bit on one machine."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        vector_size=WIDTH, window=WINDOW, negative=NEGATIVE, sample=SAMPLE, sg=1, min_count=1, workers=1, seed=SEED
    )  # fmt: skip
    model.build_vocab_from_freq(_frequencies(texts, vocabulary))
    model.train(_Watched(texts, say), total_examples=len(texts), total_words=sum(map(len, texts)), epochs=EPOCHS)
    rows = model.wv.vectors[[model.wv.key_to_index[word] for word in vocabulary.words]].astype(np.float32)
    counts = np.array(vocabulary.counts, dtype=np.uint32)
    well_met = counts >= min(LEAST_COUNT, counts.max(initial=0))
    # What all words have in common tells none of them apart: without it BM25 with the ten nearest words finds an
    # answer of smallprint_qa among the first five sentences for 0.82 of questions, with it for 0.80.
    rows -= rows[well_met].mean(axis=0)
    if not subwords:
        return Learnt(rows, np.zeros((0, WIDTH), dtype=np.float32))
    known = [word for word, well in zip(vocabulary.words, well_met, strict=True) if well]
    buckets = fitted(known, rows[well_met], counts[well_met], BUCKETS, LENGTHS)
    own = (counts / (counts + FEW)).astype(np.float32)[:, None]
    return Learnt(own * rows + (1 - own) * (matrix(vocabulary.words, BUCKETS, LENGTHS) @ buckets), buckets)


def packed(vocabulary: Vocabulary, learnt: Learnt, parts: Sequence[str], total: int) -> dict[str, NDArray[Any]]:
    """Keep vectors in a byte a number, each row with a step of its own."""
    rows, steps = _bytes(learnt.words)
    buckets, bucket_steps = _bytes(learnt.buckets)
    return {
        "words": np.frombuffer("\n".join(vocabulary.words).encode(), dtype=np.uint8),
        "counts": np.array(vocabulary.counts, dtype=np.uint32),
        "total": np.array(total, dtype=np.uint32),
        "parts": np.array([PARTS.index(part) for part in parts], dtype=np.uint8),
        "vectors": rows,
        "steps": steps,
        "buckets": buckets,
        "bucket_steps": bucket_steps,
        "lengths": np.array(LENGTHS, dtype=np.uint8),
    }


def _bytes(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    steps = np.maximum(np.abs(vectors).max(axis=1, initial=0.0) / 127, 1e-7).astype(np.float16)
    return np.clip(np.rint(vectors / steps[:, None].astype(np.float32)), -127, 127).astype(np.int8), steps


def _frequencies(texts: Sequence[list[str]], vocabulary: Vocabulary) -> dict[str, int]:
    known = set(vocabulary.words)
    counts = Counter(word for text in texts for word in text if word in known)
    return {word: counts[word] for word in vocabulary.words}


class _Watched:
    """The sentences, as often as they are gone through; says each time that it is."""

    def __init__(self, texts: Sequence[list[str]], say: Callable[[str], None]) -> None:
        self._texts, self._say, self._times = texts, say, 0

    def __iter__(self) -> Iterator[list[str]]:
        self._times += 1
        self._say(f"pass {self._times} of {EPOCHS}")
        return iter(self._texts)
