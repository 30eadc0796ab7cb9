"""One polite fetch: an address in, a page out, or an error that says in one line why there is none."""

from __future__ import annotations

import asyncio
import email.message
import ssl
import time
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import responses

import httpcore2
import httpx2

from smallprint import limits
from smallprint.errors import BadAddress, BadSetting, NotFetched
from smallprint.records import FrontierItem, Page, Rejection
from smallprint.settings import Settings
from smallprint.sources.guard import BROKEN_BODY, TooLarge, decoder, safe_url
from smallprint.sources.items import MEDIA_TYPES
from smallprint.sources.robots import Later, Pace, Robots, retry_after

SOURCE = "crawl"
REDIRECTS = {301, 302, 303, 307, 308}
ACCEPT = "text/html, application/xhtml+xml, text/plain;q=0.8, */*;q=0.1"
# Statuses that say nothing of the page, only of the moment; every 5xx is another.
BUSY = {408, 425, 429}
ROBOTS_REDIRECTS = 5  # as RFC 9309 has it; a robots.txt further away than that counts as missing


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of one address.

    `result` is None where nothing is to be stored: the page has not changed, or it is a home page whose policy links
    are in `links`. Where `retry_at` (seconds since 1970) is set, the visit is put off until then and `result` says why.
    """

    item: FrontierItem
    result: Page | Rejection | None
    etag: str | None = None
    last_modified: str | None = None
    links: tuple[FrontierItem, ...] = ()
    retry_at: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """Name what came of it: "page", "unchanged", "links", "put off" or the reason of the rejection."""
        if self.retry_at is not None:
            return "put off"
        if isinstance(self.result, Rejection):
            return self.result.reason.value
        return "page" if self.result else "links" if self.links else "unchanged"


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP response, with its body unpacked where it was wanted."""

    url: httpx2.URL
    status: int
    headers: httpx2.Headers
    content: bytes = b""

    def header(self, name: str) -> str | None:
        """Return a header that is fit to be kept and sent back."""
        value = self.headers.get(name)
        return value if value and len(value) <= 1_000 and value.isascii() and value.isprintable() else None


class Fetcher:
    """Fetches pages as `settings` allow, each host in its turn; the pool must be a guarded one."""

    def __init__(self, settings: Settings, pool: httpcore2.AsyncConnectionPool, pace: Pace) -> None:
        if not (settings.crawl_user_agent.isascii() and settings.crawl_user_agent.isprintable()):
            raise BadSetting(f"crawl_user_agent = {settings.crawl_user_agent!r}: write it in plain ASCII")
        self._settings = settings
        self._pool = pool
        self._pace = pace
        self._robots = Robots(self._read_robots, settings)

    async def learn_rules(self, item: FrontierItem) -> None:
        """Read the robots.txt that stands before an address, unless it is known; raise as `fetch` does."""
        await self._robots.rules(safe_url(item.url))

    async def fetch(self, item: FrontierItem) -> Fetched:
        """Fetch a page, once; raise Later where another try may help, and NotFetched or BadAddress where none will."""
        conditions = {"If-None-Match": item.etag, "If-Modified-Since": item.last_modified}
        headers = {"Accept": ACCEPT} | {name: value for name, value in conditions.items() if value}
        seconds = self._settings.crawl_page_seconds
        url, seen, notes = safe_url(item.url), set[str](), list[str]()
        while len(seen) <= self._settings.crawl_redirects:
            if str(url) in seen:
                raise NotFetched(f"redirects in a circle, back to {url}")
            seen.add(str(url))
            rules = await self._robots.rules(url)
            if not rules.allow(url):
                raise NotFetched(f"robots.txt of {url.host} does not allow {url.raw_path.decode()}")
            try:
                answer, spent = await self._get(url, headers, seconds, rest=rules.delay)
            except TimeoutError:
                raise NotFetched(f"took longer than {self._settings.crawl_page_seconds:g} s in all") from None
            if answer.status not in REDIRECTS:
                return _fetched(item, answer, tuple(notes))
            seconds -= spent
            target = _target(answer)
            insecure = " (from https to http)" if url.scheme == "https" != target.scheme else ""
            notes.append(f"redirected to {target}{insecure}")
            url = target
        raise NotFetched(f"redirects more than {self._settings.crawl_redirects} times")

    async def _read_robots(self, url: httpx2.URL) -> tuple[int, bytes]:
        seconds = self._settings.crawl_page_seconds
        for _ in range(ROBOTS_REDIRECTS + 1):
            try:
                answer, _ = await self._get(url, {}, seconds, cut_at=limits.MAX_ROBOTS_BYTES)
            except TimeoutError:
                raise Later(f"{url.host} took longer than {seconds:g} s for it") from None
            if answer.status not in REDIRECTS:
                return answer.status, answer.content
            url = _target(answer)
        return HTTPStatus.NOT_FOUND, b""

    async def _get(
        self, url: httpx2.URL, headers: dict[str, str], seconds: float, *, rest: float = 0.0, cut_at: int | None = None
    ) -> tuple[Answer, float]:
        """Make one request when its host is free, and time it; too large a body is cut off at `cut_at`, or refused."""
        host = url.raw_host.decode("ascii").rstrip(".")
        async with self._pace.turn(host, rest):
            started = time.monotonic()
            try:
                async with asyncio.timeout(seconds):
                    answer = await self._exchange(url, headers, cut_at)
            except httpcore2.TimeoutException:
                raise Later(f"{host} did not answer within {self._settings.crawl_timeout:g} s") from None
            except httpcore2.LocalProtocolError as error:
                raise NotFetched(f"cannot be asked for: {_one_line(error)}") from None
            except (httpcore2.NetworkError, httpcore2.ProtocolError, ssl.SSLError) as error:
                if isinstance(error.__cause__ or error.__context__, ssl.SSLCertVerificationError):
                    raise NotFetched(f"the certificate of {host} is not good: {_one_line(error)}") from None
                raise Later(f"the connection to {host} failed: {_one_line(error)}") from None
            if answer.status in BUSY or answer.status >= 500:
                wait = retry_after(answer.headers.get("Retry-After"))
                self._pace.hold(host, wait or 0.0)
                raise Later(f"{host} answered {_status(answer.status)}", wait)
            return answer, time.monotonic() - started

    async def _exchange(self, url: httpx2.URL, headers: dict[str, str], cut_at: int | None) -> Answer:
        always = {"User-Agent": self._settings.crawl_user_agent, "Accept-Encoding": "gzip, deflate, br, zstd"}
        wait = self._settings.crawl_timeout
        async with self._pool.stream(
            "GET",
            httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=[("Host", url.netloc), *always.items(), *headers.items()],
            extensions={"timeout": {"connect": wait, "read": wait, "write": wait, "pool": None}},
        ) as response:
            answer = Answer(url, response.status, httpx2.Headers(response.headers))
            is_wanted = answer.status == HTTPStatus.OK if cut_at else _is_wanted(answer)
            return replace(answer, content=await self._body(response, answer.headers, cut_at)) if is_wanted else answer

    async def _body(self, response: httpcore2.Response, headers: httpx2.Headers, cut_at: int | None) -> bytes:
        limit = cut_at or self._settings.max_page_bytes
        unpack = decoder(headers.get("Content-Encoding", ""))
        content = bytearray()
        received = 0
        try:
            async with aclosing(response.aiter_stream()) as chunks:
                async for chunk in chunks:
                    received += len(chunk)
                    for piece in unpack.feed(chunk):
                        content += piece
                        if len(content) > limit:
                            break
                    if max(received, len(content)) > limit:
                        if cut_at:
                            return bytes(content[:cut_at])
                        raise TooLarge(f"is larger than {limit:,} bytes")
        except BROKEN_BODY as error:
            raise NotFetched(f"arrived damaged: {_one_line(error)}") from None
        if received and not unpack.whole():
            raise NotFetched("arrived damaged: it ends too soon")
        return bytes(content)


def _is_wanted(answer: Answer) -> bool:
    """Return whether the body is a page to be read; raise NotFetched where the answer is of no use at all."""
    if answer.status in REDIRECTS | BUSY | {HTTPStatus.NOT_MODIFIED} or answer.status >= 500:
        return False
    if answer.status not in {HTTPStatus.OK, HTTPStatus.NON_AUTHORITATIVE_INFORMATION}:
        raise NotFetched(f"{answer.url.host} answered {_status(answer.status)}")
    if (kind := _content_type(answer)) and kind not in MEDIA_TYPES:
        raise NotFetched(f"is {kind[:80]}, not a page")
    return True


def _fetched(item: FrontierItem, answer: Answer, notes: tuple[str, ...]) -> Fetched:
    etag, last_modified = answer.header("ETag"), answer.header("Last-Modified")
    if answer.status == HTTPStatus.NOT_MODIFIED:
        if not (item.etag or item.last_modified):
            raise NotFetched(f"{answer.url.host} answered {_status(answer.status)}, though this is the first visit")
        return Fetched(item, None, etag or item.etag, last_modified or item.last_modified, notes=notes)
    if not answer.content.strip():
        raise NotFetched(f"{answer.url.host} answered {_status(answer.status)} and sent an empty page")
    kind, start = _content_type(answer), answer.content[:1_024]
    if not kind and b"\0" in start:
        raise NotFetched("does not say what it is, and is not text")
    message = email.message.Message()
    message["Content-Type"] = answer.headers.get("Content-Type", "")
    page_kind = MEDIA_TYPES.get(kind) or ("html" if b"<" in start else "text")
    final_url, charset = str(answer.url) if notes else None, message.get_content_charset()
    page = Page(item.url, answer.content, page_kind, SOURCE, now(), final_url, charset)
    return Fetched(item, page, etag, last_modified, notes=notes)


def _target(answer: Answer) -> httpx2.URL:
    location = answer.headers.get("Location", "").strip()
    if not location:
        raise NotFetched(f"{answer.url.host} answered {_status(answer.status)} without saying where to")
    try:
        return safe_url(answer.url.join(location))
    except httpx2.InvalidURL as error:
        raise BadAddress(f"redirects to {location[:200]!r}, which is not a web address: {_one_line(error)}") from None
    except BadAddress as error:
        raise BadAddress(f"redirects to where nothing is fetched: {error}") from None


def _content_type(answer: Answer) -> str:
    return str(answer.headers.get("Content-Type", "")).partition(";")[0].strip().lower()


def _status(status: int) -> str:
    return f"{status} {responses.get(status, '')}".rstrip()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def now() -> str:
    """Return the time in the form in which pages and rejections carry it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
