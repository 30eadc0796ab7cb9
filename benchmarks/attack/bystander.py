"""An innocent client beside an attack: its own process asks for pages and a search, and times each of them."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# Seven requests a second keep within the default rate of 600 a minute, with room for what searches cost.
PAUSE = 0.15
GIVE_UP_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Waits:
    """How long the client waited, in seconds, and how many of its requests failed."""

    seconds: tuple[float, ...]
    failed: int

    @property
    def worst(self) -> float:
        """The longest wait."""
        return max(self.seconds, default=0.0)

    @property
    def p99(self) -> float:
        """The wait that 99 in 100 requests do not exceed."""
        ordered = sorted(self.seconds)
        return ordered[max(0, -(-99 * len(ordered) // 100) - 1)] if ordered else 0.0


class Bystander:
    """The client's process and the file in which it notes its waits."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def since(self, moment: float) -> Waits:
        """Return what it met since a moment (time.monotonic, which all processes of a machine share)."""
        entries = [
            json.loads(line) for line in self._log.read_text(encoding="ascii").splitlines() if line.endswith("]")
        ]
        recent = [(seconds, status) for at, seconds, status in entries if at >= moment]
        return Waits(tuple(seconds for seconds, _ in recent), sum(status != http.client.OK for _, status in recent))


@contextmanager
def bystander(port: int, paths: Sequence[str]) -> Iterator[Bystander]:
    """Keep a client asking for these paths in turn while the block runs."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "waits"
        log.touch()
        process = subprocess.Popen([sys.executable, __file__, str(port), str(log), *paths])
        try:
            yield Bystander(log)
        finally:
            process.kill()
            process.wait()


def ask(port: int, path: str) -> int:
    """Ask for one page on a connection of its own, and return its status; 0 where none came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=GIVE_UP_SECONDS)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        reply.read()
    except (OSError, http.client.HTTPException):
        return 0
    else:
        return reply.status
    finally:
        connection.close()


def main() -> None:
    """Ask for the paths in turn, for ever, and note the moment, the wait and the status of each."""
    port, log, paths = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    with log.open("a", encoding="ascii", buffering=1) as file:
        while True:
            for path in paths:
                began = time.monotonic()
                status = ask(port, path)
                file.write(json.dumps([began, time.monotonic() - began, status]) + "\n")
                time.sleep(PAUSE)


if __name__ == "__main__":
    main()
