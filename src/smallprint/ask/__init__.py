"""A question about a policy, answered by the policy's own sentences.

A question is made fit to be read and put into other words; the sentences of a policy are scored, and those that answer
are given with their places, or it is said that the policy is silent, or that nobody can be sure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smallprint.ask.answerer import SentenceAnswerer, SpanFinder
    from smallprint.models.mapper import Mapper, Nearest


def answerer() -> SentenceAnswerer:
    """Give what answers questions on policies given as sentences."""
    from smallprint.ask.answerer import SentenceAnswerer

    return SentenceAnswerer()


def span_reader() -> SpanFinder:
    """Give what finds the answer in a passage."""
    from smallprint.ask.answerer import SpanFinder

    return SpanFinder()


def mapper(system: str) -> Mapper | Nearest:
    """Give what says which practices a question is about: ours, or one of CMU's."""
    from smallprint.models.mapper import Mapper, Nearest

    if system == "mapper":
        return Mapper()
    return Nearest("words" if system == "bag of words" else "clusters")
