"""The models that answering takes, each loaded when it is first needed and once a process."""

from __future__ import annotations

from functools import cache, cached_property

from smallprint.annotate.annotating import student
from smallprint.annotate.practices import Labeller
from smallprint.models.combiner import Combiner
from smallprint.models.finder import Finder
from smallprint.models.mapper import Mapper
from smallprint.models.reader import Reader
from smallprint.models.semvec import SemVec
from smallprint.models.towers import Base
from smallprint.models.vectors import Vectors, shipped


class Kit:
    """All models; threads may share it."""

    @cached_property
    def base(self) -> Base:
        """Tokens and embeddings, which finder and reader share."""
        return Base()

    @cached_property
    def finder(self) -> Finder:
        """Turns texts into vectors."""
        return Finder(self.base)

    @cached_property
    def reader(self) -> Reader:
        """Reads a question with a sentence."""
        return Reader(self.base)

    @cached_property
    def mapper(self) -> Mapper:
        """Says which practices a question is about."""
        return Mapper(self.finder)

    @cached_property
    def combiner(self) -> Combiner:
        """Weighs what all the others say."""
        return Combiner()

    @cached_property
    def semvec(self) -> SemVec:
        """PriBot's baseline."""
        return SemVec()

    @property
    def labeller(self) -> Labeller:
        """Labels sentences quickly."""
        return student()

    @cached_property
    def words(self) -> Vectors:
        """Policy word vectors."""
        return shipped()


@cache
def kit() -> Kit:
    """Give this process's models."""
    return Kit()
