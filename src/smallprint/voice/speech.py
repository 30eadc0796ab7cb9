"""Written text in, spoken text out: addresses by their domain, dates and signs in words, lists with "and"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from smallprint.controls import tidy
from smallprint.records import Quote
from smallprint.shelf.records import Reply

LONGEST = 300
_MONTHS = "January February March April May June July August September October November December".split()
# Not allowed in XML.
_UNSPEAKABLE = re.compile("[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _domain(address: re.Match[str]) -> str:
    """Return the domain of an address as it is spoken, and what ends the sentence."""
    bare = address[0].rstrip(".,;:!?'")
    host = re.sub(r"^(?:https?://)?(?:www\.)?", "", bare, flags=re.IGNORECASE)
    return re.split(r"[/?#:]", host)[0].replace(".", " dot ") + address[0][len(bare) :]


def _date(match: re.Match[str]) -> str:
    year, month, day = (int(part) for part in match.groups())
    return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= 12 and 1 <= day <= 31 else match[0]


# What is written, and what is spoken for it; applied in this order.
_SPOKEN_FORMS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), spoken)
    for pattern, spoken in (
        (r"\b(?:https?://|www\.)[^\s<>\"“”()]+", _domain),
        (r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+", lambda mail: mail[0].replace("@", " at ").replace(".", " dot ")),
        (r"\b(\d{4})-(\d{2})-(\d{2})\b", _date),
        (r"\b(?:[a-z0-9-]+\.)+(?:com|org|net|example|io|co|uk|eu|gov|edu|de|fr|us|app|info)\b",
         lambda domain: domain[0].replace(".", " dot ")),
        (r"\be\.\s?g\.,?", "for example,"),
        (r"\bi\.\s?e\.,?", "that is,"),
        (r"\betc\.?(?=\s*$)", "and so on."),
        (r"\betc\.", "and so on"),
        (r"\bvs?\.(?=\s)", "versus"),
        (r"\bU\.\s?S\.\s?A?\.?(?=\W|$)", "US"),
        (r"\bU\.\s?K\.(?=\W|$)", "UK"),
        (r"\b(Inc|Ltd|Corp|Co|LLC|Mr|Mrs|Ms|Dr)\.(?=\W)", r"\1"),
        (r"\bNo\.\s?(?=\d)", "number "),
        (r"§+\s*", "section "),
        (r"(?<=\d)\s?%", " percent"),
        (r"\s&\s", " and "),
        (r"\band/or\b", "or"),
        (r"\b24/7\b", "around the clock"),
        (r"(?<=[a-z])/(?=[a-z])", " or "),
        (r"(?<=\d)\s?[–—-]\s?(?=\d)", " to "),
        (r"(?<=[a-z])\((?:s|es|ies)\)", "s"),
        (r"\s*[–—]\s*", ", "),
        (r"[“”\"«»•·*_#|<>\[\]{}^~`\\]", " "),
        (r"…", "."),
        (r"\b(?-i:[A-Z]{6,})\b", lambda capitals: capitals[0].lower()),
    )
)  # fmt: skip


def for_ear(text: str) -> str:
    """Return a sentence as it is spoken, short enough to follow."""
    spoken = _UNSPEAKABLE.sub("", tidy(text))
    for pattern, instead in _SPOKEN_FORMS:
        spoken = pattern.sub(instead, spoken)
    spoken = re.sub(r"\s+([,.;:!?])", r"\1", " ".join(spoken.split()))
    if len(spoken) > LONGEST:
        spoken = f"{spoken[:LONGEST].rpartition(' ')[0].rstrip(',;:')}, and so on"
    if spoken and spoken[-1] not in ".!?:":  # so that the voice falls
        spoken = f"{spoken.rstrip(',;')}."
    return spoken[:1].upper() + spoken[1:]


def spoken_list(names: Sequence[str]) -> str:
    """Return a list as it is spoken: "a", "a and b", "a, b and c"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def ssml(sentences: Sequence[str]) -> str:
    """Return sentences in SSML, with a pause after each."""
    return f"<speak>{''.join(f'<s>{escape(sentence, quote=False)}</s>' for sentence in sentences)}</speak>"


MOST_SENTENCES = 3
MOST_NAMES = 5
# What is kept for "more" travels with every request.
MOST_UNTOLD = 8
HEAR_MORE = "Do you want to hear more?"
ON_THE_CARD = "The rest is on the card in your Alexa app."
# Alexa takes 8,000 characters, title and text together.
LONGEST_CARD, LONGEST_TITLE = 7_500, 200
_END = re.compile(r"(?<=[.!?])\s+")
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


@dataclass(frozen=True, slots=True)
class Card:
    """What the companion app shows."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Portion:
    """What is said now, and what of it was left for later; `more` where the assistant itself has more to tell."""

    sentences: tuple[str, ...]
    untold: tuple[str, ...] = ()
    more: bool = False
    card: Card | None = None


def portion_of(reply: Reply) -> Portion:
    """Put a reply into a few sentences."""
    head, body = _head(reply), _body(reply)
    if head and body and head[-1].endswith(":"):  # one sentence, to the ear
        head, body = head[:-1], [f"{head[-1]} {body[0]}", *body[1:]]
    now = first_portion((*head, *body), more=reply.more)
    return Portion(now.sentences, now.untold, reply.more, card_of(reply))


def first_portion(sentences: Sequence[str], *, more: bool) -> Portion:
    """Say what there is; where it is too much, the first of it, and ask whether to go on."""
    if len(sentences) <= MOST_SENTENCES and not more:
        return Portion(tuple(sentences))
    now = sentences[: MOST_SENTENCES - 1]
    return Portion((*now, HEAR_MORE), tuple(sentences[len(now) :])[:MOST_UNTOLD], more)


def card_of(reply: Reply) -> Card | None:
    """Put the policies' own words on a card, each with where it stands; None where no policy speaks."""
    quotes = (*reply.answer.quotes, *reply.answer.rest) if reply.answer else ()
    parts = [_quotation(quote) for quote in quotes] or [
        f"{citation.name} ({citation.domain}): “{' '.join(citation.text.split())}”\n"
        f"{citation.url}, version {citation.version_id}"
        for citation in reply.policies
    ]
    if not parts:
        return None
    title = reply.policy.name if reply.policy else "Smallprint"
    line = reply.answer.line if reply.answer else " ".join(reply.lines)
    source = f"\n\n{reply.answer.url}\nVersion {reply.answer.version_id}" if reply.answer else ""
    text = line
    for part in parts:
        if len(text) + len(part) + len(source) + 2 > LONGEST_CARD:
            break
        text = f"{text}\n\n{part}"
    return Card(title[:LONGEST_TITLE], f"{text}{source}"[:LONGEST_CARD])


def _head(reply: Reply) -> list[str]:
    """Say the assistant's own words."""
    if reply.answer is not None and reply.kind == "answer":
        return [for_ear(_with_name(reply.answer.line, reply.policy.name if reply.policy else ""))]
    sentences = [for_ear(sentence) for line in reply.lines for sentence in _END.split(line)]
    if reply.kind == "which" and reply.options:
        options = [f"the {_ORDINALS[place]} is {label}" for place, label in enumerate(reply.options[: len(_ORDINALS)])]
        return [*sentences[:2], for_ear(spoken_list(options))]
    return sentences[:1] if reply.policies else sentences[:MOST_SENTENCES]


def _body(reply: Reply) -> list[str]:
    """Say the policies' words; of many policies their names, since the words are on the card."""
    if reply.answer is not None:
        # First what the line rests on, then what bears on the question most: a voice tells one after the other.
        quotes = sorted(reply.answer.quotes, key=lambda quote: (not quote.earns, -quote.probability))
        return [for_ear(_with_lead_in(quote)) for quote in quotes] if reply.kind == "answer" else []
    names = list(dict.fromkeys(citation.name for citation in reply.policies))
    if reply.kind == "policies" and names:
        few = spoken_list(names[:MOST_NAMES])
        begun = "" if reply.lines and reply.lines[0].endswith(":") else "They are " if len(names) > 1 else "It is "
        return [for_ear(f"{begun}{few}"), for_ear(ON_THE_CARD)]
    if reply.kind == "comparison":
        return [for_ear(f"{c.name} says: {c.quote.text}" if c.quote else f"{c.name}: {c.line}") for c in reply.compared]
    return [for_ear(citation.text) for citation in reply.policies]


def _with_name(line: str, name: str) -> str:
    """Say whose policy it is: who listens sees no page, and may have been understood to mean another."""
    if not name:
        return line
    for written, spoken in (
        ("the policy", f"{name}’s policy"), ("The policy", f"{name}’s policy"), ("it says", f"{name} says"),
        ("It also says", f"{name} also says"),
    ):  # fmt: skip
        if written in line:
            return line.replace(written, spoken, 1)
    return f"{name}: {line}"


def _with_lead_in(quote: Quote) -> str:
    """Say what leads into an item of a list before the item."""
    if quote.lead_in and quote.lead_in.rstrip().endswith(":"):
        return f"{quote.lead_in} {quote.text}"
    return quote.text


def _quotation(quote: Quote) -> str:
    where = " › ".join(quote.headings)
    place = f"passage {quote.segment}, characters {quote.start} to {quote.end}"
    return f"“{' '.join(_with_lead_in(quote).split())}”\n({f'{where}; ' if where else ''}{place})"
