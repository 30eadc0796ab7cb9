"""The policy of a shop, written for tests, as evidence."""

from __future__ import annotations

from functools import cache

from smallprint.ask.model_set import kit
from smallprint.ask.ranking.evidence import Evidence, gather
from smallprint.records import Sentence

TEXTS = {
    "What we collect": (
        "We collect your name and your email address when you order from us.",
        "Our site sets cookies that remember what is in your basket.",
        "We do not know where you are.",
    ),
    "Who gets it": (
        "We never sell your personal information to anybody.",
        "The carrier that brings your parcel is given your address.",
    ),
    "How long we keep it": (
        "Orders are kept for seven years, as tax law wants it.",
        "Everything else is deleted when you close your account.",
    ),
    "How it is kept safe": ("Your card number is encrypted whenever it is sent.",),
    "Changes": ("We will tell you by email before this policy changes.",),
}
SENTENCES = tuple(
    Sentence(text, (heading,), passage) for passage, (heading, texts) in enumerate(TEXTS.items()) for text in texts
)


@cache
def shop() -> Evidence:
    """Give the shop's sentences with what the shipped models make of them."""
    return gather(SENTENCES, kit().labeller, kit().finder)
