"""Characters that no reader sees and programs obey: a terminal its escapes, a browser marks that turn words around."""

from __future__ import annotations

import re

# Controls but for tab and newline, separators of lines and paragraphs, and marks that embed, override or isolate.
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
_CONTROLS = re.compile(f"[{CONTROLS}]")


def tidy(text: str) -> str:
    """Return words with single blanks between them, and without these characters."""
    line = " ".join(text.split())
    return line if line.isprintable() else " ".join(_CONTROLS.sub("", line).split())


def printable(text: str) -> str:
    """Put a sign in the place of each, so that a terminal shows words as they are and does nothing else."""
    return text if text.isprintable() else _CONTROLS.sub("\ufffd", text)


def escaped(document: str) -> str:
    """Write those in a JSON document by number: it means the same, and every line stays one."""
    return _CONTROLS.sub(lambda control: f"\\u{ord(control[0]):04x}", document)
