"""Peak memory of a whole ingest: the run and all its workers together, sampled twice a second. Linux only.

Run: python benchmarks/memory.py SOURCE… (any sources that 'smallprint ingest' takes)
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Ingest the sources into a library that is thrown away, and print the counts and the peak."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "smallprint",
            "ingest",
            *sys.argv[1:],
            "--library",
            f"{folder}/bench.db",
            "--json",
        ]
        began = time.perf_counter()
        run = subprocess.Popen(command, start_new_session=True)
        peak = 0.0
        while run.poll() is None:
            peak = max(peak, session_memory(run.pid))
            time.sleep(0.5)
    print(f"peak memory of all processes: {peak:.0f} MB (at most 700), in {time.perf_counter() - began:.0f} s")
    sys.exit(run.returncode)


def session_memory(session: int) -> float:
    """Add up the proportional set sizes of a session's processes, in megabytes."""
    total = 0
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.getsid(int(process.name)) == session:
                lines = (process / "smaps_rollup").read_text().splitlines()
                total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except OSError:
            continue  # it ended while we looked
    return total / 1024


if __name__ == "__main__":
    main()
