import pytest

from smallprint.sectors import SECTORS, sector


def test_there_are_eleven_sectors():
    assert len(SECTORS) == 11
    assert len({s.id for s in SECTORS} | {s.name for s in SECTORS} - {"Unknown"}) == 21


def test_a_sector_is_found_by_its_id_or_its_name():
    for one in SECTORS:
        assert sector(one.id) is sector(one.name) is one


def test_an_unknown_name_is_a_key_error():
    with pytest.raises(KeyError):
        sector("no such thing")
