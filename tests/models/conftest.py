from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def computed_logits(model_cache):
    """Let the transformers compute everything anew: here it is they that are tested."""
    from smallprint.models.towers import Tower

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tower, "logits", model_cache)
        yield
