"""A library from Python: what is in it, as records and tables; the API and the command line say the same."""

from smallprint.shelf.shelf import Shelf

__all__ = ["Shelf"]
