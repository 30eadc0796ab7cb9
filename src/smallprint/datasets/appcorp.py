"""AppCorp: paragraphs of apps' policies, each with one of eleven topics."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from smallprint.datasets.corpus import rows
from smallprint.datasets.kept_out import SHORTEST_NAME, excluded, letters

FILE = Path("labelled/appcorp/paragraphs.jsonl.zst")
TOPICS = (
    "First_Party_Collection_and_Use", "Third_Party_Share_and_Collection", "User_Right_and_Control",
    "Policy_Introductory", "Cookies_and_Similar_Technologies", "Data_Security", "Specific_Audiences",
    "Policy_Contact_Information", "Policy_Change", "Data_Retention", "International_Data_Transfer",
)  # fmt: skip
# AppCorp does not say which policy a paragraph is of. Where one names a site that is kept for evaluation, whatever
# stands near it goes: a policy has 34 paragraphs on average, and they follow one another.
NEAR_PARAGRAPHS = 120
# These are named in many policies, as partners or places to follow a company: their mention does not make a policy
# theirs. The first words of a policy that is their own would still be found by their other names.
PARTNERS = frozenset("amazon twitter ironsource".split())
COMMON_WORDS = frozenset("keep reference si archives mirror themirror timeanddate fool honda".split())


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, the number of its topic among TOPICS, and the fold that AppCorp put it in."""

    text: str
    topic: int
    fold: str


def training(data: Path) -> list[Paragraph]:
    """Return the paragraphs that are not near a mention of a site kept for evaluation."""
    paragraphs = [
        Paragraph(" ".join(row["sentences"]), TOPICS.index(row["label"]), str(row["fold"])) for row in rows(data / FILE)
    ]
    kept_out = np.zeros(len(paragraphs), dtype=bool)
    pattern = _names_pattern(excluded(data))
    for place, paragraph in enumerate(paragraphs):
        if pattern.search(paragraph.text):
            kept_out[max(0, place - NEAR_PARAGRAPHS) : place + NEAR_PARAGRAPHS + 1] = True
    return [paragraph for paragraph, is_out in zip(paragraphs, kept_out, strict=True) if paragraph.text and not is_out]


def _names_pattern(names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for the names of sites and services: "limasky.com" is also "Lima Sky"."""
    patterns = set()
    for name in names:
        last = name.split(":")[-1].rpartition("/")[2]
        own = last.partition("_")[2] or last
        bare = letters(re.sub(r"^www[.-]|[.-](?:com|org|net|edu|gov)\b.*$", "", own.lower()))
        if len(bare) >= SHORTEST_NAME and not bare.isdigit() and bare not in PARTNERS | COMMON_WORDS:
            patterns.add(" ?".join(bare))
    return re.compile(r"\b(?:" + ("|".join(sorted(patterns)) or "(?!)") + r")\b", re.IGNORECASE)
