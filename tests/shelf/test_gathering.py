"""How much of a library is read for one question."""

from __future__ import annotations

from smallprint import limits
from smallprint.ask.desk import Desk
from smallprint.ask.library_questions import parse
from smallprint.library import Library
from smallprint.pipeline.engines import Engines
from smallprint.shelf import gathering


def test_only_so_much_of_a_library_is_read(own_sample, monkeypatch):
    desk, engine = Desk(), Engines(own_sample).engine("policy")
    question = parse("Which policies share data with advertisers?", "list", desk.kit)
    sentences, read = gathering._sentences, []

    def counting(text, segments):
        read.append(len(text))
        return sentences(text, segments)

    def lengths(most):
        monkeypatch.setattr(limits, "MAX_LIBRARY_READ", most)
        read.clear()
        with Library(own_sample) as library:
            gathering.gather(desk, library, engine, question, most=100)
        return list(read)

    monkeypatch.setattr(gathering, "_sentences", counting)
    every = lengths(10**9)
    assert len(every) > 3
    assert lengths(every[0]) == every[:2]
    assert lengths(every[0] - 1) == every[:1]
