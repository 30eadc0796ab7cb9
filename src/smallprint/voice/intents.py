"""What can be said to the skill: intents with their phrases, and each intent with its words as one sentence.

Alexa hears free words only after words that are fixed, and hands over the free ones alone ("does {question}" gives
"kitegram sell my data"). So every beginning of a question is an intent of its own, and is put back before its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Says = Literal["ask", "more", "yes", "no", "again", "anew", "help", "unheard", "end"]
SLOT = "question"


@dataclass(frozen=True, slots=True)
class Carrier:
    """A beginning of what is asked: the phrases that are heard, and the words that are put back for them."""

    phrases: tuple[str, ...]
    words: str


CARRIERS: Mapping[str, Carrier] = {
    "AskIntent": Carrier(("ask", "tell me", "find", "find out", "search for", "my question is"), ""),
    "WhetherIntent": Carrier(("ask whether", "ask if", "tell me whether", "tell me if", "find out whether"), "whether"),
    "DoesIntent": Carrier(("does", "ask does"), "does"),
    "DoIntent": Carrier(("do", "ask do"), "do"),
    "IsIntent": Carrier(("is",), "is"),
    "AreIntent": Carrier(("are",), "are"),
    "CanIntent": Carrier(("can", "could", "may"), "can"),
    "WillIntent": Carrier(("will", "would"), "will"),
    "HasIntent": Carrier(("has",), "has"),
    "HaveIntent": Carrier(("have",), "have"),
    "WhatIntent": Carrier(("what", "ask what", "tell me what"), "what"),
    "WhichIntent": Carrier(("which", "ask which", "find which"), "which"),
    "WhoIntent": Carrier(("who", "ask who", "tell me who"), "who"),
    "WhyIntent": Carrier(("why", "ask why", "tell me why"), "why"),
    "WhereIntent": Carrier(("where", "ask where", "tell me where"), "where"),
    "WhenIntent": Carrier(("when", "ask when", "tell me when"), "when"),
    "HowIntent": Carrier(("how", "ask how", "tell me how"), "how"),
    "CompareIntent": Carrier(("compare",), "compare"),
    "AboutIntent": Carrier(("what about", "how about", "tell me about"), "what about"),
    "AndIntent": Carrier(("and",), "and"),
    "MeanIntent": Carrier(("i mean", "i meant", "no i meant", "the policy of", "the one of"), "I mean"),
}
# Whole phrases, and what the assistant is told for them.
PHRASES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "MoreIntent": ("more", ("more", "tell me more", "go on", "continue", "what else", "read on", "say more")),
    "FirstIntent": ("the first one", ("the first", "the first one", "first", "number one", "option one")),
    "SecondIntent": ("the second one", ("the second", "the second one", "second", "number two", "option two")),
    "ThirdIntent": ("the third one", ("the third", "the third one", "third", "number three", "option three")),
    "WhyAloneIntent": ("why?", ("why", "why is that", "what for")),
    "WhoElseIntent": ("who else?", ("who else", "anybody else", "anyone else")),
    "VagueIntent": ("What is it vague about?", ("what is it vague about", "where is it vague", "is it vague")),
    "SurpriseIntent": (
        "Is there anything surprising in it?",
        ("is there anything surprising", "is there anything surprising in it", "what is surprising", "any surprises"),
    ),
}
BUILT_IN: Mapping[str, Says] = {
    "AMAZON.YesIntent": "yes",
    "AMAZON.NoIntent": "no",
    "AMAZON.RepeatIntent": "again",
    "AMAZON.StartOverIntent": "anew",
    "AMAZON.HelpIntent": "help",
    "AMAZON.FallbackIntent": "unheard",
    "AMAZON.StopIntent": "end",
    "AMAZON.CancelIntent": "end",
    "AMAZON.NavigateHomeIntent": "end",
}
# These are heard without being in the model, on devices with a screen.
ALSO: Mapping[str, Says] = {"AMAZON.MoreIntent": "more", "AMAZON.NextIntent": "more"}


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said: its kind, and for a question its words."""

    says: Says
    text: str = ""


def heard(intent: str, slots: Mapping[str, str]) -> Heard:
    """Put what was heard into words; an intent that is not ours, or a question without words, was not understood."""
    if intent in CARRIERS:
        words = " ".join(slots.get(SLOT, "").split())
        return Heard("ask", _sentence(CARRIERS[intent].words, words)) if words else Heard("unheard")
    if intent == "MoreIntent":
        return Heard("more")
    if intent in PHRASES:
        return Heard("ask", PHRASES[intent][0])
    return Heard(BUILT_IN.get(intent) or ALSO.get(intent, "unheard"))


def _sentence(before: str, words: str) -> str:
    if before == "whether":  # "whether kitegram sells my data" is asked as it stands
        return words
    return f"{before} {words}".strip()
