"""The command that asks a policy a question: ask."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from smallprint.cli.answers import INDENT, filled, print_answer
from smallprint.cli.arguments import is_file
from smallprint.cli.options import JsonOption, LibraryOption
from smallprint.cli.output import print_json

if TYPE_CHECKING:
    from smallprint.ask.answering import Ranked
    from smallprint.settings import Settings
    from smallprint.shelf.answers import PolicyAnswer


def ask(
    policy: Annotated[
        str, typer.Argument(help="A policy's id, address or domain; or the address or file of one not in the library.")
    ],
    question: Annotated[str, typer.Argument(help="What you want to know, in your own words.")],
    version: Annotated[
        str | None,
        typer.Option("--version", help="Ask this version: its id, the beginning of it or of its hash, or a date."),
    ] = None,
    more: Annotated[bool, typer.Option("--more", help="Show all sentences that bear on it, not only three.")] = False,
    summary: Annotated[
        int, typer.Option("--summary", min=0, max=10, help="Add so many passages that bear on the question most.")
    ] = 0,
    ranker: Annotated[
        str, typer.Option("--ranker", help="Only rank the sentences, by this ranker alone, and decide nothing.")
    ] = "",
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a policy a question: its own sentences, what they come to, and how sure that is."""
    from smallprint.errors import BadSetting
    from smallprint.settings import load
    from smallprint.shelf.answers import checked, known_ranker

    settings = load(library=library)
    checked(question)
    if ranker:
        known_ranker(ranker)
    answer, ranking = _stored(settings, policy, question, version, summary, ranker)
    if answer is None and ranking is None:
        if version:
            raise BadSetting(f"{policy} is not in the library and has no versions there; leave out --version")
        answer, ranking = _unstored(settings, policy, question, summary, ranker)
    if as_json:
        print_json(asdict(answer) if answer else [asdict(one) for one in ranking or ()])
    elif answer:
        print_answer(answer, more=more)
    else:
        _print_ranking(ranking or ())


_Found = tuple["PolicyAnswer | None", "tuple[Ranked, ...] | None"]


def _stored(settings: Settings, policy: str, question: str, version: str | None, summary: int, ranker: str) -> _Found:
    """Ask the library's policy, if it has it; a file of that name is meant before a policy is."""
    from smallprint.errors import NoSuchPolicy
    from smallprint.shelf import Shelf

    if is_file(policy) or (_is_address(policy) and not settings.library.is_file()):
        return None, None
    with Shelf(settings.library) as shelf:
        try:
            shelf.policy(policy)
        except NoSuchPolicy:
            if _is_address(policy):
                return None, None
            raise
        if ranker:
            return None, shelf.rank(policy, question, ranker, version)
        return shelf.ask(policy, question, version, passages=summary), None


def _unstored(settings: Settings, policy: str, question: str, summary: int, ranker: str) -> _Found:
    from smallprint.pipeline.adding import page_of
    from smallprint.processes.jobs import Jobs
    from smallprint.processes.worker import Limits
    from smallprint.shelf.answers import page_answer, page_ranking

    page = page_of(policy, settings)
    limits = Limits(settings.page_seconds, settings.page_memory)
    with Jobs(1) as jobs:
        if ranker:
            return None, jobs.submit(page_ranking, policy, page, settings, question, ranker, limits=limits).result()
        return jobs.submit(page_answer, policy, page, settings, question, summary, limits=limits).result(), None


def _is_address(policy: str) -> bool:
    return policy.lower().startswith(("http://", "https://"))


def _print_ranking(ranking: tuple[Ranked, ...]) -> None:
    for place, one in enumerate(ranking, 1):
        typer.echo(filled(f"{place:>2}. {one.score:.3f}  {one.text} (s{one.segment})", INDENT).strip())
