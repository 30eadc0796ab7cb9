"""The tools through the official client, over standard input and output, as a language model's program uses them."""

from __future__ import annotations

import os
import sys

import anyio
import pytest

pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")

from mcp import Client, StdioServerParameters, stdio_client

from smallprint import limits
from smallprint.library import Library, reading
from smallprint.shelf import Shelf

MAIN = "from smallprint.cli.app import main; main()"
BANK, CHAT = "tidemarkbank.example", "kitegram.example"


def talk(path, *calls):
    """Start the server on a library, make the calls, and give their results after the list of tools."""
    command = ["-c", MAIN, "mcp", "--library", str(path)]
    homes = {name: value for name, value in os.environ.items() if name.startswith("XDG_")}
    server = StdioServerParameters(command=sys.executable, args=command, env={**homes, "OMP_NUM_THREADS": "1"})

    async def talked():
        async with Client(stdio_client(server)) as client:
            tools = await client.list_tools()
            return tools.tools, [await client.call_tool(name, given) for name, given in calls]

    return anyio.run(talked)


@pytest.fixture(scope="module")
def session(annotated_sample):
    """Give one session's tools and results, since starting the server takes a while."""
    return talk(
        annotated_sample,
        ("search", {"query": "location advertisers"}),
        ("read", {"policy": BANK}),
        ("ask", {"policy": CHAT, "question": "Do you share my location with advertisers?"}),
        ("ask", {"question": "Which policies do not share data with advertisers?"}),
        ("compare", {"policies": [BANK, CHAT]}),
        ("read", {"policy": "nobody.example"}),
        ("compare", {"policies": [BANK]}),
        ("search", {"query": "x", "sector": ["no such sector"]}),
    )


@pytest.fixture
def library(annotated_sample):
    with Library(annotated_sample) as library:
        yield library


def cited(library, citation):
    """Check that a citation's words stand where it says."""
    text = reading.text(library, citation["version_id"])
    assert text[citation["start"] : citation["end"]] == citation["text"]
    assert citation["permalink"].startswith(f"/policy/{citation['policy_id'].replace('/', '%2F')}?version=")
    assert citation["permalink"].endswith(f"#s{citation['segment']}")
    return True


def test_the_tools_say_what_they_take_and_that_they_change_nothing(session):
    tools, _ = session
    assert [one.name for one in tools] == ["search", "read", "ask", "compare"]
    for tool in tools:
        assert tool.description
        assert tool.annotations.read_only_hint
        assert tool.output_schema
        assert all(one.get("description") for one in tool.input_schema["properties"].values())


def test_search(session, library):
    found = session[1][0].structured_content
    assert found["total"] > 0
    assert [one["rank"] for one in found["policies"]] == list(range(1, len(found["policies"]) + 1))
    assert all(cited(library, one) for policy in found["policies"] for one in policy["passages"])


def test_read(session, library):
    found = session[1][1].structured_content
    assert found["version_id"] == reading.find_policy(library, BANK).current_version
    assert len(found["versions"]) > 1
    assert found["passages"]
    assert all(cited(library, one["words"]) for one in found["passages"])


def test_ask_gives_what_the_api_gives(session, annotated_sample):
    found = session[1][2].structured_content
    with Shelf(annotated_sample) as shelf:
        own = shelf.ask(CHAT, "Do you share my location with advertisers?")
    answer = found["answer"]
    assert (answer["line"], answer["state"], answer["version_id"]) == (own.line, own.state, own.version_id)
    assert [(one["text"], one["start"], one["end"], one["permalink"]) for one in answer["quotes"]] == [
        (one.text, one.start, one.end, one.permalink) for one in own.quotes
    ]


def test_ask_the_library(session, library):
    found = session[1][3].structured_content
    assert found["kind"] == "policies"
    assert found["policies"]
    assert all(cited(library, one) for one in found["policies"])


def test_compare(session, library):
    found = session[1][4].structured_content
    assert [one["policy_id"].rpartition("-")[0] for one in found["policies"]] == [BANK, CHAT]
    stances = [one for matter in found["matters"] for one in matter["stances"]]
    quotes = [one[key] for one in stances for key in ("says", "denies") if one[key]]
    assert quotes
    assert all(cited(library, one) for one in quotes)


def test_what_goes_wrong_is_one_line_for_the_model(session):
    nobody, alone, sector = session[1][5:]
    for result, words in ((nobody, "nobody.example"), (alone, "policies"), (sector, "no such sector")):
        assert result.is_error
        assert words in result.content[0].text
        assert "Traceback" not in result.content[0].text


def test_a_long_policy_comes_in_parts(annotated_sample, monkeypatch):
    from smallprint.settings import Settings
    from smallprint.tools import catalogue

    monkeypatch.setattr(limits, "MAX_TOOL_CHARACTERS", 1_000)
    tools = catalogue.Tools(Settings(library=annotated_sample))
    whole, start = [], 0
    while start is not None:
        part = tools.read(BANK, first_passage=start)
        whole += part.passages
        start = part.next_passage
    with Shelf(annotated_sample) as shelf:
        assert [one.words.start for one in whole] == [one.start for one in shelf.segments(BANK)]
