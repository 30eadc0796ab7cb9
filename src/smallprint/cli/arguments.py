"""The words of a command line, as text: what is no UTF-8 is told before any command runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def fault(arguments: list[str]) -> str:
    """Return what is wrong with the arguments, or nothing.

    Python hands over bytes that are no UTF-8 as half surrogates, which nothing can store or look for. Names of files
    may have any bytes, if the file is there.
    """
    for argument in arguments:
        value = argument.partition("=")[2] if argument.startswith("-") else argument
        if not is_text(value) and not os.path.lexists(value):
            return f"{value[:200]!a} is not written in UTF-8; check the encoding of the terminal (see 'locale')"
    return ""


def is_text(value: str) -> bool:
    """Tell whether a string can be written as UTF-8."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_file(argument: str) -> bool:
    """Tell whether an argument names a file; a name too long for one does not."""
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):
        return False


def restart_in_utf8() -> None:
    """Start the command anew in Python's UTF-8 mode where names and output would be ASCII alone.

    Python does so by itself for LC_ALL=C, unless PYTHONUTF8=0 forbids it.
    """
    if sys.getfilesystemencoding() == "ascii":
        arguments = [sys.executable, "-X", "utf8", "-m", "smallprint", *sys.argv[1:]]
        os.execv(sys.executable, arguments)  # noqa: S606 - this very program, without a shell
