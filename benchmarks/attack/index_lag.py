"""Point 6: an index that lacks policies must say so, on pages, in the API and in commands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from outcome import Outcome
from server import Server, serving, smallprint
from wire import Request, send

# What each page says while one policy is missing from the index.
LAGGING = (
    ("/search?q=partners", b"behind the library by 1 policy"),
    ("/api/v1/search?q=partners", b'"behind":1'),
    ("/api/v1/facets?q=partners", b'"behind":1'),
)


def attack(server: Server, *, quick: bool) -> Outcome:
    """Put an older index beside a library that has grown, ask every surface, and bring it up to date."""
    del quick
    library = server.library.with_name("lagging.db")
    first, second = (_page(library, number) for number in (1, 2))
    broken = []
    smallprint("ingest", str(first), "--library", str(library))
    index = library.with_name(f"{library.name}.index")
    kept = library.with_name("older.index")
    shutil.copytree(index, kept)
    smallprint("ingest", str(second), "--library", str(library))
    shutil.rmtree(index)
    shutil.move(kept, index)
    with serving(library) as other:
        broken += [
            f"{path} does not say that the index is behind"
            for path, words in LAGGING
            if words not in send(other.port, Request(path)).body
        ]
    ran = smallprint("search", "partners", "--library", str(library))
    if "behind" not in ran.stdout + ran.stderr:
        broken.append("the command 'search' does not say that the index is behind")
    smallprint("index", "--library", str(library))
    after = smallprint("search", "partners", "--library", str(library), "--json")
    if json.loads(after.stdout)["total"] != 2 or "behind" in after.stderr:
        broken.append("after 'smallprint index' the search is not whole")
    return Outcome(5, tuple(broken))


def _page(library: Path, number: int) -> Path:
    prose = f"We collect your name and share it with our partners. This is policy number {number}. "
    path = library.with_name(f"policy{number}.jsonl")
    html = f"<html><title>Privacy Policy</title><body><h1>Privacy Policy {number}</h1><p>{prose * 20}</p></body></html>"
    row = {"url": f"https://lag{number}.example/privacy", "html": html}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path
