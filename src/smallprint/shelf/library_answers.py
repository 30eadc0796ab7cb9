"""Questions over many policies, as replies: lists, comparisons, and what is vaguest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from smallprint.annotate.sentences import Sentence
from smallprint.ask.deciding import State
from smallprint.ask.desk import Desk
from smallprint.ask.dialogue import unnamed
from smallprint.ask.library_questions import Kind, LibraryQuestion, kind_of, parse
from smallprint.ask.wording import first_line
from smallprint.index.engine import Engine
from smallprint.library import Library, reading
from smallprint.library.companies import company
from smallprint.library.directory import proper
from smallprint.library.findable import shown
from smallprint.pipeline.lag import lag_of
from smallprint.records import Span
from smallprint.sectors import sector
from smallprint.shelf.answers import PolicyAnswer, stored_answer
from smallprint.shelf.gathering import AT_FIRST, Gathered, PolicySaid, gather, policy_said
from smallprint.shelf.names import Mention
from smallprint.shelf.replies import Compared, Reply
from smallprint.shelf.suggestions import OF_LIBRARY, of_policies
from smallprint.shelf.vaguest import vaguest_policies
from smallprint.taxonomy import category
from smallprint.view.unusual import SILENCE

MOST_COMPARED = 4
# "compare what X and Y keep", once names are "you".
_BOTH = re.compile(r"\byou\b(?:\s*(?:,|and|or|vs\.?|versus|with|to|&)\s*(?:(?:that|those|what) of\s+)?you\b)+")
_COMPARES = re.compile(
    r"^\W*(?:please\s+)?(?:(?:can you\s+)?compare|how do|what(?:'s| is| are) the differences? (?:between|in)|"
    r"the difference between)\s+",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"(?:the )?(?:polic(?:y|ies)(?: of)? )?you(?: differ| compare)?", re.IGNORECASE)
_BETTER = re.compile(r"\b(?:better|worse|safer|good|bad|trustworthy)\b", re.IGNORECASE)
_WHAT = re.compile(r"^what\s+you\s+(keep|collect|share|sell|use|store|know)$", re.IGNORECASE)
_HOW = re.compile(r"^(how long|what(?: information)?|how|whom?|who)\s+you\b", re.IGNORECASE)
SAYS = first_line(State.ANSWERED, "what", ()).text
NOT_UNDERSTOOD = (
    "I did not understand which practice is meant. Ask for what policies do or do not do, such as “which sites do not "
    "sell my data?”"
)


def listed(
    desk: Desk, library: Library, engine: Engine, text: str, kind: Kind | None, skip: int = 0, most: int = AT_FIRST
) -> Reply:
    """Answer which policies do something, do not, or are vaguest; `skip` those that were told before."""
    question = parse(text, kind or kind_of(text, 0) or "list", desk.kit)
    if question.kind == "vaguest":
        found = vaguest_policies(library, question, most, skip)
    elif question.matter is None and question.topic is None and not question.names:
        return Reply("note", (NOT_UNDERSTOOD,), suggestions=OF_LIBRARY)
    else:
        found = gather(desk, library, engine, question, most, skip)
    note = lag_of(library, engine).note if question.kind != "vaguest" else ""  # which is counted without an index
    lines = (*_lines(question, found, skip), *_left_out(found.damaged), *([note] if note else []))
    return Reply(
        "policies", lines, policies=found.policies,
        suggestions=of_policies([one.name for one in found.policies]), more=len(found.policies) == most,
    )  # fmt: skip


def compared(desk: Desk, library: Library, text: str, mentions: Sequence[Mention]) -> Reply:
    """Ask two to four policies the same, and put what they say side by side."""
    question = _compared_about(text, mentions)
    policies = dict.fromkeys(mention.policies[0] for mention in mentions)
    answers = [_asked(desk, library, one, question) for one in list(policies)[:MOST_COMPARED]]
    every = tuple(
        Compared(_name(library, policy_id), "" if said and answer.line == SAYS else answer.line, said)
        for policy_id, (said, answer) in zip(policies, answers, strict=False)
    )
    lines = [f"Asked of each: “{question}”"]
    if any(answer.state is State.SILENT for _, answer in answers):
        lines.append(SILENCE)
    return Reply("comparison", tuple(lines), policies=tuple(one.said for one in every if one.said), compared=every)


def _asked(desk: Desk, library: Library, policy_id: str, question: str) -> tuple[PolicySaid | None, PolicyAnswer]:
    entry = reading.find_policy(library, policy_id)
    answer = stored_answer(desk, library, entry, entry.current, question, passages=0)
    if not answer.quotes:
        return None, answer
    best = max(answer.quotes, key=lambda one: one.probability)
    own = Sentence(best.text, best.headings, best.segment, best.start, best.end, best.before or "")
    return policy_said(library, shown(library, policy_id), own), answer


def _name(library: Library, policy_id: str) -> str:
    domain = shown(library, policy_id).domain
    known = company(library, domain)
    return proper(known.name) if known else domain


def _compared_about(text: str, mentions: Sequence[Mention]) -> str:
    """Give the question that is asked of each: "compare what X and Y keep" as "what do you keep?"."""
    places = [Span(one.start, one.end) for one in mentions]
    rest = _COMPARES.sub("", _BOTH.sub("you", unnamed(text, places))).strip(" ?.!")
    if not rest or _WHOLE.fullmatch(rest) or _BETTER.search(rest):
        return "Who do you share my data with?"
    rest = _WHAT.sub(r"what information you \1", rest)
    if _HOW.match(rest):
        return _HOW.sub(r"\1 do you", rest).capitalize() + "?"
    about = re.match(r"you\s+(?:on|about|regarding|for|in terms of|when it comes to)\s+(.+)$", rest, re.IGNORECASE)
    return f"What do you say about {about[1]}?" if about else f"{rest[:1].upper()}{rest[1:]}?"


def _lines(question: LibraryQuestion, found: Gathered, skip: int) -> tuple[str, ...]:
    count, among = len(found.policies), _among(question)
    if question.kind == "vaguest":
        how = "plainest" if question.plainest else "vaguest"
        about = f" about {_about(question)}" if question.topic or question.labels else ""
        return (f"These {among} are {how}{about}, by the share of their sentences on it that are vague:",)
    if not count:
        more = "further ones" if skip else f"{among} that say so"
        return (f"I found no {more}; I read {found.read} of {found.among}.", SILENCE)
    denied = question.wants == "does not"
    if count == 1:
        lines = [f"One says {'that it does not' if denied else 'so'}:"]
    else:
        lines = [f"These {among} say {'that they do not' if denied else 'so'}:"]
    if found.both and not skip:
        named = ", ".join(dict.fromkeys(one.name for one in found.both))
        one = found.saying_both == 1
        lines.append(
            f"{found.saying_both} more {'says' if one else 'say'} both, and {'is' if one else 'are'} left out"
            f"{': ' if found.saying_both == len(found.both) else ', such as '}{named}."
        )
    return tuple(lines)


def _left_out(damaged: int) -> tuple[str, ...]:
    """Say how many policies could not be read."""
    if not damaged:
        return ()
    what = "1 policy is" if damaged == 1 else f"{damaged} policies are"
    return (f"{what} left out, because the stored text is damaged.",)


def _among(question: LibraryQuestion) -> str:
    if question.company is not None:
        return question.company.called
    of = f" of the sector {', '.join(sector(one).name for one in question.sectors)}" if question.sectors else ""
    return f"{'apps' if question.of_apps else 'policies'}{of}"


def _about(question: LibraryQuestion) -> str:
    if question.topic:
        return category(question.topic.category).plain
    return category(question.labels[0].category).plain
