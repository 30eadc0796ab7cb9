"""Point 3: texts that take long to read, many at once, the same text many times, and first questions on policies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from outcome import Outcome
from server import Server
from wire import Request, form, send, send_all

from smallprint.library import Library, reading

PROSE = "We collect your name and share it with our partners. You can ask us to delete your data at any time. "
# A text that cannot be read is refused, one that can is shown, and whoever asks too much is told to wait.
FAIR = {200, 303, 400, 413, 422, 429, 503}


def hostile_texts(size: int) -> Iterator[str]:
    """Return texts of about `size` characters, each made to be dear in another way."""
    prose = PROSE * 20
    while True:
        yield prose + "!" * size
        yield prose + "?!" * (size // 2)
        yield f"<html><body><p {' '.join(f'a{n}=1' for n in range(size // 8))}>{prose}</p></body></html>"
        yield f"<html><body>{'<div>' * (size // 5)}{prose}</body></html>"
        yield f"<html><body>{''.join(f'<h2>{n}</h2>' for n in range(size // 14))}{prose}</body></html>"
        yield f"<html><body><table>{'<tr><td>a' * (size // 9)}</table>{prose}</body></html>"
        yield prose + "a" * size
        yield prose * (size // len(prose))
        yield prose + "(" * (size // 2) + ")" * (size // 2)


def attack(server: Server, *, quick: bool) -> Outcome:
    """Paste hostile texts, paste one text many times at once, and ask every policy for the first time."""
    count, size = (9, 60_000) if quick else (45, 490_000)
    pastes = [form("/read", {"given": text}) for text in islice(hostile_texts(size), count)]
    pastes += [form("/read", {"given": f"{PROSE * 200} The same for all."})] * (4 if quick else 20)
    replies = send_all(server.port, pastes)
    broken = [f"a paste got {reply.status}" for reply in replies if reply.status not in FAIR]
    with Library(server.library) as library:
        policies = list(islice(reading.policies(library), 5 if quick else 60))
    questions = [Request(f"/policies/{policy}/ask?question=do+you+sell+my+data") for policy in policies]
    replies = send_all(server.port, questions)
    broken += [f"a question got {reply.status}" for reply in replies if reply.status not in FAIR]
    if send(server.port, Request("/search?q=cookies", source="127.0.0.1")).status != 200:
        broken.append("no search afterwards")
    return Outcome(len(pastes) + len(questions) + 1, tuple(broken))
