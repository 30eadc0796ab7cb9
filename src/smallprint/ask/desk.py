"""Where questions on policies are answered, stored ones and others; what was made of the last policies is kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence

from smallprint.annotate.annotating import Annotation, finding
from smallprint.annotate.sentences import packed, sentences_of, unpacked
from smallprint.ask.evidence import Evidence, gather, with_vectors
from smallprint.ask.kit import Kit, kit
from smallprint.errors import DamagedText, LibraryError
from smallprint.library import Library, reading
from smallprint.library.annotations import pack, save_annotations, sentence_vectors
from smallprint.records import Segment

# Policies whose evidence is kept in memory: one of 150 sentences takes half a megabyte.
POLICIES = 32


class Desk:
    """Evidence by policy, the least recently asked for forgotten first; threads may share it."""

    def __init__(self, models: Kit | None = None, policies: int = POLICIES) -> None:
        self.kit = models or kit()
        self._policies = policies
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, Evidence] = OrderedDict()

    def stored(self, library: Library, version_id: str) -> Evidence:
        """Give the evidence of a version; the vectors of its sentences are made once and kept in the library."""
        key = library.path, version_id
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        text, segments = reading.text(library, version_id), reading.segments(library, version_id)
        found = self._kept_in_the_library(library, version_id, text, segments)
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > self._policies:
                self._kept.popitem(last=False)
        return found

    def given(self, text: str, segments: Sequence[Segment]) -> Evidence:
        """Give the evidence of a text that is not stored."""
        return gather(sentences_of(text, segments), self.kit.labeller, self.kit.finder)

    def _kept_in_the_library(
        self, library: Library, version_id: str, text: str, segments: Sequence[Segment]
    ) -> Evidence:
        by, sentences = finding(), sentences_of(text, segments)
        try:
            rows = sentence_vectors(library, version_id, by)
        except DamagedText:  # they can be made again
            rows = None
        if rows is None or len(rows) != len(sentences):
            rows = packed(self.kit.finder.vectors([one.under_heading for one in sentences]))
            try:
                with library.writing(), library.transaction(aside=True) as db:
                    save_annotations(db, version_id, [pack(Annotation(by, rows))])
            except LibraryError:
                pass  # somebody else is writing, or nobody may: the question is answered all the same
        return with_vectors(sentences, unpacked(rows), self.kit.labeller)
