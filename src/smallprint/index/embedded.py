"""The embedded engine: tantivy, in a folder beside the library.

The product P(D) × BM25 × popularity is computed inside the engine over all matches. Tantivy multiplies a score by
log2(2 + x) of a field, in 32 bits; with x = 2^y − 2 that is y, as long as 1 ≤ y ≤ 127. So y is the prior, ten times.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tantivy
from tantivy import FieldType, Occur

from smallprint.errors import BadIndex
from smallprint.files import whole_file
from smallprint.index import tree
from smallprint.index.engine import LEAST_PRIOR, Bars, Count, Entry, Explanation, Hit, Matches, Tally
from smallprint.index.fields import COMMON, STORED, day_number, document_of, state_of
from smallprint.index.folder import FORMAT, META, Mirror, failure, file_identity, guarded
from smallprint.index.ordering import Ranked, in_order
from smallprint.index.tree import EVERYTHING, AllOf, Between, Favoured, Filter, Node, OneOf, Query, Ranking, Words

SCALE = 1 / LEAST_PRIOR
MOST_EXPONENT = 127.0
HEAP_BYTES = 128_000_000
MOST_VALUES = 65_000
FIELDS = {"text": ("title", "body"), "title": ("title",), "body": ("body",), "url": ("url",)}
# Tantivy sorts by one number of 64 bits: a value in 27 of them, then the upper bits of the policy's own number.
OWN_BITS = 36
MOST_VALUE = (1 << 27) - 1
# How tantivy is to order hits, and how the value by which it did is turned into a score.
ORDERS: dict[Ranking, tuple[dict[str, str], Callable[[float], float]]] = {
    Ranking.CUSTOM: ({"weight_by_field": "prior"}, lambda value: value / SCALE),
    Ranking.RELEVANCE: ({}, float),
    Ranking.POPULARITY: ({"order_by_field": "by_popularity"}, lambda value: (int(value) >> OWN_BITS) / 1e6),
    Ranking.PROBABILITY: ({"order_by_field": "by_probability"}, lambda value: (int(value) >> OWN_BITS) / 1e6),
    Ranking.DATE: ({"order_by_field": "by_date"}, lambda value: float(int(value) >> OWN_BITS)),
}


@dataclass(slots=True)
class _Commit:
    """A commit: the file that names it, a searcher that sees it and no other, and what was counted over all of it."""

    identity: tuple[int, ...]
    searcher: tantivy.Searcher
    totals: dict[Count, Tally] = field(default_factory=dict)
    state: str = ""


class EmbeddedEngine:
    """An index in a folder; `Engine` says what it does."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self.folder = folder / FORMAT
        if create:
            try:  # for its owner alone, since it holds the words of what was read
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise BadIndex(
                    f"cannot write to {folder} ({error.strerror}); check its folder and permissions"
                ) from None
        elif not (self.folder / META).is_file():
            raise BadIndex(f"there is no index at {folder}; make it with 'smallprint index'")
        try:
            self._mirror = None if os.access(self.folder, os.W_OK) else Mirror(self.folder)
            self._index = tantivy.Index(_schema(), str(self._mirror.folder if self._mirror else self.folder))
        except (ValueError, OSError) as error:
            raise failure(folder, error) from None
        self._schema = self._index.schema
        self._index.config_reader("manual")
        self._newest: _Commit | None = None
        self._meta_file, self._state_file = str(self.folder / META), str(self.folder / "library.state")
        self._state_read: tuple[tuple[tuple[int, ...], ...], str] = ((), "")

    @guarded
    def stamps(self) -> Iterator[tuple[str, str]]:
        """Yield the ids and stamps of all policies in the index, by id."""
        return iter(sorted(_stamps(self._commit().searcher)))

    @guarded
    def state(self) -> str:
        """Return a short name for what is in the index."""
        commit = self._commit()
        commit.state = commit.state or state_of(_stamps(commit.searcher))
        return commit.state

    def library_state(self) -> str:
        """Return the state of the library that the commit on disk is of; 10 µs if neither file was replaced."""
        try:
            files = (file_identity(self._meta_file), file_identity(self._state_file))
            if files != self._state_read[0]:
                commit, _, state = Path(self._state_file).read_text(encoding="utf-8").partition(" ")
                self._state_read = (files, state if commit == self._commit_name() else "")
            return self._state_read[1]
        except (OSError, UnicodeDecodeError):
            return ""

    def note_library_state(self, library_state: str) -> None:
        """Note the state of the library that the index is of now."""
        if self.library_state() != library_state:
            # For want of room nothing is lost: a state that is not noted is counted.
            with suppress(OSError), whole_file(Path(self._state_file)) as part:
                part.write_text(f"{self._commit_name()} {library_state}", encoding="utf-8")

    def _commit_name(self) -> str:
        """Return a name for the commit on disk, so that a state noted of another one says nothing of this."""
        return hashlib.blake2b(Path(self._meta_file).read_bytes(), digest_size=8).hexdigest()

    @guarded
    def update(self, put: Iterable[Entry], gone: Iterable[str]) -> None:
        """Add or replace policies, then take others out, in one commit."""
        try:
            writer = self._index.writer(HEAP_BYTES, 1)
        except ValueError:
            raise BadIndex("the index is being written by another process; try again when it is done") from None
        try:
            for entry in put:
                writer.delete_documents_by_term("id", entry.policy_id)
                writer.add_document(_document(entry, self._schema))
            for policy_id in gone:
                writer.delete_documents_by_term("id", policy_id)
            writer.commit()
        except BaseException:
            writer.rollback()
            raise
        writer.wait_merging_threads()

    @guarded
    def walk(self, query: Query, ranking: Ranking, first: int = 1000) -> Matches:
        """Return all matches, the best first, ties by the policy's own number."""
        if ranking is Ranking.RELEVANCE and query.wanted == EVERYTHING:
            ranking = Ranking.CUSTOM  # nothing was asked that policies could be more or less relevant to
        searcher, engine_query = self._commit().searcher, self._query(query)
        total, best = self._look(searcher, engine_query, ranking, first)

        def look(size: int) -> list[Ranked[Any]]:
            return best if size == min(first, total) else self._look(searcher, engine_query, ranking, size)[1]

        hits = (self._hit(searcher, ranking, value, address) for value, _, address in in_order(look, total, first))
        return Matches(total, hits)

    @guarded
    def _look(
        self, searcher: tantivy.Searcher, query: tantivy.Query, ranking: Ranking, size: int
    ) -> tuple[int, list[Ranked[Any]]]:
        """Return the number of matches, and the best of them: value, own number and address."""
        result: Any = searcher.search(query, max(1, size), **ORDERS[ranking][0])  # type: ignore[arg-type]
        numbers = searcher.fast_field_values("own", [address for _, address in result.hits])
        return int(result.count), [
            (value, int(own or 0), address) for (value, address), own in zip(result.hits, numbers, strict=True)
        ]

    @guarded
    def _hit(self, searcher: tantivy.Searcher, ranking: Ranking, value: float, address: tantivy.DocAddress) -> Hit:
        group, site = _numbers(searcher, address, "group_number", "site_number")
        return Hit(str(searcher.doc(address).get_first("id")), ORDERS[ranking][1](value), group, site)

    @guarded
    def counts(self, queries: Sequence[Query]) -> list[int]:
        """Count the matches of queries."""
        searcher: Any = self._commit().searcher
        return [int(searcher.search(self._query(query), 1).count) for query in queries]

    @guarded
    def tallies(self, counts: Sequence[Count]) -> list[Tally]:
        """Count matches by group, by value and by bar, each in one pass over them."""
        commit = self._commit()
        return [self._tally(commit, count) for count in counts]

    def _tally(self, commit: _Commit, count: Count) -> Tally:
        if count in commit.totals:
            return commit.totals[count]
        names = (*count.fields, "group")
        wanted: dict[str, Any] = {name: {"terms": {"field": name, "size": MOST_VALUES}} for name in names}
        for number, bars in enumerate(count.bars):
            wanted[f"bars {number}"] = {"histogram": {"field": bars.field, "interval": bars.step}}
        wanted["all"] = {"value_count": {"field": "p_policy"}}
        result = commit.searcher.aggregate(self._query(count.query), wanted)
        values = {
            name: {part["key"]: part["doc_count"] for part in result[name]["buckets"] if part["key"] != COMMON}
            for name in names
        }
        # Only policies that have near-duplicates are in a group.
        grouped = values.pop("group") if "group" not in count.fields else values["group"]
        groups = int(result["all"]["value"]) - sum(grouped.values()) + len(grouped)
        bars_ = tuple(_binned(result[f"bars {number}"]["buckets"], bars) for number, bars in enumerate(count.bars))
        tally = Tally(groups, values, bars_)
        if count.query == Query():  # counts over the whole index are wanted with every search, and change only with it
            commit.totals[count] = tally
        return tally

    @guarded
    def explain(self, query: Query, policy_id: str) -> Explanation | None:
        """Return how a policy's custom score comes about; None where it does not match."""
        searcher = self._commit().searcher
        own = tantivy.Query.term_query(self._schema, "id", policy_id)
        relevance = _score_of(searcher, self._query(query), own)
        if relevance is None:
            return None
        (_, address), *_ = searcher.search(own, 1).hits
        p_policy, popularity = _numbers(searcher, address, "p_policy", "popularity")
        fields = [(leaf, name) for leaf in _leaves(query.wanted) for name in FIELDS[leaf.field]]
        parts = {f"{name}:{' '.join(leaf.words)}": self._words(leaf, name) for leaf, name in fields}
        parts |= {f"{part.field}:{part.value}": self._favoured(part) for part in query.favoured}
        scores = {name: score for name, part in parts.items() if (score := _score_of(searcher, part, own)) is not None}
        return Explanation(p_policy * relevance * popularity, relevance, p_policy, popularity, scores)

    def _commit(self) -> _Commit:
        """Return the newest commit; whoever holds an older one goes on with that."""
        try:
            identity = file_identity(self._meta_file)
        except OSError:
            raise BadIndex(f"the index at {self.folder.parent} is gone; 'smallprint index' makes it") from None
        newest = self._newest
        if newest is None or newest.identity != identity:
            if self._mirror:
                self._mirror.refresh()
            self._index.reload()
            newest = self._newest = _Commit(identity, self._index.searcher())
        return newest

    def _query(self, query: Query) -> tantivy.Query:
        parts = [(Occur.Must, self._node(query.wanted))]
        parts += [(Occur.Should, self._favoured(value)) for value in query.favoured]
        parts += [(Occur.Must, tantivy.Query.const_score_query(self._filter(part), 0.0)) for part in query.filters]
        for part in query.unwanted:
            unwanted = self._filter(part) if isinstance(part, OneOf | Between) else self._node(part)
            parts.append((Occur.MustNot, unwanted))
        return tantivy.Query.boolean_query(parts)

    def _node(self, node: Node) -> tantivy.Query:
        if isinstance(node, Words):
            in_fields = [(Occur.Should, self._words(node, field)) for field in FIELDS[node.field]]
            return tantivy.Query.boolean_query(in_fields)
        if node == EVERYTHING:
            # Bare, tantivy would leave it out beside a filter, and every score would be 0.
            return tantivy.Query.const_score_query(tantivy.Query.all_query(), 1.0)
        if not node.parts:
            return tantivy.Query.empty_query()
        occur = Occur.Must if isinstance(node, AllOf) else Occur.Should
        return tantivy.Query.boolean_query([(occur, self._node(part)) for part in node.parts])

    def _words(self, node: Words, field: str) -> tantivy.Query:
        if len(node.words) == 1:
            words = tantivy.Query.term_query(self._schema, field, node.words[0])
        else:
            words = tantivy.Query.phrase_query(self._schema, field, list(node.words))
        boost = node.weight * (tree.TITLE_BOOST if field == "title" and node.field == "text" else 1.0)
        return words if boost == 1.0 else tantivy.Query.boost_query(words, boost)

    def _favoured(self, part: Favoured) -> tantivy.Query:
        return tantivy.Query.boost_query(tantivy.Query.term_query(self._schema, part.field, part.value), part.weight)

    def _filter(self, part: Filter) -> tantivy.Query:
        if isinstance(part, OneOf):
            each = [(Occur.Should, tantivy.Query.term_query(self._schema, part.field, value)) for value in part.values]
            return tantivy.Query.boolean_query(each) if each else tantivy.Query.empty_query()
        return tantivy.Query.range_query(self._schema, part.field, FieldType.Float, part.low, part.high)


def prior_field(p_policy: float, popularity: float) -> float:
    """Return the x by which tantivy multiplies a score with ten times the prior."""
    exponent = SCALE * max(LEAST_PRIOR, p_policy * popularity)
    if exponent > MOST_EXPONENT:
        raise BadIndex(f"popularity {popularity} is beyond what an index can hold; import popularity again")
    return float(2.0**exponent - 2.0)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("id", "stamp"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for row in STORED:
        if row.kind == "text":
            builder.add_text_field(row.name, tokenizer_name="whitespace", index_option="position")
        elif row.is_choice:
            builder.add_text_field(row.name, tokenizer_name="raw", index_option="basic", fast=True)
        else:
            builder.add_float_field(row.name, fast=True)
    for name in ("prior", "p_policy", "popularity"):
        builder.add_float_field(name, fast=True)
    for name in ("own", "group_number", "site_number", "by_popularity", "by_probability", "by_date"):
        builder.add_unsigned_field(name, fast=True)
    return builder.build()


def _document(entry: Entry, schema: tantivy.Schema) -> tantivy.Document:
    document = document_of(entry)
    document |= {
        "prior": prior_field(entry.p_policy, entry.popularity),
        "by_popularity": _sort_key(entry.popularity * 1e6, document["own"]),
        "by_probability": _sort_key(entry.p_policy * 1e6, document["own"]),
        "by_date": _sort_key(day_number(entry.date), document["own"]),
    }
    return tantivy.Document.from_dict(document, schema)


def _sort_key(value: float, own: int) -> int:
    return (min(round(value), MOST_VALUE) << OWN_BITS) | (own >> (63 - OWN_BITS))


def _stamps(searcher: tantivy.Searcher) -> Iterator[tuple[str, str]]:
    for _, address in searcher.search(tantivy.Query.all_query(), max(1, searcher.num_docs), count=False).hits:
        document = searcher.doc(address)
        yield str(document.get_first("id")), str(document.get_first("stamp"))


def _numbers(searcher: tantivy.Searcher, address: tantivy.DocAddress, *names: str) -> Iterator[Any]:
    values = (searcher.fast_field_values(name, [address])[0] for name in names)
    return (0.0 if value is None else value for value in values)


def _score_of(searcher: tantivy.Searcher, query: tantivy.Query, own: tantivy.Query) -> float | None:
    both = tantivy.Query.boolean_query([(Occur.Must, query), (Occur.Must, tantivy.Query.const_score_query(own, 0.0))])
    hits = searcher.search(both, 1, count=False).hits
    return float(hits[0][0]) if hits else None


def _leaves(node: Node) -> list[Words]:
    return [node] if isinstance(node, Words) else [leaf for part in node.parts for leaf in _leaves(part)]


def _binned(buckets: list[dict[str, Any]], bars: Bars) -> tuple[int, ...]:
    counts = [0] * bars.count
    for bucket in buckets:
        place = round((bucket["key"] - bars.low) / bars.step)
        counts[min(max(place, 0), bars.count - 1)] += bucket["doc_count"]
    return tuple(counts)
