from __future__ import annotations

from contextlib import ExitStack

import pytest

from smallprint.api.slots import Slots
from smallprint.errors import TooManyExports


def test_places_for_one_client_and_for_all():
    slots = Slots(3, 2)
    with ExitStack() as held:
        held.enter_context(slots.place("a"))
        held.enter_context(slots.place("a"))
        with pytest.raises(TooManyExports, match=r"^2 exports are being made for you"):
            slots.check("a")
        held.enter_context(slots.place("b"))
        with pytest.raises(TooManyExports, match=r"^3 exports are being made; try again"), slots.place("b"):
            pass
        assert len(slots) == 3
    assert len(slots) == 0
    slots.check("a")


def test_a_place_is_free_again_whatever_happened_in_it():
    slots = Slots(1, 1)
    with pytest.raises(ValueError, match="broken"), slots.place("a"):
        raise ValueError("broken")
    with slots.place("a"):
        assert len(slots) == 1
