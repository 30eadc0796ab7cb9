"""A request passes few rooms and takes few statements of SQL: the bars that the rooms were built to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "hops.py"
# At most so many edges between packages and statements of SQL, for one warm request through its page's route.
MOST = {"results": (20, 12), "question": (30, 12), "turn": (35, 12), "library question": (30, 20)}


def test_no_request_goes_through_more_rooms_or_statements_than_it_may():
    done = subprocess.run([sys.executable, SCRIPT, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    counts = {row["request"]: (row["edges"], row["sql"]) for row in json.loads(done.stdout)}
    assert counts.keys() == MOST.keys()
    assert {
        name: (edges, sql) for name, (edges, sql) in counts.items() if edges > MOST[name][0] or sql > MOST[name][1]
    } == {}
    assert min(edges for edges, _ in counts.values()) > 0
