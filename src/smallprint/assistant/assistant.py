"""A conversation over a library: what was said and where it stands in, the reply and where it stands now out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from smallprint import limits
from smallprint.ask.answer.answering import Answer
from smallprint.ask.answer.decision import SURELY_FOREIGN, State
from smallprint.ask.dialogue.acts import Act, Kind, next_act, unnamed
from smallprint.ask.dialogue.conversation import MOST_OPTIONS, Conversation, Option, Pending
from smallprint.ask.dialogue.fragments import clarification
from smallprint.ask.english.companies import compares
from smallprint.ask.question.analysis import ask
from smallprint.assistant import replies
from smallprint.assistant.across.answers import compared, listed
from smallprint.assistant.desk import Desk, source_of
from smallprint.assistant.findings import surprises, vague_parts
from smallprint.assistant.names import WELL_KNOWN, Directory, Mention, plain_name
from smallprint.assistant.replies import OF_LIBRARY, OF_POLICY, Reply, ReplyKind, Spoken, note, suggestions
from smallprint.errors import SmallprintError
from smallprint.index.engine import Engine
from smallprint.library import Library
from smallprint.library.directory import directory, well_known
from smallprint.library.statistics import rates
from smallprint.pipeline.ingest import Outcome
from smallprint.records import Span

Fetch = Callable[[str], Outcome]
Turn = tuple[Conversation, Reply]
Kept = TypeVar("Kept")
# So many further sentences are told at a time.
STEP = 3


@dataclass(slots=True, eq=False)
class Assistant:
    """Answers turn by turn; it keeps nothing of any conversation, so that threads and conversations may share it."""

    desk: Desk
    engine: Callable[[], Engine]
    _kept: dict[object, tuple[object, Any]] = field(default_factory=dict, init=False)

    def reply(self, library: Library, conversation: Conversation, text: str, fetch: Fetch | None = None) -> Turn:
        """Answer what somebody says; `fetch` adds the policy at an address, and without it nothing is ever fetched."""
        text = " ".join(text[: limits.MAX_TURN].split())
        known = self.kept(library, self.names)
        mentions = known.find(text)
        act = next_act(text, conversation, mentions)
        now, reply = _Reply(self, library, known, conversation, act, mentions, text, fetch).made()
        return replace(now, past=now.remember(text, reply.lines[0]), ended=reply.ends), reply

    def names(self, library: Library) -> Directory:
        """Return who is known by which name."""
        return Directory(directory(library), self.desk.kit.words, well_known(library, WELL_KNOWN))

    def kept(self, library: Library, make: Callable[[Library], Kept]) -> Kept:
        """Return what is dear to make; it is kept for as long as the library stays as it is."""
        state = library.path, library.state()
        entry = self._kept.get(make)
        if entry is None or entry[0] != state:
            entry = self._kept[make] = (state, make(library))
        result: Kept = entry[1]
        return result


@dataclass(slots=True)
class _Reply:
    """One turn: where the conversation was, what was said, and what is to be done about it."""

    assistant: Assistant
    library: Library
    known: Directory
    was: Conversation
    act: Act
    mentions: Sequence[Mention]
    text: str
    fetch: Fetch | None

    def made(self) -> Turn:
        """Do what is to be done."""
        act, was = self.act, self.was
        plain = replies.plain_reply(act.does, spoken_of=bool(was.policy_id), asked=bool(was.question))
        if plain is not None:
            return (Conversation() if act.does == "restart" else self._settled), plain
        if act.does == "fetch":
            return self._fetched()
        if act.does == "more":
            return self._more()
        return self._over_library() if act.does == "library" else self._of_policy()

    @property
    def _settled(self) -> Conversation:
        """Where the conversation stands once nothing is waited for."""
        return replace(self.was, pending=None, asked_back=False)

    # One policy.

    def _of_policy(self) -> Turn:
        """Find the policy meant, and answer; where several may be meant, ask which, unless that was just done."""
        was, act = self.was, self.act
        policies = (act.policy_id,) if act.policy_id else self.mentions[0].policies if self.mentions else ()
        # Of "compare X and Y" one may be unknown.
        if not policies or (self.mentions and compares(self.text)):
            name = self.known.unknown(self.text)
            if name is not None:
                return self._offered(name)
        if len(policies) > 1 and not was.asked_back:
            return self._which(self.mentions[0])
        policy_id = policies[0] if policies else was.policy_id
        if policy_id not in self.known.by_id:
            return self._no_policy()
        now = replace(self._settled, policy_id=policy_id, over_library=False, told=0)
        if act.does == "of one":
            return now, self._of_one(policy_id)
        if not act.question:
            line = f"I have the policy of {self._name(policy_id)}. What do you want to know?"
            return replace(now, question=""), self._spoken("note", policy_id, line, suggestions=suggestions(""))
        return self._answered(replace(now, question=act.question), may_ask=not was.asked_back)

    def _answered(self, now: Conversation, *, may_ask: bool) -> Turn:
        answer = self._asked(now)
        may_ask = may_ask and answer.state in {State.ANSWERED, State.UNSURE}
        options = clarification(answer.question, answer.certainty, answer.quotes + answer.rest) if may_ask else ()
        if not options:
            return replace(now, told=len(answer.quotes)), self._told(now, answer)
        labels = tuple(option.label for option in options)
        line = f"Do you mean {labels[0]}, or {labels[1]}?"
        reply = self._spoken("clarify", now.policy_id, line, answer=answer, options=labels)
        return replace(now, pending=Pending("clarify", options, now.question), asked_back=True), reply

    def _asked(self, now: Conversation) -> Answer:
        source = source_of(self.known.by_id[now.policy_id])
        return self.assistant.desk.answer(self.library, source, now.question, passages=0)

    def _told(self, now: Conversation, answer: Answer) -> Reply:
        next_questions, more = suggestions(now.question), bool(answer.rest)
        return self._spoken("answer", now.policy_id, answer.line, answer=answer, suggestions=next_questions, more=more)

    def _of_one(self, policy_id: str) -> Reply:
        policy, library = self.known.by_id[policy_id], self.library
        kind: ReplyKind = "vague" if self.act.kind == "vaguest" else "surprising"
        if kind == "vague":
            lines, sentences = vague_parts(library, policy)
        else:
            lines, sentences = surprises(library, policy, self.assistant.kept(library, rates))
        further = suggestions("", OF_POLICY[kind == "vague"])
        return self._spoken(kind, policy_id, *lines, policies=sentences, suggestions=further)

    # Whom or what is meant.

    def _which(self, mention: Mention) -> Turn:
        by_id, question = self.known.by_id, self.act.question
        options = tuple(
            Option(replies.told_apart(by_id[policy_id], by_id.values()), question, policy_id)
            for policy_id in mention.policies[:MOST_OPTIONS]
        )
        whose = self._name(mention.policies[0]) if mention.name.islower() else mention.name
        line = f"There are {len(mention.policies)} policies of {whose}. Which one do you mean?"
        now = replace(self.was, pending=Pending("which", options, question), asked_back=True)
        return now, Reply("which", (line,), options=tuple(option.label for option in options))

    def _offered(self, name: str) -> Turn:
        """Offer to fetch what is not there: an address can be fetched, of a name one must be given."""
        address = name if "." in name and " " not in name else ""
        question = self.act.question
        at = question.find(name)
        question = unnamed(question, [Span(at, at + len(name))]) if at >= 0 else question
        reply = replies.offer(name, address, may_fetch=self.fetch is not None)
        if not address or not self.fetch:
            return self._settled, reply
        return replace(self.was, pending=Pending("fetch", (), question, address), asked_back=True), reply

    def _fetched(self) -> Turn:
        assert self.was.pending is not None
        address, now = self.was.pending.address, self._settled
        if self.fetch is None:
            return now, replies.offer(address, address, may_fetch=False)
        try:
            outcome = self.fetch(address if "://" in address else f"https://{address}")
        except SmallprintError as error:  # a conversation goes on, whatever is wrong with an address
            return now, note(f"It was not kept: not fetched ({error}).", ())
        if outcome.policy_id is None:
            return now, note(f"It was not kept: {outcome.reason} ({outcome.detail}).", ())
        now = replace(now, policy_id=outcome.policy_id, question=self.act.question)
        self.known = self.assistant.kept(self.library, self.assistant.names)
        if now.question:
            return self._answered(now, may_ask=False)
        line = f"I have the policy of {self._name(now.policy_id)} now. What do you want to know?"
        return now, self._spoken("fetched", now.policy_id, line)

    def _no_policy(self) -> Turn:
        """Say that nobody knows whose policy is meant; the question is kept for when it is named."""
        question = self.act.question
        now = replace(self._settled, policy_id="")
        if question and ask(question, self.assistant.desk.kit).foreign >= SURELY_FOREIGN:
            return now, note(replies.FOREIGN)
        now = replace(now, question=question)
        if self.was.asked_back:  # nobody is asked the same twice in a row
            return now, note("I need to know whose policy is meant: name a company or a domain that is in the library.")
        line = "Whose policy do you mean? Name a company or a domain, or ask about all of them."
        return replace(now, asked_back=True), Reply("which", (line,), suggestions=OF_LIBRARY)

    # Many policies.

    def _over_library(self) -> Turn:
        act = self.act
        now = replace(self._settled, question=act.question, over_library=act.kind != "compare", told=0)
        if act.kind == "compare":
            return now, compared(self.assistant.desk, self.library, self.known.by_id, act.question, self.mentions)
        return self._listed(now, act.kind)

    def _listed(self, now: Conversation, kind: Kind | None = None) -> Turn:
        """List policies, after those that were told before."""
        by_id, engine = self.known.by_id, self.assistant.engine()
        reply = listed(self.assistant.desk, self.library, by_id, engine, now.question, kind, now.told)
        return replace(now, told=now.told + len(reply.policies)), reply

    def _more(self) -> Turn:
        was, now = self.was, self._settled
        if was.over_library and was.question:
            return self._listed(now)
        if not was.question or was.policy_id not in self.known.by_id:
            return now, note("There is nothing yet that I could say more about.")
        answer = self._asked(was)
        further = answer.rest[max(0, was.told - len(answer.quotes)) :]
        if not further:
            line = "That is all in the policy that bears on it."
            return now, self._spoken("note", was.policy_id, line, suggestions=suggestions(was.question))
        part = replace(answer, line="It also says:", quotes=further[:STEP], rest=further[STEP:])
        return replace(now, told=was.told + len(part.quotes)), self._told(was, part)

    def _name(self, policy_id: str) -> str:
        return plain_name(self.known.by_id[policy_id])

    def _spoken(self, kind: ReplyKind, policy_id: str, *lines: str, **more: Any) -> Reply:
        """Return a reply about a policy."""
        policy = self.known.by_id[policy_id]
        whose = Spoken(policy_id, policy.version_id, plain_name(policy), policy.domain)
        return Reply(kind, lines, whose, **more)
