"""The kernels of the losses against torch's own gradients."""

import numpy as np
import numpy.typing as npt
import pytest
import torch

from minchiate_rl.agents.choice import unpack_legal
from minchiate_rl.agents.network import masked
from minchiate_rl.errors import RunError
from minchiate_rl.game.actions import N_ACTIONS
from minchiate_rl.training import losses

ROWS = 60


def some_batch() -> tuple[npt.NDArray[np.float32], losses.Targets]:
    rng = np.random.default_rng(4)
    logits = rng.normal(scale=2.0, size=(ROWS, N_ACTIONS)).astype(np.float32)
    numbers = [sum(1 << int(a) for a in rng.choice(N_ACTIONS, rng.integers(1, 12), replace=False)) for _ in range(ROWS)]
    legal = np.array(
        [[n & (1 << 56) - 1, n >> 56 & (1 << 41) - 1, n >> 97 & (1 << 47) - 1, n >> 144] for n in numbers],
        dtype=np.uint64,
    )
    mask = unpack_legal(legal, N_ACTIONS)
    actions = np.array([rng.choice(np.flatnonzero(row)) for row in mask], dtype=np.int16)
    own = torch.log_softmax(masked(torch.from_numpy(logits), torch.from_numpy(mask)), 1).numpy()
    log_probs = (own[np.arange(ROWS), actions] + rng.normal(scale=0.3, size=ROWS)).astype(np.float32)
    return logits, losses.Targets(legal, actions, log_probs, rng.normal(size=ROWS).astype(np.float32))


def torch_ppo(
    logits: torch.Tensor, targets: losses.Targets, clip: float, weight: float
) -> tuple[torch.Tensor, torch.Tensor]:
    mask = torch.from_numpy(unpack_legal(targets.legal, N_ACTIONS))
    log_p = torch.log_softmax(masked(logits, mask), dim=1)
    chosen = log_p.gather(1, torch.from_numpy(targets.actions).long()[:, None])[:, 0]
    ratio = (chosen - torch.from_numpy(targets.log_probs)).exp()
    advantages = torch.from_numpy(targets.advantages)
    surrogate = torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    entropy = -(log_p.exp() * torch.where(mask, log_p, torch.zeros(()))).sum(1)
    return (-surrogate - weight * entropy).mean(), entropy.mean()


def test_ppo_gradient_is_that_of_autograd() -> None:
    logits, targets = some_batch()
    for clip, weight in ((0.2, 0.01), (0.05, 0.5), (0.2, 0.0)):
        gradient, sums = losses.ppo_gradient(logits, targets, clip, weight)
        variable = torch.from_numpy(logits).requires_grad_()
        loss, entropy = torch_ppo(variable, targets, clip, weight)
        expected = torch.autograd.grad(loss, variable)[0].numpy()
        np.testing.assert_allclose(gradient, expected, atol=2e-6)
        total = (sums[losses.SUM_LOSS] - weight * sums[losses.SUM_ENTROPY]) / ROWS
        assert total == pytest.approx(loss.item(), abs=1e-5)
        assert sums[losses.SUM_ENTROPY] / ROWS == pytest.approx(entropy.item(), abs=1e-5)
        assert 0 < sums[losses.SUM_CLIPPED] < ROWS
        assert sums[losses.SUM_KL] > 0


def test_entropy_is_over_legal_actions_only() -> None:
    legal = np.array([[0b11, 0, 0, 0], [0b1, 0, 0, 0]], np.uint64)
    logits = np.full((2, N_ACTIONS), 50.0, np.float32)
    logits[:, :2] = 0.0
    zeros = np.zeros(2, np.float32)
    targets = losses.Targets(legal, np.zeros(2, np.int16), np.array([np.log(0.5), 0.0], np.float32), zeros)
    gradient, sums = losses.ppo_gradient(logits, targets, 0.2, 0.1)
    assert sums[losses.SUM_ENTROPY] == pytest.approx(np.log(2.0))
    assert sums[losses.SUM_KL] == pytest.approx(0.0, abs=1e-6)
    assert not gradient[:, 2:].any()


def test_imitation_gradient_is_that_of_the_masked_cross_entropy() -> None:
    logits, targets = some_batch()
    gradient, sums = losses.imitation_gradient(logits, targets.legal, targets.actions)
    variable = torch.from_numpy(logits).requires_grad_()
    mask = torch.from_numpy(unpack_legal(targets.legal, N_ACTIONS))
    wanted = torch.from_numpy(targets.actions).long()
    loss = torch.nn.functional.cross_entropy(masked(variable, mask), wanted)
    np.testing.assert_allclose(gradient, torch.autograd.grad(loss, variable)[0].numpy(), atol=2e-6)
    assert sums[losses.SUM_LOSS] / ROWS == pytest.approx(loss.item(), abs=1e-5)
    best = masked(torch.from_numpy(logits), mask).argmax(1)
    assert sums[losses.SUM_CLIPPED] == int((best == wanted).sum())


def torch_divergence(log_p: torch.Tensor, other: npt.NDArray[np.float32], mask: torch.Tensor) -> torch.Tensor:
    log_q = torch.log_softmax(masked(torch.from_numpy(other), mask), dim=1)
    return (log_p.exp() * torch.where(mask, log_p - log_q, torch.zeros(()))).sum(1).mean()


@pytest.mark.parametrize(
    "weights", [(0.2, 0.01, 0.05, 0.0), (0.2, 0.0, 0.3, 0.5), (0.05, 0.1, 0.0, 0.0), (0.2, 0.0, 0.0, 2.0)]
)
def test_magnet_gradient_is_that_of_autograd(weights: tuple[float, float, float, float]) -> None:
    logits, targets = some_batch()
    rng = np.random.default_rng(9)
    magnet, acted = ((logits + rng.normal(size=logits.shape)).astype(np.float32) for _ in range(2))
    clip, entropy_weight, pull, hold = weights
    gradient, sums = losses.magnet_gradient(logits, targets, (magnet, acted), weights)
    variable = torch.from_numpy(logits).requires_grad_()
    mask = torch.from_numpy(unpack_legal(targets.legal, N_ACTIONS))
    log_p = torch.log_softmax(masked(variable, mask), dim=1)
    to_magnet, to_acted = torch_divergence(log_p, magnet, mask), torch_divergence(log_p, acted, mask)
    loss, _ = torch_ppo(variable, targets, 1e9 if hold else clip, entropy_weight)
    expected = torch.autograd.grad(loss + pull * to_magnet + hold * to_acted, variable)[0].numpy()
    np.testing.assert_allclose(gradient, expected, atol=2e-6)
    assert sums[losses.SUM_MAGNET] / ROWS == pytest.approx(to_magnet.item(), rel=1e-4)
    assert sums[losses.SUM_KL] / ROWS == pytest.approx(to_acted.item(), rel=1e-4)


def test_without_pull_and_hold_the_magnet_changes_nothing() -> None:
    logits, targets = some_batch()
    plain = losses.ppo_gradient(logits, targets, 0.2, 0.01)[0]
    with_magnet = losses.magnet_gradient(logits, targets, (logits + 1.5, -logits), (0.2, 0.01, 0.0, 0.0))[0]
    np.testing.assert_array_equal(plain, with_magnet)


def test_value_gradient_is_that_of_the_squared_error() -> None:
    logits, targets = some_batch()
    goals = targets.advantages
    gradient, sums = losses.value_gradient(logits, targets.actions, goals)
    variable = torch.from_numpy(logits).requires_grad_()
    chosen = variable.gather(1, torch.from_numpy(targets.actions).long()[:, None])[:, 0]
    loss = torch.nn.functional.mse_loss(chosen, torch.from_numpy(goals))
    np.testing.assert_allclose(gradient, torch.autograd.grad(loss, variable)[0].numpy(), atol=1e-6)
    assert sums[losses.SUM_LOSS] / ROWS == pytest.approx(loss.item(), rel=1e-5)


def test_logits_that_are_not_finite_stop_the_training() -> None:
    logits, targets = some_batch()
    logits[3, targets.actions[3]] = np.nan
    with pytest.raises(RunError, match="not finite"):
        losses.ppo_gradient(logits, targets, 0.2, 0.01)
    with pytest.raises(RunError, match="not finite"):
        losses.imitation_gradient(logits, targets.legal, targets.actions)
    with pytest.raises(RunError, match="not finite"):
        losses.magnet_gradient(logits, targets, (logits, logits), (0.2, 0.01, 0.1, 0.0))
    with pytest.raises(RunError, match="not finite"):
        losses.value_gradient(logits, targets.actions, targets.advantages)
