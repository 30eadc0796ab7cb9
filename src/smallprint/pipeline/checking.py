"""A library and its indexes checked as a whole, against each other too."""

from __future__ import annotations

from collections.abc import Iterator

from smallprint.errors import BadIndex
from smallprint.index.soundness import file_faults
from smallprint.library import Library
from smallprint.library.soundness import Fault, library_faults
from smallprint.pipeline.indexing import WHICH, Which, index_folder, open_index
from smallprint.pipeline.lag import count_lag

UPDATE, MAKE_ANEW = "run 'smallprint index'", "run 'smallprint index --anew'"
NAMES: dict[Which, str] = {"policy": "the index of policies", "page": "the index of whole pages"}


def faults(library: Library) -> Iterator[Fault]:
    """Go through all that is wrong with a library and its two indexes."""
    yield from library_faults(library)
    for which in WHICH:
        yield from _index_faults(library, which)


def _index_faults(library: Library, which: Which) -> Iterator[Fault]:
    name = NAMES[which]
    broken = list(file_faults(index_folder(library.path, which)))
    if broken:
        advice = UPDATE if broken == ["there is none"] else MAKE_ANEW
        yield from (Fault("index", f"{name}: {what}", advice) for what in broken)
        return
    try:
        lag = count_lag(library, open_index(library.path, which))
    except BadIndex as error:
        yield Fault("index", f"{name}: {error}", MAKE_ANEW)
        return
    counts = {"missing": lag.missing, "in an older state": lag.changed, "no longer in the library": lag.surplus}
    for what, count in counts.items():
        if count:
            policies = "1 policy is" if count == 1 else f"{count:,} policies are"
            yield Fault("index", f"{name} is behind: {policies} {what}", UPDATE)
