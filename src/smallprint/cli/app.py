"""The `smallprint` command: its subcommands, and every failure as one line that says what to do."""

from __future__ import annotations

import errno
import re
import sys

import typer

from smallprint.cli import (
    asking,
    building,
    chatting,
    feedback,
    forgetting,
    inspecting,
    measuring,
    removing,
    rereading,
    safekeeping,
    searching,
    serving,
    speaking,
    training,
    viewing,
)
from smallprint.cli.arguments import fault, restart_in_utf8
from smallprint.controls import shown
from smallprint.errors import SmallprintError

WRONG_CALL, INTERRUPTED = 2, 130
# A name in a message is cut after so many characters: one line is to be read.
_OVERLONG = re.compile(r"(\S{150})\S{50,}")

app = typer.Typer(
    name="smallprint",
    help="Find, read and question the privacy policies of the web, on your own machine.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Every command takes --json for machines and --debug for tracebacks. Settings: 'smallprint settings'.",
)
imports = typer.Typer(help="Bring in what is known of domains and companies.", no_args_is_help=True)
app.add_typer(imports, name="import")

app.command()(building.ingest)
app.command()(building.crawl)
app.command()(building.add)
app.command()(building.annotate)
app.command()(rereading.reread)
app.command()(removing.remove)
app.command()(searching.index)
app.command()(searching.search)
app.command()(searching.export)
app.command()(asking.ask)
app.command()(chatting.chat)
app.command()(feedback.feedback)
app.command()(forgetting.forget)
app.command()(inspecting.status)
app.command()(inspecting.statistics)
app.command()(inspecting.show)
app.command()(viewing.diff)
app.command()(viewing.compare)
app.command()(inspecting.rejections)
app.command()(inspecting.settings)
app.command()(safekeeping.check)
app.command()(safekeeping.backup)
app.command()(safekeeping.restore)
app.command()(serving.serve)
app.command("alexa-model")(speaking.alexa_model)
app.command()(speaking.mcp)
app.command()(measuring.evaluate)
app.command()(training.train)
imports.command("companies")(building.import_companies)
imports.command("popularity")(building.import_popularity)


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Say which Smallprint this is.")) -> None:
    if version:
        from smallprint import __version__

        typer.echo(f"smallprint {__version__}")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run the command; exits with 0, 1 for what went wrong, 2 for a wrong call, 130 when interrupted."""
    if arguments is None:
        restart_in_utf8()
        arguments = sys.argv[1:]
    if message := fault(arguments):
        _leave(message, WRONG_CALL)
    debug = "--debug" in arguments
    try:
        app(args=[argument for argument in arguments if argument != "--debug"])
    except SystemExit as left:  # typer makes these of KeyboardInterrupt (130) and BrokenPipeError (1)
        if left.code == INTERRUPTED:
            _leave("stopped; what was reported done is stored, and the same command goes on from there", INTERRUPTED)
        if isinstance(left.__context__, BrokenPipeError):
            sys.exit(0)  # whoever read us has enough
        raise
    except SmallprintError as error:
        if debug:
            raise
        _leave(str(error), 1)
    except OSError as error:
        if debug:
            raise
        what = (
            "no room left on the disk; free some and run the same command again"
            if error.errno == errno.ENOSPC
            else str(error)
        )
        _leave(what, 1)
    except Exception as error:
        if debug:
            raise
        _leave(
            f"unexpected {type(error).__name__}: {error}; run again with --debug for the details, and please report it",
            1,
        )


def _leave(message: str, code: int) -> None:
    line = _OVERLONG.sub(r"\1…", shown(" ".join(message.split())))
    print(f"smallprint: {line}", file=sys.stderr)
    sys.exit(code)
