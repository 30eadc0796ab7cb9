from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")

from smallprint.mcp.server import WholeLines, whole

MAIN = "from smallprint.cli.app import main; main()"
LONE = "\ud800"


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (rb'"\ud83d\ude00"', "😀"),
        (rb'"\ud83d"', "\ufffd"),
        (rb'"\uDE00\uD83D x"', "\ufffd\ufffd x"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd😀"),
        (rb'"\\ud83d"', r"\ud83d"),
        (rb'"\\\ud83d"', "\\\ufffd"),
        (rb'"caf\u00e9 \n"', "café \n"),
    ],
)
def test_half_pairs_are_replaced(line, read):
    assert json.loads(whole(line)) == read


@given(st.text())
def test_what_is_text_stays(text):
    assert whole(json.dumps(text).encode()) == json.dumps(text).encode()


@given(st.text(st.characters(categories=["Cs", "Lu", "Po"])))
def test_what_comes_out_is_always_text(text):
    json.loads(whole(json.dumps(text).encode())).encode()


def test_lines_are_given_one_by_one_to_their_end():
    lines = WholeLines(io.BytesIO(b'"\\ud800"\n"b"\n"c"'))
    assert list(io.TextIOWrapper(lines, encoding="utf-8")) == ['"\\ufffd"\n', '"b"\n', '"c"']


def test_a_lone_surrogate_in_any_argument_gets_a_reply(annotated_sample):
    pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")
    calls = [
        ("search", {"query": LONE}),
        ("search", {"query": "data", "sector": [LONE]}),
        ("read", {"policy": LONE}),
        ("read", {"policy": "tidemarkbank.example", "version": LONE}),
        ("ask", {"question": f"Do you sell {LONE}?", "policy": "tidemarkbank.example"}),
        ("ask", {"question": LONE}),
        ("compare", {"policies": [LONE, "tidemarkbank.example"]}),
        (LONE, {}),
        ("read", {"policy": "tidemarkbank.example", LONE: 1}),
    ]
    initialize = {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": f"test {LONE}", "version": "1"},
    }
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(
            {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": given}}
            for number, (name, given) in enumerate(calls, 1)
        ),
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "mcp", "--library", str(annotated_sample)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    replies = {}
    with process:
        for message in messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                reply = json.loads(process.stdout.readline())
                replies[reply["id"]] = reply
        process.stdin.close()
    assert sorted(replies) == list(range(len(calls) + 1))
    assert all("result" in reply or "error" in reply for reply in replies.values())
    assert "the library has no policy" in json.dumps(replies[3])
