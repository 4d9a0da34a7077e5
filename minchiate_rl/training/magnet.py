"""Self-play drawn to a magnet: PPO with the divergence from a slowly moving policy in its loss.

Magnetic mirror descent (Sokota et al.: A Unified Approach to Reinforcement Learning, Quantal Response Equilibria, and
Two-Player Zero-Sum Games, 2023, arXiv 2206.05825). Every so many steps the magnet moves a part of the way to the
policy: all of the way makes periodic snapshots, a small part a moving average.
"""

import copy
from functools import partial

import numpy as np
import numpy.typing as npt
import torch

from minchiate_rl.agents.base import Agent
from minchiate_rl.agents.network import PolicyNetwork, policy_logits
from minchiate_rl.training import losses
from minchiate_rl.training.learner import Floats, Learner, Rows
from minchiate_rl.training.method import Lesson, Settings
from minchiate_rl.training.ppo import NAMES, judged, self_play
from minchiate_rl.training.rollout import Deal, Samples
from minchiate_rl.training.workers import Workers

_CHUNK = 2048


class Magnet:
    """Self-play with a magnet, and with the clip range or a proximal divergence."""

    plays_itself = True

    def __init__(self, every: int, decay: float) -> None:
        """Take the steps between two moves of the magnet, and what is left of it in each move, 0 to 1."""
        self.every, self.decay = every, decay

    def gather(
        self, learner: Learner, deal: Deal, outside: list[Agent], settings: Settings, workers: Workers
    ) -> Samples:
        """Play the hands of a deal by the policy's probabilities."""
        return self_play(learner, deal, outside, workers)

    def lesson(self, learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers) -> Lesson:
        """Move the magnet where it is time, and return the surrogate with both divergences."""
        magnet = self._moved(learner, step)
        targets, goals, metrics = judged(learner, samples, settings, workers)
        anchors = logits_of(magnet, samples, workers), logits_of(learner.policy, samples, workers)
        weights = settings.clip, settings.entropy, settings.magnet, settings.proximal

        def gradient(logits: Floats, rows: Rows) -> tuple[Floats, npt.NDArray[np.float64]]:
            near, acted = anchors
            return losses.magnet_gradient(logits, targets.rows(rows), (near[rows], acted[rows]), weights)

        names = NAMES | {"kl_magnet": losses.SUM_MAGNET}
        return Lesson(samples, gradient, goals, names, metrics | {"magnet_weight": settings.magnet})

    def _moved(self, learner: Learner, step: int) -> PolicyNetwork:
        """Return the magnet: at first the policy itself."""
        if learner.magnet is None:
            learner.magnet = copy.deepcopy(learner.policy)
        elif step % self.every == 0:
            with torch.no_grad():
                for near, own in zip(learner.magnet.parameters(), learner.policy.parameters(), strict=True):
                    near.lerp_(own, 1.0 - self.decay)
        return learner.magnet


def logits_of(network: PolicyNetwork, samples: Samples, workers: Workers) -> Floats:
    """Return a network's logits of the legal actions of all choices, float32 (K, A)."""
    rows = [slice(low, low + _CHUNK) for low in range(0, len(samples), _CHUNK)]
    parts = [
        partial(policy_logits, network, samples.tokens[some], samples.phases[some], samples.legal[some])
        for some in rows
    ]
    return np.concatenate(workers.run(parts))
