"""Smallprint finds, reads and questions the privacy policies of the web, on one's own machine."""

__version__ = "0.1.0"
