from __future__ import annotations

import gzip
import io

from smallprint import limits
from smallprint.sources.streams import ByteStream

# A gzip header, and the head of a stored deflate block that holds the next header: every header begins a member that
# goes on to the end of the file.
OVERLAPPING = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + b"\x00\x0a\x00\xf5\xff"


def given_bytes(data: bytes) -> tuple[int, int]:
    """Return how many parts a file is read in, and how many bytes come of them."""
    parts = [sum(map(len, part)) for part in ByteStream(io.BytesIO(data), len(data)).parts()]
    return len(parts), sum(parts)


def test_members_that_overlap_are_read_within_a_bound(monkeypatch):
    monkeypatch.setattr(limits, "MAX_REREAD_BYTES", 1_000_000)
    data = OVERLAPPING * 20_000
    _, total = given_bytes(data)
    assert total <= limits.MAX_REREAD_BYTES + 2 * len(data)  # and not 2 GB
    _, twice = given_bytes(2 * data)
    assert twice <= limits.MAX_REREAD_BYTES + 4 * len(data)


def test_starts_of_members_that_hold_nothing_are_tried_within_a_bound(monkeypatch):
    monkeypatch.setattr(limits, "MAX_REREAD_BYTES", 1_000_000)
    data = b"\x1f\x8b\x08" * 200_000
    parts, _ = given_bytes(data)
    portion = 1 << 14
    assert parts <= limits.MAX_REREAD_BYTES // portion + len(data) // portion + 2


def test_a_damaged_member_hides_none_of_those_after_it_up_to_the_bound(monkeypatch):
    damaged = bytearray(gzip.compress(b"x" * 100_000))
    damaged[-8] ^= 1  # its checksum
    whole = gzip.compress(b"We keep your data.")
    data = bytes(damaged) * 3 + whole
    portion = 1 << 14  # what each attempt counts for at least
    monkeypatch.setattr(limits, "MAX_REREAD_BYTES", 3 * portion)
    assert given_bytes(data) == (4, 18)
    monkeypatch.setattr(limits, "MAX_REREAD_BYTES", 3 * portion - 1)
    # All stand in one portion of the file: what follows the third is not looked at again.
    assert given_bytes(data) == (3, 0)
