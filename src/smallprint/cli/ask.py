"""The commands `ask` and `chat`: answers in a terminal, a policy's sentences with marks instead of colours."""

from __future__ import annotations

import json
import os.path
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from typer import Argument, Option

from smallprint import limits
from smallprint.addresses import is_web
from smallprint.cli.options import Run
from smallprint.cli.output import INDENT, counted, print_json, say, wrapped
from smallprint.errors import BadConversation, BadSetting, BadSource
from smallprint.files import whole_file

if TYPE_CHECKING:
    from smallprint.records import Citation, Quote
    from smallprint.settings import Settings
    from smallprint.shelf import Shelf
    from smallprint.shelf.records import Answer, Conversation, Reply

PROMPT = "> "
GREETING = "Ask what a policy says, or which policies do something. Type “help” for help, “bye” to end."
# Marks the sentences behind the answer.
BEHIND = "→ "


def ask(
    run: Run,
    policy: str = Argument(
        ..., help="A policy's id, address or domain; or an address or file that is not in the library."
    ),
    question: str = Argument(..., help="What you want to know, in your own words."),
    version: str | None = Option(None, help="Ask this version: its id, the beginning of it or of its hash, or a date."),
    more: bool = Option(False, "--more", help="Show every relevant sentence, not only three."),
    summary: int = Option(0, min=0, max=10, help="Add this many of the most relevant passages."),
    ranker: str = Option("", help="Only rank the sentences, with this ranker, and give no answer."),
) -> None:
    """Ask a policy a question. The answer is its own sentences, what they come to, and how sure that is."""
    from smallprint.shelf import Shelf
    from smallprint.shelf.questions import ask_unstored, rank_unstored

    settings = run.settings()
    answer, ranking = None, None
    if _is_stored(policy, settings):
        with Shelf(settings) as shelf:
            if ranker:
                ranking = shelf.rank(policy, question, ranker, version)
            else:
                answer = shelf.ask(policy, question, version, passages=summary)
    elif version:
        raise BadSetting(f"{policy} is not in the library and has no versions there; leave out --version")
    elif ranker:
        ranking = rank_unstored(policy, question, ranker, settings)
    else:
        answer = ask_unstored(policy, question, settings, passages=summary)
    run.exit_if_json(answer or ranking)
    if answer:
        _print_answer(answer, more=more)
    for rank, sentence in enumerate(ranking or (), 1):
        say(wrapped(f"{rank:>2}. {sentence.score:.3f}  {sentence.text} (s{sentence.segment})", INDENT).strip())


def chat(
    run: Run,
    policy: str | None = Argument(None, help="The policy to begin with, by id, address or domain."),
    keep: Path | None = Option(
        None, help="Keep the conversation in this file, and continue the one there.", metavar="FILE"
    ),
) -> None:
    """Talk with the library: questions and follow-ups, over one policy or many, answered with their own sentences.

    Reads lines until there are no more, or until "bye". An address is fetched only if you say yes to it.
    """
    with run.open_shelf() as shelf:
        fetch = shelf.with_settings(replace(shelf.settings, candidates="any")).keep
        conversation = _begin(shelf, policy, keep)
        if not run.as_json:
            say(GREETING, dim=True)
            for turn in conversation.past:
                say(f"{PROMPT}{turn.asked}", dim=True)
                say(wrapped(turn.said, INDENT), dim=True)
        for line in _lines(quiet=run.as_json):
            conversation, reply = shelf.reply(line, conversation, fetch)
            if keep is not None:
                with whole_file(keep) as part:
                    part.write_text(json.dumps(conversation.to_json(), ensure_ascii=False, indent=2), "utf-8")
            if run.as_json:
                print_json({"reply": reply, "conversation": conversation.to_json()}, indent=None)
            else:
                _print_reply(reply, line)
            if reply.ends:
                break


def _is_stored(policy: str, settings: Settings) -> bool:
    """Return whether a policy of the library is meant, rather than a file or an address that the library lacks."""
    from smallprint.shelf import Shelf

    if os.path.isfile(policy):  # noqa: PTH113 - False for a name that is too long for a file
        return False
    if not is_web(policy) or not settings.library.is_file():
        return not is_web(policy)
    with Shelf(settings) as shelf:
        return bool(shelf.known_by(policy))


def _begin(shelf: Shelf, policy: str | None, keep: Path | None) -> Conversation:
    """Begin a conversation, or continue the one in the file; a policy that is named is spoken of next."""
    from smallprint.shelf.records import from_json

    new = shelf.begin(policy)
    if keep is None or not keep.exists():
        return new
    try:
        kept = from_json(keep.read_text("utf-8")[: limits.MAX_CONVERSATION + 1])
    except (OSError, UnicodeDecodeError, BadConversation) as error:
        raise BadSource(f"{keep} cannot be read ({error}); name another file with --keep") from None
    return replace(kept, policy_id=new.policy_id or kept.policy_id, ended=False)


def _lines(*, quiet: bool) -> Iterator[str]:
    """Yield what is typed, line by line, after a prompt if it is typed in a terminal."""
    prompts = sys.stdin.isatty() and not quiet
    if prompts:
        with suppress(ImportError):  # not every system has it
            import readline  # noqa: F401 - lets lines be edited and recalled
    while True:
        try:
            yield input(PROMPT if prompts else "")
        except EOFError:
            if prompts:
                say()
            return


def _print_answer(answer: Answer, *, more: bool) -> None:
    """Print an answer with its policy; `more` adds the sentences beyond the first."""
    say(answer.title, bold=True)
    say(f"  {answer.url}")
    for note in answer.notes:
        say(f"  {note}", dim=True)
    say()
    _print_line_and_quotes(answer)
    if answer.rest and more:
        say("\nMore:", bold=True)
        _print_quotes(answer.rest)
    elif answer.rest:
        say(f"\n{counted(len(answer.rest), 'more sentence')} with --more.", dim=True)
    if answer.summary:
        say("\nMost relevant passages:", bold=True)
        for passage in answer.summary:
            say(f"\n{wrapped(f'{passage.text} (s{passage.segment})', INDENT)}")


def _print_reply(reply: Reply, line: str) -> None:
    """Print a reply: which policy was asked what, the answer, the sentences, what to ask next."""
    say()
    answer = reply.answer if reply.kind == "answer" else None
    if reply.policy is not None:
        # A follow-up is completed to a whole question; say which.
        asked = answer.question if answer else ""
        question = f": {asked}" if asked not in {"", " ".join(line.split())} else ""
        say(f"{reply.policy.name} ({reply.policy.domain}){question}", dim=True)
    if answer is not None:
        _print_line_and_quotes(answer)
    else:
        for number, words in enumerate(reply.lines):
            say(wrapped(words), bold=number == 0)
    for column in reply.compared:
        if column.line:
            say(wrapped(f"{column.name}: {column.line}"))
    for citation in reply.policies:
        say()
        if reply.policy is None or citation.policy_id != reply.policy.policy_id:
            say(f"  {citation.name} ({citation.domain})", bold=True)
        _print_citation(citation, f"“{citation.text}” (s{citation.segment})")
    for number, option in enumerate(reply.options, 1):
        say(wrapped(f"{number}. {option}", INDENT))
    if reply.more:
        say("\nType “more” for the rest.", dim=True)
    elif reply.suggestions:
        say(wrapped(f"You could ask: {' · '.join(reply.suggestions)}"), dim=True)
    say()


def _print_line_and_quotes(answer: Answer) -> None:
    """Print the line of an answer, and its first sentences."""
    from smallprint.shelf.records import chance

    say(wrapped(answer.line), bold=True)
    if answer.quotes:
        say(f"({answer.state}; {chance(answer.confidence)} sure)", dim=True)
    _print_quotes(answer.quotes)


def _print_quotes(quotes: tuple[Quote, ...]) -> None:
    """Print sentences under their headings, with marks around the part that answers."""
    above: tuple[str, ...] | None = None
    for quote in quotes:
        say()
        if quote.headings != above and quote.headings:
            say(f"  {' › '.join(quote.headings)}", dim=True)
        above, text = quote.headings, quote.text
        if quote.answer is not None:
            start, end = quote.answer.start - quote.start, quote.answer.end - quote.start
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
        about = f"; {quote.practice}" if quote.practice else ""
        _print_citation(quote, f"{BEHIND if quote.earns else ''}“{text}” (s{quote.segment}{about})")


def _print_citation(citation: Citation, words: str) -> None:
    if citation.lead_in:
        say(wrapped(f"{citation.lead_in} …", INDENT), dim=True)
    say(wrapped(words, INDENT))
