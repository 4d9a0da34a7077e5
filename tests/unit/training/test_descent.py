"""The optimizer, beside torch's own and torch's bound on the norm."""

import copy

import torch
from torch import Tensor, nn

from minchiate_rl.training.descent import Descent


def some_weights() -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(0)
    return [nn.Parameter(torch.randn(shape, generator=generator)) for shape in ((50, 7), (7,), (1, 3))]


def gradients(step: int) -> list[Tensor]:
    """Return gradients whose norm goes from below the bound to far above it."""
    generator = torch.Generator().manual_seed(step)
    return [torch.randn(own.shape, generator=generator) * 0.01 * step for own in some_weights()]


def torch_steps(optimizer: torch.optim.Adam, steps: range) -> None:
    weights = optimizer.param_groups[0]["params"]
    optimizer.param_groups[0]["lr"] = 0.01
    for step in steps:
        for own, gradient in zip(weights, gradients(step), strict=True):
            own.grad = gradient
        nn.utils.clip_grad_norm_(weights, 0.5)
        optimizer.step()


def test_steps_are_those_of_torch() -> None:
    ours, theirs = some_weights(), some_weights()
    descent, adam = Descent(ours, 0.5), torch.optim.Adam(theirs, eps=1e-5, fused=True)
    torch_steps(adam, range(30))
    assert all(descent.descend(gradients(step), 0.01) for step in range(30))
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)
    first, second = descent.state_dict(), adam.state_dict()
    assert first["param_groups"] == second["param_groups"]
    for number, state in second["state"].items():
        for name, tensor in state.items():
            torch.testing.assert_close(first["state"][number][name], tensor, atol=1e-7, rtol=1e-5)


def test_torchs_state_is_taken_up() -> None:
    ours, theirs = some_weights(), some_weights()
    descent, adam = Descent(ours, 0.5), torch.optim.Adam(theirs, eps=1e-5, fused=True)
    torch_steps(adam, range(10))
    with torch.no_grad():
        for a, b in zip(ours, theirs, strict=True):
            a.copy_(b)
    descent.load_state_dict(copy.deepcopy(adam.state_dict()))
    assert descent.descend(gradients(10), 0.01)
    torch_steps(adam, range(10, 11))
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-5)


def test_no_step_is_taken_against_what_is_not_finite() -> None:
    weights = some_weights()
    descent = Descent(weights, 0.5)
    for fault in (float("nan"), float("inf")):
        bad = gradients(1)
        bad[1][3] = fault
        assert not descent.descend(bad, 0.01)
    assert all(torch.equal(a, b) for a, b in zip(weights, some_weights(), strict=True))
    assert not descent.state
