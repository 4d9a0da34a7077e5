"""The output layer for legal actions alone, beside the whole of it."""

import numpy as np
import pytest
import torch
from torch import Tensor

from minchiate_rl.agents.choice import unpack_legal
from minchiate_rl.agents.network import PolicyNetwork
from minchiate_rl.agents.shape import N_PHASES, Shape

SHAPE = Shape(n_tokens=60, n_state_tokens=70, num_actions=144, width=37, critic_width=8, blocks=2)


def some_inputs(rows: int) -> tuple[Tensor, Tensor, np.ndarray]:
    rng = np.random.default_rng(rows)
    tokens = np.sort(rng.integers(1, 60, (rows, 9)), axis=1).astype(np.int16)
    legal = np.zeros((rows, 4), np.uint64)
    for row in legal:
        for action in rng.choice(144, rng.integers(1, 20), replace=False):
            word = int(np.searchsorted([0, 56, 97, 144], action, side="right")) - 1
            row[word] |= np.uint64(1) << np.uint64(action - (0, 56, 97, 144)[word])
    return torch.from_numpy(tokens), torch.from_numpy(rng.integers(0, N_PHASES, rows).astype(np.int8)), legal


def some_policy() -> PolicyNetwork:
    generator = torch.Generator().manual_seed(4)
    policy = PolicyNetwork(SHAPE, generator)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) / 8)
    return policy


@pytest.mark.parametrize("rows", [0, 1, 300])
def test_legal_logits_are_those_of_the_whole_layer(rows: int) -> None:
    policy, (tokens, phases, legal) = some_policy(), some_inputs(rows)
    mask = torch.from_numpy(unpack_legal(legal, 144))
    whole, own = policy.logits(tokens, phases), policy.logits(tokens, phases, legal)
    assert own.shape == (rows, 144)
    torch.testing.assert_close(own, whole * mask, atol=1e-5, rtol=1e-5)
    assert not own[~mask].any()


def test_gradients_are_those_of_the_whole_layer() -> None:
    policy, (tokens, phases, legal) = some_policy(), some_inputs(200)
    parameters = list(policy.parameters())
    by_logits = torch.randn(200, 144) * torch.from_numpy(unpack_legal(legal, 144))
    whole = torch.autograd.grad(policy.logits(tokens, phases), parameters, by_logits)
    own = torch.autograd.grad(policy.logits(tokens, phases, legal), parameters, by_logits)
    for ours, theirs in zip(own, whole, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-5)


def test_a_gradient_at_an_illegal_action_changes_nothing() -> None:
    policy, (tokens, phases, legal) = some_policy(), some_inputs(50)
    parameters, mask = list(policy.parameters()), torch.from_numpy(unpack_legal(legal, 144))
    by_logits = torch.randn(50, 144)
    some = torch.autograd.grad(policy.logits(tokens, phases, legal), parameters, by_logits * mask)
    more = torch.autograd.grad(policy.logits(tokens, phases, legal), parameters, by_logits)
    assert all(torch.equal(a, b) for a, b in zip(some, more, strict=True))
