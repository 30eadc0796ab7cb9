"""Every limit of the table is tested where it ends: what reaches it is taken whole, and one beyond is not."""

from __future__ import annotations

import asyncio
import io
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from smallprint import limits, markup, text
from smallprint.annotate import readability
from smallprint.ask.dialogue.conversation import from_json
from smallprint.ask.question.normalising import normalise
from smallprint.assistant.desk import checked
from smallprint.clean.cleaning import _tidy, clean, read
from smallprint.domains import normal_url
from smallprint.errors import SmallprintError
from smallprint.limits import LIMITS
from smallprint.records import Page, Reason
from smallprint.search.language import parse_query
from smallprint.search.request import read_request
from smallprint.search.snippets import places
from smallprint.settings import Settings
from smallprint.sources import companies, robots
from smallprint.sources.archives import read_archive
from smallprint.sources.guard import safe_url
from smallprint.sources.items import Source
from smallprint.sources.links import policy_links
from smallprint.sources.streams import ByteStream
from smallprint.view.alignment import align
from smallprint.view.pairing import _alike

TESTS = Path(__file__).parent
Fits = Callable[[int], bool]
FITS: dict[str, tuple[Fits, int | None]] = {}
# Limits whose edge is tested where what they protect is.
ELSEWHERE = {
    "LINKS_SECONDS": "sources/test_crawler.py::test_a_home_page_that_is_never_read_to_its_end_stops_nobody_else",
    "MAX_FETCHES": "web/test_fetching.py::test_so_many_pages_are_fetched_at_once_and_one_more_is_told_to_come_back",
    "PAGE_MEMORY": "pipeline/test_ingest.py::test_a_page_that_takes_too_much_memory_is_rejected_and_the_rest_kept",
    "SERVE_MEMORY": "processes/test_jobs.py::test_a_job_that_takes_too_much_memory_is_refused_it",
    "SERVE_PROCESSES": "processes/test_jobs.py::test_threads_share_the_processes",
    "SERVE_WAITING": "processes/test_jobs.py::test_the_line_is_bounded",
    "PAGE_SECONDS": "pipeline/test_ingest.py::test_a_page_that_takes_too_long_is_rejected",
    "REJECTED_BYTES": "library/test_rejected.py::test_one_byte_too_little_is_no_room",
    "MAX_REREAD_BYTES": "sources/test_streams.py::test_a_damaged_member_hides_none_of_those_after_it_up_to_the_bound",
    "MAX_HOST_ADDRESSES": "sources/test_guard.py::test_only_the_first_addresses_of_a_name_are_tried",
    "CRAWL_DELAY": "sources/test_crawler.py::test_a_host_rests_between_requests",
    "CRAWL_HOSTS": "sources/test_crawler.py::test_no_more_hosts_at_once_than_set",
    "CRAWL_TIMEOUT": "sources/test_fetcher.py::test_a_server_that_never_answers",
    "CRAWL_PAGE_SECONDS": "sources/test_fetcher.py::test_a_server_that_drips",
    "CRAWL_REDIRECTS": "sources/test_redirects.py::test_as_many_redirects_as_allowed",
    "CRAWL_RETRIES": "sources/test_fetcher.py::test_a_server_that_does_not_recover",
    "CRAWL_MAX_WAIT": "sources/test_fetcher.py::test_a_long_retry_after_puts_the_host_off",
    "MAX_PASSAGE_WINDOWS": "models/test_encoder.py::test_a_text_without_end_is_read_to_its_sixteenth_window",
    "ANNOTATE_SECONDS": "pipeline/test_annotate.py::test_one_version_that_fails_is_set_aside_and_the_others_go_on",
    "ANNOTATE_MEMORY": "pipeline/test_annotate.py::test_one_version_that_fails_is_set_aside_and_the_others_go_on",
    "MAX_BLOCKS": "clean/test_cleaning.py::test_a_page_of_too_many_parts_is_too_large",
    "MAX_HEADINGS": "clean/test_cleaning.py::test_a_page_of_too_many_parts_is_too_large",
    "MAX_SEGMENTS": "clean/test_cleaning.py::test_a_page_of_too_many_parts_is_too_large",
    "MAX_HEADING_TEXT": "clean/test_cleaning.py::test_long_headings_over_many_passages_are_too_large",
    "MAX_LEAD_IN": "clean/test_segments.py::test_an_overlong_sentence_introduces_no_list",
    "MAX_FORM_QUESTION": "web/test_conversation_page.py::"
    "test_too_long_a_question_is_not_asked_and_the_conversation_stays",
    "MAX_TURN": "api/test_chat.py::test_what_is_too_long_is_a_problem",
    "MAX_LIBRARY_READ": "assistant/test_gathering.py::test_only_so_much_of_a_library_is_read",
    "SERVE_RATE": "web/test_rates.py::test_a_bucket_gives_a_minutes_worth_at_once_and_then_as_it_fills",
    "SERVE_SECONDS": "web/test_failures.py::test_a_page_that_takes_too_long_is_given_up",
    "SERVE_BODY_BYTES": "web/test_safety.py::test_a_body_that_says_its_size",
    "SERVE_QUERY_BYTES": "web/test_safety.py::test_the_longest_query_is_answered_and_one_more_is_not",
    "MAX_CONNECTIONS": "web/test_connections.py::test_beyond_the_limit_the_oldest_without_a_whole_request_is_closed",
    "MAX_BACKLOG": "web/test_server.py::test_connections_leave_descriptors_for_everything_else",
    "HEAD_SECONDS": "web/test_connections.py::test_a_client_that_does_not_get_on_is_let_go",
    "IDLE_SECONDS": "web/test_connections.py::test_a_second_request_has_a_deadline_of_its_own",
    "BODY_SECONDS": "web/test_connections.py::test_a_client_that_does_not_get_on_is_let_go",
    "UNREAD_SECONDS": "web/test_connections.py::test_a_client_that_does_not_get_on_is_let_go",
    "UNREAD_BYTES": "web/test_connections.py::test_who_reads_slowly_may_go_on",
    "MAX_TOKEN_TRIES": "web/test_access.py::test_wrong_tokens_may_be_tried_only_so_often",
    "SESSION_SECONDS": "web/test_access.py::test_a_session_ends_after_its_hours_and_with_its_token",
    "PASTE_MINUTES": "library/test_pastes.py::test_a_text_is_kept_by_an_id_for_its_minutes",
    "MAX_PASTES": "library/test_pastes.py::test_the_oldest_make_room",
    "MAX_PASTES_BYTES": "library/test_pastes.py::test_the_oldest_make_room",
    "MAX_READINGS": "web/test_pasted_page.py::test_only_a_few_readings_are_remembered",
    "MAX_PASTED": "web/test_reading.py::test_a_text_may_have_so_many_characters_and_no_more",
    "MAX_EXPORT_ID": "search/test_exports.py::test_an_id_has_so_many_characters_at_most",
    "MAX_SEEN_REQUESTS": "voice/test_refusals.py::test_what_was_seen_is_forgotten_in_time_and_never_too_much",
    "MAX_EXPORTS": "api/test_exporting.py::test_readers_who_dawdle_keep_no_page_waiting",
    "MAX_CLIENT_EXPORTS": "api/test_exporting.py::test_one_client_leaves_room_for_others",
    "EXPORT_GRACE_SECONDS": "api/test_exporting.py::test_whoever_reads_too_slowly_for_long_is_cut_off",
    "EXPORT_RATE": "api/test_exporting.py::test_whoever_reads_too_slowly_for_long_is_cut_off",
    "MAX_REPEATED_QUERY": "api/test_exporting.py::test_a_long_query_stands_once_in_a_csv",
    "MAX_FEEDBACK": "library/test_feedback.py::test_only_so_much_is_kept",
    "ALEXA_SECONDS": "voice/test_slowness.py::test_the_seconds_count_from_when_the_request_came",
    "MAX_CHAIN_BYTES": "voice/test_slowness.py::test_the_two_calls_to_amazon",
    "MAX_TOOL_CHARACTERS": "mcp/test_server.py::test_a_long_policy_comes_in_parts",
}


def fits(name: str, at: int | None = None) -> Callable[[Fits], Fits]:
    """Register how to tell that something of a size is taken whole; `at` stands for a limit that is dear to reach."""

    def register(function: Fits) -> Fits:
        FITS[name] = (function, at)
        return function

    return register


def succeeds(function: Callable[[], object]) -> bool:
    try:
        function()
    except (SmallprintError, ValueError):
        return False
    return True


@fits("MAX_PAGE_BYTES", 300)
def page_bytes(size: int) -> bool:
    page = Page("https://a.example/", b"x" * size, "text", "test", "")
    return clean(page, replace(Settings(), max_page_bytes=300)).reason != Reason.TOO_LARGE


@fits("MAX_DEPTH")
def depth(size: int) -> bool:
    return not markup.refusal("<div>" * size)


@fits("MAX_REOPENED", 10_000)
def reopened(size: int) -> bool:
    return not markup.refusal("<font size=1>" * 200 + "<p>x" * -(-size // 200))


@fits("MAX_ATTRIBUTES")
def attributes(size: int) -> bool:
    return not markup.refusal(f"<p{''.join(f' a{number}' for number in range(size))}>x")


@fits("MAX_LINKS", 50)
def links(size: int) -> bool:
    html = "<a href=/x>x</a>" * (size - 1) + "<a href=/privacy>Privacy policy</a>"
    return policy_links(html, "https://a.example/") == ["https://a.example/privacy"]


@fits("MAX_POLICY_LINKS", 50)
def policy_page_links(size: int) -> bool:
    html, markdown = "<p><a href=/x>x</a></p>" * size, "[x](/x) " * size
    pages = (Page("https://a.example/", html.encode(), "html", "test", ""),
             Page("https://a.example/", markdown.encode(), "text", "test", ""))  # fmt: skip
    kept = [sum(len(block.links) for block in read(page).blocks) for page in pages]
    return kept == [size, size]


@fits("MAX_TITLE")
def title(size: int) -> bool:
    return _tidy("x" * size) == "x" * size


@fits("MAX_LINE_BYTES", 100)
def line_bytes(size: int) -> bool:
    stream = ByteStream(io.BytesIO(b"x" * size + b"\n"), size + 1)
    return list(stream.lines(100)) == [b"x" * size]


@fits("MAX_HTTP_HEADER_BYTES")
def http_header(size: int) -> bool:
    body = b"We keep your data."
    start = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX: "
    block = start + b"x" * (size - len(start) - 4) + b"\r\n\r\n" + body
    record = b"\r\n".join([
        b"WARC/1.0", b"WARC-Type: response", b"WARC-Target-URI: https://a.example/privacy",
        b"WARC-Record-ID: <urn:uuid:1>", b"Content-Type: application/http; msgtype=response",
        b"Content-Length: %d" % len(block), b"", block, b"", b"",
    ])  # fmt: skip
    stream = ByteStream(io.BytesIO(record), len(record))
    read = read_archive(stream, Source(name="x", max_bytes=len(body)))
    return [item.content for _, item in read if isinstance(item, Page)] == [body]


@fits("MAX_ZSTD_WINDOW", 1 << 20)
def zstd_window(size: int) -> bool:
    parameters = zstandard.ZstdCompressionParameters(window_log=(size - 1).bit_length(), write_content_size=False)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    data = compressor.compress(b"x" * (3 << 20)) + compressor.flush()
    stream = ByteStream(io.BytesIO(data), len(data))
    return sum(map(len, stream)) == 3 << 20


@fits("MAX_COMPANY_NAME")
def company_name(size: int) -> bool:
    return companies._text({"name": "x" * size}, "name") == "x" * size


@fits("MAX_ADDRESS")
def address(size: int) -> bool:
    return succeeds(lambda: safe_url("https://a.example/".ljust(size, "x")))


@fits("MAX_STORED_ADDRESS")
def stored_address(size: int) -> bool:
    return succeeds(lambda: normal_url("https://a.example/".ljust(size, "x")))


@fits("MAX_ROBOTS_BYTES")
def robots_bytes(size: int) -> bool:
    # What is cut off is cut at a line's end; a file that reaches the limit may have been cut.
    rule = b"User-agent: *\nDisallow: /"
    parsed = robots._parsed(b"#".ljust(size - len(rule) - 2, b"x") + b"\n" + rule)
    return not parsed.can_fetch("https://a.example/", "x")


@fits("MAX_ROBOTS_RULES")
def robots_rules(size: int) -> bool:
    return not robots._is_tangled("User-agent: *\n" + "Disallow: /\n" * size)


@fits("MAX_ROBOTS_AGENTS")
def robots_agents(size: int) -> bool:
    return not robots._is_tangled("User-agent: x\n" * size)


@fits("MAX_KNOWN_WORDS", 10)
def known_words(size: int) -> bool:
    table = text._Table()
    for number in range(size):
        table[str(number).encode()]
    return len(table) == size


@fits("MAX_KNOWN_CHUNKS", 10)
def known_chunks(size: int) -> bool:
    table = readability._Chunks()
    for number in range(size):
        table["a" * (number + 1)]
    return len(table) == size


@fits("MAX_RUN")
def run_of_characters(size: int) -> bool:
    run = "!" * size
    return text._RUN.sub(text._without_ends, run) == run


@fits("MAX_ALIGNED_PAIRS")
def aligned_pairs(size: int) -> bool:
    # "d" stands twice, so that what is too large cannot be cut at it.
    return align([*["x"] * (size - 3), "d", "d", "x"], ["d"]) != []


@fits("MAX_SENTENCE_PAIRS")
def sentence_pairs(size: int) -> bool:
    sentence = Counter("we keep your data".split())
    return _alike([sentence] * size, [sentence]) != []


@fits("MAX_QUERY")
def query(size: int) -> bool:
    return parse_query("a".ljust(size)).notes == ()


@fits("MAX_QUERY_WORDS")
def query_words(size: int) -> bool:
    return len(parse_query(" ".join(f"w{number}" for number in range(size))).query.wanted.parts) == size


@fits("MAX_RESULT_PAGES")
def result_pages(size: int) -> bool:
    return succeeds(lambda: read_request([("page", str(size))]))


@fits("MAX_MATCHES")
def matches(size: int) -> bool:
    return len(places("data " * size, (("data",),))) == size


@fits("MAX_QUESTION")
def question(size: int) -> bool:
    return succeeds(lambda: checked("x" * size))


@fits("MAX_QUESTION_READ")
def question_read(size: int) -> bool:
    return not normalise("data?".ljust(size)).notes


@fits("MAX_QUESTION_WORDS")
def question_words(size: int) -> bool:
    return len(normalise("data " * size).words) == size


@fits("MAX_CONVERSATION")
def conversation(size: int) -> bool:
    return succeeds(lambda: from_json('{"version": 1}'.ljust(size)))


@fits("MAX_HEAD_BYTES")
def head_bytes(size: int) -> bool:
    import h11

    from smallprint.server.http_server import server_of

    configured = server_of(lambda scope, receive, send: None).config.h11_max_incomplete_event_size
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=configured)
    connection.receive_data(b"GET / HTTP/1.1\r\nX: ".ljust(size, b"x"))
    try:
        return connection.next_event() is h11.NEED_DATA
    except h11.RemoteProtocolError:
        return False


@fits("MAX_FORM_FIELDS")
def form_fields(size: int) -> bool:
    from starlette.exceptions import HTTPException
    from starlette.requests import Request

    from smallprint.server.dependencies import KIND, _fields

    body = "&".join(f"a{number}=1" for number in range(size)).encode()

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    request = Request({"type": "http", "headers": [(b"content-type", KIND.encode())]}, receive)
    try:
        return len(asyncio.run(_fields(request))) == size
    except HTTPException:
        return False


@fits("MAX_RECENT_PAGES")
def recent_pages(size: int) -> bool:
    from smallprint.server.remembered import Recent

    recent = Recent()
    for number in range(size):
        recent.put(str(number), Page("https://a.example/", b"x", "html", "test", ""))
    return recent.get("0") is not None


@fits("MAX_RECENT_BYTES")
def recent_bytes(size: int) -> bool:
    from smallprint.server.remembered import Recent

    recent = Recent()
    recent.put("a", Page("https://a.example/", b"x" * size, "html", "test", ""))
    return recent.get("a") is not None


@fits("MAX_SLOT")
def slot(size: int) -> bool:
    from smallprint.voice.requests import read_request

    from .voice.making import intent, written

    return succeeds(lambda: read_request(written(intent("AskIntent", question="x" * size))))


def test_every_limit_has_an_edge_that_is_tested():
    assert sorted([*FITS, *ELSEWHERE]) == sorted(limit.name for limit in LIMITS)


@pytest.mark.parametrize("name", FITS)
def test_what_reaches_a_limit_is_taken_and_one_beyond_is_not(monkeypatch, name):
    taken_whole, at = FITS[name]
    if at is not None:
        monkeypatch.setattr(limits, name, at)
    edge = int(getattr(limits, name))
    assert (taken_whole(edge), taken_whole(edge + 1)) == (True, False)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_tests_that_are_named_are_there(name):
    path, _, function = ELSEWHERE[name].partition("::")
    assert re.search(rf"^def {function}\(", (TESTS / path).read_text(encoding="utf-8"), re.MULTILINE)
