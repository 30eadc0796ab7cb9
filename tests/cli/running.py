"""The command, run in this process as a user would run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from smallprint.cli.app import main


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Runner:
    capture: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str | Path) -> Done:
        self.capture.readouterr()
        code: Any = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = left.code or 0
        out, err = self.capture.readouterr()
        return Done(code, out, err)


def in_process_of_its_own(code: str, *arguments: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run Python code with arguments, with additions to the environment."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
    )
