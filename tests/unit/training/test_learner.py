"""Gradient steps: what a learner learns, and what it does not hang on."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from minchiate_rl.agents import make
from minchiate_rl.agents.weights import shape_for
from minchiate_rl.errors import RunError
from minchiate_rl.game.rules import ruleset
from minchiate_rl.training import ppo
from minchiate_rl.training.evaluate import evaluate
from minchiate_rl.training.imitation import Imitation
from minchiate_rl.training.learner import Learner
from minchiate_rl.training.method import Settings, learn
from minchiate_rl.training.ppo import PPO
from minchiate_rl.training.rollout import FIRST_TRAINING_SEED, Deal
from minchiate_rl.training.table import LEARNER
from minchiate_rl.training.workers import Workers
from minchiate_rl.views import encoding

RULES = ruleset("classic")
SHAPE = shape_for(RULES, 32, 32)
SETTINGS = Settings(256, 2, 2, 0.2, 3e-3, 0.01, 0.94, True)


def deal(step: int, hands: int) -> Deal:
    codes = np.full((hands, 4), LEARNER, np.int8)
    return Deal(RULES, FIRST_TRAINING_SEED, step * hands, codes, "points")


def some_step(threads: int) -> tuple[Learner, dict[str, Any]]:
    learner = Learner(SHAPE, 3, 0.5)
    with Workers(threads) as workers:
        samples = ppo.self_play(learner, deal(0, 16), [], workers)
        return learner, learn(PPO(), learner, samples, 0, SETTINGS, workers)


def test_a_step_does_not_hang_on_threads() -> None:
    (one, first), (two, second) = some_step(1), some_step(2)
    for a, b in zip(one.tensors().values(), two.tensors().values(), strict=True):
        assert torch.equal(a, b)
    assert {k: v for k, v in first.items() if "second" not in k} == {
        k: v for k, v in second.items() if "second" not in k
    }


def test_every_row_is_learned_from_once_an_epoch() -> None:
    learner = Learner(SHAPE, 3, 0.5)
    orders = list(learner.orders(5, 1000, 256, 3, 0))
    assert [len(rows) for rows in orders] == [250] * 12
    for epoch in range(3):
        assert sorted(np.concatenate(orders[4 * epoch : 4 * epoch + 4]).tolist()) == list(range(1000))
    again = list(learner.orders(5, 1000, 256, 3, 0))
    assert all((a == b).all() for a, b in zip(orders, again, strict=True))
    for other in (learner.orders(6, 1000, 256, 3, 0), learner.orders(5, 1000, 256, 3, 1)):
        assert any((a != b).any() for a, b in zip(orders, other, strict=True))


def test_a_gradient_that_is_not_finite_stops_the_training() -> None:
    learner = Learner(SHAPE, 3, 0.5)
    states = np.ones((8, encoding.MAX_STATE_TOKENS), np.int16)
    with pytest.raises(RunError, match="not finite"):
        learner.fit_critic(states, iter([np.arange(8)]), 1e-3, np.full(8, np.nan, np.float32))


@pytest.mark.slow
def test_a_tiny_policy_learns_to_beat_random_play() -> None:
    learner = Learner(SHAPE, 0, 0.5)
    with Workers() as workers:
        for step in range(30):
            samples = ppo.self_play(learner, deal(step, 64), [], workers)
            learn(PPO(), learner, samples, step, SETTINGS, workers)
        score = evaluate(learner.policy, RULES, ["random"], 200, workers)[0]
    assert score.low > 10.0


@pytest.mark.slow
def test_a_tiny_policy_learns_from_a_teacher() -> None:
    learner, method = Learner(SHAPE, 0, 0.5), Imitation(make("greedy"), 0.1)
    settings = dataclasses.replace(SETTINGS, epochs=1, critic_epochs=1)
    agreement = []
    with Workers() as workers:
        for step in range(12):
            samples = method.gather(learner, deal(step, 64), [], settings, workers)
            metrics = learn(method, learner, samples, step, settings, workers)
            agreement.append(metrics["agreement"])
        score = evaluate(learner.policy, RULES, ["random"], 200, workers)[0]
    assert agreement[-1] > agreement[0] + 0.2
    assert score.low > 20.0
