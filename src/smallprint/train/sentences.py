"""Sentences of real policies that word vectors may be learnt from: nothing that is evaluated on, and each only once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from smallprint.clean.cleaning import clean, guarded
from smallprint.evaluate import corpus
from smallprint.evaluate.corpus import Sample
from smallprint.evaluate.heading_answers import is_held
from smallprint.evaluate.sector import tosback_pages
from smallprint.records import Capture, Page
from smallprint.settings import Settings, load
from smallprint.text import words

# A sentence that stands in a policy kept for evaluation is not read elsewhere either: sites copy from each other, and
# one company's sites share a policy. A shorter one is anybody's.
SHORTEST_COPY = 8
# "si" and "is" are too short to tell a company by.
SHORTEST_NAME = 4
MOST_WORDS = 200
BATCH, CHUNK = 1000, 20


class Sentence(NamedTuple):
    """A sentence as it stands in a policy, and the site or service it was first met at."""

    site: str
    text: str


def sentences(data: Path, say: Callable[[str], None], most_pages: int | None = None) -> list[Sentence]:
    """Give the distinct sentences of the policies that may be learnt from, in the order in which they are met.

    `most_pages` is for trying things out: only so many pages are read, of the first collection.
    """
    names = _names(data)
    read: Counter[str] = Counter()
    found: dict[str, Sentence] = {}
    forbidden: set[str] = set()
    pages = (one for one in _pages(data) if _is_evaluated(one, names) or not _is_measured_on(one))
    for sample, texts in _read_all(islice(pages, most_pages)):
        keys = [key_of(text) for text in texts]
        if _is_evaluated(sample, names):
            forbidden |= {key for key in keys if is_copy(key)}
            continue
        read[sample.id.partition(":")[0]] += bool(texts)
        for key, text in zip(keys, texts, strict=True):
            if key:
                found.setdefault(key, Sentence(_owner(sample), text))
    kept = ", ".join(f"{count:,} of {name}" for name, count in sorted(read.items()))
    say(f"{len(found):,} distinct sentences of policies ({kept}), {len(found.keys() & forbidden):,} also evaluated on")
    return [sentence for key, sentence in found.items() if key not in forbidden]


def key_of(text: str) -> str:
    """Give what two sentences have in common that are the same but for case, blanks and punctuation."""
    return " ".join(words(text)[:MOST_WORDS])


def is_copy(key: str) -> bool:
    """Tell whether a sentence is long enough to have been copied where it stands elsewhere, too."""
    return key.count(" ") >= SHORTEST_COPY - 1


def capture(sample: Sample) -> Capture | None:
    """Read a page as the clean stage does; None where it is no English policy."""
    content = sample.html if sample.html is not None else sample.text or ""
    kind = "html" if sample.html is not None else "text"
    page = Page(sample.url or "urn:unknown", content.encode("utf-8", "replace"), kind, "train", "", charset="utf-8")  # type: ignore[arg-type]
    made = guarded(lambda: clean(page, Settings()), page)
    return made if isinstance(made, Capture) else None


def _read_all(samples: Iterator[Sample]) -> Iterator[tuple[Sample, list[str]]]:
    """Read pages in so many processes as the setting says, a batch at a time: together they fill the memory."""
    with ProcessPoolExecutor(load().workers or None) as pool:
        while batch := list(islice(samples, BATCH)):
            yield from zip(batch, pool.map(_read, batch, chunksize=CHUNK), strict=True)


def _read(sample: Sample) -> list[str]:
    made = capture(sample)
    return list(_texts(made)) if made else []


def _texts(made: Capture) -> Iterator[str]:
    for segment in made.segments:
        for place in segment.sentences or (segment,):
            yield " ".join(made.text[place.start : place.end].split())


def _pages(data: Path) -> Iterator[Sample]:
    return chain(_dmoz(data), corpus.ota_pages(data), _ota_versions(data), tosback_pages(data))


def _dmoz(data: Path) -> Iterator[Sample]:
    for row in corpus.rows(data / "corpus" / "dmoz_policies.jsonl.zst"):
        if row["lang"] == "en":
            yield Sample(f"dmoz:{row['id']}", row["url"], None, row["text"], "", row["domain"])


def _ota_versions(data: Path) -> Iterator[Sample]:
    """Give the last version of each policy that Open Terms Archive kept."""
    last: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in corpus.rows(data / "corpus" / "history_ota.jsonl.zst"):
        key = (row["source"], row["service"], row["doc"])
        if key not in last or row["version"] >= last[key]["version"]:
            last[key] = row
    for (source, service, doc), row in last.items():
        name = f"ota-history:{source}/{service}/{doc}"
        yield Sample(name, row["url"] or "", None, row["markdown"], "policy", f"service:{service}")


class _Names(NamedTuple):
    """What is evaluated on: by id and site, and by the bare names of sites and services."""

    full: frozenset[str]
    bare: frozenset[str]


def _names(data: Path) -> _Names:
    full = set(corpus.excluded(data))
    for row in chain(corpus.listed("practices_test"), corpus.listed("ask_test"), corpus.listed("ask_tuning")):
        host = row["id"].partition("_")[2] if row["id"].partition("_")[0].removeprefix("opp115:").isdigit() else ""
        full |= {row["id"], corpus.site(f"https://{host}"), *row.get("sites", "").split()} - {""}
    own = (name.removeprefix("ota:") if name.startswith("ota:") else name.partition(".")[0] for name in full)
    return _Names(frozenset(full), frozenset(bare for name in own if len(bare := _bare(name)) >= SHORTEST_NAME))


def _is_evaluated(sample: Sample, names: _Names) -> bool:
    """Tell whether a page is evaluated on, under any address or name of its site: amazon.de is amazon.com's too."""
    group = sample.group.removeprefix("service:")
    own = {_bare(name) for name in (group, group.partition(".")[0], group.partition(" ")[0])}
    own.add(_bare(corpus.site(sample.url).partition(".")[0]))
    return corpus.is_excluded(sample, names.full) or bool(own & names.bare)


def _is_measured_on(sample: Sample) -> bool:
    """Tell whether headings are measured on a page: nothing of one name in ten is read here."""
    return is_held(sample.group.removeprefix("service:")) or is_held(_owner(sample))


def _owner(sample: Sample) -> str:
    """Give the site of a page, or the service where its address is not known."""
    return corpus.site(sample.url) or sample.group.removeprefix("service:").lower()


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
