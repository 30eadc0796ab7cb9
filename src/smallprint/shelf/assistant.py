"""A conversation over a library: what was said and where it stands in, the reply and where it stands now out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from smallprint import limits
from smallprint.ask.asked import ask
from smallprint.ask.clarifying import Evident, clarification
from smallprint.ask.conversation import MOST_OPTIONS, Conversation, Option, Pending
from smallprint.ask.deciding import SURELY_FOREIGN, State
from smallprint.ask.desk import Desk
from smallprint.ask.dialogue import Act, next_act, unnamed
from smallprint.ask.scorers.pribot import certainty
from smallprint.ask.slots import compares
from smallprint.errors import SmallprintError
from smallprint.index.engine import Engine
from smallprint.library import Library, reading
from smallprint.library.directory import directory, well_known
from smallprint.library.rates import LibraryRates, rates
from smallprint.pipeline.adding import Outcome
from smallprint.records import Span
from smallprint.shelf import wordings
from smallprint.shelf.answers import PolicyAnswer, stored_answer
from smallprint.shelf.library_answers import compared, listed
from smallprint.shelf.names import WELL_KNOWN, Directory, Mention, plain_name
from smallprint.shelf.replies import Reply, ReplyKind, Spoken
from smallprint.shelf.single import surprises, vague_parts
from smallprint.shelf.suggestions import OF_LIBRARY, OF_POLICY, suggestions
from smallprint.taxonomy import CATEGORIES

Fetch = Callable[[str], Outcome]
# So many further sentences are told at a time.
STEP = 3
_CATEGORY = {one.plain: one.id for one in CATEGORIES}


class Assistant:
    """Answers turn by turn; it keeps nothing of any conversation, so that threads and conversations may share it.

    `fetch` adds the policy at an address to the library; without it nothing is ever fetched.
    """

    def __init__(self, desk: Desk, engine: Callable[[], Engine], fetch: Fetch | None = None) -> None:
        self._desk = desk
        self._engine = engine
        self._fetch = fetch
        self._lock = threading.Lock()
        self._directories: dict[tuple[Path, str | None], Directory] = {}
        self._rates: dict[tuple[Path, str | None], LibraryRates] = {}

    def begin(self, library: Library, policy: str | None = None) -> Conversation:
        """Begin a conversation, on a policy if one is named."""
        return Conversation(policy_id=reading.find_policy(library, policy).policy_id if policy else "")

    def reply(self, library: Library, conversation: Conversation, text: str) -> tuple[Conversation, Reply]:
        """Answer what somebody says."""
        text = " ".join(text[: limits.MAX_TURN].split())
        known = self._directory(library)
        mentions = known.find(text)
        act = next_act(text, conversation, [Span(one.start, one.end) for one in mentions])
        now, said = self._done(library, known, conversation, act, mentions, text)
        return replace(now, past=now.remember(text, said.lines[0]), ended=said.ends), said

    def _done(
        self, library: Library, known: Directory, was: Conversation, act: Act, mentions: Sequence[Mention], text: str
    ) -> tuple[Conversation, Reply]:
        plain = wordings.plain(act.does, spoken_of=bool(was.policy_id), asked=bool(was.question))
        if plain is not None:
            kept = Conversation() if act.does == "restart" else replace(was, pending=None, asked_back=False)
            return kept, plain
        if act.does == "fetch":
            return self._fetched(library, was, act)
        if act.does == "more":
            return self._more(library, known, was)
        if act.does == "library":
            return self._over_library(library, known, was, act, mentions)
        return self._of_policy(library, known, was, act, mentions, text)

    # One policy.

    def _of_policy(
        self, library: Library, known: Directory, was: Conversation, act: Act, mentions: Sequence[Mention], text: str
    ) -> tuple[Conversation, Reply]:
        """Find the policy meant, and answer; where several may be meant, ask which, unless that was just done."""
        policy_id = act.policy_id
        if mentions and compares(text):  # "compare X and Y", of which one is not there
            name = known.unknown(text)
            if name is not None:
                return self._offered(was, act, name)
        if not policy_id and mentions:
            found = mentions[0].policies
            if len(found) > 1 and not was.asked_back:
                return self._which(known, was, act, mentions[0])
            policy_id = found[0]
        if not policy_id:
            name = known.unknown(text)
            if name is not None:
                return self._offered(was, act, name)
            policy_id = was.policy_id
        if policy_id not in known.by_id:
            return self._no_policy(was, act)
        now = replace(was, policy_id=policy_id, pending=None, asked_back=False, over_library=False, told=0)
        if act.does == "of one":
            return self._of_one(library, known, now, act)
        if not act.question:
            said = Reply("note", (f"I have the policy of {_name(known, policy_id)}. What do you want to know?",),
                         _spoken(library, known, policy_id), suggestions=suggestions(""))  # fmt: skip
            return replace(now, question=""), said
        return self._answered(library, known, replace(now, question=act.question), may_ask=not was.asked_back)

    def _answered(
        self, library: Library, known: Directory, now: Conversation, *, may_ask: bool
    ) -> tuple[Conversation, Reply]:
        entry = reading.find_policy(library, now.policy_id)
        found = stored_answer(self._desk, library, entry, entry.current, now.question, passages=0)
        options = self._options(now.question, found) if may_ask else ()
        if options:
            line = f"Do you mean {options[0].label}, or {options[1].label}?"
            said = Reply("clarify", (line,), _spoken(library, known, now.policy_id), found,
                         options=tuple(one.label for one in options))  # fmt: skip
            return replace(now, pending=Pending("clarify", options, now.question), asked_back=True), said
        said = Reply(
            "answer", (found.line,), _spoken(library, known, now.policy_id), found,
            suggestions=suggestions(now.question), more=bool(found.rest),
        )  # fmt: skip
        return replace(now, told=len(found.quotes)), said

    def _options(self, question: str, found: PolicyAnswer) -> tuple[Option, ...]:
        if found.state not in {State.ANSWERED, State.UNSURE}:
            return ()
        best = sorted((*found.quotes, *found.rest), key=lambda one: -one.probability)
        evident = [Evident(_CATEGORY.get(one.practice or ""), one.probability) for one in best]
        return clarification(question, float(certainty(ask(question, self._desk.kit).labels)), evident)

    def _of_one(self, library: Library, known: Directory, now: Conversation, act: Act) -> tuple[Conversation, Reply]:
        if act.kind == "vaguest":
            kind: ReplyKind = "vague"
            told = vague_parts(library, now.policy_id)
        else:
            kind, told = "surprising", surprises(library, now.policy_id, self._rates_of(library))
        said = Reply(kind, told.lines, _spoken(library, known, now.policy_id), policies=told.sentences,
                     suggestions=suggestions("", OF_POLICY[kind == "vague"]))  # fmt: skip
        return replace(now, question=now.question), said

    # Whom or what is meant.

    def _which(self, known: Directory, was: Conversation, act: Act, mention: Mention) -> tuple[Conversation, Reply]:
        options = tuple(
            Option(wordings.told_apart(known.by_id[one], known.by_id.values()), act.question, one)
            for one in mention.policies[:MOST_OPTIONS]
        )
        whose = _name(known, mention.policies[0]) if mention.name.islower() else mention.name
        line = f"There are {len(mention.policies)} policies of {whose}. Which one do you mean?"
        now = replace(was, pending=Pending("which", options, act.question), asked_back=True)
        return now, Reply("which", (line,), options=tuple(one.label for one in options))

    def _offered(self, was: Conversation, act: Act, name: str) -> tuple[Conversation, Reply]:
        """Offer to fetch what is not there: an address can be fetched, of a name one must be given."""
        address = name if "." in name and " " not in name else ""
        at = act.question.find(name)
        question = unnamed(act.question, [Span(at, at + len(name))]) if at >= 0 else act.question
        said = wordings.offer(name, address, may_fetch=self._fetch is not None)
        if not address or self._fetch is None:
            return replace(was, pending=None, asked_back=False), said
        return replace(was, pending=Pending("fetch", (), question, address), asked_back=True), said

    def _fetched(self, library: Library, was: Conversation, act: Act) -> tuple[Conversation, Reply]:
        assert was.pending is not None
        address = was.pending.address
        now = replace(was, pending=None, asked_back=False)
        if self._fetch is None:
            return now, wordings.offer(address, address, may_fetch=False)
        try:
            outcome = self._fetch(address if "://" in address else f"https://{address}")
        except SmallprintError as error:  # a conversation goes on, whatever is wrong with an address
            return now, Reply("note", (f"It was not kept: not fetched ({error}).",))
        if outcome.policy_id is None:
            return now, Reply("note", (f"It was not kept: {outcome.reason} ({outcome.detail}).",))
        now = replace(now, policy_id=outcome.policy_id, question=act.question)
        known = self._directory(library)
        if act.question:
            return self._answered(library, known, now, may_ask=False)
        line = f"I have the policy of {_name(known, outcome.policy_id)} now. What do you want to know?"
        return now, Reply("fetched", (line,), _spoken(library, known, outcome.policy_id))

    def _no_policy(self, was: Conversation, act: Act) -> tuple[Conversation, Reply]:
        """Say that nobody knows whose policy is meant; the question is kept for when it is named."""
        if act.question and ask(act.question, self._desk.kit).foreign >= SURELY_FOREIGN:
            now = replace(was, policy_id="", pending=None, asked_back=False)
            return now, Reply("note", (wordings.FOREIGN,), suggestions=OF_LIBRARY)
        now = replace(was, policy_id="", question=act.question, pending=None, asked_back=True)
        if was.asked_back:  # nobody is asked the same twice in a row
            return replace(now, asked_back=False), Reply("note", (wordings.UNKNOWN,), suggestions=OF_LIBRARY)
        return now, Reply("which", (wordings.WHOSE,), suggestions=OF_LIBRARY)

    # Many policies.

    def _over_library(
        self, library: Library, known: Directory, was: Conversation, act: Act, mentions: Sequence[Mention]
    ) -> tuple[Conversation, Reply]:
        assert act.kind is not None
        now = replace(was, question=act.question, pending=None, asked_back=False, over_library=True, told=0)
        if act.kind == "compare":
            said = compared(self._desk, library, act.question, mentions)
            return replace(now, over_library=False), said
        said = listed(self._desk, library, self._engine(), act.question, act.kind)
        return replace(now, told=len(said.policies)), said

    def _more(self, library: Library, known: Directory, was: Conversation) -> tuple[Conversation, Reply]:
        now = replace(was, pending=None, asked_back=False)
        if was.over_library and was.question:
            said = listed(self._desk, library, self._engine(), was.question, None, was.told)
            return replace(now, told=was.told + len(said.policies)), said
        if not was.question or was.policy_id not in known.by_id:
            return now, Reply("note", (wordings.NOTHING_MORE,), suggestions=OF_LIBRARY)
        entry = reading.find_policy(library, was.policy_id)
        found = stored_answer(self._desk, library, entry, entry.current, was.question, passages=0)
        further = found.rest[max(0, was.told - len(found.quotes)) :]
        spoken = _spoken(library, known, was.policy_id)
        if not further:
            return now, Reply("note", (wordings.ALL,), spoken, suggestions=suggestions(was.question))
        line = wordings.FURTHER
        part = replace(found, line=line, quotes=further[:STEP], rest=further[STEP:])
        said = Reply("answer", (line,), spoken, part, suggestions=suggestions(was.question), more=bool(part.rest))
        return replace(now, told=was.told + len(part.quotes)), said

    # What is dear to make is kept for as long as the library stays as it is.

    def _directory(self, library: Library) -> Directory:
        key = library.path, library.state()
        with self._lock:
            found = self._directories.get(key)
        if found is None:
            found = Directory(directory(library), self._desk.kit.words, well_known(library, WELL_KNOWN))
            with self._lock:
                self._directories = {key: found}
        return found

    def _rates_of(self, library: Library) -> LibraryRates:
        key = library.path, library.state()
        with self._lock:
            found = self._rates.get(key)
        if found is None:
            found = rates(library)
            with self._lock:
                self._rates = {key: found}
        return found


def _name(known: Directory, policy_id: str) -> str:
    return plain_name(known.by_id[policy_id])


def _spoken(library: Library, known: Directory, policy_id: str) -> Spoken:
    one = known.by_id[policy_id]
    return Spoken(policy_id, reading.find_policy(library, policy_id).current_version, plain_name(one), one.domain)
