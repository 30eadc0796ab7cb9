"""The one way into a library: whatever can be done with it is a method here, or in `Upkeep` where it writes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from smallprint.annotate.card import annotator as card_annotator
from smallprint.annotate.card import make as make_card
from smallprint.annotate.registry import Annotation
from smallprint.annotate.vectors import finder
from smallprint.ask.answer.answering import Ranked
from smallprint.assistant.assistant import Assistant, Fetch
from smallprint.assistant.desk import Desk, source_of
from smallprint.assistant.names import plain_name
from smallprint.errors import BadQuery, LibraryError, NoSuchPolicy, NoSuchVersion
from smallprint.files import whole_file
from smallprint.library import Library, reading
from smallprint.library.annotations import document, pack, save_annotations, stored_annotation
from smallprint.library.directory import directory
from smallprint.library.statistics import mentions_by_sector, rates
from smallprint.pipeline.indexing import lag_of
from smallprint.search import exports, results
from smallprint.search.request import request_of
from smallprint.sectors import SECTORS
from smallprint.settings import Settings
from smallprint.shelf import records
from smallprint.shelf.upkeep import Upkeep
from smallprint.view.card import card
from smallprint.view.comparison import compare
from smallprint.view.evidence import evidence
from smallprint.view.policy import policy_record, policy_view, read_version, sayings, segments_said
from smallprint.view.revisions import choose, cited_version, revision

if TYPE_CHECKING:
    import pyarrow as pa

_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")


class Shelf(Upkeep):
    """A library with its indexes and models, opened once; pages, API, commands, voice and tools all call this.

    Close it, or use it in a `with` statement. Any number of threads may share it.

    Searches and exports take the filters of the page: `sector`, `practice`, `technology`, `body`, `regulation` and
    `year` take a value or a list, `grade` and `vagueness` a pair such as (8, None); `names` takes what a policy may
    name, whatever it is; `domain` a domain or host; then `rank`, `where`, `match`, `index`, and for a search `page`,
    `size` and `fold`.

    Policies are named by id, address or domain; versions by id, by the beginning of it or of its hash, or by a date.
    The id of a version that was replaced when its page was read again leads to what took its place, but its own text,
    page and segments can still be read. Answers are the policy's own sentences, and what they come to.
    """

    def __init__(self, settings: Settings, *, create: bool = False, lazy: bool = False, seconds: float = 0.0) -> None:
        super().__init__(settings, create=create, lazy=lazy, seconds=seconds)
        # The engine is looked up for each question, since `forget_engines` replaces it.
        self._assistant = Assistant(Desk(save=save_vectors), lambda: self.engines.engine())  # noqa: PLW0108

    def request(self, text: str = "", **filters: Any) -> records.Request:
        """Return a search as a record, from words and filters; BadQuery says what is unknown."""
        return request_of(text, filters, self.settings.search_match)

    def search(self, text: str = "", *, facets: bool = False, **filters: Any) -> records.Results:
        """Return a page of results, ten unless `size` says otherwise; with `facets`, counts by facet as well."""
        return self.results(self.request(text, **filters), facets=facets)

    def results(self, request: records.Request, *, facets: bool = True) -> records.Results:
        """Return the page of results that a request asks for."""
        engine = self.engines.engine(request.index)
        with self.pool.library() as library:
            return results.search(library, engine, request, with_facets=facets)

    def near_duplicates(self, request: records.Request, group: str) -> tuple[records.PolicySummary, ...]:
        """Return the near-duplicates that were folded under a result, the one they are folded under first."""
        engine = self.engines.engine(request.index)
        with self.pool.library() as library:
            return results.near_duplicates(library, engine, request, group)

    def explain(self, request: records.Request, policy_id: str) -> records.Explanation | None:
        """Return how the score of a policy comes about; None where the search does not find it."""
        return self.engines.engine(request.index).explain(results.query_of(request), policy_id)

    def table(self, text: str = "", **filters: Any) -> pa.Table:
        """Return a whole result, every policy that matches, as an Arrow table; its metadata say how to cite it.

        `table.schema.metadata` has `export_id`, `query`, `made`, `policies` and `citation`.
        """
        return self._table(records.without_paging(self.request(text, **filters)))

    def again(self, export_id: str, *, anyway: bool = False) -> pa.Table:
        """Return the table of an export again; LibraryChanged where the library has changed since, unless `anyway`."""
        return self._table(self.exported(export_id, anyway=anyway))

    def exported(self, export_id: str, *, anyway: bool = False) -> records.Request:
        """Return the request that an export was made of; LibraryChanged as `again`."""
        return exports.request_again(export_id, self.engines, anyway=anyway)

    def export(
        self, path: str | Path, text: str = "", *, again: str = "", anyway: bool = False, **filters: Any
    ) -> records.Heading:
        """Write a whole result, or an export `again` by its id, to a .csv, .jsonl or .parquet file; say what it is."""
        to = Path(path)
        kind = next((known for known in exports.FORMATS if to.suffix.lower() == f".{known}"), None)
        if kind is None:
            raise BadQuery(f"{to.name!r} has no known format; use a name that ends in .csv, .jsonl or .parquet")
        asked = self.exported(again, anyway=anyway) if again else self.request(text, **filters)
        request = records.without_paging(asked)
        heading = self.heading(request)
        with whole_file(to) as part, part.open("wb") as file:
            file.writelines(self.export_pieces(kind, heading, request))
        return heading

    def heading(self, request: records.Request) -> records.Heading:
        """Return what an export is: its id, query, date, size and citation."""
        engine = self.engines.engine(request.index)
        with self.pool.library() as library:
            return exports.heading(engine, request, lag_of(library, engine))

    def export_pieces(
        self, kind: records.Format, heading: records.Heading, request: records.Request
    ) -> Iterator[bytes]:
        """Make an export piece by piece, as long as it takes, on a connection of its own; the first piece is empty."""
        engine = self.engines.engine(request.index)
        with Library(self.path, any_thread=True) as library:
            yield b""  # as soon as the library is open
            yield from exports.written(kind, heading, exports.rows(library, engine, request, heading))

    def _table(self, request: records.Request) -> pa.Table:
        import pyarrow.parquet as pq

        return pq.read_table(io.BytesIO(b"".join(self.export_pieces("parquet", self.heading(request), request))))

    def known_by(self, name: str) -> tuple[str, ...]:
        """Return the ids of all policies that an id, an address, a domain or the beginning of an id may mean."""
        with self.pool.library() as library:
            return reading.known_by(library, name)

    def policies_at(self, address: str) -> tuple[str, ...]:
        """Return the ids of the policies at an address: the policy itself, or all of a site by its home page."""
        with self.pool.library() as library:
            try:
                entry = reading.find_policy(library, address)
                return (entry.copy_of or entry.policy_id,)
            except NoSuchPolicy:
                name = records.site_name(address)
            is_home = address.partition("://")[2].rstrip("/") in {name, f"www.{name}"}
            return reading.policies_of(library, name) if is_home else ()

    def best_known(self) -> str:
        """Return the name of the best known policy, for an example; empty where the library is."""
        return self.memory.recall("best known", _best_known)

    def find(self, policy: str) -> records.PolicyEntry:
        """Return a policy with its versions; NoSuchPolicy where none or several may be meant."""
        with self._finding(policy) as (_, entry):
            return entry

    def find_version(self, policy: str, version: str | None = None) -> tuple[records.PolicyEntry, records.VersionEntry]:
        """Return a policy and one of its versions, by default the current one."""
        with self._finding(policy) as (library, entry):
            return entry, choose(library, entry, version)

    def policy(self, policy: str, version: str | None = None) -> records.PolicyRecord:
        """Return what is known of a policy."""
        with self._finding(policy) as (library, entry):
            return policy_record(library, entry, choose(library, entry, version))

    def policies(
        self, *, domain: str | None = None, sector: str | None = None, on: str | None = None
    ) -> Iterator[records.PolicyRecord]:
        """Iterate over the policies kept, by id: of a domain or of all under it ("example.com", "de"), or of a sector.

        With `on`, a date such as "2021" or "2021-06-30", each is as it was then, if it had been seen until then.
        """
        if on and not _DATE.fullmatch(on):
            raise BadQuery(f"on = {on!r} is not a date; give one such as '2021', '2021-06' or '2021-06-30'")
        if sector and sector not in {known.id for known in SECTORS}:
            raise BadQuery(f"sector = {sector!r} is unknown; choose from {', '.join(known.id for known in SECTORS)}")
        with self.pool.library() as library:
            ids = list(reading.policies(library))
        for policy_id in ids:
            try:
                with self._finding(policy_id) as (library, entry):
                    if domain and not f".{entry.domain}".endswith(f".{domain}"):
                        continue
                    record = policy_record(library, entry, choose(library, entry, on))
            except NoSuchVersion:
                continue
            if sector in {None, record.sector.sector}:
                yield record

    def cited(self, policy: str, version: str | None = None) -> tuple[records.PolicyEntry, records.CitedVersion]:
        """Return a policy and one version as it is cited: a replaced one as it was, with what took its place."""
        with self._finding(policy) as (library, entry):
            return entry, cited_version(library, entry, version)

    def text(self, policy: str, version: str | None = None) -> str:
        """Return a policy's text, without menus and footers; of a version that was replaced, its own."""
        with self._finding(policy) as (library, entry):
            return reading.text(library, cited_version(library, entry, version).version.version_id)

    def page_text(self, policy: str, version: str | None = None) -> str:
        """Return the text of the whole page, with menus and footers."""
        with self._finding(policy) as (library, entry):
            return reading.page_text(library, cited_version(library, entry, version).version.version_id)

    def page(self, policy: str, version: str | None = None) -> bytes:
        """Return the page as it arrived, byte by byte."""
        with self._finding(policy) as (library, entry):
            return reading.page(library, cited_version(library, entry, version).version.page_id)

    def segments(self, policy: str, version: str | None = None) -> tuple[records.SegmentSaid, ...]:
        """Return a policy's segments with the labels that hold for each."""
        with self._finding(policy) as (library, entry):
            return segments_said(*read_version(library, cited_version(library, entry, version).version.version_id))

    def annotations(self, policy: str, version: str | None = None) -> records.Sayings:
        """Return the annotations of a policy with their places and words; of a version that was replaced, its own."""
        with self._finding(policy) as (library, entry):
            return sayings(library, entry, cited_version(library, entry, version).version)

    def view(self, policy: str, version: str | None = None) -> records.PolicyView:
        """Return all that a page about a policy needs: text, labels, marks, measures among others, versions."""
        library_rates = self.rates()
        with self._finding(policy) as (library, entry):
            return policy_view(library, entry, choose(library, entry, version), library_rates)

    def diff(self, policy: str, old: str | None = None, new: str | None = None) -> records.Revision:
        """Return what changed between two versions, by default between the current one and the one before."""
        with self._finding(policy) as (library, entry):
            return revision(library, entry, old, new)

    def compare(self, policies: Sequence[str]) -> records.Comparison:
        """Return two to four policies side by side: what each says, denies or is silent about."""
        with self.pool.library() as library:
            return compare(library, [reading.find_policy(library, policy) for policy in policies])

    def evidence(
        self, policy: str, segments: Iterable[int] | None = None, version: str | None = None
    ) -> records.EvidenceSheet:
        """Return passages of a policy with hashes, dates and addresses, by default all of them."""
        with self._finding(policy) as (library, entry):
            return evidence(library, entry, cited_version(library, entry, version), segments)

    def rates(self) -> records.LibraryRates:
        """Return how common labels and measures are; counted once for each state of the library."""
        return self.memory.recall("rates", rates)

    def mentions_by_sector(self) -> dict[str, dict[str, int]]:
        """Count what policies name, by sector; counted once for each state of the library."""
        return self.memory.recall("mentions by sector", mentions_by_sector)

    def ask(
        self, policy: str, question: str, version: str | None = None, *, passages: int = records.SUMMARY
    ) -> records.Answer:
        """Answer a question with the policy's own sentences, and with the passages that bear on it most."""
        with self._finding(policy) as (library, entry):
            source = source_of(entry, choose(library, entry, version))
            return self._assistant.desk.answer(library, source, question, passages)

    def rank(
        self, policy: str, question: str, ranker: str = "combined", version: str | None = None
    ) -> tuple[Ranked, ...]:
        """Return the ten best sentences for a question by one ranker alone, the best first."""
        with self._finding(policy) as (library, entry):
            source = source_of(entry, choose(library, entry, version))
            return self._assistant.desk.rank(library, source, question, ranker)

    def card(self, policy: str, version: str | None = None, *, fast: bool = False) -> records.Card:
        """Return what a policy says on the questions of the card; who asks first waits while it is read in full.

        With `fast` nobody waits: a card in fast quality will do where no better one is stored.
        """
        with self._finding(policy) as (library, entry):
            chosen = choose(library, entry, version)
            accepted = [card_annotator(quality) for quality in (("full", "fast") if fast else ("full",))]
            stored = (stored_annotation(library, chosen.version_id, by) for by in accepted)
            annotation = next(filter(None, stored), None)
            if annotation is None:
                by, today = accepted[-1], datetime.now(tz=UTC).date().isoformat()
                made = make_card(document(library, chosen.version_id), by.model)
                annotation = Annotation(replace(by, made_on=today), made)
                save_annotation(library, chosen.version_id, annotation)
            return card(library, entry, chosen, annotation)

    def begin(self, policy: str | None = None) -> records.Conversation:
        """Begin a conversation, on a policy if one is named."""
        return records.Conversation(policy_id=self.find(policy).policy_id if policy else "")

    def reply(
        self, text: str, conversation: records.Conversation | None = None, fetch: Fetch | None = None
    ) -> tuple[records.Conversation, records.Reply]:
        """Go on with a conversation, or begin one: where it stands now, and the assistant's reply.

        A conversation is handed over as JSON by its `to_json`, and read back by `ask.dialogue.conversation.from_json`.
        `fetch` adds the policy at an address that somebody agreed to; without it nothing is fetched.
        """
        with self.pool.library() as library:
            return self._assistant.reply(library, conversation or records.Conversation(), text, fetch)

    @contextmanager
    def _finding(self, policy: str) -> Iterator[tuple[Library, records.PolicyEntry]]:
        """Borrow a connection, and find a policy with it."""
        with self.pool.library() as library:
            yield library, reading.find_policy(library, policy)


def save_vectors(library: Library, version_id: str, rows: NDArray[np.int8]) -> None:
    """Keep the vectors of a version's sentences in the library."""
    save_annotation(library, version_id, Annotation(finder(), rows))


def save_annotation(library: Library, version_id: str, annotation: Annotation) -> None:
    """Keep an annotation in the library, unless somebody else is writing, or nobody may."""
    with suppress(LibraryError), library.writing(), library.transaction(aside=True) as db:
        save_annotations(db, version_id, [pack(annotation)])


def _best_known(library: Library) -> str:
    policy = max(directory(library), key=lambda entry: (entry.popularity, entry.policy_id), default=None)
    return plain_name(policy) if policy else ""
