"""What every worker needs, imported and loaded once in the process that forks them."""

from __future__ import annotations

from smallprint.clean import cleaning
from smallprint.clean.language import language
from smallprint.library import packing
from smallprint.text import sentences

language("Loaded here once, and shared by all workers.")
sentences("Loaded here once. Shared by all workers.")

__all__ = ["cleaning", "packing"]
