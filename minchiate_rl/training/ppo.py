"""Proximal policy optimisation by self-play (Schulman et al.: Proximal Policy Optimization Algorithms, 2017).

One policy plays all seats, the critic sees the hidden cards, and forced moves are no decisions to learn from.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from minchiate_rl.agents.base import Agent
from minchiate_rl.training import losses
from minchiate_rl.training.learner import Floats, Learner, Rows
from minchiate_rl.training.method import Lesson, Settings, explained, played
from minchiate_rl.training.returns import advantages_and_returns, normalised
from minchiate_rl.training.rollout import Deal, PolicyPlayer, Samples
from minchiate_rl.training.workers import Workers


def self_play(learner: Learner, deal: Deal, outside: list[Agent], workers: Workers) -> Samples:
    """Play the hands of a deal by the policy's own probabilities and return the learner's choices."""
    return played(PolicyPlayer(learner.policy), deal, outside, workers)


def judged(
    learner: Learner, samples: Samples, settings: Settings, workers: Workers
) -> tuple[losses.Targets, Floats, dict[str, Any]]:
    """Return what the choices of a batch were worth: targets of the policy, the critic's goals, and metrics."""
    values = learner.values(samples.states, workers)
    how = settings.gae_lambda, settings.joint
    advantages, goals = advantages_and_returns(samples.moments, samples.finals, values, *how)
    targets = losses.Targets(samples.legal, samples.actions, samples.log_probs, normalised(advantages))
    return targets, goals, {"explained_variance": explained(goals, values)}


class PPO:
    """Self-play with a clipped surrogate."""

    plays_itself = True

    def gather(
        self, learner: Learner, deal: Deal, outside: list[Agent], settings: Settings, workers: Workers
    ) -> Samples:
        """Play the hands of a deal by the policy's probabilities."""
        return self_play(learner, deal, outside, workers)

    def lesson(self, learner: Learner, samples: Samples, step: int, settings: Settings, workers: Workers) -> Lesson:
        """Return the clipped surrogate over the choices' advantages."""
        targets, goals, metrics = judged(learner, samples, settings, workers)

        def gradient(logits: Floats, rows: Rows) -> tuple[Floats, npt.NDArray[np.float64]]:
            return losses.ppo_gradient(logits, targets.rows(rows), settings.clip, settings.entropy)

        return Lesson(samples, gradient, goals, NAMES, metrics)


#: The metrics of PPO that are means of a loss's sums.
NAMES = {
    "policy_loss": losses.SUM_LOSS,
    "entropy": losses.SUM_ENTROPY,
    "kl": losses.SUM_KL,
    "clip_share": losses.SUM_CLIPPED,
}
