"""Floors under the figures: what was once reached may not be lost without saying so."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from smallprint.errors import SmallprintError


class BelowFloor(SmallprintError):
    """A figure fell below its floor."""


def check(result: dict[str, Any]) -> None:
    """Raise BelowFloor if a figure of this result is below its floor; data without floors pass."""
    floors = json.loads((resources.files("smallprint.evaluate") / "floors.json").read_text(encoding="utf-8"))
    for floor in floors:
        if floor["task"] != result["task"] or floor["data"] != result["data"]:
            continue
        if floor["n"] != result["n"]:
            raise BelowFloor(
                f"{result['task']}: {result['n']} items, but the floor was set on {floor['n']}; the data have changed"
            )
        measures = {**result["systems"], **result.get("subsets", {})}.get(floor["system"])
        if measures is None:  # --systems left it out
            continue
        for name, least in floor["least"].items():
            if measures[name] < least:
                raise BelowFloor(
                    f"{result['task']} {floor['system']} {name}: {measures[name]:.4f} is below the floor {least}"
                )
        for name, most in floor.get("most", {}).items():
            if measures[name] > most:
                raise BelowFloor(
                    f"{result['task']} {floor['system']} {name}: {measures[name]:.4f} is above the ceiling {most}"
                )
