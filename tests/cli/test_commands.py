from __future__ import annotations

import inspect

import pytest
import typer.main

from smallprint.cli.app import app
from smallprint.evaluate.tasks import TASKS

from .running import in_process_of_its_own

HEAVY = tuple(
    "numpy onnxruntime tantivy selectolax zstandard rich.progress tldextract sklearn fastapi uvicorn jinja2 "
    "cryptography mcp".split()
)


def commands(group, path=()):
    for name, command in group.commands.items():
        here = (*path, name)
        yield from commands(command, here) if hasattr(command, "commands") else [(here, command)]


EVERY = dict(commands(typer.main.get_command(app)))


def test_these_are_the_commands():
    assert set(EVERY) == {
        ("ingest",), ("crawl",), ("add",), ("annotate",), ("index",), ("search",), ("export",), ("ask",),
        ("chat",), ("card",), ("feedback",), ("status",), ("statistics",), ("show",), ("diff",),
        ("compare",), ("evidence",), ("rejections",), ("remove",), ("reread",), ("check",), ("backup",), ("restore",),
        ("forget",), ("settings",), ("serve",), ("alexa-model",), ("mcp",),
        ("evaluate",), ("train",), ("import", "companies"), ("import", "popularity"),
    }  # fmt: skip


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_every_command_has_help_and_takes_json(run, path):
    command = EVERY[path]
    assert inspect.cleandoc(command.help or "").partition("\n")[0].endswith((".", ":"))
    assert "--json" in {option for parameter in command.params for option in parameter.opts}
    assert all(getattr(parameter, "help", None) for parameter in command.params if parameter.name != "help")
    done = run(*path, "--help")
    assert (done.code, done.err) == (0, "")
    assert "--json" in done.out
    assert run(*path, "-h").out == done.out


def test_the_command_alone_shows_its_help(run):
    done = run()
    assert "Usage:" in done.out + done.err
    for path in EVERY:
        assert path[0] in done.out + done.err


def test_the_version(run):
    from smallprint import __version__

    assert run("--version").out == f"smallprint {__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["ingest", "--help"], ["--version"], ["settings", "--json"]])
def test_help_is_quick_for_it_imports_nothing_heavy(arguments):
    code = (
        "import sys\n"
        "from smallprint.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit as left:\n    assert not left.code\n"
        f"print('heavy:', [name for name in {HEAVY} if name in sys.modules])\n"
    )
    done = in_process_of_its_own(code, *arguments)
    assert done.stderr == ""
    assert done.stdout.endswith("heavy: []\n")


def test_every_task_that_is_named_is_known(tmp_path):
    from smallprint.errors import BadSource, NoData
    from smallprint.evaluate.tasks import Order
    from smallprint.evaluate.tasks import run as run_task

    for task in TASKS:
        with pytest.raises((NoData, BadSource)):
            run_task(Order(task, tmp_path))
