"""Expert iteration: improved distributions, the replay window, and what a checkpoint keeps of it."""

from pathlib import Path

import numpy as np
import pytest
import torch

from minchiate_rl.agents.base import Rng
from minchiate_rl.agents.choice import unpack_legal
from minchiate_rl.errors import CheckpointError, RunError
from minchiate_rl.training import losses, replay
from minchiate_rl.training.expert import Search
from minchiate_rl.training.replay import TOP, Memory
from minchiate_rl.views.batch import Batch


class Even:
    """A prior that likes the first actions best."""

    def log_probabilities(self, views, ids):  # type: ignore[no-untyped-def]
        scores = np.where(ids >= 0, -0.3 * np.arange(ids.shape[1]), -np.inf)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def later(hands: int, steps: int) -> Batch:
    batch = Batch("classic", hands, seed=61)
    for _ in range(steps):
        legal = batch.legal_mask()
        batch.step(legal.argmax(axis=1).astype(np.int16))
    return batch


def test_an_improved_distribution_lies_on_what_was_tried_and_leans_to_what_gains_more() -> None:
    batch = later(12, 20)
    views, rng = batch.views(), Rng(batch.rng().words)
    ids, chances, tried = Search(worlds=16, top=4, tau=6.0, power=0.5).improve(views, rng, Even())
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    searched = tried.sum(axis=1) > 1
    assert searched.any()
    assert (tried.sum(axis=1) <= 4).all()
    assert (chances[searched][~tried[searched]] == 0).all()
    sharp = Search(worlds=16, top=4, tau=0.5, power=0.5).improve(views, rng, Even())[1]
    assert (sharp.max(axis=1) >= chances.max(axis=1) - 1e-12).all()
    assert (sharp.max(axis=1) > chances.max(axis=1) + 0.05).any()
    flat = Search(worlds=16, top=4, tau=1e4, power=1.0).improve(views, rng, Even())[1]
    prior = np.exp(Even().log_probabilities(views, ids)) * tried
    expected = prior[searched] / prior[searched].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(flat[searched], expected, atol=0.02)


def memory(rows: int, width: int, seed: int) -> Memory:
    draw = np.random.default_rng(seed)
    return Memory(
        tokens=draw.integers(1, 99, (rows, width)).astype(np.int16),
        states=draw.integers(1, 99, (rows, width + 3)).astype(np.int16),
        legal=draw.integers(0, 2**60, (rows, 4)).astype(np.uint64),
        phases=draw.integers(0, 3, rows).astype(np.int8),
        ids=draw.integers(0, 97, (rows, TOP)).astype(np.int16),
        chances=draw.random((rows, TOP), np.float32),
        goals=draw.random(rows, np.float32),
    )


def test_memories_are_packed_and_joined() -> None:
    memories = [memory(5, 7, 1), memory(3, 9, 2)]
    back = replay.unpack(replay.pack(memories), "here")
    for one, other in zip(memories, back, strict=True):
        for name, array in vars(one).items():
            np.testing.assert_array_equal(array, getattr(other, name))
            assert array.dtype == getattr(other, name).dtype
    whole = replay.joined(back)
    assert (len(whole), whole.tokens.shape, whole.states.shape) == (8, (8, 9), (8, 12))
    assert (whole.tokens[:5, 7:] == 0).all()
    np.testing.assert_array_equal(whole.tokens[5:], memories[1].tokens)


@pytest.mark.parametrize("data", [b"", b"PK nonsense", replay.pack([memory(2, 2, 3)])[:-40]])
def test_a_damaged_replay_is_named(data: bytes) -> None:
    with pytest.raises(CheckpointError, match=r"RUN/replay.npz: cannot be read"):
        replay.unpack(data, str(Path("RUN/replay.npz")))


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_the_gradient_of_the_cross_entropy_of_distributions_is_that_of_autograd(weight: float) -> None:
    draw = np.random.default_rng(4)
    legal = np.zeros((6, 4), np.uint64)
    legal[:, 0], legal[:, 1] = 0b1011101, draw.integers(1, 2**40, 6).astype(np.uint64)
    logits = draw.normal(size=(6, 143)).astype(np.float32)
    ids = np.full((6, TOP), -1, np.int16)
    ids[:, :3] = [0, 4, 2]
    chances = np.zeros((6, TOP), np.float32)
    chances[:, :3] = [0.2, 0.7, 0.1]
    gradient, sums = losses.distribution_gradient(logits, legal, ids, chances, weight)
    tensor = torch.tensor(logits, dtype=torch.float64, requires_grad=True)
    mask = torch.from_numpy(unpack_legal(legal, 143))
    log_p = torch.log_softmax(torch.where(mask, tensor, torch.tensor(-1e9, dtype=torch.float64)), dim=1)
    targets = torch.zeros_like(tensor)
    targets[:, [0, 4, 2]] = torch.tensor([0.2, 0.7, 0.1], dtype=torch.float64)
    entropy = -(torch.where(mask, log_p.exp() * log_p, 0.0)).sum(dim=1)
    loss = -(targets * torch.where(mask, log_p, 0.0)).sum(dim=1)
    (loss - weight * entropy).mean().backward()  # type: ignore[no-untyped-call]
    assert tensor.grad is not None
    np.testing.assert_allclose(gradient, tensor.grad.numpy(), atol=1e-6)
    np.testing.assert_allclose(
        sums[[losses.SUM_LOSS, losses.SUM_ENTROPY]], [float(total.detach()) for total in (loss.sum(), entropy.sum())]
    )


def test_outputs_that_are_not_finite_are_told() -> None:
    logits = np.full((1, 143), np.nan, np.float32)
    legal = np.array([[3, 0, 0, 0]], np.uint64)
    with pytest.raises(RunError, match="not finite"):
        losses.distribution_gradient(logits, legal, np.zeros((1, TOP), np.int16), np.ones((1, TOP), np.float32))
