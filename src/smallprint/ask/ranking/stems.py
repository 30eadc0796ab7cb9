"""Words as BM25 counts them: stemmed, without those that every sentence has."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterable
from functools import cache

from smallprint.models.vectors import Vectors, shipped
from smallprint.text import words

# Words that say how a sentence is built and not what it is about; those that ask are among them.
STOP_WORDS = frozenset(
    """
    a an the this that these those such same other another each every either neither both all any some no none i me
    my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one ones someone anyone everyone something anything
    everything am is are was were be been being do does did doing done have has had having can could may might must
    shall should will would ought cannot let lets and or but nor so if then else than because as while though
    although unless until whether of at by for with without about against between into through during before after
    above below to from up down in out on off over under upon within among per via again further once here there
    when where why how what which who whom whose not only own too very just also ever even still yet rather quite
    really s t d ll m o re ve don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't
    can't couldn't shouldn't mustn't i'm i've i'd i'll you're you've you'll you'd he's she's it's we're we've we'll
    they're they've they'll that's there's what's who's where's how's when's why's let's please etc eg ie
    """.split()
)
_own = threading.local()


def stems(text: str) -> list[str]:
    """Return the stems of a text's words in order, without stop words."""
    return stemmed(words(text))


def stemmed(tokens: Iterable[str]) -> list[str]:
    """Return the stems of words in lower case, without stop words; "user's" is stemmed as "user"."""
    kept = [token.removesuffix("'s") for token in tokens if token not in STOP_WORDS]
    if not hasattr(_own, "stemmer"):  # each thread has its own: one must not be shared
        from Stemmer import Stemmer

        _own.stemmer = Stemmer("english")
    return list(_own.stemmer.stemWords([token for token in kept if token]))


class Rarity(dict[str, float]):
    """How rare stems are in policies, as Lucene's idf over sentences; one that nobody met is as rare as can be."""

    def __init__(self, known: Vectors) -> None:
        counts: Counter[str] = Counter()
        for word, count in zip(known.words, known.counts.tolist(), strict=True):
            for stem in stemmed([word]):
                counts[stem] += count
        self.sentences = known.sentences
        super().__init__({stem: self._idf(count) for stem, count in counts.items()})

    def __missing__(self, stem: str) -> float:
        return self._idf(0)

    def _idf(self, count: int) -> float:
        count = min(count, self.sentences)  # a sentence with two forms of a word was counted twice
        return math.log(1 + (self.sentences - count + 0.5) / (count + 0.5))


@cache
def rarity() -> Rarity:
    """Return how rare stems are by the words that are shipped, counted once."""
    return Rarity(shipped())
