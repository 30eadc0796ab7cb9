import pytest

from smallprint.library.packing import compress, decompress, moment, version_id


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
    assert decompress(compress(content)) == content
    assert len(compress(content)) < len(content) / 10


def test_a_version_is_named_by_policy_and_text():
    assert version_id("shop.example-1a2b3c4d", "9f8e7d6c5b4a") == "shop.example-1a2b3c4d@9f8e7d6c"
