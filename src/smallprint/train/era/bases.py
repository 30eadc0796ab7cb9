"""Step 2: the base models: MiniLM as it is, adapted to policies by masked words, and by SimCSE on top of that."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from smallprint.train.era import masked, sentences, simcse
from smallprint.train.era.bench import Bench
from smallprint.train.era.steps import Made
from smallprint.train.fitting import framed
from smallprint.train.network import Tower, pieces, pretrained, save_layers

MODELS = ("general", "adapted", "simcse")
GENERAL, ADAPTED, SIMCSE = MODELS
FILE = "layers.pt"


@dataclass(frozen=True, slots=True)
class BaseModel:
    """A base model: the file with its layers, and the step that made it; neither where it is MiniLM as it is."""

    name: str
    layers: Path | None = None
    made: Made | None = None

    @property
    def steps(self) -> tuple[Made, ...]:
        """The steps that whatever is trained from it stands on."""
        return (self.made,) if self.made else ()


def base(bench: Bench, name: str) -> BaseModel:
    """Give a base model; it is trained if it is not there."""
    if name == GENERAL:
        return BaseModel(GENERAL)
    made = _adapted(bench) if name == ADAPTED else _simcse(bench)
    return BaseModel(name, made.folder / FILE, made)


def _adapted(bench: Bench) -> Made:
    read = sentences.step(bench)
    plan = replace(masked.PLAN, seed=bench.seed)
    options = {"sentences": bench.sizes.masked, "kept out": bench.sizes.kept_out, "plan": asdict(plan)}

    def make(folder: Path) -> dict[str, Any]:
        texts = _drawn(read, bench.sizes.masked + bench.sizes.kept_out, bench.seed)
        kept, learnt = texts[: bench.sizes.kept_out], texts[bench.sizes.kept_out :]
        network = pretrained(Tower({}, each_token=True))
        guesser = masked.adapt(network, learnt, plan, bench.say, folder / "masked.checkpoint")
        save_layers(network.tower, folder / FILE)
        return _seen(learnt, plan.batch) | {"on kept-out sentences": masked.measured(guesser, kept, bench.seed)}

    return bench.work.step(f"bases/{ADAPTED}-{bench.seed}", options, (read,), make)


def _simcse(bench: Bench) -> Made:
    read, before = sentences.step(bench), _adapted(bench)
    plan = replace(simcse.PLAN, seed=bench.seed)
    options = {"sentences": bench.sizes.contrasted, "plan": asdict(plan), "temperature": simcse.TEMPERATURE}

    def make(folder: Path) -> dict[str, Any]:
        texts = _drawn(read, bench.sizes.contrasted, bench.seed + 1)
        network = pretrained(Tower({}, each_token=True), before.folder / FILE)
        simcse.contrast(network, texts, plan, bench.say, folder / "simcse.checkpoint")
        save_layers(network.tower, folder / FILE)
        return _seen(texts, plan.batch, 2)

    return bench.work.step(f"bases/{SIMCSE}-{bench.seed}", options, (read, before), make)


def _drawn(read: Made, count: int, seed: int) -> list[list[int]]:
    texts = sentences.load(read)
    luck = random.Random(seed)  # noqa: S311 - not for secrets
    return [framed(pieces(text)) for text in luck.sample(texts, min(count, len(texts)))]


def _seen(texts: Sequence[list[int]], batch: int, times: int = 1) -> dict[str, Any]:
    return {"sentences": len(texts), "tokens": times * sum(map(len, texts)), "steps": -(-len(texts) // batch)}
