from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from smallprint import limits
from smallprint.errors import BadSetting
from smallprint.limits import LIMITS, written
from smallprint.settings import PREFIX, Settings, load

ADJUSTABLE = [limit for limit in LIMITS if limit.setting]


def test_every_row_is_a_name_of_the_module():
    assert {limit.name: limit.value for limit in LIMITS} == {
        name: value for name, value in vars(limits).items() if name.isupper() and name != "LIMITS"
    }
    assert len({limit.name for limit in LIMITS}) == len(LIMITS)


def test_every_row_says_what_it_protects_and_why():
    assert [row.name for row in LIMITS if not (row.unit and row.protects and len(row.reason.split()) > 2)] == []
    assert [row.name for row in LIMITS if not row.reason.endswith(".") or "|" in row.reason] == []
    assert [row.name for row in LIMITS if row.value <= 0] == []


def test_a_setting_has_its_default_from_the_table():
    defaults = {f.name: f.default for f in fields(Settings)}
    assert {row.setting: row.value for row in ADJUSTABLE} == {row.setting: defaults[row.setting] for row in ADJUSTABLE}
    assert [row.name for row in ADJUSTABLE if not row.allowed[0] <= row.value <= row.allowed[1]] == []


@pytest.mark.parametrize("limit", ADJUSTABLE, ids=lambda limit: limit.setting)
def test_a_setting_takes_its_least_and_most_and_nothing_beyond(limit, tmp_path):
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    kind = type(getattr(Settings(), limit.setting))
    step = 1 if kind is int else 0.01
    least, most = limit.allowed
    for value in (least, most):
        loaded = load({**environ, PREFIX + limit.setting.upper(): str(kind(value))})
        assert getattr(loaded, limit.setting) == value
    message = f"choose a number from {written(least)} to {written(most)} "
    for value in (kind(least) - step, kind(most) + step, kind(10**18)):
        with pytest.raises(BadSetting) as raised:
            load({**environ, PREFIX + limit.setting.upper(): str(value)})
        assert str(raised.value) == f"{limit.setting} = {value}: {message}({limit.unit})"


@pytest.mark.parametrize(("value", "text"), [(6.5, "6.5"), (20.0, "20"), (2_000_000, "2,000,000"), (0.1, "0.1")])
def test_numbers_as_people_write_them(value, text):
    assert written(value) == text


def test_the_page_of_limits_lists_them_all():
    page = (Path(__file__).parent.parent / "docs" / "limits.md").read_text(encoding="utf-8")
    assert [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")] == [row.name for row in LIMITS]
