"""The one way in: `Shelf` opens a library, its indexes and its models once, and has every operation as a method.

Names of policies, words and files come in; records go out. Pages, API, voice, MCP and commands call it and nothing
below it; `smallprint.open()` gives it to Python.
"""

from smallprint.shelf.shelf import Shelf

__all__ = ["Shelf"]
