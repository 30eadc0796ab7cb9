"""The one SQLite file that owns pages, policies, versions, texts and what is known of them; the only SQL is here."""

from smallprint.library.file import Library

__all__ = ["Library"]
