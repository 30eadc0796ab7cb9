"""Files as streams of bytes: opened with clear errors, decompressed in bounded portions, cut into bounded lines."""

from __future__ import annotations

import bz2
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

import zstandard

from smallprint import limits
from smallprint.errors import BadSource

CHUNK = 1 << 16


class Decoder(Protocol):
    """What zlib and zstandard call a decompression object."""

    @property
    def eof(self) -> bool:
        """Tell whether the member is complete."""
        ...

    @property
    def unused_data(self) -> bytes:
        """Give what was handed in beyond the member's end."""
        ...

    def decompress(self, data: bytes, /) -> bytes:
        """Take the next bytes in and give what comes of them."""
        ...


@dataclass(frozen=True, slots=True)
class Compression:
    """A way of compressing in members that stand one after the other, each readable by itself.

    `portion` is how many bytes are decompressed at a time, so small that even a bomb cannot fill the memory.
    """

    magic: bytes
    decoder: Callable[[], Decoder]
    portion: int


COMPRESSIONS = (
    # A byte becomes at most 1,032: 16 MiB a portion.
    Compression(b"\x1f\x8b\x08", lambda: zlib.decompressobj(wbits=31), 1 << 14),
    # A block of four bytes becomes at most 128 KiB: 32 MiB a portion.
    Compression(
        b"\x28\xb5\x2f\xfd",
        lambda: zstandard.ZstdDecompressor(max_window_size=limits.MAX_ZSTD_WINDOW).decompressobj(),
        1 << 10,
    ),
)


class Part:
    """A run of bytes that can be read without what stands before it; `fault` says why it ended too early."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.fault = ""
        self._chunks = self._guarded(chunks)
        self._rest = memoryview(b"")
        self._given = 0

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks

    def read(self, size: int) -> bytes:
        """Give the next bytes, at most `size` of them; none at the end."""
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        taken, self._rest = self._rest[:size], self._rest[size:]
        self._given += len(taken)
        return bytes(taken)

    def tell(self) -> int:
        """Say how many bytes were given so far."""
        return self._given

    def _guarded(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from chunks
        except EOFError:
            self.fault = "the file ends in the middle of its compressed data"
        except (zlib.error, zstandard.ZstdError) as error:
            self.fault = f"the file's compressed data are damaged ({error})"
        except OSError as error:
            self.fault = f"the file cannot be read further ({error.strerror or error})"


class ByteStream:
    """A file's content, decompressed, from start to end; `fault` says why it ended too early.

    `size` and `done` count the bytes of the file itself, for a progress bar.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.fault = ""
        self.size = size
        self.done = 0
        self._file = file
        self._member_end = self._member_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def parts(self) -> Iterator[Part]:
        """Give what can be read independently: each member of a gzip or zstd file, the whole of any other.

        A damaged member does not hide those after it.
        """
        head = self._file.read(4)
        self._file.seek(0)
        for compression in COMPRESSIONS:
            if head.startswith(compression.magic):
                yield from self._members(compression)
                return
        yield Part(self._bzip2() if head.startswith(b"BZh") else self._plain())

    def __iter__(self) -> Iterator[bytes]:
        for part in self.parts():
            yield from part
            if part.fault:
                self.fault = part.fault
                return

    def read(self, size: int) -> bytes:
        """Give the first bytes of the content, at most `size` of them."""
        taken = bytearray()
        for chunk in self:
            taken += chunk[: size - len(taken)]
            if len(taken) >= size:
                break
        return bytes(taken)

    def lines(self, limit: int = limits.MAX_LINE_BYTES) -> Iterator[bytes | None]:
        """Give each line without its end; None stands for one of more than `limit` bytes, which is never held.

        A last line that was cut off by a fault is left out.
        """
        held, overlong = bytearray(), False
        for chunk in self:
            start = 0
            while (end := chunk.find(b"\n", start)) >= 0:
                fits = not overlong and len(held) + end - start <= limit
                yield bytes(held) + chunk[start:end] if fits else None
                held, overlong, start = bytearray(), False, end + 1
            overlong = overlong or len(held) + len(chunk) - start > limit
            if overlong:
                held.clear()
            else:
                held += memoryview(chunk)[start:]
        if (held or overlong) and not self.fault:
            yield None if overlong else bytes(held)

    def _plain(self) -> Iterator[bytes]:
        while chunk := self._file.read(CHUNK):
            self.done += len(chunk)
            yield chunk

    def _bzip2(self) -> Iterator[bytes]:
        with bz2.BZ2File(self._file) as content:
            while chunk := content.read1(CHUNK):
                self.done = self._file.tell()
                yield chunk

    def _members(self, compression: Compression) -> Iterator[Part]:
        start = in_vain = 0
        while start < self.size:
            self._file.seek(start)
            self._member_end = self._member_bytes = 0
            part = Part(self._member(compression))
            yield part
            for _ in part:  # only who has read a member knows where it ends
                pass
            if self._member_end:
                start = self._past_padding(self._member_end)
                continue
            # The next member may begin anywhere in a damaged one. A file can be made of members that all begin within
            # one another and are all damaged at the end: from some point on, what was read is not read again.
            in_vain += max(self._member_bytes, compression.portion)
            read_again = in_vain <= limits.MAX_REREAD_BYTES
            start = self._find(compression.magic, start + 1 if read_again else max(start + 1, self.done))

    def _member(self, compression: Compression) -> Iterator[bytes]:
        decoder = compression.decoder()
        while portion := self._file.read(compression.portion):
            self.done = self._file.tell()
            if chunk := decoder.decompress(portion):
                self._member_bytes += len(chunk)
                yield chunk
            if decoder.eof:
                self._member_end = self.done - len(decoder.unused_data)
                return
        raise EOFError

    def _past_padding(self, start: int) -> int:
        """Say where the zeros end with which some tools fill up a file."""
        self._file.seek(start)
        while portion := self._file.read(512):
            if filled := portion.lstrip(b"\0"):
                return self._file.tell() - len(filled)
        return self.size

    def _find(self, magic: bytes, start: int) -> int:
        self._file.seek(start)
        window = b""
        while chunk := self._file.read(CHUNK):
            window += chunk
            if (place := window.find(magic)) >= 0:
                return self._file.tell() - len(window) + place
            window = window[1 - len(magic) :]
        return self.size


def open_stream(path: Path) -> ByteStream:
    """Open a file that may be compressed by gzip, zstd or bzip2; raises BadSource where that cannot be done."""
    size = file_status(path).st_size
    try:
        return ByteStream(path.open("rb", buffering=CHUNK), size)
    except OSError as error:
        raise bad_source(path, error) from None


def text_lines(path: Path) -> Iterator[str]:
    """Give a file's lines as text; raises BadSource where it ends too early, since a part would pass for the whole."""
    with open_stream(path) as stream:
        for number, line in enumerate(stream.lines()):
            if line is not None:
                # Spreadsheets begin a file with a byte order mark.
                yield (line if number else line.removeprefix(b"\xef\xbb\xbf")).decode("utf-8", "replace")
        if stream.fault:
            raise BadSource(f"{path} cannot be read to its end: {stream.fault}; fetch it again")


def file_status(path: Path) -> os.stat_result:
    """Look up an ordinary file; raises BadSource where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise bad_source(path, error) from None
    if stat.S_ISDIR(status.st_mode):
        raise BadSource(f"{path} is a folder; name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise BadSource(f"{path} is a pipe or a device; save it to a file first")
    return status


def bad_source(path: Path, error: OSError | ValueError) -> BadSource:
    """Say in one line why a path cannot be opened."""
    if isinstance(error, FileNotFoundError):
        return BadSource(f"{path} is not there; check how it is spelled")
    if isinstance(error, PermissionError):
        return BadSource(f"{path} may not be read by you; change its permissions")
    return BadSource(f"{path} cannot be opened ({getattr(error, 'strerror', None) or error})")
