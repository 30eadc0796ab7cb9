import pytest


@pytest.fixture(scope="module")
def small():
    """Make the encoder's networks small while a module's tests are run; they are of MiniLM's size otherwise."""
    import torch

    from smallprint.train import export, network

    from .small import SIZES

    torch.set_num_threads(1)  # so small that threads would wait for each other

    with pytest.MonkeyPatch.context() as patch:
        for name, size in SIZES.items():
            patch.setattr(network, name, size)
        patch.setattr(export, "HIDDEN", SIZES["HIDDEN"])
        yield
