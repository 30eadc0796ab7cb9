from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="training tests need torch: run 'make test-train'")

from smallprint.train import fitting  # noqa: E402 - needs torch
from smallprint.train.fitting import RUN, Plan, batched, fit, halved, padded, quick, whole  # noqa: E402 - needs torch

from .small import KEY, Toy, network  # noqa: E402 - needs torch

pytestmark = pytest.mark.usefixtures("small")

PLAN = Plan(epochs=3, batch=8)
BATCHES = 5  # of an epoch of the toy's 40 texts


def fitted(plan=PLAN, toy=None, checkpoint=None, seed=0, say=lambda line: None):
    toy = toy or Toy()
    made = network(seed)
    fit(made, toy.epoch, toy.loss, plan, say, checkpoint)
    return made


def weights(made):
    return {name: value.clone() for name, value in made.state_dict().items()}


def same(one, other):
    assert one.keys() == other.keys()
    return all(torch.equal(one[name], other[name]) for name in one)


def in_batches(lengths, size, luck):
    """Give the places of texts of some lengths, batch by batch."""
    return [places for _, places in batched([([1] * length, n) for n, length in enumerate(lengths)], size, luck)]


def losses(lines):
    return [float(found[1]) for line in lines if (found := re.search(r"loss ([\d.]+)", line))]


# Batches


@given(st.lists(st.integers(1, 300), max_size=400), st.integers(1, 9), st.integers())
def test_every_text_is_in_one_batch(lengths, size, seed):
    found = in_batches(lengths, size, random.Random(seed))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    assert all(0 < len(batch) <= size for batch in found)


def test_a_batch_is_of_like_lengths():
    lengths = random.Random(1).sample(range(1, 8 * RUN + 1), 8 * RUN)
    found = [sorted(lengths[place] for place in batch) for batch in in_batches(lengths, 8, random.Random(2))]
    assert sorted(found) == [list(range(first, first + 8)) for first in range(1, 8 * RUN, 8)]


def test_texts_of_many_runs_need_little_padding():
    luck = random.Random(1)
    lengths = [luck.randrange(1, 129) for _ in range(20 * 8 * RUN)]
    held = sum(len(batch) * max(lengths[place] for place in batch) for batch in in_batches(lengths, 8, luck))
    assert held < 1.1 * sum(lengths)


def test_batches_come_in_a_random_order_that_the_seed_fixes():
    lengths = list(range(64))
    first, again, other = (in_batches(lengths, 8, random.Random(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first != sorted(first)
    # Texts come together with others the next time, where there are more of them than a run holds.
    many = list(range(3 * 8 * RUN))
    one, two = ({frozenset(batch) for batch in in_batches(many, 8, random.Random(seed))} for seed in (1, 2))
    assert len(one & two) < len(one) / 2


def test_padding_is_masked():
    tokens, mask = padded([[5, 6, 7], [8], [0, 9]])
    assert tokens.tolist() == [[5, 6, 7], [8, 0, 0], [0, 9, 0]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0], [1, 1, 0]]
    assert (tokens.dtype, mask.dtype) == (torch.long, torch.float32)


# Training


def test_a_toy_task_is_learnt():
    lines = []
    made = fitted(Plan(epochs=25, batch=8, rate=3e-3, head_rate=3e-3), say=lines.append)
    said = losses(lines)
    assert len(said) == 25
    assert said[0] > 0.4
    assert said[-1] < 0.1
    assert not made.training
    # Texts of its own kind that it has not seen.
    luck = random.Random(9)
    fresh = [[luck.randrange(10, 30) for _ in range(6)] for _ in range(20)]
    for text in fresh[::2]:
        text[luck.randrange(6)] = KEY
    with torch.no_grad():
        found = made(*padded(fresh))["labels"][:, 0] > 0
    assert (found == torch.tensor([KEY in text for text in fresh])).sum() >= 18


def test_the_seed_fixes_everything():
    def trained(seed, before):
        made, toy = network(), Toy()
        torch.manual_seed(before)
        fit(made, toy.epoch, toy.loss, Plan(epochs=2, batch=8, seed=seed), lambda line: None)
        return weights(made), toy.batches

    (first, batches), (again, batches_again), (other, other_batches) = trained(1, 3), trained(1, 4), trained(2, 3)
    assert same(first, again)
    assert batches == batches_again
    assert not same(first, other)
    assert batches != other_batches
    assert batches[:BATCHES] != batches[BATCHES:]


def test_every_batch_is_trained_on_with_dropout():
    made, toy, seen = network(), Toy(), []

    def loss(said, places):
        seen.append(made.training)
        return toy.loss(said, places)

    fit(made, toy.epoch, loss, PLAN, lambda line: None, after_epoch=lambda epoch: made.eval())
    assert seen == [True] * 3 * BATCHES


def test_no_step_is_a_leap():
    made, toy = network(), Toy()
    fit(made, toy.epoch, lambda said, places: 1e6 * toy.loss(said, places), PLAN, lambda line: None)
    norms = [one.grad.norm() for one in made.parameters() if one.grad is not None]
    assert float(torch.stack(norms).norm()) == pytest.approx(1.0, abs=1e-3)


def test_layers_and_heads_have_rates_of_their_own():
    before, after = weights(network()), weights(fitted(Plan(epochs=1, batch=8, rate=0.0)))
    assert {name for name in before if not torch.equal(before[name], after[name])} == {
        "tower.heads.labels.weight",
        "tower.heads.labels.bias",
    }


def test_what_is_not_to_be_trained_stays():
    made, toy = network(), Toy()
    for parameter in made.embeddings.parameters():
        parameter.requires_grad = False
    before = weights(made)
    fit(made, toy.epoch, toy.loss, PLAN, lambda line: None)
    changed = {
        name.partition(".")[0] for name, value in made.state_dict().items() if not torch.equal(before[name], value)
    }
    assert changed == {"tower"}


# Stopping and going on


@pytest.mark.parametrize("stop_at", [BATCHES + 1, BATCHES + 3, 2 * BATCHES + 1])
def test_a_stopped_run_ends_as_an_unbroken_one(tmp_path, stop_at):
    checkpoint, lines = tmp_path / "labels.checkpoint", []
    with pytest.raises(KeyboardInterrupt):
        fitted(toy=Toy(stop_at), checkpoint=checkpoint)
    torch.rand(3)
    # What the network is before does not matter, since the checkpoint has it all.
    resumed = fitted(checkpoint=checkpoint, seed=7, say=lines.append)
    done = (stop_at - 1) // BATCHES
    assert lines[0] == f"going on after epoch {done}, from {checkpoint}"
    assert [line.partition(":")[0] for line in lines[1:]] == [f"epoch {n} of 3" for n in range(done + 1, 4)]
    assert same(weights(resumed), weights(fitted()))
    assert not resumed.training


@pytest.mark.parametrize("stop_at", [3, BATCHES + 4])
def test_a_run_stopped_within_an_epoch_goes_on_with_the_next_batch(tmp_path, monkeypatch, stop_at):
    monkeypatch.setattr(fitting, "OFTEN", 2)
    checkpoint, lines = tmp_path / "labels.checkpoint", []
    with pytest.raises(KeyboardInterrupt):
        fitted(AVERAGED, toy=Toy(stop_at), checkpoint=checkpoint)
    resumed = fitted(AVERAGED, checkpoint=checkpoint, seed=7, say=lines.append)
    assert lines[0] == f"going on after epoch {stop_at // BATCHES} and 2 batches, from {checkpoint}"
    assert same(weights(resumed), weights(fitted(AVERAGED)))


def test_a_long_epoch_says_how_far_it_is(monkeypatch):
    monkeypatch.setattr(fitting, "OFTEN", 2)
    lines = []
    fitted(Plan(epochs=1, batch=8), say=lines.append)
    told = [f"batch {number} of {BATCHES}, loss" for number in range(2, BATCHES, 2)] + ["epoch 1 of 1: loss"]
    assert [line[: len(start)] for line, start in zip(lines, told, strict=True)] == told
    assert all(line.endswith(" texts a second") for line in lines)


def test_a_run_stopped_in_its_first_epoch_begins_anew(tmp_path):
    checkpoint = tmp_path / "labels.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        fitted(toy=Toy(BATCHES), checkpoint=checkpoint)
    assert not checkpoint.exists()
    assert same(weights(fitted(checkpoint=checkpoint)), weights(fitted()))


def test_a_finished_run_is_not_trained_further(tmp_path):
    checkpoint, toy = tmp_path / "labels.checkpoint", Toy()
    first = weights(fitted(checkpoint=checkpoint))
    again = weights(fitted(toy=toy, checkpoint=checkpoint, seed=7))
    assert toy.batches == []
    assert same(first, again)


def test_after_every_epoch_its_checkpoint_is_there(tmp_path):
    checkpoint, toy, seen = tmp_path / "labels.checkpoint", Toy(), []

    def look(epoch):
        seen.append((epoch, torch.load(checkpoint, weights_only=True)["epoch"], sorted(tmp_path.iterdir())))

    fit(network(), toy.epoch, toy.loss, PLAN, lambda line: None, checkpoint, look)
    assert seen == [(epoch, epoch, [checkpoint]) for epoch in (1, 2, 3)]


def test_a_checkpoint_half_written_does_not_spoil_the_last_one(tmp_path, monkeypatch):
    checkpoint, lines = tmp_path / "labels.checkpoint", []
    with pytest.raises(KeyboardInterrupt):
        fitted(toy=Toy(BATCHES + 1), checkpoint=checkpoint)
    whole = checkpoint.read_bytes()

    def torn(state, path):
        Path(path).write_bytes(whole[:100])
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(torch, "save", torn)
        with pytest.raises(OSError, match="no space left"):
            fitted(checkpoint=checkpoint)
    assert checkpoint.read_bytes() == whole
    assert same(weights(fitted(checkpoint=checkpoint, say=lines.append)), weights(fitted()))
    assert lines[0] == f"going on after epoch 1, from {checkpoint}"
    assert [path.name for path in tmp_path.iterdir()] == ["labels.checkpoint"]


def test_what_follows_an_epoch_is_done_again_if_a_run_was_stopped_there(tmp_path):
    checkpoint, seen = tmp_path / "labels.checkpoint", []

    def stop(epoch):
        raise KeyboardInterrupt

    toy = Toy()
    with pytest.raises(KeyboardInterrupt):
        fit(network(), toy.epoch, toy.loss, PLAN, lambda line: None, checkpoint, stop)
    fit(network(), toy.epoch, toy.loss, PLAN, lambda line: None, checkpoint, seen.append)
    assert seen == [1, 2, 3]


AVERAGED = Plan(epochs=3, batch=8, rate=3e-3, average=0.9)


def test_the_average_is_that_of_the_weights_along_the_way():
    seen = []
    made = network()
    trained = [one for one in made.parameters() if one.requires_grad]

    class Watching(Toy):
        def loss(self, said, places):
            seen.append([one.detach().clone() for one in trained])
            return super().loss(said, places)

    toy = Watching()
    fit(made, toy.epoch, toy.loss, AVERAGED, lambda line: None)
    last = fitted(Plan(epochs=3, batch=8, rate=3e-3))
    seen.append([one.detach().clone() for one in last.parameters() if one.requires_grad])
    mean = seen[0]
    for step, now in enumerate(seen[1:], 1):
        share = min(0.9, step / (step + 9))
        mean = [share * old + (1 - share) * new for old, new in zip(mean, now, strict=True)]
    assert all(torch.allclose(one, other, atol=1e-6) for one, other in zip(trained, mean, strict=True))
    assert not same(weights(made), weights(last))


def test_a_stopped_run_keeps_its_average(tmp_path):
    checkpoint = tmp_path / "labels.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        fitted(AVERAGED, toy=Toy(BATCHES + 2), checkpoint=checkpoint)
    assert same(weights(fitted(AVERAGED, checkpoint=checkpoint, seed=7)), weights(fitted(AVERAGED)))


# Half precision


@pytest.fixture(params=[True, False])
def able(request, monkeypatch):
    monkeypatch.setattr(fitting, "quick", lambda: request.param)
    return request.param


def test_matrices_are_multiplied_in_half_precision_only_where_that_is_quicker(able):
    one = torch.eye(4)
    with halved():
        product = one @ one
    assert product.dtype == (torch.bfloat16 if able else torch.float32)


@pytest.mark.parametrize("name", ["avx512_bf16", "amx_bf16", "avx2"])
def test_the_processor_says_whether_it_is_quicker(name, monkeypatch):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {name: True})
    quick.cache_clear()
    try:
        assert quick() == (name == "avx512_bf16")
    finally:
        quick.cache_clear()


def test_what_was_said_is_given_whole():
    said = torch.ones(2, dtype=torch.bfloat16)
    assert whole(said).dtype == torch.float32
    assert {name: one.dtype for name, one in whole({"pair": said}).items()} == {"pair": torch.float32}
