"""The colours of the style sheet: every pair that carries text can be read, by day and by night."""

from __future__ import annotations

import re

import pytest

from smallprint.taxonomy import CATEGORIES
from smallprint.web.present.marks import HUES, hue
from smallprint.web.rendering import STATIC

CSS = (STATIC / "smallprint.css").read_text(encoding="utf-8")
DARK = CSS.index("@media (prefers-color-scheme: dark)")
COLOUR = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")


def modes():
    light = dict(COLOUR.findall(CSS[:DARK]))
    dark = dict(COLOUR.findall(CSS[DARK : CSS.index("/* Ground */")]))
    return {"light": light, "dark": dark}


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def test_contrast_is_measured_as_the_guidelines_say():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_can_be_read(mode):
    colours = modes()[mode]
    text = ["ink", "muted", "accent", *(f"hue-{one.id}" for one in HUES)]
    found = {name: contrast(colours[name], colours["paper"]) for name in text}
    assert {name: round(value, 2) for name, value in found.items() if value < 4.5} == {}
    on = {
        name: contrast(colours["ink"], colours[name])
        for name in ("field", "mark", "gone", "come", *(f"heat-{step}" for step in range(1, 7)))
    }
    assert {name: round(value, 2) for name, value in on.items() if value < 4.5} == {}
    assert contrast(colours["paper"], colours["accent"]) >= 4.5  # a button under the pointer


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_edges_and_bars_can_be_seen(mode):
    colours = modes()[mode]
    for name in ("edge", "bar", "accent"):
        assert contrast(colours[name], colours["paper"]) >= 3
    assert contrast(colours["edge"], colours["field"]) >= 3


def test_both_modes_have_every_colour_and_shades_grow():
    light, dark = modes().values()
    assert set(light) == set(dark)
    for colours in (light, dark):
        shades = [contrast(colours[f"heat-{step}"], colours["paper"]) for step in range(1, 7)]
        assert shades == sorted(shades)


def test_categories_are_told_apart_with_and_without_colour():
    assert [one.id for one in HUES] == [one.id for one in CATEGORIES]
    assert len({one.code for one in HUES}) == 12
    assert {one.id: one.code for one in HUES} == {
        "first-party": "Fp", "third-party": "Tp", "choice": "Ch", "access": "Ac", "retention": "Re", "security": "Se",
        "change": "Pc", "do-not-track": "Dt", "audiences": "Au", "introduction": "In", "contact": "Co",
        "not-covered": "Nc",
    }  # fmt: skip
    for colours in modes().values():
        assert len({colours[f"hue-{one.id}"] for one in HUES}) == 12
    for one in HUES:
        assert f".{one.css} {{ --hue: var(--hue-{one.id}); }}" in CSS
    assert hue("choice").plain == "what you can choose"
    with pytest.raises(KeyError):
        hue("nothing")


def test_nothing_is_fetched_by_the_style_sheet():
    assert not re.search(r"@import|@font-face|url\(", CSS)
