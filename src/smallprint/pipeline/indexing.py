"""The library into its two indexes, without and with page furniture: only what changed is read again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from smallprint.domains import host_of
from smallprint.errors import DamagedText
from smallprint.index.engine import Engine, Entry
from smallprint.library import Library, reading
from smallprint.library.findable import Findable, findable, labelled, named
from smallprint.library.permissions import FOLDER, tighten

Which = Literal["policy", "page"]
WHICH: tuple[Which, ...] = ("policy", "page")
Tick = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Indexed:
    """What bringing an index up to date came to. Policies whose stored text is `damaged` were left as they were."""

    added: int
    changed: int
    removed: int
    total: int
    damaged: int = 0


def index_folder(library: Path, which: Which) -> Path:
    """Say where a library's index is: "page" is with page furniture, "policy" without."""
    return library.with_name(f"{library.name}.index") / which


def open_index(library: Path, which: Which = "policy", *, create: bool = False) -> Engine:
    """Open one of a library's indexes."""
    from smallprint.index.embedded import EmbeddedEngine

    if create:
        with suppress(OSError):  # the engine says what is wrong
            index_folder(library, which).mkdir(mode=FOLDER, parents=True, exist_ok=True)
        tighten(library)
    return EmbeddedEngine(index_folder(library, which), create=create)


def throw_away(library: Path) -> None:
    """Delete a library's indexes; they can be made again."""
    folder = index_folder(library, "policy").parent
    if folder.is_dir():
        shutil.rmtree(folder)


def bring_up_to_date(library: Library, engine: Engine, which: Which, tick: Tick = lambda done, total: None) -> Indexed:
    """Put what is new or changed in the library into an index, and take out what is gone."""
    with library.writing():
        return _bring_up_to_date(library, engine, which, tick)


def _bring_up_to_date(library: Library, engine: Engine, which: Which, tick: Tick) -> Indexed:
    # Asked for before anything is read: what is written meanwhile makes a new state.
    state = library.state()
    had = engine.stamps()
    now = list(findable(library))
    due = [one for one in now if had.get(one.policy_id) != one.stamp]
    gone = had.keys() - {one.policy_id for one in now}
    damaged: set[str] = set()
    if due or gone:
        engine.update(_entries(library, due, which, tick, damaged), sorted(gone))
    if not damaged:
        engine.note_library_state(state)
    added = sum(one.policy_id not in had for one in due if one.policy_id not in damaged)
    return Indexed(added, len(due) - added - len(damaged), len(gone), len(now), len(damaged))


def _entries(library: Library, due: list[Findable], which: Which, tick: Tick, damaged: set[str]) -> Iterator[Entry]:
    """Make the entries of policies, and note those whose stored text is damaged: they must not keep others waiting."""
    read = reading.text if which == "policy" else reading.page_text
    for done, one in enumerate(due, 1):
        try:
            body = read(library, one.version_id)
        except DamagedText:
            damaged.add(one.policy_id)
            continue
        yield Entry(
            policy_id=one.policy_id,
            stamp=one.stamp,
            title=one.title,
            url=one.url,
            body=body,
            date=one.seen,
            p_policy=one.p_policy,
            popularity=one.popularity,
            sector=one.sector,
            group=one.group,
            grouped=one.grouped,
            sites=sites(one.url, one.domain),
            mentions=named(library, one.version_id),
            practices=labelled(library, one.version_id),
            grade=one.grade,
            vague=one.vague,
        )
        tick(done, len(due))


def sites(url: str, domain: str) -> tuple[str, ...]:
    """Give the names a site can be asked for by: its host and each name above, down to the registrable domain."""
    found, host = [domain], host_of(url)
    while host.endswith(f".{domain}"):
        found.append(host)
        host = host.partition(".")[2]
    return tuple(found)
