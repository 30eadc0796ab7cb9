"""The library into its two indexes, with and without menus and footers; how far they are behind, and their faults."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import chain, groupby
from operator import itemgetter
from weakref import WeakKeyDictionary

from smallprint.errors import BadIndex, DamagedText
from smallprint.index.engine import Engine, Entry
from smallprint.index.fields import Material, values_of
from smallprint.index.folder import file_faults
from smallprint.index.opening import WHICH, Which, index_folder, open_engine
from smallprint.library import Library, reading
from smallprint.library.findable import Findable, findable, labels_of, names_in, policy_count
from smallprint.library.soundness import Fault, library_faults
from smallprint.settings import Settings

Tick = Callable[[int, int], None]
# While a library is being filled its state changes with every batch. Counting takes at most this part of the time then:
# a count that took a second holds for the next twenty.
SHARE = 1 / 20
UPDATE, MAKE_ANEW = "run 'smallprint index'", "run 'smallprint index --anew'"
NAMES: dict[Which, str] = {"policy": "the index of policies", "page": "the index of whole pages"}


@dataclass(frozen=True, slots=True)
class Indexed:
    """What bringing an index up to date came to. Policies whose stored text is `damaged` were left as they were."""

    added: int
    changed: int
    removed: int
    total: int
    damaged: int = 0


def compare(library: Library, engine: Engine) -> Iterator[tuple[str, Findable | None, str | None]]:
    """Yield all policies of library and index by id, each with its stamp in the index; neither is held as a whole."""
    policies = ((policy.policy_id, policy, None) for policy in findable(library))
    stamps = ((policy_id, None, stamp) for policy_id, stamp in engine.stamps())
    by_id = itemgetter(0)
    for policy_id, sides in groupby(merge(policies, stamps, key=by_id), by_id):
        _, known, indexed = zip(*sides, strict=True)
        yield policy_id, known[0], indexed[-1]  # where both have it, the library comes first


def bring_up_to_date(library: Library, engine: Engine, which: Which, tick: Tick = lambda done, total: None) -> Indexed:
    """Put what is new or changed in the library into an index, and take out what is gone."""
    counts: Counter[str] = Counter()
    gone: list[str] = []

    def changed_entries() -> Iterator[Entry]:
        read = reading.text if which == "policy" else reading.page_text
        total = policy_count(library)
        for policy_id, policy, stamp in compare(library, engine):
            if policy is None:
                gone.append(policy_id)
                continue
            counts["total"] += 1
            if policy.stamp == stamp:
                continue
            try:
                entry = entry_of(library, policy, read(library, policy.version_id))
            except DamagedText:  # must not keep others waiting
                counts["damaged"] += 1
                continue
            counts["added" if stamp is None else "changed"] += 1
            yield entry
            tick(counts["total"], total)

    with library.writing():
        # Asked for before anything is read: what is written meanwhile makes a new state.
        state = library.state()
        entries = changed_entries()
        first = next(entries, None)
        if first is not None or gone:
            engine.update(chain([first] if first else [], entries), gone)
        if not counts["damaged"]:
            engine.note_library_state(state)
    return Indexed(counts["added"], counts["changed"], len(gone), counts["total"], counts["damaged"])


def entry_of(library: Library, policy: Findable, body: str) -> Entry:
    """Return a policy as an index holds it, with the text to be searched."""
    names, labels = (by_version(library, [policy.version_id]) for by_version in (names_in, labels_of))
    values = values_of(Material(policy, body, names[policy.version_id], labels[policy.version_id]))
    return Entry(policy.policy_id, policy.stamp, policy.seen, policy.p_policy, policy.popularity, policy.group, values)


@dataclass(frozen=True, slots=True)
class Lag:
    """How many policies an index lacks, has in an older state, and has although the library has them no more."""

    missing: int = 0
    changed: int = 0
    surplus: int = 0

    @property
    def policies(self) -> int:
        """How many policies an index is behind by."""
        return self.missing + self.changed + self.surplus

    @property
    def note(self) -> str:
        """What is said beside results, for readers who cannot do anything about it; empty where nothing is behind."""
        if not self.policies:
            return ""
        what = "1 policy" if self.policies == 1 else f"{self.policies:,} policies"
        return f"The search index is behind the library by {what}, so some results may be missing."


UP_TO_DATE = Lag()
# The last count of an engine: the states it is of, what it came to, and until when it stands in for later ones.
_counts: WeakKeyDictionary[Engine, tuple[tuple[str, str], Lag, float]] = WeakKeyDictionary()
_counting = threading.Lock()  # one thread counts at a time


def lag_of(library: Library, engine: Engine) -> Lag:
    """Return how far an index is behind a library; 30 µs where it is not, or where nothing changed since the count."""
    state = library.state()
    if engine.library_state() == state:
        return UP_TO_DATE
    with _counting:
        counted, lag, until = _counts.get(engine, (("", ""), UP_TO_DATE, 0.0))
        states = (state, engine.state())
        began = time.monotonic()
        if counted != states and began >= until:
            # By a connection of its own: the count must not be ended by the time limit of a request.
            with Library(library.path) as own:
                lag = count_lag(own, engine)
            _counts[engine] = states, lag, time.monotonic() + (time.monotonic() - began) / SHARE
        return lag


def count_lag(library: Library, engine: Engine) -> Lag:
    """Compare every policy of the library with the index."""
    missing = changed = surplus = 0
    for _, policy, stamp in compare(library, engine):
        missing += stamp is None
        surplus += policy is None
        changed += policy is not None and stamp is not None and policy.stamp != stamp
    return Lag(missing, changed, surplus)


def faults(library: Library) -> Iterator[Fault]:
    """Yield all that is wrong with a library and its two indexes."""
    yield from library_faults(library)
    for which in WHICH:
        yield from _index_faults(library, which)


def _index_faults(library: Library, which: Which) -> Iterator[Fault]:
    name = NAMES[which]
    if broken := list(file_faults(index_folder(library.path, which))):
        advice = UPDATE if broken == ["there is none"] else MAKE_ANEW
        yield from (Fault("index", f"{name}: {what}", advice) for what in broken)
        return
    try:
        lag = count_lag(library, open_engine(Settings(library=library.path), which))
    except BadIndex as error:
        yield Fault("index", f"{name}: {error}", MAKE_ANEW)
        return
    counts = {"missing": lag.missing, "in an older state": lag.changed, "no longer in the library": lag.surplus}
    for what, count in counts.items():
        if count:
            policies = "1 policy is" if count == 1 else f"{count:,} policies are"
            yield Fault("index", f"{name} is behind: {policies} {what}", UPDATE)
