"""The command that trains: train."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from smallprint.cli.options import JsonOption
from smallprint.cli.output import print_json
from smallprint.errors import BadSetting, MissingExtra

GENERAL, ERA = "general-vectors", "era"
# Each task's recipe; students come after the encoder that they learn from, the combiner after all that it weighs. ERA
# makes a reader as well, from more pairs than are labelled.
TRAINABLE = {
    "is-policy": "is_policy",
    "sector": "sector",
    "encoder": "encoder",
    "practices-student": "student",
    "vagueness-student": "vague_student",
    "vectors": "vectors",
    "finder": "finder",
    "reader": "reader",
    ERA: "era",
    "question-mapper": "question_mapper",
    "semvec": "semvec",
    "combiner": "combiner",
    GENERAL: "general_vectors",
}
FOLDED = frozenset({"is-policy", "sector", "encoder", "vagueness-student", "question-mapper", "semvec"})


def train(
    task: Annotated[str, typer.Argument(help=f"One of: {', '.join(TRAINABLE)}.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder of research data; else the setting 'data_dir'.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where weights and card go; else among the installed models.")
    ] = None,
    folds: Annotated[
        int | None, typer.Option("--folds", min=2, help="Folds of the cross-validation; else the recipe's own.")
    ] = None,
    without_subwords: Annotated[
        bool, typer.Option("--without-subwords", help="Of vectors: learn whole words alone, as CMU's Priv2Vec does.")
    ] = False,
    step: Annotated[
        str | None, typer.Option("--step", help="Of era: make this step and what it stands on; else the reader.")
    ] = None,
    row: Annotated[
        list[str] | None, typer.Option("--row", help="Of era: a row of the tables by its name; may be given again.")
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", min=1, max=100, help="Of era: sentences found for a question; else the row's.")
    ] = None,
    filtered: Annotated[
        bool | None, typer.Option("--filter/--no-filter", help="Of era: whether filters drop some; else as the row.")
    ] = None,
    models: Annotated[
        str | None, typer.Option("--models", help="Of era: base models, separated by commas; else the row's.")
    ] = None,
    questions: Annotated[
        str | None, typer.Option("--questions", help="Of era: 'smallprint_qa' or 'with-privacyqa'; else the row's.")
    ] = None,
    pairs: Annotated[
        int | None, typer.Option("--pairs", min=1, help="Of era: pairs a training of the tables has, up to 20,000.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Of era: the seed of final readers.")] = None,
    parts_seed: Annotated[
        int | None, typer.Option("--parts-seed", help="Of era: the seed of base models, retrievers and filters.")
    ] = None,
    small: Annotated[bool, typer.Option("--small", help="Of era: a little of everything, to try it out.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Train a model and write its weights, its card and its out-of-fold predictions. Needs the extra 'train'."""
    from smallprint.models.store import folder
    from smallprint.settings import load

    if task not in TRAINABLE:
        raise BadSetting(f"{task!r} cannot be trained; choose from: {', '.join(TRAINABLE)}")
    if without_subwords and task != "vectors":
        raise BadSetting(f"{task!r} has no subwords; leave out --without-subwords")
    if out is None and (without_subwords or task == GENERAL):
        raise BadSetting("these vectors are for comparison, and not to be installed; give --out")
    if folds and task not in FOLDED:
        raise BadSetting(f"{task!r} is not trained in folds; leave out --folds")
    names = tuple(models.split(",")) if models else None
    options = _given(step=step, rows=row, k=k, filtered=filtered, models=names, questions=questions, pairs=pairs)
    options |= _given(seed=seed, parts_seed=parts_seed, small=small or None)
    if options and task != ERA:
        raise BadSetting(f"{task!r} has no steps, rows, models or seeds to choose; these are options of 'train era'")
    options |= _given(subwords=False if without_subwords else None, folds=folds)
    try:
        recipe = import_module(f"smallprint.train.{TRAINABLE[task]}").train
    except ModuleNotFoundError as error:
        raise MissingExtra(f"training {task!r} needs {error.name}; run 'make train-install'") from None
    card = recipe(data or load().data_dir, out or folder(), lambda line: typer.echo(line, err=True), **options)
    if as_json or "model" not in card:
        print_json(card)
    else:
        typer.echo(f"Wrote {out or folder()}/{card['model']}.npz; its card is beside it.")


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
