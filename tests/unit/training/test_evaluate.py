"""The periodic evaluation."""

import numpy as np
import pytest
import torch

from minchiate_rl.agents import make
from minchiate_rl.agents.network import PolicyNetwork
from minchiate_rl.agents.policy import PolicyAgent, save_agent
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.game.rules import ruleset
from minchiate_rl.matches.play import play
from minchiate_rl.training.evaluate import EVALUATION_SEED, evaluate
from minchiate_rl.training.rollout import FIRST_TRAINING_SEED
from minchiate_rl.training.workers import Workers
from minchiate_rl.views.batch import Batch

RULES = ruleset("classic")
SHAPE = shape_for(RULES, 16, 16)
DEALS = 12


def some_policy() -> PolicyNetwork:
    network = PolicyNetwork(SHAPE)
    torch.nn.init.normal_(network.head.weight, generator=torch.Generator().manual_seed(3))
    return network


def test_evaluation_deals_are_never_trained_on() -> None:
    assert EVALUATION_SEED < FIRST_TRAINING_SEED == 2**40


@pytest.mark.parametrize("opponent", ["random", "heuristic"])
def test_the_evaluation_is_a_duplicate_match(opponent: str) -> None:
    policy = some_policy()
    with Workers(2) as workers:
        score = evaluate(policy, RULES, [opponent], DEALS, workers)[0]
    ahead = np.zeros((2, DEALS))
    for side in range(2):
        batch = Batch(RULES, DEALS, seed=EVALUATION_SEED)
        agents = [PolicyAgent(policy, RULES), make(opponent)]
        play(batch, agents, seating=[side, 1 - side, side, 1 - side])
        ahead[side] = batch.net[:, side]
    deals = ahead.mean(axis=0)
    assert score.mean == pytest.approx(deals.mean())
    assert score.high - score.mean == pytest.approx(1.96 * deals.std(ddof=1) / np.sqrt(DEALS), rel=1e-3)
    assert score.mean - score.low == pytest.approx(score.high - score.mean)
    assert score.deals == DEALS


def test_opponents_may_be_agents_that_run_in_no_kernel(tmp_path) -> None:  # type: ignore[no-untyped-def]
    policy = some_policy()
    save_agent(tmp_path / "same", policy, RULES, {})
    with Workers(1) as workers:
        score = evaluate(policy, RULES, [f"policy:{tmp_path / 'same'}"], DEALS, workers)[0]
    assert score.mean == 0.0
