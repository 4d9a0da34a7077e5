"""One step of PPO: a batch of self-play, advantages, and passes of policy and critic over the recorded choices."""

import dataclasses
import time
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.base import Agent
from minchiate_rl.training import losses
from minchiate_rl.training.learner import Floats, Learner, Rows
from minchiate_rl.training.returns import advantages_and_returns, normalised
from minchiate_rl.training.rollout import HALVES, Deal, PolicyPlayer, Samples, joined, play_part
from minchiate_rl.training.workers import Workers


@dataclasses.dataclass(frozen=True)
class Settings:
    """The settings of a step, schedules already applied."""

    minibatch: int
    epochs: int
    critic_epochs: int
    clip: float
    lr: float
    entropy: float
    gae_lambda: float
    joint: bool


def self_play(learner: Learner, deal: Deal, outside: list[Agent], workers: Workers) -> Samples:
    """Play the hands of a deal and return the learner's choices."""
    player = PolicyPlayer(learner.policy)
    return joined(workers.run([partial(play_part, deal, part, player, outside) for part in range(HALVES)]))


def learn(learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers) -> dict[str, Any]:
    """Learn from the choices of one batch; return the step's metrics.

    Raises:
        RunError: something is not finite.
    """
    begin = time.perf_counter()
    values = learner.values(samples.states, workers)
    moments = (samples.games, samples.seats, samples.potentials)
    advantages, returns = advantages_and_returns(moments, samples.finals, values, settings.gae_lambda, settings.joint)
    middle = time.perf_counter()
    size, spread = len(samples), float(returns.var(dtype=np.float64))
    explained = 1.0 - float((returns - values).var(dtype=np.float64)) / spread if spread > 0 else 0.0
    targets = losses.Targets(samples.legal, samples.actions, samples.log_probs, normalised(advantages))

    def gradient(logits: Floats, rows: Rows) -> tuple[Floats, npt.NDArray[np.float64]]:
        return losses.ppo_gradient(logits, targets.rows(rows), settings.clip, settings.entropy)

    policy_orders = learner.orders(step, size, settings.minibatch, settings.epochs, 0)
    critic_orders = learner.orders(step, size, settings.minibatch, settings.critic_epochs, 1)
    inputs = (samples.tokens, samples.phases)
    jobs: list[Any] = [
        partial(timed, learner.fit_policy, inputs, policy_orders, settings.lr, gradient),
        partial(timed, learner.fit_critic, samples.states, critic_orders, settings.lr, returns),
    ]
    (sums, policy_seconds), (critic, critic_seconds) = workers.run(jobs)
    rows = max(sums[-1], 1.0)
    return {
        "policy_loss": sums[losses.SUM_LOSS] / rows,
        "entropy": sums[losses.SUM_ENTROPY] / rows,
        "kl": sums[losses.SUM_KL] / rows,
        "clip_share": sums[losses.SUM_CLIPPED] / rows,
        **critic,
        "explained_variance": explained,
        "seconds_values": middle - begin,
        "seconds_policy": policy_seconds,
        "seconds_critic": critic_seconds,
    }


def timed(function: Any, *arguments: Any) -> tuple[Any, float]:
    """Return a function's result and the seconds that it took."""
    begin = time.perf_counter()
    return function(*arguments), time.perf_counter() - begin
