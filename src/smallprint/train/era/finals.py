"""Step 5, second half: the final reader learns from labelled and added pairs.

Added sentences stand alone, since nothing is known of what stood around them. For every one that is kept, the same
question has one that is wrong: first what filters surely drop, then what is labelled as neither answering nor related
in its own policy, then any sentence of the corpus.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from smallprint.errors import BadSetting
from smallprint.models.reader import QUESTION, WINDOW, pair
from smallprint.train.era.bench import MOST_PAIRS, SHARE
from smallprint.train.era.questions import Wording
from smallprint.train.era.rows import Row
from smallprint.train.era.sets import Added
from smallprint.train.labelled import Labelled
from smallprint.train.network import pieces
from smallprint.train.pairs import Example

WRONG = (0.0, 0.0)
# So large a share of what the grown reader learns on with are PolicyQA's spans, lest it forget where answers are.
SPANS = 0.1
# From here on a soft label counts as right.
EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Corpus:
    """What added pairs are made of: questions by number, and the sentences by row."""

    asked: Sequence[Wording]
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Mixture:
    """The pairs of one training: labelled ones, spans, and those added, of which `kept` are right."""

    labelled: list[Example]
    spans: list[Example]
    added: list[Example]
    kept: int

    @property
    def every(self) -> list[Example]:
        """All pairs, those added last."""
        return self.labelled + self.spans + self.added


def mixture(
    row: Row, known: Labelled, spans: Sequence[Example], made: Added, corpus: Corpus, pairs: int, seed: int
) -> Mixture:
    """Draw a training of so many pairs, whatever the row: where less can be added, more of it is labelled.

    Some are drawn from the spans, if there are any. Rows of one seed have the same labelled pairs, as far as they go.
    """
    if pairs > MOST_PAIRS:
        raise BadSetting(f"a training of the table has at most {MOST_PAIRS:,} pairs; ask for no more")
    luck = random.Random(seed)  # noqa: S311 - not for secrets
    drawn: list[Example] = []
    while len(drawn) < pairs:  # one draw has some 30,000 pairs
        more = known.examples(luck)
        luck.shuffle(more)
        drawn += more
    if row.again:
        few = drawn[: pairs - int(SHARE * pairs)]
        return Mixture((few + few)[:pairs], [], [], 0)
    if row.likewise:
        like = likewise(known, int(SHARE * pairs), luck)
        return Mixture(drawn[: pairs - len(like)] + like, [], [], 0)
    own = added_examples(row, known, made, corpus, int(SHARE * pairs), luck)
    some = luck.sample(spans, min(int(SPANS * pairs), len(spans)))
    return Mixture(drawn[: pairs - len(own) - len(some)], some, own, sum(_bears(one) for one in own))


def added_examples(
    row: Row, known: Labelled, made: Added, corpus: Corpus, most: int, luck: random.Random
) -> list[Example]:
    """Draw at most so many pairs from what a row adds, one right and one wrong in turn, evenly over questions.

    Soft labels need no wrong ones: whatever was found is among them, likely or not.
    """
    found: list[Example] = []
    used: set[tuple[int, int]] = set()
    wrong = _dropped(made, luck)
    for question, right in _in_turn(made, luck):
        if len(found) + (1 if row.soft else 2) > most:
            break
        asked = pieces(corpus.asked[question].text)[:QUESTION]
        likely = made.kept[question, right] if row.soft else 1.0
        found.append(_example(asked, pieces(corpus.texts[right]), (math.nan, likely)))
        if row.soft:
            continue
        if wrong.get(question):
            other = pieces(corpus.texts[wrong[question].pop()])
        else:
            other = _neither(corpus, question, known, used, luck)
        found.append(_example(asked, other, WRONG))
    return found


def likewise(known: Labelled, most: int, luck: random.Random) -> list[Example]:
    """Draw labelled pairs as pairs are added: sentences alone, one that bears and any that does not, a question each.

    What is added differs from what is labelled in more than being found: its wrong sentences are easier. This tells
    the one from the other.
    """
    found: list[Example] = []
    answerable = [one for one in known.questions if one.relevant]
    for one in luck.sample(answerable, min(most // 2, len(answerable))):
        own, asked = known.policies[one.policy].own, known.asked[one.id][:QUESTION]
        neither = [place for place in range(len(own)) if place not in one.relevant]
        if neither:
            found.append(_example(asked, own[luck.choice(sorted(one.relevant))], (math.nan, 1.0)))
            found.append(_example(asked, own[luck.choice(neither)], WRONG))
    return found


def _in_turn(made: Added, luck: random.Random) -> Iterator[tuple[int, int]]:
    """Go round the questions, each time with another sentence of each, until all had their turn."""
    left = made.by_question()
    for rows in left.values():
        luck.shuffle(rows)
    while left:
        order = sorted(left)
        luck.shuffle(order)
        for question in order:
            yield question, left[question].pop()
            if not left[question]:
                del left[question]


def _dropped(made: Added, luck: random.Random) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for question, row in sorted(made.dropped):
        found.setdefault(question, []).append(row)
    for rows in found.values():
        luck.shuffle(rows)
    return found


def _neither(
    corpus: Corpus, question: int, known: Labelled, used: set[tuple[int, int]], luck: random.Random
) -> list[int]:
    """Give a sentence of the question's policy that is neither, and was not given before; else any of the corpus."""
    labelled = [one for one in corpus.asked[question].asked if one.id in known.asked]
    if labelled:
        one = luck.choice(labelled)
        own = known.policies[one.policy].own
        left = [place for place in range(len(own)) if place not in one.relevant and (question, place) not in used]
        if left:
            place = luck.choice(left)
            used.add((question, place))
            return own[place]
    return pieces(luck.choice(corpus.texts))


def _bears(one: Example) -> bool:
    return one.relevance is not None and one.relevance[1] >= EVEN


def _example(asked: list[int], own: list[int], relevance: tuple[float, float]) -> Example:
    return Example(pair(asked, [], own, WINDOW)[0], relevance)
