"""A thousand conversations at once with one server: whether any gets another's context, and the memory it takes.

Run: python benchmarks/chat.py LIBRARY [--conversations 1000] [--json]   (LIBRARY: any annotated and indexed library)

Every conversation is on a policy and a thing of its own, and all say their turns at once: a question, two follow-ups
that mean nothing without it, and "more". Each reply must be of the conversation's policy, and each follow-up made whole
from the conversation's own question. Times are those of one turn alone and of all of them together, on the same server.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import resource
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from serve import memory, ready
from smallprint.library import Library, reading

POLICIES, MOST_MB = 60, 1_000
THINGS = ("location", "contacts", "photos", "email address", "phone number", "browsing history", "messages", "name")
ALONE = 20


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation to be had: on which policy, and of which things."""

    policy_id: str
    first: str
    then: str

    def turns(self) -> tuple[tuple[str, str], ...]:
        """Return what is said, and the whole question that must have been understood."""
        return (
            (f"Do you share my {self.first}?", f"Do you share my {self.first}?"),
            (f"and my {self.then}?", f"Do you share my {self.then}?"),
            ("how long?", f"How long do you keep my {self.then}?"),
            ("more", f"How long do you keep my {self.then}?"),
        )


@dataclass(frozen=True, slots=True)
class Had:
    """What came of a conversation: replies that were not of it, those that failed, and the seconds of each turn."""

    mixed: int
    failed: int
    seconds: tuple[float, ...]


def main() -> None:
    """Print the figures."""
    library = Path(sys.argv[1])
    count = int(sys.argv[sys.argv.index("--conversations") + 1]) if "--conversations" in sys.argv else 1_000
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each conversation is a connection
    result = measured(library, count)
    if "--json" in sys.argv:
        print(json.dumps(result, indent=2))
        return
    print(
        f"{result['conversations']:,} conversations at once, {result['turns']:,} turns: {result['mixed']} mixed, "
        f"{result['failed']} failed"
    )
    print(
        f"a turn alone takes {result['alone_ms']:.0f} ms; all together take {result['per_turn_ratio']:.2f} times as "
        "long for each turn"
    )
    print(
        f"peak memory of the server {result['peak_mb']:.0f} MB (at most {MOST_MB:,}), of which "
        f"{result['grown_mb']:.0f} MB came with them"
    )
    if result["mixed"] or result["failed"]:
        raise SystemExit(1)


def measured(library: Path, count: int) -> dict[str, Any]:
    """Serve a library and have all conversations with it."""
    talks = drawn(library, count)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Whoever waits in so long a queue is not to be sent away.
    settings = os.environ | {
        "SMALLPRINT_SERVE_RATE": "1000000", "SMALLPRINT_SERVE_SECONDS": "0", "SMALLPRINT_SERVE_WAITING": str(count),
    }  # fmt: skip
    command = [sys.executable, "-m", "smallprint", "serve", "--library", str(library), "--port", str(port)]
    server = subprocess.Popen(command, env=settings, stdout=subprocess.DEVNULL)
    try:
        ready(port)
        alone = [seconds for talk in talks[:ALONE] for seconds in had(port, talk).seconds[1:]]
        before = memory(server.pid)
        began = time.perf_counter()
        with ThreadPoolExecutor(count) as people:
            every = list(people.map(lambda talk: had(port, talk), talks))
        whole = time.perf_counter() - began
        peak = memory(server.pid)
    finally:
        server.terminate()
    turns = sum(len(talk.seconds) for talk in every)
    return {
        "conversations": count, "turns": turns, "mixed": sum(talk.mixed for talk in every),
        "failed": sum(talk.failed for talk in every), "alone_ms": 1000 * median(alone), "whole_s": whole,
        "per_turn_ratio": whole / turns / median(alone), "peak_mb": peak, "grown_mb": peak - before,
    }  # fmt: skip


def drawn(library: Path, count: int) -> list[Talk]:
    """Draw conversations; those that stand side by side are on different policies and things."""
    luck = random.Random(7)
    with Library(library) as opened:
        policies = sorted(reading.policies(opened))
    some = luck.sample(policies, min(POLICIES, len(policies)))
    return [Talk(some[place % len(some)], *luck.sample(THINGS, 2)) for place in range(count)]


def had(port: int, talk: Talk) -> Had:
    """Have a conversation, turn by turn, and count what was not of it."""
    conversation: dict[str, Any] | None = None
    mixed, failed, times = 0, 0, []
    for number, (text, meant) in enumerate(talk.turns()):
        began = time.perf_counter()
        turn = {"said": text, "conversation": conversation, **({} if number else {"policy": talk.policy_id})}
        status, reply = posted(port, turn)
        times.append(time.perf_counter() - began)
        if status != http.HTTPStatus.OK:
            return Had(mixed, failed + 1, tuple(times))
        conversation = reply["conversation"]
        is_own = conversation["policy_id"] == talk.policy_id and conversation["question"] == meant
        whose = reply["reply"]["policy"]
        mixed += not is_own or (whose is not None and whose["policy_id"] != talk.policy_id)
    return Had(mixed, failed, tuple(times))


def posted(port: int, turn: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Send a turn."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3_600)
    try:
        connection.request("POST", "/api/v1/chat", json.dumps(turn), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


if __name__ == "__main__":
    main()
