"""Step 5: the final reader, trained on labelled and added pairs and exported; and the recipe, which ends with it.

Added sentences stand alone, since nothing is known of what stood around them. For every one that is kept, the same
question has one that is wrong: first what filters surely drop, then what is labelled as neither answering nor related
in its own policy, then any sentence of the corpus.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import torch

from smallprint.models import store
from smallprint.models.reader import QUESTION, WINDOW, pair
from smallprint.train import reader
from smallprint.train.era import filters, material
from smallprint.train.era.bases import base_model
from smallprint.train.era.bench import GROWN_ERA, READER, SEED, WORK, Bench, Sizes, StepResult, Variant
from smallprint.train.fitting import Plan, trained
from smallprint.train.frame import write_model
from smallprint.train.network import MINILM, Network, pieces
from smallprint.train.pairs import Example, Labelled

PLAN = Plan(epochs=1, rate=1e-4, average=0.995)
# A reader that learns from all labelled pairs, and one that knows much already.
GROWN = Plan(epochs=2, rate=1e-4, average=0.995)
FURTHER = Plan(epochs=1, rate=5e-5, head_rate=1e-4, average=0.995)
LEARNT_FROM = ("pairs", "labelled", "spans", "added", "added, right", "could be added")
# Of all pairs that a reader learns from, those added are at most so many.
SHARE = 1 / 3
# So large a share of what the grown reader learns on with are PolicyQA's spans, lest it forget where answers are.
SPANS = 0.1
# So large a share of PolicyQA's spans an epoch of the grown reader sees.
GROWN_SPANS = 0.75
DATA = (
    "smallprint_qa without the policies of datasets/splits/ask_test.tsv and ask_tuning.tsv; "
    "PolicyQA's training questions"
)
# Of a sentence that bears on its question nobody knows whether it answers.
BEARS, WRONG = (math.nan, 1.0), (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Ground:
    """What pairs are drawn from: labelled questions, spans, and what is added, by numbers of wordings and of texts."""

    known: Labelled
    added: filters.Added
    spans: Sequence[Example] = ()
    wordings: Sequence[material.Wording] = ()
    texts: Sequence[str] = ()


class Mixture(NamedTuple):
    """The pairs of one training: labelled ones, spans, and those added, by turns right and wrong."""

    labelled: list[Example]
    spans: list[Example]
    added: list[Example]


def train(data: Path, where: Path, say: Callable[[str], None], sizes: Sizes | None = None) -> dict[str, Any]:
    """Train a reader on all labelled pairs and on what ERA adds; write weights and card. Steps stay in `era.work`."""
    bench = Bench(data, where / WORK, say, sizes or Sizes(), SEED)
    material.sentences_step(bench)  # first: pages are read by forked processes, and torch's threads do not fork
    added, result = filters.added_step(bench, GROWN_ERA), step(bench, GROWN_ERA, SEED)
    facts = {
        "from": MINILM,
        "data": f"{labelled_reader(bench).counts['data']}; sentences of unlabelled policies found for the questions",
        "seed": SEED,
        "added": {name: added.counts[name] for name in ("questions", "pairs", "by model")},
        "learnt_from": {name: result.counts[name] for name in LEARNT_FROM},
    }
    return write_model(READER, where, store.load(READER, result.folder), facts)


def labelled_reader(bench: Bench) -> StepResult:
    """Train a reader on all labelled pairs and on spans, to learn on from; its counts say of what."""
    plan = replace(GROWN, seed=bench.seed, epochs=bench.sizes.final_epochs)
    most = bench.sizes.final_pairs

    def make(folder: Path) -> dict[str, Any]:
        known, marked = material.load_labelled(bench), reader.spans(bench.data)

        def draw(luck: random.Random) -> list[Example]:
            every = known.examples(luck) + luck.sample(marked, int(GROWN_SPANS * len(marked)))
            return every[-(most or 0) :]

        def learn(network: Network, checkpoint: Path) -> None:
            reader.learn(network, draw, plan, bench.say, checkpoint)

        reader.save(trained(folder / reader.STATE, plan.seed, reader.blank, learn), folder)
        counts = {"questions": len(known.questions), "policies": len(known.policies), "spans": len(marked)}
        return {"data": DATA, "epochs": plan.epochs, **counts}

    options = {"plan": asdict(plan), "pairs": most, "spans": GROWN_SPANS}
    return bench.step(f"final/labelled-{bench.seed}", options, (material.labelled_step(bench),), make)


def step(bench: Bench, variant: Variant, seed: int) -> StepResult:
    """Train the final reader of a variant with one seed."""
    grown = variant.base == READER
    plan = replace(FURTHER if grown else PLAN, seed=seed)
    read = [material.sentences_step(bench)] if variant.models else []  # else nothing of the corpus is needed
    added, parts, behind = filters.added(bench, variant)
    before = (labelled_reader(bench),) if grown else base_model(bench, variant.base).steps
    options = {"variant": asdict(variant), "plan": asdict(plan), "pairs": bench.sizes.pairs, "share": SHARE}
    options |= {"spans": SPANS} if grown else {}

    def make(folder: Path) -> dict[str, Any]:
        texts = material.load_sentences(bench) if read else []
        spans = reader.spans(bench.data) if grown else []
        ground = Ground(material.load_labelled(bench), added, spans, material.wordings(bench), texts)
        drawn = mixture(variant, ground, bench.sizes.pairs, seed)
        every = [*chain(*drawn)]
        torch.manual_seed(plan.seed)
        network = reader.resumed(before[0].folder) if grown else reader.blank(base_model(bench, variant.base).layers)
        reader.learn(network, lambda _: every, plan, bench.say, folder / "final.checkpoint")
        reader.save(network, folder)
        return {
            "variant": variant.name,
            "seed": seed,
            "pairs": len(every),
            **{name: len(pairs) for name, pairs in drawn._asdict().items()},
            "added, right": len(drawn.added) // 2,
            "could be added": len(added.kept),
            "surely wrong": len(added.dropped),
            "by model": {name: len(part.kept) for name, part in parts.items()},
        }

    name = f"final/{variant.slug}-{bench.seed}-{seed}"
    return bench.step(name, options, (material.labelled_step(bench), *before, *read, *behind), make)


def mixture(variant: Variant, ground: Ground, pairs: int, seed: int) -> Mixture:
    """Draw a training of so many pairs, whatever the variant: where less can be added, more of it is labelled.

    Variants of one seed have the same labelled pairs, as far as they go.
    """
    luck = random.Random(seed)  # noqa: S311 - not for secrets
    most = int(SHARE * pairs)
    drawn: list[Example] = []
    while len(drawn) < pairs:  # one draw has some 30,000 pairs
        more = ground.known.examples(luck)
        luck.shuffle(more)
        drawn += more
    if variant.again:
        few = drawn[: pairs - most]
        return Mixture((few + few)[:pairs], [], [])
    if variant.likewise:
        like = likewise(ground.known, most, luck)
        return Mixture(drawn[: pairs - len(like)] + like, [], [])
    added = added_examples(ground, most, luck)
    spans = luck.sample(ground.spans, min(int(SPANS * pairs), len(ground.spans)))
    return Mixture(drawn[: pairs - len(added) - len(spans)], spans, added)


def added_examples(ground: Ground, most: int, luck: random.Random) -> list[Example]:
    """Draw at most so many pairs from what is added, one right and one wrong in turn, evenly over questions."""
    examples: list[Example] = []
    used: set[filters.Pair] = set()
    dropped = _by_question(ground.added.dropped, luck)
    for question, row in _in_turn(ground.added.kept, luck):
        if len(examples) + 2 > most:
            break
        asked = pieces(ground.wordings[question].text)
        if dropped[question]:
            wrong = pieces(ground.texts[dropped[question].pop()])
        else:
            wrong = _neither(ground, question, used, luck)
        examples += [_example(asked, pieces(ground.texts[row]), BEARS), _example(asked, wrong, WRONG)]
    return examples


def likewise(known: Labelled, most: int, luck: random.Random) -> list[Example]:
    """Draw labelled pairs as others are added: sentences alone, one that bears and one that does not, by question."""
    examples: list[Example] = []
    answerable = [question for question in known.questions if question.relevant]
    for question in luck.sample(answerable, min(most // 2, len(answerable))):
        own, asked = known.policies[question.policy].own, known.asked[question.id]
        neither = [place for place in range(len(own)) if place not in question.relevant]
        if neither:
            examples.append(_example(asked, own[luck.choice(sorted(question.relevant))], BEARS))
            examples.append(_example(asked, own[luck.choice(neither)], WRONG))
    return examples


def _by_question(pairs: Iterable[filters.Pair], luck: random.Random) -> defaultdict[int, list[int]]:
    """Return the rows of each question, in random order."""
    rows: defaultdict[int, list[int]] = defaultdict(list)
    for question, row in sorted(pairs):
        rows[question].append(row)
    for own in rows.values():
        luck.shuffle(own)
    return rows


def _in_turn(pairs: Iterable[filters.Pair], luck: random.Random) -> Iterator[filters.Pair]:
    """Go round the questions, each time with another sentence of each, until all had their turn."""
    left = _by_question(pairs, luck)
    while order := sorted(question for question, rows in left.items() if rows):
        luck.shuffle(order)
        yield from ((question, left[question].pop()) for question in order)


def _neither(ground: Ground, question: int, used: set[filters.Pair], luck: random.Random) -> list[int]:
    """Return a sentence of the question's policy that is neither, and was not given before; else any of the corpus."""
    asked = luck.choice(ground.wordings[question].asked)
    own = ground.known.policies[asked.policy].own
    left = [place for place in range(len(own)) if place not in asked.relevant and (question, place) not in used]
    if not left:
        return pieces(luck.choice(ground.texts))
    place = luck.choice(left)
    used.add((question, place))
    return own[place]


def _example(asked: list[int], own: list[int], relevance: tuple[float, float]) -> Example:
    return Example(pair(asked[:QUESTION], [], own, WINDOW)[0], relevance)
