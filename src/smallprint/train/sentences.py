"""Texts of real policies that may be learnt from, nothing that is evaluated on: sentences, passages, and their words.

Word vectors and ERA learn from sentences, each only once; students learn from passages what their teacher says of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from smallprint import records
from smallprint.annotate.practices import passage
from smallprint.ask.ranking.units import sentences_of
from smallprint.clean.cleaning import clean, guarded
from smallprint.datasets.corpus import Sample, english_dmoz_pages, ota_pages, ota_versions, site, tosback_pages
from smallprint.datasets.kept_out import evaluated, is_evaluated, is_held, trainable_pages
from smallprint.models.logistic import folded
from smallprint.records import Capture
from smallprint.settings import Settings, load
from smallprint.text import hashed, words

# A sentence that stands in a policy kept for evaluation is not read elsewhere either: sites copy from each other, and
# one company's sites share a policy. A shorter one is anybody's.
SHORTEST_COPY = 8
MOST_WORDS = 200
BATCH, CHUNK = 1000, 20
LONGEST_PASSAGE = 3000
# The words that stand in most pages. With 8,000, all but 1 % of OPP-115's segments have 71 % known words or more, and
# passages in six neighbouring languages at most 32 %; with 30,000 a Spanish passage has 74 %.
KNOWN_WORDS = 8000


class Sentence(NamedTuple):
    """A sentence as it stands in a policy, and the site or service it was first met at."""

    site: str
    text: str


def sentences(data: Path, say: Callable[[str], None], most_pages: int | None = None) -> list[Sentence]:
    """Return the distinct sentences of the policies that may be learnt from, in the order in which they are met.

    `most_pages` is for trying things out: only so many pages are read, of the first collection.
    """
    names = evaluated(data)
    read: Counter[str] = Counter()
    first: dict[str, Sentence] = {}
    forbidden: set[str] = set()
    every = chain(english_dmoz_pages(data), ota_pages(data), ota_versions(data), tosback_pages(data))
    pages = (sample for sample in every if is_evaluated(sample, names) or not _is_measured_on(sample))
    for sample, texts in _read_all(islice(pages, most_pages)):
        keys = [key_of(text) for text in texts]
        if is_evaluated(sample, names):
            forbidden |= {key for key in keys if is_copy(key)}
            continue
        read[sample.id.partition(":")[0]] += bool(texts)
        for key, text in zip(keys, texts, strict=True):
            if key:
                first.setdefault(key, Sentence(_owner(sample), text))
    kept = ", ".join(f"{count:,} of {name}" for name, count in sorted(read.items()))
    say(f"{len(first):,} distinct sentences of policies ({kept}), {len(first.keys() & forbidden):,} also evaluated on")
    return [sentence for key, sentence in first.items() if key not in forbidden]


def key_of(text: str) -> str:
    """Return what two sentences have in common that are the same but for case, blanks and punctuation."""
    return " ".join(words(text)[:MOST_WORDS])


def is_copy(key: str) -> bool:
    """Return whether a sentence is long enough to have been copied where it stands elsewhere, too."""
    return key.count(" ") >= SHORTEST_COPY - 1


def unlabelled(data: Path, pages: int, seed: int) -> list[str]:
    """Return the distinct passages of so many pages drawn from DMOZ, none of a site that is evaluated on."""
    with ProcessPoolExecutor() as pool:
        every = pool.map(_passages, _drawn(data, pages, seed), chunksize=CHUNK)
        return sorted({text for texts in every for text in texts})


def unlabelled_units(data: Path, pages: int, seed: int) -> list[records.Sentence]:
    """Return the units that policies are read in, of so many pages as `unlabelled` draws, each only once."""
    with ProcessPoolExecutor() as pool:
        every = pool.map(_units, _drawn(data, pages, seed), chunksize=CHUNK)
        first = {unit.under_heading: unit for units in every for unit in units}
    return [first[key] for key in sorted(first)]


def _drawn(data: Path, pages: int, seed: int) -> list[Sample]:
    samples = list(trainable_pages(data))
    return random.Random(seed).sample(samples, min(pages, len(samples)))  # noqa: S311 - not for secrets


def known_words(data: Path) -> NDArray[np.uint32]:
    """Return the hashes of the words that stand in most English pages of the corpus, sorted."""
    pages: Counter[str] = Counter()
    for sample in trainable_pages(data):
        pages.update(set(words(sample.text or "")))
    often = [word for word, _ in pages.most_common(KNOWN_WORDS) if not word.isdigit()]
    return np.unique(folded(hashed(often)))


def _capture(sample: Sample) -> Capture | None:
    """Read a page as the clean stage does; None where it is no English policy."""
    page = sample.page("train", "utf-8")
    cleaned = guarded(lambda: clean(page, Settings()), page)
    return cleaned if isinstance(cleaned, Capture) else None


def _read_all(samples: Iterator[Sample]) -> Iterator[tuple[Sample, list[str]]]:
    """Read pages in so many processes as the setting says, a batch at a time: together they fill the memory."""
    with ProcessPoolExecutor(load().workers or None) as pool:
        while batch := list(islice(samples, BATCH)):
            yield from zip(batch, pool.map(_sentences, batch, chunksize=CHUNK), strict=True)


def _sentences(sample: Sample) -> list[str]:
    capture = _capture(sample)
    if capture is None:
        return []
    spans = [span for segment in capture.segments for span in segment.sentences or (segment,)]
    return [" ".join(capture.text[span.start : span.end].split()) for span in spans]


def _passages(sample: Sample) -> list[str]:
    capture = _capture(sample)
    texts = (passage(capture.text, segment) for segment in capture.segments) if capture else ()
    return [" ".join(text.split()) for text in texts if text and len(text) <= LONGEST_PASSAGE]


def _units(sample: Sample) -> tuple[records.Sentence, ...]:
    capture = _capture(sample)
    return sentences_of(capture.text, capture.segments) if capture else ()


def _is_measured_on(sample: Sample) -> bool:
    """Return whether headings are measured on a page: nothing of one name in ten is read here."""
    return is_held(sample.group.removeprefix("service:")) or is_held(_owner(sample))


def _owner(sample: Sample) -> str:
    """Return the site of a page, or the service where its address is not known."""
    return site(sample.url) or sample.group.removeprefix("service:").lower()
