"""What a client sends, line by line, made readable: a JSON reader refuses a line with half a surrogate pair in it.

The protocol's library then gives no reply at all, and the client waits for ever.
"""

from __future__ import annotations

import io
import re
from typing import BinaryIO

# A whole pair, a half of one (the group), or any other escape, so that an escaped backslash is not taken for one.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)


def whole(line: bytes) -> bytes:
    """Return a line of JSON with the replacement character in the place of every half surrogate pair."""
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], line)


class WholeLines(io.BufferedIOBase):
    """A stream of bytes that gives the lines of another, each made whole."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def read1(self, size: int = -1, /) -> bytes:
        """Return the next line, however long it is."""
        return whole(self._stream.readline())
