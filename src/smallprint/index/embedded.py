"""The embedded engine: tantivy, in a folder beside the library.

The product P(D) × BM25 × popularity is computed inside the engine over all matches. Tantivy multiplies a score by
log2(2 + x) of a field, in 32 bits; with x = 2^y − 2 that is y, as long as 1 ≤ y ≤ 127. So y is the prior, ten times.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import tantivy
from tantivy import FieldType, Occur

from smallprint.errors import BadIndex
from smallprint.index import tree
from smallprint.index.engine import LEAST_PRIOR, Bars, Entry, Explanation, Found, Hit, Tally
from smallprint.index.failures import failure, guarded
from smallprint.index.library_state import LibraryState
from smallprint.index.mirror import Mirror
from smallprint.index.spreading import spread
from smallprint.index.tree import (
    EVERYTHING,
    AllOf,
    Between,
    Facet,
    Favoured,
    Filter,
    Node,
    OneOf,
    Query,
    Ranking,
    Words,
)
from smallprint.index.words import url_words, words

# Raised when fields or words change: an index of another format is left alone, and made anew beside it.
FORMAT = 3
SCALE = 1 / LEAST_PRIOR
MOST_EXPONENT = 127.0
HEAP_BYTES = 128_000_000
MOST_VALUES = 65_000
FIRST_LOOK = 50
FIELDS = {"text": ("title", "body"), "title": ("title",), "body": ("body",), "url": ("url",)}
ORDERS = {
    Ranking.POPULARITY: "by_popularity",
    Ranking.PROBABILITY: "by_probability",
    Ranking.DATE: "by_date",
}
BY_MERIT = (Ranking.CUSTOM, Ranking.RELEVANCE)


class EmbeddedEngine:
    """An index in a folder; `Engine` says what it does."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self.folder = folder / str(FORMAT)
        if create:
            self._make_folder()
        elif not tantivy_exists(self.folder):
            raise BadIndex(f"there is no index at {folder}; make it with 'smallprint index'")
        try:
            self._mirror = None if os.access(self.folder, os.W_OK) else Mirror(self.folder)
            self._index = tantivy.Index(_schema(), str(self._mirror.folder if self._mirror else self.folder))
        except (ValueError, OSError) as error:
            raise failure(folder, error) from None
        self._schema = self._index.schema
        self._index.config_reader("manual")
        self._seen = 0
        self._totals: dict[tuple[Facet, ...], Tally] = {}
        self._state = ""
        self._library_state = LibraryState(self.folder)

    def _make_folder(self) -> None:
        """Make the folder, for its owner alone; it holds the words of what was read."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise BadIndex(
                f"cannot write to {self.folder.parent} ({error.strerror}); check its folder and permissions"
            ) from None

    @guarded
    def stamps(self) -> dict[str, str]:
        """Give the stamp of every policy in the index."""
        searcher = self._searcher()
        found = searcher.search(tantivy.Query.all_query(), max(1, searcher.num_docs), count=False)
        documents = (searcher.doc(address) for _, address in found.hits)
        return {str(document.get_first("id")): str(document.get_first("stamp")) for document in documents}

    @guarded
    def state(self) -> str:
        """Give a short name for what is in the index."""
        self._searcher()
        if not self._state:
            parts = "\n".join(f"{policy_id} {stamp}" for policy_id, stamp in sorted(self.stamps().items()))
            self._state = hashlib.blake2b(parts.encode(), digest_size=6).hexdigest()
        return self._state

    def library_state(self) -> str:
        """Return the state of the library that the index was brought up to last."""
        return self._library_state.read()

    def note_library_state(self, library_state: str) -> None:
        """Note the state of the library that the index is of now."""
        self._library_state.note(library_state)

    @guarded
    def update(self, put: Iterable[Entry], gone: Iterable[str]) -> None:
        """Add or replace policies and take others out, in one commit."""
        try:
            writer = self._index.writer(HEAP_BYTES, 1)
        except ValueError:
            raise BadIndex("the index is being written by another process; try again when it is done") from None
        try:
            for policy_id in gone:
                writer.delete_documents_by_term("id", policy_id)
            for entry in put:
                writer.delete_documents_by_term("id", entry.policy_id)
                writer.add_document(_document(entry, self._schema))
            writer.commit()
        except BaseException:
            writer.rollback()
            raise
        writer.wait_merging_threads()

    @guarded
    def find(self, query: Query, ranking: Ranking, limit: int, offset: int = 0, *, fold: bool = True) -> Found:
        """Give a page of hits, the best first; folded, the best of each group of near-duplicates stands for it.

        By relevance and in the custom order a folded page has at most two of a site, unless a site was asked for.
        """
        searcher, asked = self._searcher(), self._asked(query)
        if ranking is Ranking.RELEVANCE and query.wanted == EVERYTHING:
            ranking = Ranking.CUSTOM  # nothing was asked that policies could be more or less relevant to
        wanted = offset + limit
        is_spread = fold and ranking in BY_MERIT and not any(_is_of_sites(one) for one in query.filters)
        look = wanted if not fold else max(FIRST_LOOK, 2 * wanted)
        while True:
            result = _ranked(searcher, asked, ranking, look)
            total = int(result.count)
            hits = self._leaders(searcher, result.hits) if fold else result.hits
            if is_spread:
                hits = self._spread(searcher, hits, wanted, limit, is_all=look >= total)
            if len(hits) >= wanted or look >= total:
                break
            look *= 4
        shown = [
            Hit(str(searcher.doc(address).get_first("id")), _score(value, ranking))
            for value, address in hits[offset:wanted]
        ]
        return Found(total, tuple(shown))

    @guarded
    def count(self, query: Query) -> int:
        """Say how many policies match."""
        found: Any = self._searcher().search(self._asked(query), 1)
        return int(found.count)

    @guarded
    def tally(self, query: Query, facets: Sequence[Facet] = (), bars: Sequence[Bars] = ()) -> Tally:
        """Count the matches in one pass over them."""
        searcher = self._searcher()
        if query != Query() or bars:
            return self._tally(searcher, query, facets, bars)
        # Counts over the whole index are wanted with every search, and change only with it.
        key = tuple(facets)
        if key not in self._totals:
            self._totals[key] = self._tally(searcher, query, facets, bars)
        return self._totals[key]

    def _tally(self, searcher: tantivy.Searcher, query: Query, facets: Sequence[Facet], bars: Sequence[Bars]) -> Tally:
        asked: dict[str, Any] = {name: {"terms": {"field": name, "size": MOST_VALUES}} for name in (*facets, "group")}
        asked |= {
            f"bars {n}": {"histogram": {"field": one.measure, "interval": one.step}} for n, one in enumerate(bars)
        }
        asked["all"] = {"value_count": {"field": "p_policy"}}
        found = searcher.aggregate(self._asked(query), asked)
        counts = {name: {one["key"]: one["doc_count"] for one in found[name]["buckets"]} for name in (*facets, "group")}
        # Only policies that have near-duplicates are in a group.
        groups = int(found["all"]["value"]) - sum(counts["group"].values()) + len(counts["group"])
        drawn = tuple(_binned(found[f"bars {n}"]["buckets"], one) for n, one in enumerate(bars))
        return Tally(groups, {facet: counts[facet] for facet in facets}, drawn)

    @guarded
    def explain(self, query: Query, policy_id: str) -> Explanation | None:
        """Say how a policy's custom score comes about; None where it does not match."""
        searcher = self._searcher()
        own = tantivy.Query.term_query(self._schema, "id", policy_id)
        relevance = _score_of(searcher, self._asked(query), own)
        if relevance is None:
            return None
        (_, address), *_ = searcher.search(own, 1).hits
        p_policy, popularity = (
            float(searcher.fast_field_values(name, [address])[0] or 0.0) for name in ("p_policy", "popularity")
        )
        parts = {
            f"{field}:{' '.join(leaf.words)}": _score_of(searcher, self._words(leaf, field), own)
            for leaf in _leaves(query.wanted)
            for field in FIELDS[leaf.field]
        }
        parts |= {f"{one.facet}:{one.value}": _score_of(searcher, self._favoured(one), own) for one in query.favoured}
        score = p_policy * relevance * popularity
        return Explanation(score, relevance, p_policy, popularity, {k: v for k, v in parts.items() if v is not None})

    def _searcher(self) -> tantivy.Searcher:
        """Look at the newest commit; whoever holds an older searcher goes on with that."""
        try:
            written = (self.folder / "meta.json").stat().st_mtime_ns
        except OSError:
            raise BadIndex(f"the index at {self.folder.parent} is gone; 'smallprint index' makes it") from None
        if written != self._seen:
            if self._mirror:
                self._mirror.refresh()
            self._index.reload()
            self._seen, self._totals, self._state = written, {}, ""
        return self._index.searcher()

    def _leaders(self, searcher: tantivy.Searcher, hits: list[Any]) -> list[Any]:
        """Keep the first hit of each group."""
        groups = searcher.fast_field_values("group_number", [address for _, address in hits])
        seen: set[Any] = set()
        return [hit for hit, group in zip(hits, groups, strict=True) if not (group in seen or seen.add(group))]  # type: ignore[func-returns-value]

    def _spread(
        self, searcher: tantivy.Searcher, hits: list[Any], wanted: int, page: int, *, is_all: bool
    ) -> list[Any]:
        sites = searcher.fast_field_values("site_number", [address for _, address in hits])
        return [hits[place] for place in spread(sites, wanted, page, is_all=is_all)]

    def _asked(self, query: Query) -> tantivy.Query:
        parts = [(Occur.Must, self._node(query.wanted))]
        parts += [(Occur.Should, self._favoured(one)) for one in query.favoured]
        parts += [(Occur.Must, tantivy.Query.const_score_query(self._filter(one), 0.0)) for one in query.filters]
        for one in query.unwanted:
            made = self._filter(one) if isinstance(one, OneOf | Between) else self._node(one)
            parts.append((Occur.MustNot, made))
        return tantivy.Query.boolean_query(parts)

    def _node(self, node: Node) -> tantivy.Query:
        if isinstance(node, Words):
            return tantivy.Query.boolean_query(
                [(Occur.Should, self._words(node, field)) for field in FIELDS[node.field]]
            )
        if node == EVERYTHING:
            # Bare, tantivy would leave it out beside a filter, and every score would be 0.
            return tantivy.Query.const_score_query(tantivy.Query.all_query(), 1.0)
        if not node.parts:
            return tantivy.Query.empty_query()
        occur = Occur.Must if isinstance(node, AllOf) else Occur.Should
        return tantivy.Query.boolean_query([(occur, self._node(part)) for part in node.parts])

    def _words(self, node: Words, field: str) -> tantivy.Query:
        if len(node.words) == 1:
            made = tantivy.Query.term_query(self._schema, field, node.words[0])
        else:
            made = tantivy.Query.phrase_query(self._schema, field, list(node.words))
        boost = node.weight * (tree.TITLE_BOOST if field == "title" and node.field == "text" else 1.0)
        return made if boost == 1.0 else tantivy.Query.boost_query(made, boost)

    def _favoured(self, one: Favoured) -> tantivy.Query:
        return tantivy.Query.boost_query(tantivy.Query.term_query(self._schema, one.facet, one.value), one.weight)

    def _filter(self, one: Filter) -> tantivy.Query:
        if isinstance(one, OneOf):
            each = [(Occur.Should, tantivy.Query.term_query(self._schema, one.facet, value)) for value in one.values]
            return tantivy.Query.boolean_query(each) if each else tantivy.Query.empty_query()
        return tantivy.Query.range_query(self._schema, one.measure, FieldType.Float, one.low, one.high)


def tantivy_exists(folder: Path) -> bool:
    """Tell whether a folder holds an index."""
    return (folder / "meta.json").is_file()


def prior_field(p_policy: float, popularity: float) -> float:
    """Give the x by which tantivy multiplies a score with ten times the prior."""
    exponent = SCALE * max(LEAST_PRIOR, p_policy * popularity)
    if exponent > MOST_EXPONENT:
        raise BadIndex(f"popularity {popularity} is beyond what an index can hold; import popularity again")
    return float(2.0**exponent - 2.0)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("id", "stamp"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("title", "body", "url"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    for name in ("sector", "mention", "practice", "year", "site", "group"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("grade", "vague", "prior", "p_policy", "popularity"):
        builder.add_float_field(name, fast=True)
    for name in ("group_number", "site_number", *ORDERS.values()):
        builder.add_unsigned_field(name, fast=True)
    return builder.build()


def _document(entry: Entry, schema: tantivy.Schema) -> tantivy.Document:
    own = _number(entry.policy_id)
    fields: dict[str, Any] = {
        "id": entry.policy_id,
        "stamp": entry.stamp,
        "title": " ".join(words(entry.title)),
        "url": " ".join(url_words(entry.url)),
        "body": " ".join(words(entry.body)),
        "sector": entry.sector,
        "mention": list(entry.mentions),
        "practice": list(entry.practices),
        "year": entry.date[:4],
        "site": list(entry.sites),
        "group": [entry.group] if entry.grouped else [],
        "group_number": _number(entry.group),
        "site_number": _number(entry.sites[0] if entry.sites else entry.policy_id),
        "prior": prior_field(entry.p_policy, entry.popularity),
        "p_policy": entry.p_policy,
        "popularity": entry.popularity,
        # Ties are broken by a number made of the id, so that every engine gives the same order.
        "by_popularity": _order(entry.popularity, own),
        "by_probability": _order(entry.p_policy, own),
        "by_date": _order(_day(entry.date) / 1e6, own),
    }
    measures = {"grade": entry.grade, "vague": entry.vague}
    fields |= {name: value for name, value in measures.items() if value is not None}
    return tantivy.Document.from_dict(fields, schema)


def _is_of_sites(one: Filter) -> bool:
    return isinstance(one, OneOf) and one.facet == "site"


def _number(name: str) -> int:
    """Give a name's number, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest()) >> 1


def _order(value: float, own: int) -> int:
    return (round(value * 1e6) << 24) | (own & 0xFFFFFF)


def _day(date: str) -> int:
    """Make a number of a date: 20201200 of "2020-12"."""
    digits = "".join(letter for letter in date[:10] if letter.isdigit())
    return int(digits.ljust(8, "0") or 0)


def _ranked(searcher: tantivy.Searcher, asked: tantivy.Query, ranking: Ranking, limit: int) -> Any:
    limit = max(1, limit)
    if ranking in ORDERS:
        return searcher.search(asked, limit, order_by_field=ORDERS[ranking])
    return searcher.search(asked, limit, weight_by_field="prior" if ranking is Ranking.CUSTOM else None)


def _score(found: float, ranking: Ranking) -> float:
    if ranking is Ranking.CUSTOM:
        return found / SCALE
    if ranking is Ranking.RELEVANCE:
        return found
    value = int(found) >> 24
    return float(value) if ranking is Ranking.DATE else value / 1e6


def _score_of(searcher: tantivy.Searcher, asked: tantivy.Query, own: tantivy.Query) -> float | None:
    both = tantivy.Query.boolean_query([(Occur.Must, asked), (Occur.Must, tantivy.Query.const_score_query(own, 0.0))])
    hits = searcher.search(both, 1, count=False).hits
    return float(hits[0][0]) if hits else None


def _leaves(node: Node) -> list[Words]:
    return [node] if isinstance(node, Words) else [leaf for part in node.parts for leaf in _leaves(part)]


def _binned(buckets: list[dict[str, Any]], wanted: Bars) -> tuple[int, ...]:
    counts = [0] * wanted.count
    for bucket in buckets:
        place = round((bucket["key"] - wanted.low) / wanted.step)
        counts[min(max(place, 0), wanted.count - 1)] += bucket["doc_count"]
    return tuple(counts)
