import pytest

from smallprint.errors import DamagedText
from smallprint.library.packing import compress, damage, decompress, moment, name, unpack_page, unpack_text, version_id


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("", ""),
        ("2020-12", "2020-12"),
        ("2020-12-31", "2020-12-31"),
        ("2020-12-31T23:30:00Z", "2020-12-31T23:30:00Z"),
        ("2020-12-31T23:30:00+00:00", "2020-12-31T23:30:00Z"),
        ("2020-12-31T23:30:00-02:00", "2021-01-01T01:30:00Z"),
        ("2020-12-31 23:30:00.5", "2020-12-31T23:30:00Z"),
        ("the other day, about noon", "the other day, about noon"),
    ],
)
def test_times_are_written_so_that_they_sort(stamp, expected):
    assert moment(stamp) == expected


def test_content_survives_compression():
    content = "We keep it — “for ever”.".encode() * 100
    assert decompress(compress(content), "it") == content
    assert len(compress(content)) < len(content) / 10


def flips(blob: bytes):
    """Give a blob with each of its bits flipped in turn."""
    for place in range(8 * len(blob)):
        yield bytes([*blob[: place // 8], blob[place // 8] ^ (1 << place % 8), *blob[place // 8 + 1 :]])


def refused(read, *arguments) -> str:
    with pytest.raises(DamagedText) as error:
        read(*arguments)
    return str(error.value)


def test_no_flipped_bit_of_a_text_or_a_page_is_read():
    text = "We do not sell your data — ever."
    content = text.encode()
    assert unpack_text(compress(content), name(content), len(text), "it") == text
    assert unpack_page(compress(content), name(content), len(content), "it") == content
    whole = 0
    for blob in flips(compress(content)):
        try:
            assert unpack_text(blob, name(content), len(text), "it") == text
            assert unpack_page(blob, name(content), len(content), "it") == content
            whole += 1
        except DamagedText:
            assert refused(unpack_page, blob, name(content), len(content), "it") == damage("it")
    assert whole <= 2  # two bits of a frame's header change nothing of its content


def test_no_flipped_bit_of_an_annotation_is_read_as_another():
    content = b'{"grade": 12.5}'
    for blob in flips(compress(content)):
        try:
            assert decompress(blob, "it") == content
        except DamagedText:
            assert refused(decompress, blob, "it") == damage("it")


@pytest.mark.parametrize("size", [0, 3, 33])
def test_a_text_of_another_length_is_refused(size):
    content = b"We do not sell your data."
    refused(unpack_text, compress(content), name(content), size, "it")
    refused(unpack_page, compress(content), name(content), size, "it")


def test_another_text_in_its_place_is_refused():
    forged = b"We sell your data to anybody."
    refused(unpack_text, compress(forged), name(b"We never sell your data here."), len(forged), "it")


@pytest.mark.parametrize("blob", [None, b"", b"no frame", 7, "text", compress(b"x")[:-5]])
def test_what_is_no_frame_is_refused(blob):
    refused(decompress, blob, "it")


def test_a_frame_that_claims_too_much_is_refused_before_memory_is_taken():
    refused(decompress, compress(bytes(2000)), "it", 1999)
    assert decompress(compress(bytes(2000)), "it", 2000) == bytes(2000)


def test_a_version_is_named_by_policy_and_text():
    assert version_id("shop.example-1a2b3c4d", "9f8e7d6c5b4a") == "shop.example-1a2b3c4d@9f8e7d6c"
