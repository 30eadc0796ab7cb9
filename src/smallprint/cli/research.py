"""The commands of research: `evaluate` measures quality, `train` makes models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer import Argument, Option

from smallprint.cli.options import JsonOption, import_from_extra
from smallprint.cli.output import print_json, print_table, say
from smallprint.errors import BadSetting, NoData
from smallprint.evaluate.tasks import TASKS
from smallprint.train import COMPARED, FOLDED, RECIPES


def evaluate(
    task: str = Argument(..., help=f"One of: {', '.join(TASKS)}."),
    data: Path | None = Option(None, help="A file or folder in the task's layout; else the setting 'data_dir'."),
    systems: str | None = Option(None, help="Only these, separated by commas."),
    ids: Path | None = Option(None, help="Only the items whose ids stand in this file, one a line."),
    predictions: Path | None = Option(None, help="Write a line for each item to this JSONL file."),
    gate: bool = Option(False, "--gate", help="Fail if a figure is below its floor or the data are other ones."),
    as_json: JsonOption = False,
) -> None:
    """Measure a task on data in its documented layout; docs/results.md has the figures on ours."""
    from smallprint.evaluate import report, tasks
    from smallprint.settings import load

    settings = load()
    path = data or settings.data_dir
    if task not in TASKS:
        raise BadSetting(f"{task!r} is not a task; choose from: {', '.join(TASKS)}")
    if not path.exists():
        raise NoData(f"{path} is not there; give --data, or set data_dir (SMALLPRINT_DATA_DIR)")
    chosen = tuple(systems.split(",")) if systems else ()
    wanted = _read_ids(ids) if ids else None
    result = tasks.run(tasks.Order(task, path, settings, chosen, wanted), predictions)
    if as_json:
        print_json(result)
    else:
        say(f"{result['task']} on {result['data']}: n = {result['n']:,}")
        for number, table in enumerate(report.tables(result)):
            if number:
                say()
            print_table(*table)
    if gate:
        report.check_floors(result)


def _read_ids(path: Path) -> frozenset[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise NoData(f"the ids in {path} cannot be read ({error}); give a file with one id a line") from None
    return frozenset(line for line in lines if line)


def train(
    task: str = Argument(..., help=f"One of: {', '.join(RECIPES)}."),
    data: Path | None = Option(None, help="The folder of research data; else the setting 'data_dir'."),
    out: Path | None = Option(None, help="Where weights and card go; else among the installed models."),
    folds: int | None = Option(None, min=2, help="Folds of the cross-validation; else the recipe's own."),
    as_json: JsonOption = False,
) -> None:
    """Train a model and write its weights, its card and its out-of-fold predictions. Needs the extra 'train'."""
    from smallprint.models.store import folder
    from smallprint.settings import load

    if task not in RECIPES:
        raise BadSetting(f"{task!r} cannot be trained; choose from: {', '.join(RECIPES)}")
    if out is None and task in COMPARED:
        raise BadSetting(f"{task!r} is for comparison, and not to be installed; give --out")
    if folds and task not in FOLDED:
        raise BadSetting(f"{task!r} is not trained in folds; leave out --folds")
    options: dict[str, Any] = {"folds": folds} if folds else {}
    module, function = RECIPES[task]
    recipe = getattr(import_from_extra("train", f"smallprint.train.{module}", f"training {task!r} needs"), function)
    card = recipe(data or load().data_dir, out or folder(), lambda line: say(line, err=True), **options)
    if as_json:
        print_json(card)
    else:
        say(f"Wrote {out or folder()}/{card['model']}.npz; its card is beside it.")
