"""What a process and its children did with sockets and files: a command run under strace, its log read as events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Action = Literal["connect", "send", "bind", "listen", "read", "write"]

# A question mark lets strace go on where the processor has no such call.
CALLS = (
    "?connect,?bind,?listen,?sendto,?sendmsg,?sendmmsg,?open,?openat,?openat2,?creat,?mkdir,?mkdirat,?mknod,?mknodat,"
    "?rename,?renameat,?renameat2,?link,?linkat,?symlink,?symlinkat,?unlink,?unlinkat,?rmdir,?truncate"
)
ADDRESSED: dict[str, Action] = {
    "connect": "connect", "bind": "bind", "sendto": "send", "sendmsg": "send", "sendmmsg": "send",
}  # fmt: skip
OPENING = {"open", "openat", "openat2", "creat"}
# The files by which the C library looks up the names of hosts.
NAME_FILES = {"/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf"}

_LINE = re.compile(r"^\d+ +(?P<time>\d+\.\d+) (?P<call>\w+)\((?P<arguments>.*)$")
_ADDRESS = re.compile(
    r'sa_family=AF_INET, sin_port=htons\((?P<port>\d+)\), sin_addr=inet_addr\("(?P<host>[^"]+)"\)'
    r'|sa_family=AF_INET6, sin6_port=htons\((?P<port6>\d+)\).*?inet_pton\(AF_INET6, "(?P<host6>[^"]+)"'
    r'|sa_family=AF_UNIX, sun_path=(?P<path>@?"[^"]*")'
    r"|sa_family=(?P<family>AF_\w+)"
)
_LISTENER = re.compile(r"^\d+<(?P<kind>\w+):\[(?P<address>.*?)\]>")
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<folder>[^>]*)>, )?"(?P<path>(?:[^"\\]|\\.)*)"')
_WRITES = re.compile(r"O_(?:CREAT|WRONLY|RDWR|TRUNC|TMPFILE)")
_FAILED = re.compile(r"\) += -1 E\w+ \(.*\)$")


@dataclass(frozen=True, slots=True)
class Event:
    """One call: when it was made, what it does, and the address or path it does it to."""

    time: float
    action: Action
    target: str


def traced(command: Sequence[str], log: Path) -> list[str]:
    """Return a command that runs another under strace, which writes to a log."""
    options = ["-f", "--seccomp-bpf", "-qq", "-ttt", "-yy", "-s", "400", "-e", "signal=none", "-e", f"trace={CALLS}"]
    return ["strace", *options, "-o", str(log), "--", *command]


def read_events(log: Path) -> list[Event]:
    """Read a log; attempts to reach an address count even if they failed, files only if something was done to them."""
    return [event for line in log.read_text(errors="replace").splitlines() for event in _events(line)]


def _events(line: str) -> Iterator[Event]:
    match = _LINE.match(line)
    if match is None:
        return  # the second half of a call whose arguments stood in an earlier line
    time, call, arguments = float(match["time"]), match["call"], match["arguments"]
    if call in ADDRESSED:
        for address in _ADDRESS.finditer(arguments):
            yield Event(time, ADDRESSED[call], _written(address))
    elif call == "listen":
        listener = _LISTENER.match(arguments)
        yield Event(time, "listen", listener["address"] if listener else arguments)
    elif call in OPENING:
        path = _paths(arguments)[0]
        if path in NAME_FILES:
            yield Event(time, "read", path)
        elif (call == "creat" or _WRITES.search(arguments)) and not _FAILED.search(arguments):
            yield Event(time, "write", path)
    elif not _FAILED.search(arguments):
        for path in _paths(arguments):
            yield Event(time, "write", path)


def _written(address: re.Match[str]) -> str:
    if address["host"]:
        return f"{address['host']}:{address['port']}"
    if address["host6"]:
        return f"[{address['host6']}]:{address['port6']}"
    return address["path"].replace('"', "") if address["path"] else address["family"]


def _paths(arguments: str) -> list[str]:
    # Calls without a folder, such as rename, may have relative paths, and those stay so.
    return [str(Path(match["folder"] or "", match["path"])) for match in _PATH.finditer(arguments)]
