"""Holds the docs to the program: the reference pages are what the program prints, and no link leads nowhere.

Run with --write to bring the reference pages up to date.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click
import typer.main

from smallprint.cli.app import app
from smallprint.limits import LIMITS, written
from smallprint.settings import PREFIX, described
from smallprint.voice.requests import LOCALES, interaction_model

DOCS = Path(__file__).parent
ROOT = DOCS.parent
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
HOME = re.compile(re.escape(str(Path.home())))


def main() -> int:
    """Compare or write the reference pages, and check the links; gives the number of faults."""
    faults = []
    pages = {"cli.md": cli_reference(), "settings.md": settings_reference(), "limits.md": limits_reference()}
    pages |= {f"alexa/{locale}.json": json.dumps(interaction_model(locale), indent=2) + "\n" for locale in LOCALES}
    for path, text in ((DOCS / name, text) for name, text in pages.items()):
        if "--write" in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            faults.append(f"{path.relative_to(ROOT)} is out of date; run 'python docs/check.py --write'")
    for page in sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")]):
        targets = LINK.findall(page.read_text(encoding="utf-8"))
        faults += [
            f"{page.relative_to(ROOT)} links to {target}, which is not there"
            for target in targets
            if not (page.parent / target).exists()
        ]
    for fault in faults:
        print(fault)
    return len(faults)


def cli_reference() -> str:
    """Write down every command with its arguments and options."""
    parts = ["# Commands", "", "Written by `python docs/check.py --write` from the program itself.", ""]
    root = typer.main.get_command(app)
    for name, command in commands(root, "smallprint"):
        parts += [f"## {name}", "", " ".join((command.help or "").split()), ""]
        rows = [row for row in map(described_parameter, command.params) if row]
        if rows:
            parts += ["| | |", "|---|---|", *rows, ""]
    return "\n".join(parts)


def commands(group: click.Command, path: str) -> list[tuple[str, click.Command]]:
    """List the commands under a group, in the order in which help lists them."""
    listed = []
    for name, command in getattr(group, "commands", {}).items():
        here = f"{path} {name}"
        listed += commands(command, here) if hasattr(command, "commands") else [(here, command)]
    return listed


def described_parameter(parameter: click.Parameter) -> str:
    """Write a parameter as a row of a table."""
    help_ = getattr(parameter, "help", None) or ""
    if parameter.param_type_name == "argument":
        return f"| `{(parameter.metavar or parameter.name or '').upper()}` | {help_} |"
    return f"| {', '.join(f'`{name}`' for name in parameter.opts)} | {help_} |"


def settings_reference() -> str:
    """Write down every setting with its default."""
    parts = [
        "# Settings",
        "",
        "Written by `python docs/check.py --write` from the program itself. A setting is looked for in the",
        f"environment (`{PREFIX}NAME`), then in the settings file (`name = value`, TOML; `smallprint settings` says",
        "where it is), then its default holds. An unknown name is an error.",
        "",
    ]
    for name, default, help_ in described():
        parts += [f"## {name}", "", f"{help_} Default: `{HOME.sub('~', str(default))}`.", ""]
    return "\n".join(parts)


def limits_reference() -> str:
    """Return the page of limits: a table of what each protects, and the settings that change them."""
    parts = [
        "# Limits",
        "",
        "Written by `python docs/check.py --write` from the program itself. Each limit is checked before the work that",
        "it protects begins. Those with a setting can be changed within the values shown; see [settings](settings.md).",
        "",
        "| limit | value | protects | reason | setting |",
        "|---|---|---|---|---|",
    ]
    for limit in LIMITS:
        allowed = f"`{limit.setting}`, {' to '.join(map(written, limit.allowed))}" if limit.allowed else ""
        value = f"{written(limit.value)} {limit.unit}"
        parts.append(f"| `{limit.name}` | {value} | {limit.protects} | {limit.reason} | {allowed} |")
    return "\n".join([*parts, ""])


if __name__ == "__main__":
    sys.exit(main())
