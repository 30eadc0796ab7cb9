"""docs/architecture.md says which rooms there are, and what stands above what; the contract and the tree agree."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "smallprint"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CONTRACT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
LAYERS = [
    [name.strip().removeprefix("smallprint.") for name in layer.split("|")]
    for layer in CONTRACT["contracts"][0]["layers"]
]
ROOMS = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def rooms_of_the_page() -> list[list[str]]:
    table = PAGE.partition("## The rooms")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (.+?) \|", table, re.MULTILINE)
    return [names for cell in cells if (names := re.findall(r"`(\w+)`", cell))]


def test_the_page_has_the_layers_of_the_contract_in_their_order():
    layers = [[name for name in layer if name in ROOMS and name != "processes"] for layer in LAYERS]
    assert rooms_of_the_page() == [layer for layer in layers if layer]


def test_every_room_is_in_the_contract_and_on_the_page():
    assert {name for layer in LAYERS for name in layer if name in ROOMS} == ROOMS
    assert {name for layer in rooms_of_the_page() for name in layer} == ROOMS - {"processes"}


def test_no_arrow_of_the_picture_leads_up():
    height = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    picture = PAGE.partition("```mermaid")[2].partition("```")[0]
    arrows = 0
    for line in picture.splitlines():
        names = [name for name in re.findall(r"\b(\w+)(?:\[[^\]]*\])?(?: -->|$)", line.strip()) if name in height]
        for above, below in pairwise(names):
            assert height[above] < height[below], line
            arrows += 1
    assert arrows > 10


def test_every_file_that_the_page_names_is_there():
    named = set(re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", PAGE))
    assert len(named) > 8
    assert [name for name in named if not (PACKAGE / name).is_file()] == []


def test_every_package_says_what_it_is_for():
    for init in PACKAGE.rglob("__init__.py"):
        assert re.match(r'"""[A-Z].{30,}', init.read_text(encoding="utf-8")), init
