"""The tools through the official client, over standard input and output, as a language model's program uses them."""

from __future__ import annotations

import os
import sys
from hashlib import sha256

import anyio
import pytest

pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")

from mcp import Client, StdioServerParameters, stdio_client
from smallprint import limits
from smallprint.ask.dialogue.conversation import from_json
from smallprint.library import Library, reading
from smallprint.mcp.catalogue import Tools
from smallprint.settings import Settings
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
        ("diff", {"policy": BANK}),
        ("evidence", {"policy": BANK, "passages": [0, 2]}),
        ("rejections", {"reason": "not a policy", "most": 2}),
        ("statistics", {}),
        ("converse", {"text": "does Kitegram sell my data?"}),
        ("evidence", {"policy": BANK, "passages": [99_999]}),
        ("converse", {"text": "and my location?", "conversation": {"version": 99}}),
    )


@pytest.fixture
def library(annotated_sample):
    with Library(annotated_sample) as library:
        yield library


def cited(library, citation):
    """Check that a citation's words stand where it says."""
    text = reading.text(library, citation["version_id"])
    assert text[citation["start"] : citation["end"]] == citation["text"]
    assert citation["permalink"].startswith(f"/policies/{citation['policy_id'].replace('/', '%2F')}?version=")
    assert citation["permalink"].endswith(f"#s{citation['segment']}")
    return True


def test_the_tools_say_what_they_take_and_that_they_change_nothing(session):
    tools, _ = session
    assert [tool.name for tool in tools] == [
        "search", "read", "ask", "converse", "compare", "diff", "evidence", "rejections", "statistics"
    ]  # fmt: skip
    for tool in tools:
        assert tool.description
        assert tool.annotations.read_only_hint
        assert tool.output_schema
        assert all(given.get("description") for given in tool.input_schema["properties"].values())


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
    with Shelf(Settings(library=annotated_sample)) as shelf:
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
    assert all(len(row["cells"]) == len(found["policies"]) for row in found["rows"])
    cells = [cell for row in found["rows"] for cell in row["cells"]]
    quotes = [cell[key] for cell in cells for key in ("affirmed", "denied") if cell[key]]
    assert quotes
    assert all(cited(library, one) for one in quotes)


def test_diff(session, annotated_sample):
    changes = session[1][8].structured_content
    with Shelf(Settings(library=annotated_sample)) as shelf:
        revision = shelf.diff(BANK)
    assert (changes["old"]["version_id"], changes["new"]["version_id"]) == (
        revision.old.version_id, revision.new.version_id,
    )  # fmt: skip
    assert (changes["summary"]["added"], changes["summary"]["removed"]) == (6, 4)
    texts = [paragraph["text"] for paragraph in changes["paragraphs"]]
    assert any("Effective date: [-1 June 2023-]{+10 January 2025+}" in text for text in texts)
    assert all("[-" in text or "{+" in text for text in texts)
    assert changes["next_paragraph"] is None


def test_evidence(session, library):
    sheet = session[1][9].structured_content
    text = reading.text(library, sheet["version"]["version_id"])
    assert [exhibit["segment"] for exhibit in sheet["exhibits"]] == [0, 2]
    assert all(text[exhibit["start"] : exhibit["end"]] == exhibit["quote"] for exhibit in sheet["exhibits"])
    assert sheet["text_sha256"] == sha256(text.encode()).hexdigest()


def test_rejections_and_statistics(session, annotated_sample):
    rejected, figures = session[1][10].structured_content, session[1][11].structured_content
    with Shelf(Settings(library=annotated_sample)) as shelf:
        assert rejected["counts"] == shelf.rejection_counts()
        assert [page["url"] for page in rejected["pages"]] == [page.url for page in shelf.rejections("not a policy", 2)]
        totals = shelf.statistics()
    assert (figures["policies"], figures["mentions"]) == (totals.policies, totals.mentions)
    assert figures["practices"] == totals.practices


def test_converse(session, annotated_sample):
    turn = session[1][12].structured_content
    assert turn["reply"]["policy"]["domain"] == CHAT
    with Shelf(Settings(library=annotated_sample)) as shelf:
        _, reply = shelf.reply("and my location?", from_json(turn["conversation"]))
    assert (reply.policy.domain, reply.answer.question) == (CHAT, "do you sell my location?")


def test_what_goes_wrong_is_one_line_for_the_model(session):
    nobody, alone, sector = session[1][5:8]
    passage, conversation = session[1][13:]
    for result, words in (
        (nobody, "nobody.example"), (alone, "policies"), (sector, "no such sector"), (passage, "has no passage 99999"),
        (conversation, "conversation"),
    ):  # fmt: skip
        assert result.is_error
        assert words in result.content[0].text
        assert "Traceback" not in result.content[0].text


def test_a_long_policy_comes_in_parts(annotated_sample, monkeypatch):
    monkeypatch.setattr(limits, "MAX_TOOL_CHARACTERS", 1_000)
    with Shelf(Settings(library=annotated_sample)) as shelf:
        tools = Tools(shelf)
        whole, start = [], 0
        while start is not None:
            part = tools.read(BANK, first_passage=start)
            whole += part.passages
            start = part.next_passage
        assert [passage.words.start for passage in whole] == [segment.start for segment in shelf.segments(BANK)]


def test_many_changes_come_in_parts(annotated_sample, monkeypatch):
    with Shelf(Settings(library=annotated_sample)) as shelf:
        tools = Tools(shelf)
        whole = tools.diff(BANK).paragraphs
        monkeypatch.setattr(limits, "MAX_TOOL_CHARACTERS", 10)
        parts = [tools.diff(BANK, first_paragraph=number) for number in range(len(whole))]
    assert tuple(paragraph for part in parts for paragraph in part.paragraphs) == whole
    assert [part.next_paragraph for part in parts] == [*range(1, len(whole)), None]
