"""Point 4: requests beyond the limits, and one policy too large to annotate among others that are not."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from outcome import Outcome
from server import Server, smallprint
from wire import Request, form, send

PROSE = "We collect your name and email address, and we share them with our partners for advertising. "


def attack(server: Server, *, quick: bool) -> Outcome:
    """Send what is too large, and ingest a monstrous page among ordinary ones."""
    refused = (
        (Request("/search?q=" + "a" * 9_000), 414),
        (form("/read", {"given": "a" * 600_000}), 413),
        (form("/read", {"given": "a" * 2_100_000}), 413),
        (Request("/read", "POST", b"x", (("Content-Length", "9" * 30),)), 400),
        (form("/ask", {"said": "why? " * 5_000}), 400),
    )
    broken = []
    for request, status in refused:
        reply = send(server.port, request)
        # A server may close the connection on a length that no number holds.
        if reply.status not in {status, 0, 400}:
            broken.append(f"{request.path[:20]} got {reply.status}, not {status}")
    broken += _ingest(quick=quick)
    return Outcome(len(refused) + 1, tuple(broken))


def _ingest(*, quick: bool) -> list[str]:
    headings = 20_000 if quick else 570_000
    monster = "<html><title>Privacy Policy</title><body><h1>Privacy Policy</h1>{}{}</body></html>".format(
        PROSE * 10, "".join(f"<h2>{number}</h2>" for number in range(headings))
    )
    rows = [{"url": "https://monster.example/privacy", "html": monster}]
    for number in range(5):
        text = "".join(f"<p>{PROSE} Part {number} {part}.</p>" for part in range(20))
        page = f"<html><title>Privacy Policy</title><body><h1>Privacy Policy</h1>{text}</body></html>"
        rows.append({"url": f"https://small{number}.example/privacy", "html": page})
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "pages.jsonl", Path(folder) / "library.db"
        source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        ran = smallprint("ingest", str(source), "--library", str(library))
        results = smallprint("search", "partners", "--library", str(library), "--json")
        if ran.returncode or results.returncode:
            return [f"ingest beside a page of {headings:,} headings: {ran.stderr or results.stderr}"]
        total = json.loads(results.stdout)["total"]
        return [] if total >= 5 else [f"{total} of 5 ordinary policies were searchable"]
