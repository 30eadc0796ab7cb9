"""Questions over many policies, as replies: lists, comparisons, and what is vaguest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from smallprint.ask.answer.decision import State
from smallprint.ask.answer.first_line import plain_line
from smallprint.ask.dialogue.acts import Kind, kind_of, unnamed
from smallprint.ask.english.lexicon import pattern
from smallprint.assistant.across.gathering import AT_FIRST, Gathered, gather
from smallprint.assistant.across.parsing import LibraryQuestion, parse
from smallprint.assistant.desk import Desk, source_of
from smallprint.assistant.findings import vaguest_policies
from smallprint.assistant.names import Mention, plain_name
from smallprint.assistant.replies import OF_LIBRARY, Compared, Reply, named, note
from smallprint.card import Verdict
from smallprint.index.engine import Engine
from smallprint.library import Library
from smallprint.library.directory import Listed
from smallprint.pipeline.indexing import lag_of
from smallprint.sectors import sector
from smallprint.taxonomy import category
from smallprint.view.unusual import SILENCE

MOST_COMPARED = 4
# "compare what X and Y keep", once names are "you".
_BOTH = re.compile(r"\byou\b(?:\s*(?:,|and|or|vs\.?|versus|with|to|&)\s*(?:(?:that|those|what) of\s+)?you\b)+")
_COMPARES = pattern(
    r"^\W*(?:please\s+)?(?:(?:can you\s+)?compare|how do|what(?:'s| is| are) the differences? (?:between|in)|"
    r"the difference between)\s+"
)
_WHOLE = pattern(r"(?:the )?(?:polic(?:y|ies)(?: of)? )?you(?: differ| compare)?")
_BETTER = pattern(r"\b(?:better|worse|safer|good|bad|trustworthy)\b")
_WHAT = pattern(r"^what\s+you\s+(keep|collect|share|sell|use|store|know)$")
_HOW = pattern(r"^(how long|what(?: information)?|how|whom?|who)\s+you\b")
SAYS = plain_line(Verdict.TOLD)
NOT_UNDERSTOOD = (
    "I did not understand which practice is meant. Ask for what policies do or do not do, such as “which sites do not "
    "sell my data?”"
)


def listed(
    desk: Desk, library: Library, known: Mapping[str, Listed], engine: Engine, text: str, kind: Kind | None, skip: int
) -> Reply:
    """Answer which policies do something, do not, or are vaguest; `skip` those that were told before."""
    question = parse(text, kind or kind_of(text, 0) or "list", desk.kit)
    if question.kind == "vaguest":  # which is counted without an index
        gathered, lag = vaguest_policies(library, known, question, skip), ""
    elif question.matter is None and question.topic is None and not question.names:
        return note(NOT_UNDERSTOOD)
    else:
        gathered, lag = gather(desk, library, known, engine, question, skip=skip), lag_of(library, engine).note
    policies = gathered.policies
    lines = _lines(question, gathered, skip)
    if count := gathered.damaged:
        damaged = "1 policy is" if count == 1 else f"{count} policies are"
        lines.append(f"{damaged} left out, because the stored text is damaged.")
    lines += [lag] if lag else []
    suggestions = (*(f"What does {policy.name} say about deletion?" for policy in policies[:1]), *OF_LIBRARY[1:])
    return Reply("policies", tuple(lines), policies=policies, suggestions=suggestions, more=len(policies) == AT_FIRST)


def compared(
    desk: Desk, library: Library, known: Mapping[str, Listed], text: str, mentions: Sequence[Mention]
) -> Reply:
    """Ask two to four policies the same, and put what they say side by side."""
    question = _compared_about(text, mentions)
    lines = [f"Asked of each: “{question}”"]
    columns = []
    for policy_id in list(dict.fromkeys(mention.policies[0] for mention in mentions))[:MOST_COMPARED]:
        policy = known[policy_id]
        answer = desk.answer(library, source_of(policy), question, passages=0)
        if answer.state is State.SILENT and SILENCE not in lines:
            lines.append(SILENCE)
        best = max(answer.quotes, key=lambda quote: quote.probability, default=None)
        quote = named(policy, best) if best else None
        columns.append(Compared(plain_name(policy), "" if quote and answer.line == SAYS else answer.line, quote))
    quotes = tuple(column.quote for column in columns if column.quote)
    return Reply("comparison", tuple(lines), policies=quotes, compared=tuple(columns))


def _compared_about(text: str, mentions: Sequence[Mention]) -> str:
    """Return the question that is asked of each: "compare what X and Y keep" as "what do you keep?"."""
    rest = _COMPARES.sub("", _BOTH.sub("you", unnamed(text, mentions))).strip(" ?.!")
    if not rest or _WHOLE.fullmatch(rest) or _BETTER.search(rest):
        return "Who do you share my data with?"
    rest = _WHAT.sub(r"what information you \1", rest)
    if _HOW.match(rest):
        return _HOW.sub(r"\1 do you", rest).capitalize() + "?"
    about = re.match(r"you\s+(?:on|about|regarding|for|in terms of|when it comes to)\s+(.+)$", rest, re.IGNORECASE)
    return f"What do you say about {about[1]}?" if about else f"{rest[:1].upper()}{rest[1:]}?"


def _lines(question: LibraryQuestion, gathered: Gathered, skip: int) -> list[str]:
    """Return what the policies have in common, and which were left out since they say both."""
    if question.company is not None:
        among = question.company.called or question.company.id
    else:
        of = f" of the sector {', '.join(sector(each).name for each in question.sectors)}" if question.sectors else ""
        among = f"{'apps' if question.of_apps else 'policies'}{of}"
    if question.kind == "vaguest":
        about = f" about {category(question.category).plain}" if question.category else ""
        how = "plainest" if question.plainest else "vaguest"
        return [f"These {among} are {how}{about}, by the share of their sentences on it that are vague:"]
    if not gathered.policies:
        more = "further ones" if skip else f"{among} that say so"
        return [f"I found no {more}; I read {gathered.read} of {gathered.among}.", SILENCE]
    denied = question.wants == "does not"
    if len(gathered.policies) == 1:
        lines = [f"One says {'that it does not' if denied else 'so'}:"]
    else:
        lines = [f"These {among} say {'that they do not' if denied else 'so'}:"]
    count = gathered.saying_both
    if count and not skip:
        names = ", ".join(dict.fromkeys(citation.name for citation in gathered.both))
        both = "says both, and is" if count == 1 else "say both, and are"
        lines.append(f"{count} more {both} left out{': ' if count == len(gathered.both) else ', such as '}{names}.")
    return lines
