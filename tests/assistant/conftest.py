"""The assistant over the sample, and a way to play a conversation with it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from smallprint.ask.dialogue.conversation import Conversation, from_json
from smallprint.assistant.assistant import Assistant
from smallprint.assistant.desk import Desk
from smallprint.assistant.replies import Reply
from smallprint.index.opening import Engines
from smallprint.library import Library
from smallprint.settings import Settings


@dataclass(frozen=True)
class Said:
    """A reply, and where the conversation stands after it."""

    reply: Reply
    now: Conversation

    @property
    def kind(self):
        return self.reply.kind

    @property
    def whose(self):
        return self.reply.policy and self.reply.policy.domain.removesuffix(".example")

    @property
    def question(self):
        return self.now.question

    @property
    def domains(self):
        return [one.domain.removesuffix(".example") for one in self.reply.policies]

    @property
    def quotes(self):
        return " ".join(quote.text for quote in self.reply.answer.quotes) if self.reply.answer else ""


@pytest.fixture(scope="session")
def own_sample(copy_sample, tmp_path_factory):
    """Give a copy of the sample, since vectors of sentences are kept in a library that is asked."""
    return copy_sample(tmp_path_factory.mktemp("talk"))


@pytest.fixture(scope="session")
def talk(own_sample):
    """Give a function that plays a conversation; after every turn it is handed over as JSON."""
    desk, engines = Desk(), Engines(Settings(library=own_sample))
    with Library(own_sample) as library:

        def played(*turns, fetch=None, now=None):
            assistant = Assistant(desk, engines.engine)
            now = now or Conversation()
            said = []
            for turn in turns:
                now, reply = assistant.reply(library, now, turn, fetch)
                now = from_json(json.dumps(now.to_json()))
                said.append(Said(reply, now))
            return said

        yield played
