from __future__ import annotations

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallprint.annotate import mentions
from smallprint.annotate.mentions import VERSION, find, names

from ..growth import grows_linearly
from .mention_cases import NAMED, UNNAMED

IDS = [name.id for name in names()]
# Short enough to be many, and each the beginning of something: blanks, words of the table, letters, brackets, lines.
HOSTILE = (
    " ", "\n", "a", "7", "(", "[[", "-", "'", "log ", "logs ", "cookie", "cookie ", "pixel ", "tag ", "tags ", "web ",
    "e-", "1 x ", "chocolate ", "eating a ", "servers may also ", "advertising ", "ad id ", "european ",
    "california online privacy ", "digital advertising ", "NAI ", "SCC ", "BCR ", "CCPA ", "LSO ", "finger ", "health ",
    "fingerprint ", "beacon ", "children's ", "children''s ", "standard ", "national commission ", "2016/", "privacy ",
    "gdpr privacy ", "we may also log ", "1 by ", "bbb eu ", "better business ", "commission nationale ", "\u00a0’",
)  # fmt: skip


def found(text: str) -> set[str]:
    return {mention.name for mention in find(text)}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in NAMED.items() for text in texts])
def test_named(name, text):
    assert name in found(text)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in UNNAMED.items() for text in texts])
def test_unnamed(name, text):
    assert name not in found(text)


def test_every_name_is_tried_both_ways():
    assert list(NAMED) == IDS
    assert list(UNNAMED) == IDS
    assert min(map(len, (*NAMED.values(), *UNNAMED.values()))) >= 3


def test_names_in_order():
    assert len(IDS) == len(set(IDS)) == 23
    groups = [name.group for name in names()]
    assert groups == ["technology"] * 6 + ["body"] * 9 + ["regulation"] * 8
    assert names()[0] == ("technology", "cookies", "Cookies")
    assert names()[-1] == ("regulation", "bcr", "Binding corporate rules")


def test_places():
    text = "Under the GDPR, web\u00a0beacons and Flash cookies (LSOs) need consent; İzmir has no logs. Cookies too."
    mentioned = [(mention.group, mention.name, text[mention.start : mention.end]) for mention in find(text)]
    assert mentioned == [
        ("regulation", "gdpr", "GDPR"),
        ("technology", "web-beacon", "web\u00a0beacons"),
        ("technology", "flash-cookies", "Flash cookies"),
        ("technology", "cookies", "cookies"),
        ("technology", "flash-cookies", "LSOs"),
        ("technology", "logs", "logs"),
        ("technology", "cookies", "Cookies"),
    ]


def test_letters_count_where_the_name_is_spelled_out_elsewhere():
    assert found("SCC binds us." + " word" * 100) == set()
    assert found("Standard contractual clauses apply." + " word" * 100 + " SCC binds us.") == {"scc"}
    assert len(find("Standard contractual clauses apply." + " word" * 100 + " SCC binds us.")) == 2


def test_no_text():
    assert find("") == ()
    assert find(" \n") == ()


def test_version_changes_with_the_table():
    assert re.fullmatch(r"\d+\.[0-9a-f]{8}", VERSION)


PIECES = st.sampled_from([*HOSTILE, *(text for texts in NAMED.values() for text in texts)])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_places_are_sorted_and_apart(text):
    ends = dict.fromkeys(IDS, 0)
    last = 0
    for mention in find(text):
        assert last <= mention.start < mention.end <= len(text)
        assert mention.start >= ends[mention.name]
        assert mention.end - mention.start <= mentions.REACH
        last, ends[mention.name] = mention.start, mention.end


@given(st.text())
def test_any_text(text):
    assert all(text[mention.start : mention.end] for mention in find(text))


@given(st.lists(PIECES, max_size=30).map("".join))
def test_hints_lose_nothing(text):
    plain = mentions._plain(text)
    for entry in mentions._entries():
        for pattern in entry.patterns:
            searched = plain if pattern.case else plain.lower()
            assert mentions._matches(pattern, searched) == [m.span() for m in pattern.words.finditer(searched)]


def test_every_pattern_is_bounded():
    for row in tomllib.loads(mentions._TABLE.decode())["names"]:
        for written in (
            *row.get("unless", ()),
            *(w for p in row["patterns"] for w in (*p["words"], *p.get("near", ()))),
        ):
            assert not re.search(r"(?<!\\)[*+]|\{\d*,\}", written), written


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_text_and_no_faster(piece):
    assert grows_linearly(find, lambda size: (piece * (size // len(piece) + 1))[:size], 80_000)
