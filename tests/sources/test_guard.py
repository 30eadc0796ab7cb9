from __future__ import annotations

import asyncio
import gzip
import shutil
import socket
import ssl
import time
import zlib
from dataclasses import replace

import brotli
import httpcore2
import pytest
import zstandard

from smallprint import limits
from smallprint.errors import BadAddress, NotFetched
from smallprint.sources.guard import STEP, GuardedNetwork, Network, decoder, discreet, guarded_pool, is_public, safe_url

from .trick_server import PUBLIC, Names, TlsServer, TrickServer, Wire, certificate, network_of

NOT_PUBLIC_4 = (
    "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 "
    "192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 "
    "240.0.0.1 255.255.255.255"
)
NOT_PUBLIC_6 = (
    ":: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b::808:808 "
    "64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 3fff::1 5f00::1 fc00::1 "
    "fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1"
)


@pytest.mark.parametrize("address", f"{NOT_PUBLIC_4} {NOT_PUBLIC_6}".split())
def test_addresses_that_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", PUBLIC, "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1", "2a00:1450::1"]
)
def test_addresses_that_are_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://shop.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "gopher://shop.example/",
        "/privacy",
        "http://",
        "http:///privacy",
        "http://user:secret@shop.example/",
        "http://user@shop.example/",
        "http://shop.example\\@evil.example/",
        "http://shop.example:0/",
        "http://shop.example:99999/",
        "http://shop.example:port/",
        "http://0177.0.0.1/",
        "http://[::1/",
        "http://a%00b.example/",
        "http://shop.example/" + "a" * 5_000,
        "http://shop.example/\r\nX-Injected: yes",
    ],
)
def test_addresses_that_are_not_touched(url):
    with pytest.raises(BadAddress) as caught:
        safe_url(url)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_addresses_are_made_fit_to_be_asked_for():
    assert str(safe_url(" HTTPS://Shop.Example:443/Priv acy?q=ü#part ")) == "https://shop.example/Priv%20acy?q=%C3%BC"
    assert safe_url("http://müller.example/").raw_host == b"xn--mller-kva.example"


def connect(network: Network, host: str, *, allow_private: bool = False) -> None:
    async def run() -> None:
        stream = await GuardedNetwork(network, allow_private=allow_private).connect_tcp(host, 80, timeout=2)
        await stream.aclose()

    asyncio.run(run())


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1",
        "169.254.169.254",
        "::1",
        "::ffff:127.0.0.1",
        "64:ff9b::a00:1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0",
    ],
)
def test_private_addresses_are_refused_however_they_are_written(host):
    wire = Wire(port=0)
    with pytest.raises(BadAddress, match="no public address; set crawl_private"):
        connect(Network(resolve=Names(), wire=wire), host)
    assert wire.attempts == []


def test_one_private_answer_among_public_ones_is_enough():
    wire = Wire(port=0)
    names = Names({"mixed.example": [[PUBLIC, "8.8.8.8", "192.168.0.1"]]})
    with pytest.raises(BadAddress, match=r"mixed\.example is at 192\.168\.0\.1"):
        connect(Network(resolve=names, wire=wire), "mixed.example")
    assert wire.attempts == []


def test_a_name_that_changes_its_mind_is_asked_once_and_taken_at_its_word():
    with TrickServer() as server:
        network = network_of(server, rebind=[[PUBLIC], ["127.0.0.1"]])
        connect(network, "rebind.example")
        assert network.resolve.asked["rebind.example"] == 1
        assert network.wire.attempts == [PUBLIC]
        with pytest.raises(BadAddress, match=r"127\.0\.0\.1"):
            connect(network, "rebind.example")
        assert network.wire.attempts == [PUBLIC]


def test_private_addresses_can_be_allowed():
    with TrickServer() as server:

        class Loopback(httpcore2.AnyIOBackend):
            async def connect_tcp(self, host, _port, timeout=None, *_):
                assert host == "127.0.0.1"
                return await super().connect_tcp(host, server.port, timeout)

        connect(Network(resolve=Names(), wire=Loopback()), "127.0.0.1", allow_private=True)


@pytest.mark.parametrize(
    ("count", "tried"), [(limits.MAX_HOST_ADDRESSES, True), (limits.MAX_HOST_ADDRESSES + 1, False)]
)
def test_only_the_first_addresses_of_a_name_are_tried(count, tried):
    class MostlyDead(Wire):
        async def connect_tcp(self, host, port, timeout=None, *_):
            if host != PUBLIC:
                self.attempts.append(host)
                raise httpcore2.ConnectError("no route")
            return await super().connect_tcp(host, port, timeout)

    with TrickServer() as server:
        wire = MostlyDead(server.port)
        addresses = [f"8.8.8.{number}" for number in range(1, count)] + [PUBLIC]
        network = Network(resolve=Names({"many.example": [addresses]}), wire=wire)
        if tried:
            connect(network, "many.example")
        else:
            with pytest.raises(httpcore2.ConnectError):
                connect(network, "many.example")
        assert wire.attempts == addresses[: limits.MAX_HOST_ADDRESSES]


def test_the_next_address_is_tried_when_one_does_not_answer():
    class HalfDead(Wire):
        async def connect_tcp(self, host, port, timeout=None, *_):
            if host == "8.8.8.8":
                self.attempts.append(host)
                raise httpcore2.ConnectError("no route")
            return await super().connect_tcp(host, port, timeout)

    with TrickServer() as server:
        wire = HalfDead(server.port)
        connect(Network(resolve=Names({"two.example": [["8.8.8.8", PUBLIC]]}), wire=wire), "two.example")
        assert wire.attempts == ["8.8.8.8", PUBLIC]


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (socket.gaierror(socket.EAI_NONAME, "unknown"), BadAddress),
        (socket.gaierror(socket.EAI_AGAIN, "try again"), httpcore2.ConnectError),
        (UnicodeError("label too long"), BadAddress),
    ],
)
def test_names_that_cannot_be_looked_up(failure, expected):
    async def resolve(host: str, port: int) -> list[str]:
        raise failure

    with pytest.raises(expected):
        connect(Network(resolve=resolve, wire=Wire(port=0)), "nowhere.example")


@pytest.mark.parametrize("answers", [[], ["10.0.0.7"], [PUBLIC], "unknown"], ids=["none", "inside", "down", "unknown"])
def test_a_discreet_network_says_the_same_of_whatever_it_cannot_reach(answers):
    class Down(Wire):
        async def connect_tcp(self, *_):
            raise httpcore2.ConnectError("Connection refused")

    async def resolve(host: str, port: int) -> list[str]:
        if answers == "unknown":
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return answers

    started = time.monotonic()
    with pytest.raises(BadAddress) as raised:
        connect(replace(discreet(Network(resolve=resolve, wire=Down(port=0))), quiet_seconds=0.1), "some.example")
    assert str(raised.value) == "it cannot be reached from here"
    assert time.monotonic() - started >= 0.1


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate")
def test_tls_speaks_of_the_name_while_the_connection_goes_to_the_checked_address(tmp_path):
    files = certificate(tmp_path, "shop.example")
    with TlsServer(files=files) as server:
        server.page("shop.example/privacy")
        network = Network(resolve=Names(), wire=Wire(server.port), tls=ssl.create_default_context(cafile=str(files[0])))

        async def run(url: str) -> int:
            async with guarded_pool(network, allow_private=False, connections=1) as pool:
                return (await pool.request("GET", url, headers={"Connection": "close"})).status

        assert asyncio.run(run("https://shop.example/privacy")) == 200
        assert (server.asked_for, network.wire.attempts) == (["shop.example"], [PUBLIC])
        with pytest.raises(httpcore2.ConnectError, match="Hostname mismatch"):
            asyncio.run(run("https://other.example/privacy"))


def raw_deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return engine.compress(data) + engine.flush()


PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": raw_deflate,
    "br": lambda data: brotli.compress(data, quality=5),
    "zstd": zstandard.compress,
    "identity": bytes,
    "": bytes,
}


@pytest.mark.parametrize("encoding", PACKERS)
@pytest.mark.parametrize("size", [1, 7, 65_536])
def test_bodies_are_unpacked_in_whatever_pieces_they_come(encoding, size):
    text = "".join(f"We share item {number} with nobody. " for number in range(3_000)).encode()
    packed = PACKERS[encoding](text)
    unpack = decoder(encoding)
    pieces = [piece for at in range(0, len(packed), size) for piece in unpack.feed(packed[at : at + size])]
    assert b"".join(pieces) == text
    assert unpack.whole()


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_bodies_packed_in_several_members(encoding):
    unpack = decoder(encoding)
    packed = PACKERS[encoding](b"one ") + PACKERS[encoding](b"two")
    assert b"".join(unpack.feed(packed)) == b"one two"
    assert unpack.whole()


def test_padding_after_a_gzip_body_is_passed_over():
    unpack = decoder("gzip")
    assert b"".join(unpack.feed(gzip.compress(b"text") + bytes(20))) == b"text"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_goes_off_in_small_pieces(encoding):
    bomb = PACKERS[encoding](bytes(30 * STEP))
    pieces = decoder(encoding).feed(bomb)
    assert max(len(next(pieces)) for _ in range(10)) <= 2 * STEP


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_cut_short_is_known_to_be(encoding):
    unpack = decoder(encoding)
    list(unpack.feed(PACKERS[encoding](b"We keep your data. " * 99)[:-5]))
    assert not unpack.whole()


def test_unknown_encodings_are_turned_away():
    with pytest.raises(NotFetched, match="compress"):
        decoder("compress")
