from __future__ import annotations

import pytest

from smallprint.view.chances import chance


@pytest.mark.parametrize(
    ("probability", "shown"), [(0.0, "under 1 %"), (0.01, "1 %"), (0.426, "43 %"), (0.99, "99 %"), (0.996, "over 99 %")]
)
def test_chances_claim_neither_none_nor_all(probability, shown):
    assert chance(probability) == shown
