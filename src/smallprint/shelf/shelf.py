"""A library opened for reading from Python: searches, policies, texts, annotations, and whole results as tables."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from smallprint.ask.answering import Ranked
from smallprint.ask.conversation import Conversation
from smallprint.ask.desk import Desk
from smallprint.errors import BadQuery, NoSuchVersion
from smallprint.library import Library, reading
from smallprint.library.reading import VersionEntry
from smallprint.library.statistics import Statistics, statistics
from smallprint.pipeline.engines import Engines
from smallprint.pipeline.lag import lag_of
from smallprint.search import exports, results
from smallprint.search.exports import Heading
from smallprint.search.request import Request
from smallprint.sectors import SECTORS
from smallprint.shelf.answers import PolicyAnswer, stored_answer, stored_ranking
from smallprint.shelf.asking import request_again, request_of, whole
from smallprint.shelf.assistant import Assistant
from smallprint.shelf.policies import PolicyRecord, policy_record, version_of
from smallprint.shelf.replies import Reply
from smallprint.shelf.sayings import Sayings, SegmentSaid, sayings, segments_said
from smallprint.view.citations import cited_version

if TYPE_CHECKING:
    import pyarrow as pa

_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")


class Shelf:
    """A library and its indexes, open for reading by one thread; close it, or use it in a `with` statement.

    Policies are named by their id, their address or their domain; versions by their id, by the beginning of it or of
    its hash, or by a date, for the one seen last until then. The id of a version that was replaced when its page was
    read again leads to what took its place, but its own text, page and segments can still be read.

    Filters are those of the page: `sector`, `practice`, `technology`, `body`, `regulation` and `year` take a value or a
    list, `grade` and `vague` a pair such as (8, None); `names` takes what a policy may name, whatever it is; `domain` a
    domain or host; then `rank`, `where`, `match`, `index`, and for a search `page`, `size` and `fold`.
    """

    def __init__(self, path: Path, *, match: str = "any") -> None:
        self.path = path
        self._match = match
        self._library = Library(path)
        self._engines = Engines(path)
        self._desk = Desk()
        self._assistant = Assistant(self._desk, self._engines.engine)

    def __enter__(self) -> Shelf:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._library.__exit__(kind, error, trace)

    def close(self) -> None:
        """Close the library."""
        self._library.close()

    def search(self, text: str = "", *, facets: bool = False, **filters: Any) -> results.Results:
        """Give a page of results, ten unless `size` says otherwise; with `facets`, counts by facet as well."""
        request = request_of(text, filters, self._match)
        return results.search(self._library, self._engines.engine(request.index), request, with_facets=facets)

    def policies(
        self, *, domain: str | None = None, sector: str | None = None, on: str | None = None
    ) -> Iterator[PolicyRecord]:
        """Go through the policies kept, by id: of a domain or of all under it ("example.com", "de"), or of a sector.

        With `on`, a date such as "2021" or "2021-06-30", each is as it was then; what was not seen until then is left
        out.
        """
        if on and not _DATE.fullmatch(on):
            raise BadQuery(f"on = {on!r} is no date; give one such as '2021', '2021-06' or '2021-06-30'")
        if sector and sector not in {one.id for one in SECTORS}:
            raise BadQuery(f"sector = {sector!r} is unknown; choose from {', '.join(one.id for one in SECTORS)}")
        for policy_id in list(reading.policies(self._library)):
            entry = reading.find_policy(self._library, policy_id)
            if domain and entry.domain != domain and not entry.domain.endswith(f".{domain}"):
                continue
            try:
                record = policy_record(self._library, entry, version_of(self._library, entry, on))
            except NoSuchVersion:
                continue
            if sector in {None, record.sector.sector}:
                yield record

    def policy(self, policy: str, version: str | None = None) -> PolicyRecord:
        """Say what is known of a policy."""
        entry = reading.find_policy(self._library, policy)
        return policy_record(self._library, entry, version_of(self._library, entry, version))

    def text(self, policy: str, version: str | None = None) -> str:
        """Give a policy's text, without the page's furniture; of a version that was replaced, its own."""
        return reading.text(self._library, self._cited(policy, version).version_id)

    def page_text(self, policy: str, version: str | None = None) -> str:
        """Give the text of the whole page, furniture and all."""
        return reading.page_text(self._library, self._cited(policy, version).version_id)

    def page(self, policy: str, version: str | None = None) -> bytes:
        """Give the page as it arrived, byte by byte."""
        return reading.page(self._library, self._cited(policy, version).page_id)

    def segments(self, policy: str, version: str | None = None) -> tuple[SegmentSaid, ...]:
        """Give a policy's segments with the labels that hold for each."""
        return segments_said(self._library, self._cited(policy, version))

    def annotations(self, policy: str, version: str | None = None) -> Sayings:
        """Give what was said of a policy: practices, mentions and vague words with their places and words."""
        entry = reading.find_policy(self._library, policy)
        return sayings(self._library, entry, version_of(self._library, entry, version))

    def ask(self, policy: str, question: str, version: str | None = None, *, passages: int = 5) -> PolicyAnswer:
        """Answer a question with the policy's own sentences, and with the passages that bear on it most."""
        entry = reading.find_policy(self._library, policy)
        at = version_of(self._library, entry, version)
        return stored_answer(self._desk, self._library, entry, at, question, passages)

    def reply(self, said: str, conversation: Conversation | None = None) -> tuple[Conversation, Reply]:
        """Go on with a conversation, or begin one: where it stands now, and the assistant's reply; nothing is fetched.

        A conversation is handed over as JSON by its `to_json`, and read by `smallprint.ask.conversation.from_json`.
        """
        return self._assistant.reply(self._library, conversation or Conversation(), said)

    def rank(
        self, policy: str, question: str, ranker: str = "combined", version: str | None = None
    ) -> tuple[Ranked, ...]:
        """Give the ten best sentences for a question by one ranker alone, the best first."""
        return stored_ranking(self._desk, self._library, self._version_id(policy, version), question, ranker)

    def statistics(self) -> Statistics:
        """Count over the whole library."""
        return statistics(self._library)

    def table(self, text: str = "", **filters: Any) -> pa.Table:
        """Give a whole result, every policy that matches, as an Arrow table; its metadata say how to cite it.

        `table.schema.metadata` has `export_id`, `query`, `made`, `policies` and `citation`.
        """
        return self._table(whole(request_of(text, filters, self._match)))

    def again(self, export_id: str, *, anyway: bool = False) -> pa.Table:
        """Make the table of an export again; LibraryChanged where the library has changed since, unless `anyway`."""
        return self._table(request_again(export_id, self._engines, anyway=anyway))

    def export(
        self, path: str | Path, text: str = "", *, again: str = "", anyway: bool = False, **filters: Any
    ) -> Heading:
        """Write a whole result, or an export `again` by its id, to a .csv, .jsonl or .parquet file; say what it is."""
        to = Path(path)
        kind = next((one for one in exports.FORMATS if to.suffix.lower() == f".{one}"), None)
        if kind is None:
            raise BadQuery(f"{to.name!r} does not say what to write; let it end in .csv, .jsonl or .parquet")
        request = (
            request_again(again, self._engines, anyway=anyway)
            if again
            else whole(request_of(text, filters, self._match))
        )
        engine = self._engines.engine(request.index)
        head = exports.heading(engine, request, lag_of(self._library, engine))
        part = to.with_name(f"{to.name}.part")  # so that what is there under its name is whole
        try:
            with part.open("wb") as file:
                file.writelines(exports.written(kind, head, exports.rows(self._library, engine, request, head)))
            part.replace(to)
        finally:
            part.unlink(missing_ok=True)
        return head

    def _table(self, request: Request) -> pa.Table:
        import pyarrow.parquet as pq

        engine = self._engines.engine(request.index)
        head = exports.heading(engine, request, lag_of(self._library, engine))
        pieces = exports.written("parquet", head, exports.rows(self._library, engine, request, head))
        return pq.read_table(io.BytesIO(b"".join(pieces)))

    def _cited(self, policy: str, version: str | None) -> VersionEntry:
        entry = reading.find_policy(self._library, policy)
        return cited_version(self._library, entry, version).version

    def _version_id(self, policy: str, version: str | None) -> str:
        entry = reading.find_policy(self._library, policy)
        return version_of(self._library, entry, version).version_id
