"""A toy network trained with torch and exported; run as `python -m tests.traced.training_session SECONDS`."""

from __future__ import annotations

import sys
import time

import pytest

from smallprint.models.towers import open_session
from smallprint.train import export, network
from smallprint.train.fitting import Plan, fit

from ..train import small


def main(seconds: float) -> None:
    """Train for one epoch, export both graphs, and stay."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in small.SIZES.items():
            patch.setattr(network, name, size)
        patch.setattr(export, "HIDDEN", small.SIZES["HIDDEN"])
        toy, trained = small.Toy(), small.network()
        fit(trained, toy.epoch, toy.loss, Plan(epochs=1, batch=8), print)
        open_session(export.embeddings_graph(trained.embeddings))
        open_session(export.tower_graph(trained.tower, "labels"))
    time.sleep(seconds)


if __name__ == "__main__":
    main(float(sys.argv[1]))
