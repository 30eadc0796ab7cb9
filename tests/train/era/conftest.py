"""A MiniLM of a toy's size where the real one is looked for, data of the same size, and a bench to work at."""

from __future__ import annotations

import pytest

from . import world

SIZES = {"HIDDEN": 32, "HEADS": 4, "INNER": 64, "LAYERS": 2, "POSITIONS": 300}


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Put made-up weights of a small BERT and the shipped tokenizer where all-MiniLM-L6-v2 is looked for."""
    torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")
    pytest.importorskip("onnx", reason="training tests need onnx: run 'make test-train'")
    pytest.importorskip("safetensors", reason="training tests need safetensors: run 'make test-train'")
    from safetensors.torch import save_file

    from research.era import tables
    from smallprint.evaluate import measures
    from smallprint.models import store
    from smallprint.models.towers import HOLDER, Base
    from smallprint.train import export, finder, fitting, network
    from smallprint.train import sentences as reading
    from smallprint.train.era import filters, retrievers

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("minilm")
    tokenizer = store.load(HOLDER, only=("tokenizer",))["tokenizer"]
    (folder / "tokenizer.json").write_bytes(tokenizer.tobytes())
    save_file(_bert(torch), folder / "model.safetensors")
    with pytest.MonkeyPatch.context() as patch:
        for name, size in SIZES.items():
            patch.setattr(network, name, size)
        for module in (export, finder, fitting):
            patch.setattr(module, "HIDDEN", SIZES["HIDDEN"])
        patch.setattr(network, "model_folder", lambda: folder)
        network.tokenizer.cache_clear()
        made = network.pretrained(network.Tower({}, each_token=True))
        store.save(HOLDER, {"embeddings": export.embeddings_graph(made.embeddings), "tokenizer": tokenizer}, folder)
        for module in (filters, retrievers, tables):
            patch.setattr(module, "Base", lambda: Base(folder))
        # Intervals over a handful of made-up questions say nothing, and took two thirds of the time.
        patch.setattr(measures, "RESAMPLES", 40)
        patch.setattr(reading, "_read_all", lambda samples: ((one, world.read(one)) for one in samples))
        yield folder
    network.tokenizer.cache_clear()


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Give research data of a toy's size."""
    return world.build(tmp_path_factory.mktemp("data"))


@pytest.fixture
def bench(toy, data, tmp_path):
    """Give a bench with an empty work folder."""
    from smallprint.train.era.bench import SMALL, Bench

    return Bench(data, tmp_path / "work", lambda line: None, SMALL, 1)


def _bert(torch):
    luck = torch.Generator().manual_seed(3)
    hidden, inner = SIZES["HIDDEN"], SIZES["INNER"]

    def drawn(*shape):
        return torch.randn(*shape, generator=luck) * 0.2

    found = {
        "embeddings.word_embeddings.weight": drawn(30522, hidden) * 5,
        "embeddings.position_embeddings.weight": drawn(SIZES["POSITIONS"], hidden),
        "embeddings.token_type_embeddings.weight": drawn(2, hidden),
        "embeddings.LayerNorm.weight": torch.ones(hidden),
        "embeddings.LayerNorm.bias": torch.zeros(hidden),
    }
    square = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
    shapes = dict.fromkeys(square, (hidden, hidden))
    shapes |= {"intermediate.dense": (inner, hidden), "output.dense": (hidden, inner)}
    for number in range(SIZES["LAYERS"]):
        at = f"encoder.layer.{number}"
        for name, shape in shapes.items():
            found[f"{at}.{name}.weight"], found[f"{at}.{name}.bias"] = drawn(*shape), drawn(shape[0])
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found[f"{at}.{name}.weight"], found[f"{at}.{name}.bias"] = torch.ones(hidden), torch.zeros(hidden)
    return found
