"""The command `smallprint` with its subcommands; every failure is one line that says what to do."""

from __future__ import annotations

import errno
import os
import re
import sys
from importlib import import_module

import typer
from typer import Option

from smallprint.cli.options import with_shared_options
from smallprint.controls import printable
from smallprint.errors import SmallprintError

WRONG_CALL, INTERRUPTED = 2, 130
# A longer name in a message is cut, so that the message stays one line.
_OVERLONG = re.compile(r"(\S{150})\S{50,}")
# Each command by its module, in the order of the help.
COMMANDS = """
    ingest.ingest ingest.crawl ingest.add upkeep.annotate upkeep.reread upkeep.remove upkeep.index search.search
    search.export ask.ask ask.chat card.card status.feedback upkeep.forget status.status status.statistics show.show
    compare.diff compare.compare show.evidence status.rejections status.settings upkeep.check upkeep.backup
    upkeep.restore serve.serve serve.alexa_model serve.mcp research.evaluate research.train
    ingest.import_companies ingest.import_popularity
""".split()

app = typer.Typer(
    name="smallprint",
    help="Search and question privacy policies, on your own machine.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every command takes --json for programs and --debug for tracebacks. Settings: 'smallprint settings'.",
)
importing = typer.Typer(help="Import the popularity of domains, or the companies behind them.", no_args_is_help=True)
app.add_typer(importing, name="import")
for place in COMMANDS:
    module, name = place.split(".")
    command = with_shared_options(getattr(import_module(f"smallprint.cli.{module}"), name))
    group = importing if name.startswith("import_") else app
    group.command(name.removeprefix("import_").replace("_", "-"))(command)


@app.callback(invoke_without_command=True)
def _root(version: bool = Option(False, "--version", help="Show the version.")) -> None:
    if version:
        from smallprint import __version__

        typer.echo(f"smallprint {__version__}")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run the command; exits with 0, 1 for what went wrong, 2 for a wrong call, 130 when interrupted."""
    if arguments is None:
        _restart_in_utf8()
        arguments = sys.argv[1:]
    if message := fault(arguments):
        _leave(message, WRONG_CALL)
    debug = "--debug" in arguments
    try:
        app(args=[argument for argument in arguments if argument != "--debug"])
    except SystemExit as left:  # typer makes these of KeyboardInterrupt (130) and BrokenPipeError (1)
        if left.code == INTERRUPTED:
            _leave("stopped; finished work is stored, and the same command continues from there", INTERRUPTED)
        if isinstance(left.__context__, BrokenPipeError):
            sys.exit(0)  # the reader of our output has enough
        raise
    except Exception as error:
        if debug:
            raise
        if isinstance(error, SmallprintError):
            _leave(str(error), 1)
        elif isinstance(error, OSError):
            full = "the disk is full; free some space and run the same command again"
            _leave(full if error.errno == errno.ENOSPC else str(error), 1)
        problem = f"unexpected {type(error).__name__}: {error}"
        _leave(f"{problem}; run again with --debug for the details, and please report it", 1)


def fault(arguments: list[str]) -> str:
    """Return what is wrong with the arguments, or nothing.

    Python hands over bytes that are no UTF-8 as half surrogates, which nothing can store or look for. Names of files
    may have any bytes, if the file is there.
    """
    for argument in arguments:
        value = argument.partition("=")[2] if argument.startswith("-") else argument
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            if not os.path.lexists(value):
                return f"{value[:200]!a} is not written in UTF-8; check the encoding of the terminal (see 'locale')"
    return ""


def _restart_in_utf8() -> None:
    """Start anew in Python's UTF-8 mode where all would be ASCII, as by LC_ALL=C together with PYTHONUTF8=0."""
    if sys.getfilesystemencoding() == "ascii":
        arguments = [sys.executable, "-X", "utf8", "-m", "smallprint", *sys.argv[1:]]
        os.execv(sys.executable, arguments)  # noqa: S606 - this very program, without a shell


def _leave(message: str, code: int) -> None:
    line = _OVERLONG.sub(r"\1…", printable(" ".join(message.split())))
    print(f"smallprint: {line}", file=sys.stderr)
    sys.exit(code)
