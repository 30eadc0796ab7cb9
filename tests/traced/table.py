"""The table of every command and surface with its sockets and files: `python -m tests.traced.table` writes it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from .places import Place, Row, faults
from .running import trace_all

TABLE = Path(__file__).parents[2] / "docs" / "traces.md"
HEAD = """# Sockets and files

Written by `make traces`, which runs every command and every surface under strace, with an empty HOME and with
`ORT_DISABLE_TELEMETRY=0` in the environment, which Smallprint overrides. Whatever answers questions is watched for
another 14 seconds. `make test-traced` does the same and fails on any socket but loopback, any name that is looked up,
and any file that is not documented under [library](settings.md#library). [Why](decisions/0009-no-telemetry.md).

- *loopback*: 127.0.0.1 or ::1. `crawl` and `add` were told to fetch from a server there. Told to fetch from the web,
  they look up and visit the hosts you name, and nothing else.
- *binds to loopback*: a library tries whether there is IPv6. Nothing is sent.
- *its own workers*: a socket in the folder for temporary files, between the processes of one command.
- *this machine's id daemon*: `/run/uuidd/request`, a socket of the system; asked when a network is exported.
- *library*: the file with SQLite's `-journal`, `-wal` and `-shm`. *lock*, *indexes*, *pasted texts*: `.lock`,
  `.index/` and `.pastes` beside it.
- *the file named*: what an option names, such as `--to`. *temporary files*, *semaphores*: gone when the command ends.
- The rows of a surface of `serve` have what it opened. What the server keeps open is in the first row of `serve`.
- `serve --alexa` was asked with certificates made for the purpose. In earnest it fetches Amazon's certificate from
  `s3.amazonaws.com` when Alexa calls, and with the setting `alexa_progress` it calls `amazonalexa.com`.

| command or surface | sockets | names looked up | files opened to write |
|---|---|---|---|
"""


def written(rows: Iterable[Row]) -> str:
    """Return the page with the table."""
    return HEAD + "".join(
        f"| {_name(row)} | {_listed(row.sockets)} | {_listed(row.lookups)} | {_listed(row.files)} |\n" for row in rows
    )


def _name(row: Row) -> str:
    command, colon, surface = row.name.partition(": ")
    return f"`smallprint {command}`{colon}{surface}"


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def main() -> int:
    """Trace everything and write the table; returns the number of faults."""
    if find_spec("torch") is None:
        print("training needs torch ('make train-install'); the table is left as it is")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        rows = trace_all(Place(Path(folder, "run")).make())
    TABLE.write_text(written(rows), encoding="utf-8")
    lines = [fault for row in rows for fault in faults(row)]
    print(*lines or [f"{len(rows)} rows in {TABLE.name}"], sep="\n")
    return len(lines)


if __name__ == "__main__":
    sys.exit(main())
