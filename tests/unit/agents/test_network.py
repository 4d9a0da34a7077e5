"""The token-sum layer and the networks."""

import numpy as np
import pytest
import torch

from minchiate_rl.agents.network import NO_LOGIT, Critic, PolicyNetwork, Shape, masked
from minchiate_rl.agents.tokensum import token_sum

SHAPE = Shape(n_tokens=40, n_state_tokens=50, num_actions=12, width=16, critic_width=8)


def some_tokens(rows: int, width: int, high: int, seed: int = 0) -> torch.Tensor:
    rng = np.random.default_rng(seed)
    tokens = np.zeros((rows, width), np.int16)
    for row in tokens:
        n = rng.integers(0, width + 1)
        row[:n] = rng.integers(1, high, n)
    return torch.from_numpy(tokens)


def one_hot(tokens: torch.Tensor, size: int) -> torch.Tensor:
    dense = torch.zeros(tokens.shape[0], size, dtype=torch.float64)
    for i, row in enumerate(tokens.tolist()):
        for token in row:
            if token == 0:
                break
            dense[i, token] += 1.0
    return dense


def test_token_sum_equals_a_dense_one_hot_product_forward_and_backward() -> None:
    tokens = some_tokens(33, 11, 40)
    table = torch.randn(40, 16, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(33, 16, dtype=torch.float64)
    out = token_sum(table, tokens)
    dense = one_hot(tokens, 40) @ table
    torch.testing.assert_close(out, dense)
    ours = torch.autograd.grad((out * weights).sum(), table)[0]
    theirs = torch.autograd.grad((dense * weights).sum(), table)[0]
    torch.testing.assert_close(ours, theirs)


def test_token_sum_passes_a_numeric_gradient_check() -> None:
    tokens = some_tokens(5, 6, 9, seed=3)
    table = torch.randn(9, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda weight: token_sum(weight, tokens), (table,))


def test_what_follows_the_first_zero_is_not_read() -> None:
    table = torch.randn(5, 3)
    assert torch.equal(
        token_sum(table, torch.tensor([[2, 0, 3]], dtype=torch.int16)),
        token_sum(table, torch.tensor([[2, 0, 0]], dtype=torch.int16)),
    )


def test_token_sum_agrees_with_the_embedding_bag_of_other_devices() -> None:
    tokens, table = some_tokens(20, 9, 30), torch.randn(30, 8)
    bag = torch.nn.functional.embedding_bag(tokens.int(), table, mode="sum", padding_idx=0)
    torch.testing.assert_close(token_sum(table, tokens), bag)


def test_the_phase_moves_the_logits_by_its_own_bias() -> None:
    network = PolicyNetwork(SHAPE)
    tokens = some_tokens(3, 6, 40)
    with torch.no_grad():
        network.phase_bias[1, 4] = 2.0
        play = network.logits(tokens, torch.full((3,), 2, dtype=torch.int8))
        declare = network.logits(tokens, torch.full((3,), 1, dtype=torch.int8))
    expected = torch.zeros(3, 12)
    expected[:, 4] = 2.0
    torch.testing.assert_close(declare - play, expected)


def test_networks_are_drawn_from_their_generator_alone() -> None:
    torch.manual_seed(1)
    first = PolicyNetwork(SHAPE, torch.Generator().manual_seed(5))
    torch.manual_seed(2)
    second = PolicyNetwork(SHAPE, torch.Generator().manual_seed(5))
    other = PolicyNetwork(SHAPE, torch.Generator().manual_seed(6))
    for (name, a), b, c in zip(first.named_parameters(), second.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)
        if name in {"table", "first.weight", "head.weight"}:
            assert not torch.equal(a, c)


def test_every_weight_gets_a_gradient() -> None:
    policy, critic = PolicyNetwork(SHAPE), Critic(SHAPE)
    tokens = some_tokens(64, 6, 40)
    phases = torch.arange(64).remainder(3).to(torch.int8)
    loss = (policy.logits(tokens, phases) ** 2).sum() + (critic.values(tokens) ** 2).sum()
    loss.backward()
    for parameter in (*policy.parameters(), *critic.parameters()):
        assert parameter.grad is not None
        assert bool((parameter.grad != 0).any())


def test_masked_logits_have_no_probability_where_illegal() -> None:
    legal = torch.tensor([[True, False, True]])
    logits = masked(torch.tensor([[0.5, 80.0, -0.5]]), legal)
    assert logits.dtype == torch.float32
    assert logits[0, 1] == NO_LOGIT
    assert torch.softmax(logits, dim=1)[0, 1] == 0.0


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_any_number_of_rows_is_answered(rows: int) -> None:
    assert Critic(SHAPE).values(some_tokens(rows, 6, 50)).shape == (rows,)
