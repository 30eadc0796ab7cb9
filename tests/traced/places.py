"""The folders of a traced run, and how its sockets and files are named in the table and judged in the tests."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .strace import Event

LOOPBACK, OWN_WORKERS, ID_DAEMON = "loopback", "its own workers", "this machine's id daemon"
ALLOWED_SOCKETS = (LOOPBACK, OWN_WORKERS, ID_DAEMON)
DOCUMENTED_FILES = {"library", "lock", "indexes", "pasted texts"}  # docs/settings.md, under 'library'
PASSING_FILES = {"temporary files", "semaphores"}
NAMED_FILE = "the file named"
# Sockets by which the C library asks another program for the address of a host.
RESOLVERS = ("nscd", "resolve", "dbus")


@dataclass(frozen=True, slots=True)
class Place:
    """An empty HOME, a folder for temporary files, and one for the files that commands are told to write."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    @property
    def outputs(self) -> Path:
        return self.root / "outputs"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def library(self) -> Path:
        return self.home / ".local/share/smallprint/library.db"

    @property
    def small_library(self) -> Path:
        """A library of one policy."""
        return self.outputs / "small.db"

    def make(self) -> Place:
        for folder in (self.home, self.temporary, self.outputs, self.logs):
            folder.mkdir(parents=True)
        return self

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment without the user's settings, in which telemetry would be allowed."""
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(self.temporary),
            "USER": "tracer",  # as every login sets it; torch would ask nscd who the user is
            "OMP_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "0", **more,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A command or surface with what it touched, each thing by its name or, if it has none, as it was traced."""

    name: str
    sockets: frozenset[str]
    lookups: frozenset[str]
    files: frozenset[str]


def row(name: str, events: Iterable[Event], place: Place) -> Row:
    """Return what was touched by some events."""
    sockets, lookups, files = set(), set(), set()
    for event in events:
        if event.action == "write":
            files.add(file_name(event.target, place))
        elif event.action == "read" or is_lookup(event.target):
            lookups.add(event.target)
        else:
            sockets.add(socket_name(event, place))
    if f"listens on {LOOPBACK}" in sockets:
        sockets.discard(f"binds to {LOOPBACK}")  # the step before listening
    return Row(name, frozenset(sockets), frozenset(lookups), frozenset(files - {""}))


def socket_name(event: Event, place: Place) -> str:
    """Name a socket: "connects to loopback", "listens on loopback", "its own workers", or what was traced."""
    if event.target.startswith(str(place.temporary)) or (event.action == "listen" and "/" in event.target):
        return OWN_WORKERS
    if event.target == "/run/uuidd/request":  # by Python's uuid1(), when onnxruntime quantises a network
        return ID_DAEMON
    where = LOOPBACK if is_loopback(event.target) else event.target
    verb = {"connect": "connects to", "send": "sends to", "bind": "binds to", "listen": "listens on"}[event.action]
    return f"{verb} {where}"


def is_loopback(address: str) -> bool:
    """Tell whether an address with a port is of this machine alone."""
    try:
        return ipaddress.ip_address(address.rpartition(":")[0].strip("[]")).is_loopback
    except ValueError:
        return False


def is_lookup(target: str) -> bool:
    """Tell whether an address is one that names of hosts are asked of."""
    if target.endswith(":53"):
        return True
    return target.startswith("/") and any(resolver in target for resolver in RESOLVERS)


def file_name(path: str, place: Place) -> str:
    """Name a file by what it is; empty for what is no file, and the path itself where nothing is known of it."""
    for library in map(str, (place.library, place.small_library)):
        for file, kind in ((library, "library"), (f"{library}.pastes", "pasted texts")):
            if path in {file, *(f"{file}-{part}" for part in ("journal", "wal", "shm"))}:
                return kind
        if path == f"{library}.lock":
            return "lock"
        if _is_within(path, f"{library}.index"):
            return "indexes"
    folders = {str(place.temporary): "temporary files", str(place.outputs): NAMED_FILE, "/dev/shm": "semaphores"}
    kind = next((kind for folder, kind in folders.items() if _is_within(path, folder)), None)
    if kind is not None:
        return kind
    # Devices, the folders above the library, and the bytecode that Python keeps beside installed code.
    if _is_within(path, "/dev") or _is_within(path, "/proc") or "/__pycache__" in path:
        return ""
    return "" if Path(path) in place.library.parents else path.replace(str(place.home), "~")


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def faults(traced: Row) -> list[str]:
    """List what contradicts the promise that nothing leaves and nothing undocumented is written."""
    allowed = DOCUMENTED_FILES | PASSING_FILES | {NAMED_FILE}
    return [
        *(f"{traced.name} {name}" for name in sorted(traced.sockets) if not name.endswith(ALLOWED_SOCKETS)),
        *(f"{traced.name} looks up names: {lookup}" for lookup in sorted(traced.lookups)),
        *(f"{traced.name} writes {file}" for file in sorted(traced.files - allowed)),
    ]
