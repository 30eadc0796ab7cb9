"""How much of a library is read for one question."""

from __future__ import annotations

import pytest

from smallprint import limits
from smallprint.assistant.across import gathering
from smallprint.assistant.across.parsing import parse
from smallprint.assistant.desk import Desk
from smallprint.index.opening import Engines
from smallprint.library import Library, reading
from smallprint.library.directory import directory
from smallprint.settings import Settings


def test_only_so_much_of_a_library_is_read(own_sample, monkeypatch):
    desk, engine = Desk(), Engines(Settings(library=own_sample)).engine("policy")
    question = parse("Which policies share data with advertisers?", "list", desk.kit)
    sentences, read = gathering.sentences_of, []

    def counting(text, segments):
        read.append(len(text))
        return sentences(text, segments)

    def lengths(most):
        monkeypatch.setattr(limits, "MAX_LIBRARY_READ", most)
        read.clear()
        with Library(own_sample) as library:
            known = {policy.policy_id: policy for policy in directory(library)}
            gathering.gather(desk, library, known, engine, question, most=100)
        return list(read)

    monkeypatch.setattr(gathering, "sentences_of", counting)
    every = lengths(10**9)
    assert len(every) > 3
    assert lengths(every[0]) == every[:2]
    assert lengths(every[0] - 1) == every[:1]


@pytest.mark.parametrize("asked", ["Which companies sell my data?", "Which sites do not share data with advertisers?"])
def test_policies_are_read_in_a_few_statements(own_sample, asked):
    desk, engine = Desk(), Engines(Settings(library=own_sample)).engine("policy")
    statements = []
    with Library(own_sample) as library:
        known = {policy.policy_id: policy for policy in directory(library)}
        library.db.set_trace_callback(statements.append)
        gathered = gathering.gather(desk, library, known, engine, parse(asked, "list", desk.kit))
    assert gathered.read > 10
    assert len(statements) <= 4
    for citation in gathered.policies:
        with Library(own_sample) as library:
            text = reading.text(library, citation.version_id)
        assert text[citation.start : citation.end] == citation.text
