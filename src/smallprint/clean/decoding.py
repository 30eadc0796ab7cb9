"""A page's bytes, read as text whatever their charset is said to be; None for what is no text at all."""

from __future__ import annotations

import codecs
import re

WIDE = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
# Bytes no text has: more than one in a hundred of them, and the page is binary.
CONTROLS = bytes((*range(0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20)))
BINARY_SHARE = 0.01
# Of PDF, zip, PNG, JPEG, GIF, gzip, programs, sound and film, and of Word's older files.
PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF")
MAGIC = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"\xd0\xcf\x11\xe0", *PICTURES)
HEAD = 4096
# Mojibake that tells of a charset declared wrongly: UTF-8 read as a one-byte code.
MOJIBAKE = re.compile("[ÃÂ][\x80-\xbf]|â€")


def decode(content: bytes, declared: str | None = None) -> str | None:
    """Read bytes as text: by their mark, as UTF-8 if they are, as declared if that works, else as detected."""
    if content.startswith(MAGIC):
        return None
    wide = next((charset for mark, charset in WIDE if content.startswith(mark)), _declared_wide(content, declared))
    if wide:
        content, declared = content.decode(wide, "replace").encode("utf-8", "replace"), None
    bare = content.translate(None, CONTROLS)  # whole bytes in every other charset that pages are written in
    if len(content) - len(bare) > BINARY_SHARE * len(content):
        return None
    text = _read(bare.removeprefix(codecs.BOM_UTF8), declared).removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _declared_wide(content: bytes, declared: str | None) -> str:
    """Believe a header that says UTF-16 only of bytes that look like it: those of a blank are 32 and 0."""
    name = (declared or "").lower()
    if not name.startswith("utf-16") or b"\0" not in content[:HEAD]:
        return ""
    return "utf-16-be" if name.endswith("be") else "utf-16-le"


def _read(content: bytes, declared: str | None) -> str:
    try:
        # What is valid UTF-8 hardly ever is anything else, whatever the header says.
        return content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    in_page = META.search(content, 0, HEAD)
    for charset in (declared, in_page[1].decode("ascii") if in_page else None):
        if charset and (text := _try(content, charset)) is not None:
            return text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    detected: str = bytes_to_str(content, detect_encoding(content))
    return detected


def _try(content: bytes, charset: str) -> str | None:
    from resiliparse.parse.encoding import map_encoding_to_html5

    try:
        # Only what browsers know: Python's "unicode_escape" makes lone surrogates, its "punycode" takes quadratic time.
        name = map_encoding_to_html5(charset, fallback_utf8=False) or ""
        text = content.decode(name, "replace")
    except (LookupError, ValueError):
        return None
    # As UTF-16 any bytes would do, as Chinese; in UTF-8 with no character that is, there are windows-1252's quotes.
    if name.startswith("utf-16") or (name == "utf-8" and text.replace("\ufffd", "").isascii()):
        return None
    wrong = text.count("\ufffd") + len(MOJIBAKE.findall(text))
    return text if wrong <= len(text) / 500 else None
