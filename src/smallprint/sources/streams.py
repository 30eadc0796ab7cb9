"""Files as streams of bytes: opened with clear errors, decompressed in bounded portions, cut into bounded lines."""

from __future__ import annotations

import bz2
import csv
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

import zstandard

from smallprint import limits
from smallprint.errors import BadSource

CHUNK = 1 << 16


class Compression(NamedTuple):
    """A way of compressing in members, each readable by itself; no `portion` of them, if a bomb, fills the memory."""

    magic: bytes
    decoder: Callable[[], zlib._Decompress | zstandard.ZstdDecompressionObj]
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
        self._position = 0

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size` of them; none at the end."""
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        taken, self._rest = self._rest[:size], self._rest[size:]
        self._position += len(taken)
        return bytes(taken)

    def tell(self) -> int:
        """Return how many bytes were read so far."""
        return self._position

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
    """A file's content, decompressed; `fault` says why it ended early; `size` and `done` count the file's own bytes."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.fault = ""
        self.size, self.done = size, 0
        self._file = file
        self._member_end = self._member_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def parts(self) -> Iterator[Part]:
        """Yield each member of a gzip or zstd file, the damaged ones too, or the whole of any other file."""
        head = self._file.read(4)
        self._file.seek(0)
        compression = next((known for known in COMPRESSIONS if head.startswith(known.magic)), None)
        if compression:
            yield from self._members(compression)
        else:
            yield Part(self._bzip2() if head.startswith(b"BZh") else self._plain())

    def __iter__(self) -> Iterator[bytes]:
        for part in self.parts():
            yield from part
            if part.fault:
                self.fault = part.fault
                return

    def read(self, size: int) -> bytes:
        """Return the first bytes of the content, at most `size` of them."""
        taken = bytearray()
        for chunk in self:
            taken += chunk[: size - len(taken)]
            if len(taken) >= size:
                break
        return bytes(taken)

    def lines(self, limit: int = limits.MAX_LINE_BYTES) -> Iterator[bytes | None]:
        """Yield lines; None is one of more than `limit` bytes, never held. One that a fault cuts off is left out."""
        begun, overlong = bytearray(), False
        for chunk in self:
            start = 0
            while (end := chunk.find(b"\n", start)) >= 0:
                fits = not overlong and len(begun) + end - start <= limit
                yield bytes(begun) + chunk[start:end] if fits else None
                begun, overlong, start = bytearray(), False, end + 1
            overlong = overlong or len(begun) + len(chunk) - start > limit
            if overlong:
                begun.clear()
            else:
                begun += memoryview(chunk)[start:]
        if (begun or overlong) and not self.fault:
            yield None if overlong else bytes(begun)

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
        """Return where the zeros end with which some tools fill up a file."""
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
    """Yield a file's lines as text; raises BadSource where it ends too early, since a part would pass for the whole."""
    with open_stream(path) as stream:
        for number, line in enumerate(stream.lines()):
            if line is not None:
                # Spreadsheets begin a file with a byte order mark.
                yield (line if number else line.removeprefix(b"\xef\xbb\xbf")).decode("utf-8", "replace")
        if stream.fault:
            raise BadSource(f"{path} cannot be read to its end: {stream.fault}; fetch it again")


def csv_rows(path: Path, lines: Iterator[str] | None = None) -> Iterator[list[str]]:
    """Yield the rows of a table; raises BadSource where its lines, those given or the file's, are no CSV."""
    rows = csv.reader(lines or text_lines(path))
    try:
        yield from rows
    except csv.Error as error:
        raise BadSource(f"{path} is not a CSV file ({error} at line {rows.line_num}); save it as one") from None


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
    """Return the error that says in one line why a path cannot be opened."""
    if isinstance(error, FileNotFoundError):
        return BadSource(f"{path} does not exist; check the spelling")
    if isinstance(error, PermissionError):
        return BadSource(f"{path} may not be read by you; change its permissions")
    if isinstance(error, ValueError):
        return BadSource(f"{path} cannot be the name of a file; check how it is spelled")
    return BadSource(f"{path} cannot be opened ({getattr(error, 'strerror', None) or error})")
