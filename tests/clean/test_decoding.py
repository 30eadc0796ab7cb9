from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smallprint.clean.decoding import decode

FRENCH = "Nous protégeons vos données à caractère personnel, où qu’elles soient conservées. " * 3
ENGLISH = "We protect “your” data — always — and don’t sell it. " + "We keep it safe and tell nobody about it. " * 20
JAPANESE = (
    "当社は、お客様の個人情報を適切に保護し、第三者に提供することはありません。プライバシーポリシーをお読みください。"
    * 3
)
CHINESE = "我们非常重视您的个人信息和隐私保护。本隐私政策说明我们如何收集、使用和存储您的信息。" * 3


@pytest.mark.parametrize(
    "declared", [None, "utf-8", "UTF8", "iso-8859-1", "windows-1252", "no-such-charset", "", "utf\0"]
)
def test_utf8_is_read_whatever_is_declared(declared):
    assert decode(FRENCH.encode(), declared) == FRENCH


@pytest.mark.parametrize("declared", [None, "utf-8", "iso-8859-1", "windows-1252", "no-such-charset"])
def test_windows_1252_is_read_whatever_is_declared(declared):
    assert decode(ENGLISH.encode("windows-1252"), declared) == ENGLISH
    assert decode(FRENCH.encode("windows-1252"), declared) == FRENCH


@pytest.mark.parametrize(
    ("declared", "charset"), [("utf-16", "utf-16-le"), ("UTF-16LE", "utf-16-le"), ("utf-16be", "utf-16-be")]
)
def test_utf16_without_a_mark_is_read_as_declared(declared, charset):
    assert decode(ENGLISH.encode(charset), declared) == ENGLISH


@pytest.mark.parametrize("declared", ["utf-16", "utf-16-of-our-own", "utf-16be"])
def test_a_header_that_says_utf16_of_other_bytes_is_not_believed(declared):
    assert decode(FRENCH.encode(), declared) == FRENCH
    assert decode(FRENCH.encode("windows-1252"), declared) == FRENCH
    assert decode(b"<meta charset=utf-16>" + FRENCH.encode("windows-1252")) == "<meta charset=utf-16>" + FRENCH


def test_one_bad_byte_does_not_turn_a_utf8_page():
    content = (FRENCH * 10).encode() + b"\xff"
    assert decode(content, "utf-8") == FRENCH * 10 + "\ufffd"


@pytest.mark.parametrize(
    ("mark", "charset"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_a_mark_goes_before_what_is_declared(mark, charset):
    assert decode(mark + JAPANESE.encode(charset), "windows-1252") == JAPANESE


@pytest.mark.parametrize(
    ("text", "charset"),
    [(JAPANESE, "shift_jis"), (JAPANESE, "euc-jp"), (CHINESE, "gb18030"), (CHINESE, "big5"), (FRENCH, "iso-8859-15")],
)
def test_charsets_by_header_and_by_meta(text, charset):
    content = text.encode(charset, "ignore")
    expected = content.decode(charset)
    assert decode(content, charset) == expected
    for meta in (f"<meta charset={charset}>", f"<META http-equiv='x' content='text/html; charset={charset}'>"):
        assert decode(meta.encode() + content) == meta + expected
        assert decode(meta.encode() + content, "no-such-charset") == meta + expected


def test_a_header_that_lies_gives_way_to_the_page():
    content = b'<meta charset="shift_jis">' + JAPANESE.encode("shift_jis")
    assert decode(content, "utf-8") == '<meta charset="shift_jis">' + JAPANESE


def test_a_meta_tag_far_down_is_not_looked_for():
    text = " " * 5000 + "<meta charset=shift_jis>" + FRENCH
    assert decode(text.encode("windows-1252")) == text


def test_a_page_that_lies_in_both_places_is_detected():
    content = b"<meta charset=utf-8>" + JAPANESE.encode("shift_jis")
    assert decode(content, "utf-8") == "<meta charset=utf-8>" + JAPANESE


@pytest.mark.parametrize(
    "charset", ["unicode_escape", "utf-7", "punycode", "idna", "rot13", "hex", "zlib", "undefined"]
)
def test_codecs_that_no_browser_knows_are_not_used(charset):
    found = decode(b"na\xefve \\ud800 +2AA-", charset)
    assert found == "naïve \\ud800 +2AA-"


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7\n1 0 obj",
        b"PK\x03\x04 word document",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0 photo",
        b"GIF89a",
        b"\x1f\x8b\x08 gzip",
        random.Random(1).randbytes(5000),
        bytes(1000),
        "hello".encode("utf-32"),
    ],
    ids="pdf zip png jpeg gif gzip random zeros utf-32".split(),
)
@pytest.mark.parametrize("declared", [None, "utf-8", "windows-1252"])
def test_what_is_no_text(content, declared):
    assert decode(content, declared) is None


def test_lines_end_in_one_way_and_stray_control_characters_go():
    assert decode(b"a\r\nb\rc\nd\te" + b" words" * 100 + b"\0\x01x") == "a\nb\nc\nd\te" + " words" * 100 + "x"


def test_nothing_is_nothing():
    assert decode(b"") == ""


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), max_size=200))
def test_all_text_survives_utf8(text):
    assert decode(codecs.BOM_UTF8 + text.encode(), "latin-1") == text


@settings(deadline=None)
@given(
    st.binary(max_size=300),
    st.none() | st.text(max_size=20) | st.sampled_from(["utf-16", "utf-16-x", "shift_jis", "hz", "iso-2022-jp"]),
)
def test_any_bytes_are_text_or_none(content, declared):
    text = decode(content, declared)
    if text is not None:
        text.encode("utf-8")  # no lone surrogate in it
        assert "\0" not in text
        assert "\r" not in text
