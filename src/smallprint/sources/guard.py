"""What stands between the crawler and a hostile web: which addresses it may visit, and how bodies are unpacked."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import time
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import brotli  # type: ignore[import-untyped]
import httpcore2
import httpx2
import zstandard

from smallprint import limits
from smallprint.errors import BadAddress, NotFetched

STEP = 2**20  # bytes unpacked at a time

# Of the IPv6 space only this part is given out to hosts. Mapped and compatible IPv4 and NAT64 lie outside of it.
GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
# What ipaddress of Python 3.11 takes for global and is not: Teredo, 6to4, documentation, the relays of 6to4.
NOT_GLOBAL = tuple(map(ipaddress.ip_network, ("2001::/32", "2002::/16", "3fff::/20", "192.88.99.0/24")))

# What a discreet network says, and how long it takes at least: a look-up and a refused connection take less.
UNREACHABLE = "it cannot be reached from here"
QUIET_SECONDS = 1.0

Resolve = Callable[[str, int], Awaitable[list[str]]]


class TooLarge(NotFetched):
    """A body is larger than the settings allow."""


def safe_url(url: str | httpx2.URL) -> httpx2.URL:
    """Return an address in the form in which it is asked for; raise BadAddress on what the crawler will not touch."""
    text = str(url).strip()
    quoted = f"{text[:200]!r}"
    if len(text) > limits.MAX_ADDRESS:
        raise BadAddress(f"{quoted} goes on for {len(text)} characters; no more than {limits.MAX_ADDRESS} are allowed")
    try:
        parsed = httpx2.URL(text).copy_with(fragment=None)
        host = parsed.raw_host.decode("ascii")
    except (httpx2.InvalidURL, UnicodeError, ValueError) as error:
        raise BadAddress(f"{quoted} is not a web address: {error}") from None
    if parsed.scheme not in {"http", "https"}:
        raise BadAddress(f"{quoted} is not http or https, and nothing else is fetched")
    if not host or "%" in host:
        raise BadAddress(f"{quoted} names no host")
    if parsed.userinfo:
        raise BadAddress(f"the address at {host} carries a user name or password, which is not sent")
    if parsed.port is not None and not 0 < parsed.port < 65_536:
        raise BadAddress(f"{quoted} has a port that cannot be")
    return parsed


def is_public(address: str) -> bool:
    """Return whether an IP address is one that the public internet routes to a single host."""
    ip = ipaddress.ip_address(address)
    if ip.version == 6 and ip not in GLOBAL_UNICAST:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in NOT_GLOBAL)


async def system_addresses(host: str, port: int) -> list[str]:
    """Ask the operating system for the addresses of a host, in the order in which it would try them."""
    answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))


@dataclass(frozen=True, slots=True)
class Network:
    """How names are looked up, connections opened and certificates judged.

    Where it `is_discreet`, whatever cannot be connected to fails with the same words, and not before `quiet_seconds`
    have passed: nobody learns from it which names and hosts there are on an internal network.
    """

    resolve: Resolve = system_addresses
    wire: httpcore2.AsyncNetworkBackend = field(default_factory=httpcore2.AnyIOBackend)
    tls: ssl.SSLContext = field(default_factory=httpcore2.default_ssl_context)
    is_discreet: bool = False
    quiet_seconds: float = QUIET_SECONDS


class GuardedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects to the very address it has looked up and checked, so that a name cannot change its mind in between."""

    def __init__(self, network: Network, *, allow_private: bool) -> None:
        self._network = network
        self._allow_private = allow_private

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Open a connection to a name; TLS above it still speaks of the name."""
        started = time.monotonic()
        try:
            return await self._connect(host, port, timeout, local_address, socket_options)
        except (BadAddress, httpcore2.ConnectError, httpcore2.ConnectTimeout):
            if not self._network.is_discreet:
                raise
        await asyncio.sleep(self._network.quiet_seconds - (time.monotonic() - started))
        raise BadAddress(UNREACHABLE)

    async def _connect(self, host: str, port: int, timeout: float | None, *more: Any) -> httpcore2.AsyncNetworkStream:
        addresses = await self._checked_addresses(host, port, timeout)
        share = timeout / len(addresses) if timeout else None
        failure: Exception | None = None
        for address in addresses:
            try:
                return await self._network.wire.connect_tcp(address, port, share, *more)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore2.ConnectError(f"{host} could not be reached")

    async def _checked_addresses(self, host: str, port: int, timeout: float | None) -> list[str]:
        try:
            async with asyncio.timeout(timeout):
                addresses = await self._network.resolve(host, port)
        except TimeoutError:
            raise httpcore2.ConnectTimeout(f"looking up {host} took too long") from None
        except socket.gaierror as error:
            if error.errno == socket.EAI_AGAIN:
                raise httpcore2.ConnectError(f"{host} could not be looked up for now") from None
            raise BadAddress(f"there is no host {host}") from None
        except (UnicodeError, ValueError):
            raise BadAddress(f"{host[:200]} is not a host name") from None
        if not addresses:
            raise BadAddress(f"there is no host {host}")
        for address in addresses:
            if not self._allow_private and not is_public(address):
                at = "" if address == host else f"at {address}, "
                raise BadAddress(f"{host} is {at}no public address; set crawl_private to visit such hosts")
        return addresses[: limits.MAX_HOST_ADDRESSES]


def discreet(network: Network | None) -> Network:
    """Return a network (the system's own if None) that tells strangers nothing of what it cannot reach."""
    return replace(network or Network(), is_discreet=True)


def guarded_pool(network: Network, *, allow_private: bool, connections: int) -> httpcore2.AsyncConnectionPool:
    """Open a pool of guarded connections, none by a proxy; HTTP/1.1 will do for one request at a time to a host."""
    return httpcore2.AsyncConnectionPool(
        ssl_context=network.tls,
        max_connections=connections,
        keepalive_expiry=15.0,
        network_backend=GuardedNetwork(network, allow_private=allow_private),
    )


class Decoder:
    """Unpacks a body as it arrives, in pieces of two STEPs or so; this one passes on a body that is not packed."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Unpack what has come."""
        yield data

    def whole(self) -> bool:
        """Return whether the packed body has come to its proper end."""
        return True


class _Zlib(Decoder):
    """Gzip, or deflate with and without the wrapper it ought to have."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._engine = zlib.decompressobj(zlib.MAX_WBITS | 16) if gzip else None

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._engine is None:
                wrapped = data[0] & 0x0F == zlib.DEFLATED
                self._engine = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
            elif self._engine.eof:
                if not (self._gzip and data.startswith(b"\x1f")):
                    return  # what follows the end is padding, which browsers pass over too
                self._engine = zlib.decompressobj(zlib.MAX_WBITS | 16)
            yield from self._drained(self._engine, data)
            data = self._engine.unused_data

    def _drained(self, engine: zlib._Decompress, data: bytes) -> Iterator[bytes]:
        piece = b"more"
        while piece and not engine.eof:
            piece = engine.decompress(data, STEP)
            yield piece
            data = engine.unconsumed_tail

    def whole(self) -> bool:
        return self._engine is not None and self._engine.eof


class _Brotli(Decoder):
    def __init__(self) -> None:
        self._engine = brotli.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        while not self._engine.is_finished():
            piece: bytes = self._engine.process(data, output_buffer_limit=STEP)
            if not piece:
                return
            yield piece
            data = b""

    def whole(self) -> bool:
        return bool(self._engine.is_finished())


class _Zstd(Decoder):
    # Four bytes of input can stand for a block of 128 KiB, and the library cannot be told to stop: 32 bytes at a time
    # keep a piece within one STEP and cost 15 ms for each megabyte received.
    SLICE = 32
    WINDOW = 2**23  # the most that RFC 9659 allows a server to ask of us

    def __init__(self) -> None:
        self._engine = zstandard.ZstdDecompressor(max_window_size=self.WINDOW).decompressobj()

    def feed(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), self.SLICE):
            part = data[start : start + self.SLICE]
            while part:
                if self._engine.eof:
                    self._engine = zstandard.ZstdDecompressor(max_window_size=self.WINDOW).decompressobj()
                yield self._engine.decompress(part)
                part = self._engine.unused_data if self._engine.eof else b""

    def whole(self) -> bool:
        return self._engine.eof


ENCODINGS: dict[str, Callable[[], Decoder]] = {
    "gzip": lambda: _Zlib(gzip=True),
    "x-gzip": lambda: _Zlib(gzip=True),
    "deflate": lambda: _Zlib(gzip=False),
    "br": _Brotli,
    "zstd": _Zstd,
    "identity": Decoder,
    "": Decoder,
}
BROKEN_BODY = (zlib.error, brotli.error, zstandard.ZstdError)


def decoder(encoding: str) -> Decoder:
    """Return what unpacks a body of that Content-Encoding; raise NotFetched where nothing does."""
    try:
        return ENCODINGS[encoding.strip().lower()]()
    except KeyError:
        raise NotFetched(f"is packed as {encoding[:40]!r}, which cannot be unpacked") from None
