"""The models that answering takes, each loaded when it is first needed and once a process."""

from __future__ import annotations

from functools import cache, cached_property

from smallprint.models.card import CardReader, CardTower
from smallprint.models.card_mapper import CardMapper
from smallprint.models.card_student import CardStudent
from smallprint.models.combiner import Combiner
from smallprint.models.finder import Finder, SemVec
from smallprint.models.labels import student
from smallprint.models.mapper import Mapper
from smallprint.models.reader import Reader
from smallprint.models.towers import Base
from smallprint.models.vectors import shipped
from smallprint.models.verdicts import VerdictRule


class Kit:
    """All models; threads may share it."""

    base = cached_property(lambda self: Base())  # tokens and embeddings, which finder and reader share
    finder = cached_property(lambda self: Finder(self.base))  # turns texts into vectors
    reader = cached_property(lambda self: Reader(self.base))  # reads a question with a sentence
    card_reader = cached_property(lambda self: CardReader())  # says from vectors what sentences say on the card
    card_tower = cached_property(lambda self: CardTower(self.base))  # the same, from their words
    card_student = cached_property(lambda self: CardStudent())  # the same in a fraction of the time
    verdicts = cached_property(lambda self: VerdictRule())  # and from that what a policy says
    card_mapper = cached_property(lambda self: CardMapper(self.finder))  # says which question of the card is meant
    mapper = cached_property(lambda self: Mapper(self.finder))  # says which practices a question is about
    combiner = cached_property(lambda self: Combiner())  # weighs what all the others say
    semvec = cached_property(lambda self: SemVec())  # PriBot's baseline
    labeller = cached_property(lambda self: student())  # labels sentences quickly
    words = cached_property(lambda self: shipped())  # policy word vectors


@cache
def kit() -> Kit:
    """Return this process's models."""
    return Kit()
